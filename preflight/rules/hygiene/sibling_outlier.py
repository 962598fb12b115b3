"""One DaemonSet of a family lacks a toleration that all the others have.

Why it matters
    DaemonSets that are installed together work together: a driver, its device plugin, its exporter. If all but one tolerate a taint, that
    one was probably forgotten, and the nodes with this taint get the whole family except that DaemonSet. It is a note until a taint is
    known for which the difference matters.
How to fix
    Give it the same tolerations; in a chart each component often has its own value for them.
Example
    Of four DaemonSets with `app.kubernetes.io/instance: gpu`, three tolerate `nvidia.com/gpu:NoSchedule`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from preflight.messages import hygiene as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC, Taint, Toleration
from preflight.model.report import Severity, TolerationSuggestion
from preflight.rules.api import Context, FixKind, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.identity import format_toleration_key
from preflight.rules.merged_groups import format_flow_map, suggest_exact_tolerations
from preflight.rules.workload_fields import is_tolerated, is_wildcard
from preflight.scheduling.affinity import match_affinity
from preflight.scheduling.tolerations import add_implicit_tolerations

_MIN_FAMILY_SIZE = 3
_FAMILY_LABELS = ("app.kubernetes.io/instance", "app.kubernetes.io/part-of")
_RELEASE_ANNOTATION = "meta.helm.sh/release-name"
_ANY_KEY, _ANY_VALUE = "preflight.invalid/any", "preflight-any"


def check(context: Context) -> Iterator[Hit]:
    """One hit for each outlier of a family of three or more, in its largest family. Only in lint."""
    said: set[int] = set()
    for name, family in _iter_families(context):
        tolerations = [add_implicit_tolerations(daemonset.spec.template.spec) for daemonset in family]
        lacking: dict[int, dict[Toleration, None]] = {}
        for toleration in (own for daemonset in family for own in daemonset.spec.template.spec.tolerations):
            for part in _split_by_effect(toleration):
                without = [number for number, own in enumerate(tolerations) if not is_tolerated(_make_probe_taint(part), own)]
                if len(without) == 1:
                    lacking.setdefault(without[0], {})[part] = None
        for number, missing in lacking.items():
            if id(family[number]) not in said:
                said.add(id(family[number]))
                yield _make_hit(context, name, family, number, _select_widest(list(missing)))


def _iter_families(context: Context) -> Iterator[tuple[str, Sequence[DaemonSet]]]:
    """Each family with what it has in common, the largest first."""
    found: dict[tuple[str, str, str], list[DaemonSet]] = {}
    for daemonset in context.world.daemonsets.values() if context.is_lint else ():
        metadata = daemonset.metadata
        names: list[tuple[str, Mapping[str, str]]] = [(_RELEASE_ANNOTATION, metadata.annotations)]
        names += ((label, metadata.labels or daemonset.spec.template.metadata.labels) for label in _FAMILY_LABELS)
        for name, values in names:
            if value := values.get(name):
                key = daemonset.key
                found.setdefault((key.namespace, key.file, f"{name}={value}"), []).append(daemonset)
    families = [(name, family) for (_, _, name), family in found.items() if len(family) >= _MIN_FAMILY_SIZE]
    return iter(sorted(families, key=lambda family: (-len(family[1]), family[0])))


def _split_by_effect(toleration: Toleration) -> Iterator[Toleration]:
    """What it tolerates of each effect that decides a placement; how long does not matter here."""
    for effect in ("NoSchedule", "NoExecute"):
        if toleration.effect in ("", effect):
            yield Toleration(toleration.key, toleration.operator, toleration.value, effect)


def _make_probe_taint(toleration: Toleration) -> Taint:
    """A taint that it tolerates, and another one only if that covers all that it does."""
    return Taint(toleration.key or _ANY_KEY, toleration.value if toleration.operator != "Exists" else _ANY_VALUE, toleration.effect)


def _select_widest(missing: Sequence[Toleration]) -> tuple[Toleration, ...]:
    """Those that no other covers: a wildcard stands for all of its effect, and Exists for every value."""
    wild = {toleration.effect for toleration in missing if is_wildcard(toleration)}
    keys = {(toleration.key, toleration.effect) for toleration in missing if toleration.operator == "Exists"}

    def is_widest(toleration: Toleration) -> bool:
        has_wider = toleration.operator != "Exists" and (toleration.key, toleration.effect) in keys
        return is_wildcard(toleration) or (toleration.effect not in wild and not has_wider)

    return tuple(filter(is_widest, missing))


def _make_hit(context: Context, name: str, family: Sequence[DaemonSet], number: int, missing: Sequence[Toleration]) -> Hit:
    outlier = family[number]
    others = [add_implicit_tolerations(daemonset.spec.template.spec) for place, daemonset in enumerate(family) if place != number]
    own = add_implicit_tolerations(outlier.spec.template.spec)
    taints = [
        taint
        for taint in context.taints
        if taint.effect != "PreferNoSchedule" and not is_tolerated(taint, own) and all(is_tolerated(taint, other) for other in others)
    ]
    nodes = [node for node in context.world.nodes.values() if any(taint in taints for taint in node.spec.taints)]
    meets = [node for node in nodes if match_affinity(outlier.spec.template.spec, node).matches is not False]
    matters = bool(taints) and (bool(meets) or not nodes)
    return Hit(
        subject=make_subject_of(outlier),
        key=(name, *sorted(map(str, taints) if matters else map(format_toleration_key, missing))),
        location=ManifestLocation(outlier.origin, (*POD_TEMPLATE_SPEC, "tolerations")),
        nodes=tuple(node.name for node in meets),
        severity=Severity.WARNING if matters else None,
        message=messages.describe_outlier(taints if matters else messages.list_tolerated(missing), len(family), name),
        suggestion=suggest_exact_tolerations(taints) if matters else _suggest_shared_tolerations(missing),
    )


def _suggest_shared_tolerations(missing: Sequence[Toleration]) -> TolerationSuggestion | None:
    """The tolerations of the others, where each has a key and none is for NoExecute, which would ask for a decision."""
    if any(not toleration.key or toleration.effect == "NoExecute" for toleration in missing):
        return None
    same = tuple(msgspec.to_builtins(toleration) for toleration in missing)
    return TolerationSuggestion(same, tuple(f"- {format_flow_map(toleration)}" for toleration in same))


RULE = Rule(id="PF216", name="sibling-outlier", severity=Severity.NOTE, check=check, fix=FixKind.ADDITION)
