"""Alerting rules as text: a rule file of Prometheus, or a PrometheusRule object of its operator."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from preflight.inert_text import escape_unprintable, make_json_inert
from preflight.messages import alerting as messages
from preflight.model.alerts import AlertGroup, AlertRules

FORMS = ("prometheus", "prometheusrule")


def render(alerts: AlertRules, form: str, labels: Mapping[str, str], name: str = "preflight", namespace: str = "") -> str:
    """The rules in one of the two forms.

    1. Scalars are in double quotes, as JSON writes them, and expressions stand in blocks as they are: names in them are plain.
    2. `labels`, `name` and `namespace` are those of the PrometheusRule; a rule file has none.
    """
    lines = [f"# {messages.describe_origin(escape_unprintable(alerts.description))}"]
    lines += [f"# {messages.describe_missing_part(escape_unprintable(note))}" for note in alerts.notes]
    if form == "prometheus":
        lines += ["groups:", *_iter_groups(alerts.groups, "  ")]
        return make_json_inert("\n".join(lines)) + "\n"
    lines += ["apiVersion: monitoring.coreos.com/v1", "kind: PrometheusRule", "metadata:", f"  name: {json.dumps(name)}"]
    lines += [f"  namespace: {json.dumps(namespace)}"] if namespace else []
    if labels:
        lines += ["  labels:", *(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in labels.items())]
    lines += ["spec:", "  groups:", *_iter_groups(alerts.groups, "    ")]
    return make_json_inert("\n".join(lines)) + "\n"


def _iter_groups(groups: tuple[AlertGroup, ...], indent: str) -> Iterator[str]:
    for group in groups:
        yield f"{indent}- name: {group.name}"
        yield f"{indent}  rules:"
        for rule in group.rules:
            yield f"{indent}    - alert: {rule.alert}"
            yield f"{indent}      expr: |-"
            yield from (f"{indent}        {line}" for line in rule.expr.splitlines())
            yield f"{indent}      for: {rule.for_duration}"
            for heading, pairs in (("labels", rule.labels), ("annotations", rule.annotations)):
                yield f"{indent}      {heading}:"
                yield from (f"{indent}        {key}: {json.dumps(value)}" for key, value in pairs.items())
