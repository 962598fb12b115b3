"""A toleration or a selector uses the old name of a taint or label.

Why it matters
    The taint of the control plane has been only `node-role.kubernetes.io/control-plane` since Kubernetes 1.25, and its label since 1.24. A
    workload that tolerates only `node-role.kubernetes.io/master` does not run on the control plane, and a workload that selects on that
    label loses its pods when the label is removed. It is a note if the new key is tolerated too, because the old one then only needs
    cleanup, and if no known node has the new key instead of the old one.
How to fix
    Tolerate, or select on, the new key. Keep the old key in addition only while clusters of that age are in use.
Example
    `{key: node-role.kubernetes.io/master, operator: Exists}`, `nodeSelector: {failure-domain.beta.kubernetes.io/zone: eu-1a}`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from preflight.messages import hygiene as messages
from preflight.model.core import Toleration
from preflight.model.meta import SelectorRequirement
from preflight.model.report import Severity, TolerationSuggestion
from preflight.model.workloads import Workload, locate_pod_spec
from preflight.rules.api import Context, FieldPath, FixKind, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.identity import format_field_key, number_repeats
from preflight.rules.merged_groups import format_flow_map, suggest_exact_tolerations
from preflight.rules.workload_fields import WorkloadToleration, get_required_terms, is_tolerated, iter_tolerations

_MASTER_LABEL, _CONTROL_PLANE_LABEL = "node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane"
REMOVED_TAINTS = {
    _MASTER_LABEL: _CONTROL_PLANE_LABEL,
    "node.alpha.kubernetes.io/notReady": "node.kubernetes.io/not-ready",
    "node.alpha.kubernetes.io/unreachable": "node.kubernetes.io/unreachable",
}
"""Keys of taints that Kubernetes sets no more, with those that took their place."""
_REPLACED_LABELS = {
    _MASTER_LABEL: _CONTROL_PLANE_LABEL,
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
}
_EXCLUDING_OPERATORS = ("NotIn", "DoesNotExist")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such toleration, and for each such key of a selector. Only in lint."""
    if not context.is_lint:
        return
    for item in iter_tolerations(context):
        if item.toleration.key in REMOVED_TAINTS and all(taint.key != item.toleration.key for taint in context.taints):
            yield _make_toleration_hit(context, item, REMOVED_TAINTS[item.toleration.key])
    for workload in context.workloads:
        yield from number_repeats(_iter_selector_hits(context, workload))


def find_legacy_twin(toleration: Toleration, others: Sequence[Toleration]) -> int | None:
    """The index of the toleration that says the same of the key which a newer one took the place of; None without one."""
    twins = (
        number
        for number, other in enumerate(others)
        if REMOVED_TAINTS.get(other.key) == toleration.key and replace(other, key=toleration.key) == toleration
    )
    return next(twins, None)


def _make_toleration_hit(context: Context, item: WorkloadToleration, new: str) -> Hit:
    own = item.toleration
    known = [taint for taint in context.taints if taint.key == new and taint.effect in ("NoSchedule", "NoExecute")]
    missed = [taint for taint in known if own.effect in ("", taint.effect) and not is_tolerated(taint, item.all_tolerations)]
    kept_out = missed or (not known and not any(all_toleration.key in ("", new) for all_toleration in item.all_tolerations))
    suggestion = suggest_exact_tolerations(missed) if missed else None
    if kept_out and not missed and own.tolerationSeconds is None:
        same = {**msgspec.to_builtins(own), "key": new}
        suggestion = TolerationSuggestion((same,), (f"- {format_flow_map(same)}",))
    not_tolerated: list[object] = [*missed] or [new] if kept_out else []
    return Hit(
        subject=make_subject_of(item.workload),
        key=(*item.key, *sorted(map(str, missed))),
        location=item.locate_field("key"),
        toleration_location=item.location,
        severity=None if missed else Severity.NOTE,
        message=messages.describe_legacy_toleration(own.key, is_master=own.key == _MASTER_LABEL, missed=not_tolerated),
        label=messages.label_new_key(new),
        notes=_make_twin_note(item, new),
        suggestion=suggestion,
    )


def _make_twin_note(item: WorkloadToleration, new: str) -> tuple[tuple[str, str], ...]:
    """That the tolerations of both keys match only an empty value, where they have neither operator nor value."""
    own = item.toleration
    has_twin = any(other.key == new and find_legacy_twin(other, (own,)) is not None for other in item.spec.tolerations)
    return (("note", messages.describe_empty_twins(own.key, new)),) if has_twin and not own.operator and not own.value else ()


def _iter_selector_hits(context: Context, workload: Workload) -> Iterator[Hit]:
    spec, path = locate_pod_spec(workload)
    for key in spec.nodeSelector:
        if key in _REPLACED_LABELS:
            yield _make_label_hit(context, workload, (*path, "nodeSelector", key), key)
    terms = get_required_terms(spec)
    here: FieldPath = (*path, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    wanted = [
        any(legacy_expression.operator not in _EXCLUDING_OPERATORS for legacy_expression in _iter_legacy_expressions(term.matchExpressions))
        for term in terms
    ]
    for number, term in enumerate(terms):
        for place, requirement in enumerate(term.matchExpressions):
            if requirement.key not in _REPLACED_LABELS:
                continue
            where = (*here, number, "matchExpressions", place, "key")
            if requirement.operator not in _EXCLUDING_OPERATORS:
                if all(wanted):
                    yield _make_label_hit(context, workload, where, requirement.key)
            elif not any(
                other.key == _REPLACED_LABELS[requirement.key] and other.operator in _EXCLUDING_OPERATORS for other in term.matchExpressions
            ):
                yield _make_label_hit(context, workload, where, requirement.key, is_excluded=True)


def _iter_legacy_expressions(expressions: Iterable[SelectorRequirement]) -> Iterator[SelectorRequirement]:
    return (expression for expression in expressions if expression.key in _REPLACED_LABELS)


def _make_label_hit(context: Context, workload: Workload, path: FieldPath, key: str, *, is_excluded: bool = False) -> Hit:
    """A warning where known nodes have the new label, and none has the old one."""
    new = _REPLACED_LABELS[key]
    nodes = context.world.nodes.values()
    renamed = () if any(key in node.metadata.labels for node in nodes) else _find_labelled_nodes(new, context)
    return Hit(
        subject=make_subject_of(workload),
        key=(key, format_field_key(path), "excludes" if is_excluded else "selects"),
        location=ManifestLocation(workload.origin, path),
        nodes=renamed,
        severity=None if renamed else Severity.NOTE,
        message=messages.describe_legacy_label(key, new, is_master=key == _MASTER_LABEL, is_excluded=is_excluded),
        label=messages.label_new_key(new),
    )


def _find_labelled_nodes(label: str, context: Context) -> tuple[str, ...]:
    return tuple(node.name for node in context.world.nodes.values() if label in node.metadata.labels and not node.is_partial)


RULE = Rule(id="PF209", name="legacy-key", severity=Severity.WARNING, check=check, fix=FixKind.INTENTION)
