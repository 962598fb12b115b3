"""Who makes a DaemonSet: Helm, an operator, or a person; and where the maker takes its tolerations from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec
from msgspec import Struct

from preflight.model.objects import DaemonSet

_SOURCE = re.compile(r"^# Source: (\S+)\s*$", re.MULTILINE)
_CHART = re.compile(r"(.+?)-v?[0-9]+(?:\.[0-9]+)*(?:[-+_.].*)?")
_ADDONS = "addonmanager.kubernetes.io/mode"


class Knob(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Where a chart or an operator takes the tolerations of a DaemonSet from (`charts.json`, `operators.json`).

    1. `name` is the chart's, or the kind of the operator's resource, with its API group where the kind alone is not clear.
    2. `key` is the values key, or the field of the resource. `daemonset` is a part of the DaemonSet's name or of the template's path that
       the key is for; "" for all others of the chart.
    3. `note` is a further setting that belongs to it. `source` is where it is documented.
    """

    name: str
    key: str
    source: str
    daemonset: str = ""
    group: str = ""
    note: str = ""


class Maker(Struct, frozen=True):
    """Who makes a DaemonSet: `helm` or `operator`; `evidence` says how that is known, `where` what to set instead of an edit."""

    kind: str
    evidence: str
    where: str


@cache
def _knobs(name: str) -> tuple[Knob, ...]:
    return msgspec.json.decode(files("preflight.fix").joinpath(name).read_bytes(), type=tuple[Knob, ...])


def maker(daemonset: DaemonSet, text: str = "") -> Maker | None:
    """Who makes a DaemonSet; None where nothing says so. `text` is that of its document.

    1. An owner that controls it, and the addon manager, undo every change. They come first.
    2. Helm leaves `app.kubernetes.io/managed-by: Helm`, `helm.sh/chart`, `heritage`, `meta.helm.sh/*`, or `# Source: CHART/templates/...`.
    """
    return _operator(daemonset) or _helm(daemonset, text)


def _operator(daemonset: DaemonSet) -> Maker | None:
    owners = _map(daemonset.data, "metadata").get("ownerReferences")
    for owner in owners if isinstance(owners, list) else []:
        if isinstance(owner, dict) and owner.get("controller") is True:
            kind, group = str(owner.get("kind", "")), str(owner.get("apiVersion", "")).rpartition("/")[0]
            knob = _knob("operators.json", kind, daemonset.metadata.name, group)
            name = f"{kind} {owner.get('name', '')}".strip()
            where = f"set {knob.key} of the {name}{_note(knob)}" if knob else f"set it in the {name}, if that has a field for tolerations"
            return Maker("operator", f"{name} controls it, and would undo a patch", where)
    if daemonset.metadata.labels.get(_ADDONS) == "Reconcile":
        return Maker(
            "operator", f"the addon manager keeps it ({_ADDONS}: Reconcile), and would undo a patch", "change the addon's manifest"
        )
    return None


def _helm(daemonset: DaemonSet, text: str) -> Maker | None:
    evidence = next(_evidence(daemonset), "")
    charts = list(_charts(daemonset, text))
    sources = _SOURCE.findall(text)
    if not evidence and not charts:
        return None
    if not evidence:
        evidence = f"# Source: {sources[0]}" if sources else f"the chart {charts[0][0]}"
    for chart, prefix in charts:
        hint = f"{daemonset.metadata.name} {' '.join(sources)}"
        knob = _knob("charts.json", chart, hint)
        if knob:
            return Maker(
                "helm", f"Helm rendered it ({evidence})", f"set {prefix}{knob.key} in the values of the chart {charts[-1][0]}{_note(knob)}"
            )
    which = f" {charts[-1][0]}" if charts else ""
    return Maker("helm", f"Helm rendered it ({evidence})", f"set it in the values of the chart{which}")


def _evidence(daemonset: DaemonSet) -> Iterator[str]:
    labels, annotations = daemonset.metadata.labels, daemonset.metadata.annotations
    if labels.get("app.kubernetes.io/managed-by") == "Helm":
        yield "app.kubernetes.io/managed-by: Helm"
    if "helm.sh/chart" in labels:
        yield f"helm.sh/chart: {labels['helm.sh/chart']}"
    if labels.get("heritage") in ("Helm", "Tiller"):
        yield f"heritage: {labels['heritage']}"
    for name in sorted(annotations):
        if name.startswith("meta.helm.sh/"):
            yield f"{name}: {annotations[name]}"


def _charts(daemonset: DaemonSet, text: str) -> Iterator[tuple[str, str]]:
    """The charts that may have made it, the innermost first, each with what goes before its values keys in the outermost."""
    for source in _SOURCE.findall(text):
        parts = source.split("/")
        if "templates" not in parts:
            continue
        chain = [name for name in parts[: parts.index("templates")] if name != "charts"]
        for depth in range(len(chain), 0, -1):
            yield chain[depth - 1], "".join(f"{name}." for name in chain[1:depth])
        return
    labels = daemonset.metadata.labels
    label = labels.get("helm.sh/chart") or (labels.get("chart", "") if labels.get("heritage") in ("Helm", "Tiller") else "")
    match = _CHART.fullmatch(label)
    if match:
        yield match[1], ""
    elif label:
        yield label, ""


def _knob(table: str, name: str, hint: str, group: str = "") -> Knob | None:
    """The knob for a chart or kind; one for a certain DaemonSet goes before that for all."""
    found = [knob for knob in _knobs(table) if knob.name == name and knob.group in ("", group)]
    special = [knob for knob in found if knob.daemonset and knob.daemonset in hint]
    return next(iter([*special, *(knob for knob in found if not knob.daemonset)]), None)


def _note(knob: Knob) -> str:
    return f" ({knob.note})" if knob.note else ""


def _map(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = data.get(name)
    return found if isinstance(found, dict) else {}
