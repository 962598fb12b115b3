"""`python -m tests.operators.page`: the page `docs/operators.md`, made from the facts about operators."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

from preflight.components.catalog import load_kinds
from preflight.model.declaration import FieldForm, FieldMode
from preflight.operators.facts import Condition, DaemonSetFact, FieldFact, OperatorFacts, ResourceFact, load_operators
from tests.paths import ROOT

PAGE = ROOT / "docs" / "operators.md"

_HEAD = """\
# Operators

Many DaemonSets are made by an operator: a repository holds a custom resource, and no DaemonSet. preflight knows which DaemonSets the
operators below make of their custom resources, and judges these DaemonSets like any other: `taint`, `label`, `drain`, `apply -f`, `patch`,
`delete`, `diff`, `lint` and `fix`.

- What the custom resource and the operator's defaults state is known. Containers, requests and ports are not: they are left out.
- A label that the operator, or node feature discovery, sets on nodes is unknown for a node whose manifest does not state it. The answer for
  that node is then given on the condition that its selector matches.
- If the DaemonSet itself is given, too, the DaemonSet counts. A difference from the custom resource is a finding (PF222).
- If an operator behaves differently by version, the label `helm.sh/chart` of the resource or the tag of the operator's image in a workload
  says which holds. If neither is given and it decides, the answer is unknown.
- `fix` edits the field of the custom resource, also for a DaemonSet that the operator made in a cluster (`--from`). If the field replaces
  the operator's default tolerations, `fix` writes the defaults as well. Text is added to in its own form: Longhorn's setting, YAML in
  Rook's ConfigMap. `--patch` prints a `kubectl patch` of the custom resource.
- A patch, another image or a deletion of a DaemonSet that an operator makes is reverted: a note names the resource, and its field.
- A field that is text and that the operator cannot read, or a field that nothing reads, is a finding (PF223).
- Custom resources of other operators that have tolerations or node selection are counted in the last line of the report; with
  `lint --strict` they make the exit code 3. Their lists of tolerations are checked like those of a pod if they have the same fields.

In a live cluster, `lint` and `snapshot` list the custom resources of the operators that the cluster has, to compare them with the
DaemonSets; `patch`, `apply` and `delete` list those of the operator in question. Other commands read the DaemonSets alone. This takes the
permission that `preflight rbac --operators` adds; without it, the report says which resources were not read.

## Add an operator

Add a file to `preflight/operators/facts/` (its fields are described in `preflight/operators/facts.py`), a file of cases with the same
name to `tests/operators/cases/`, and run `python -m tests.operators.page`.
"""


def make_page() -> str:
    """The text of the page."""
    return "\n".join([_HEAD, *(line for operator in load_operators() for line in _describe_operator(operator))])


def _describe_operator(operator: OperatorFacts) -> Iterator[str]:
    yield f"## {operator.operator}"
    yield ""
    yield f"Read in {operator.source.removeprefix('https://')}; version: {operator.versions}."
    yield ""
    for pitfall in operator.pitfalls:
        yield f"- {pitfall}"
    if operator.pitfalls:
        yield ""
    yield "| custom resource | DaemonSet | made | tolerations | default tolerations | provides |"
    yield "|---|---|---|---|---|---|"
    for resource in operator.resources:
        for made in resource.daemonsets:
            yield f"| {' | '.join(_describe_daemonset(resource, made))} |"
    yield ""


def _describe_daemonset(resource: ResourceFact, made: DaemonSetFact) -> Iterator[str]:
    kind = "settings" if resource.kind == "LonghornSettings" else resource.kind
    yield f"`{kind}`" + (f" `{resource.names[0]}`" if resource.names else "")
    yield f"`{made.name}`"
    until = [f"before version {made.until}"] if made.until else []
    yield "; ".join((*until, *(_describe_condition(condition) for condition in made.when))) or "always"
    tolerations = made.tolerations or resource.shared.tolerations
    yield _describe_field(tolerations)
    older = [f"{_format_all(item.default)} before version {item.before}" for item in tolerations.older]
    yield "; ".join((_format_all(tolerations.default), *older))
    yield ", ".join(dict.fromkeys(load_kinds()[component.kind].title for component in made.provides)) or "not stated"


def _describe_condition(condition: Condition) -> str:
    if condition.is_present is not None:
        return f"`{condition.field}` is {'set' if condition.is_present else 'not set'}"
    if condition.other_than is not None:
        return f"`{condition.field}` is not `{condition.other_than}`"
    value, default = (str(item).lower() if isinstance(item, bool) else str(item) for item in (condition.value, condition.default))
    older = [item for item in condition.older if str(item.default).lower() == value]
    if condition.older:
        when = f"before version {older[0].before}" if older else f"from version {condition.older[-1].before} on"
        return f"`{condition.field}` is `{value}` (the default {when})"
    return f"`{condition.field}` is `{value}`" + (" (the default)" if value == default else "")


def _describe_field(fact: FieldFact) -> str:
    if not fact.fields:
        return "no field"
    fields = ", else ".join(f"`{field}`" for field in fact.fields)
    form = {FieldForm.LIST: "", FieldForm.NODE_AFFINITY: "", FieldForm.YAML: ", a list as text", FieldForm.LONGHORN: ", text"}[fact.form]
    effect = "added to the default" if fact.mode is FieldMode.ADD else "replaces the default"
    return f"{fields}{form}: {effect}"


def _format_all(tolerations: Sequence[dict[str, str]] | None) -> str:
    return ", ".join(f"`{_format(toleration)}`" for toleration in tolerations or ()) or "none"


def _format(toleration: dict[str, str]) -> str:
    value = "=*" if toleration.get("operator") == "Exists" and "key" in toleration else f"={toleration.get('value', '')}"
    return f"{toleration.get('key', '*')}{value if 'key' in toleration else ''}:{toleration.get('effect', '*')}"


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}\n")
