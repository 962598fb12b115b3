"""A toleration matches no known taint, although it is similar to one.

Why it matters
    Without an operator the operator is Equal, and without a value the value is empty: `{key: dedicated, effect: NoSchedule}` matches only a
    taint without a value, never `dedicated=rdma`. A value in another case, or a key with a missing letter, matches nothing either, and the
    API server accepts them all. The pods do not run on the node, which shows only when they are created. If the taint is not known, a
    missing operator is a note: some clusters set the taints of the control plane with a value, others without.
How to fix
    `operator: Exists` for any value, or the value of the taint. Write key and value exactly as in the taint.
Example
    `{key: dedicated, effect: NoSchedule}` and a node with `dedicated=rdma:NoSchedule`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.messages import hygiene as messages
from preflight.model.core import Taint, Toleration
from preflight.model.report import Severity
from preflight.rules.api import Context, FixKind, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.hygiene.legacy_key import REMOVED_TAINTS, find_legacy_twin
from preflight.rules.merged_groups import suggest_exact_tolerations
from preflight.rules.spelling import find_typo
from preflight.rules.workload_fields import WorkloadToleration, is_tolerated, iter_tolerations
from preflight.scheduling.tolerations import tolerates

_NODE_TAINT_PREFIX = "node.kubernetes.io/"
_LIFECYCLE_NAMES = ("not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable", "network-unavailable")
_STANDARD_TAINTS = (
    *(Taint(f"{_NODE_TAINT_PREFIX}{name}", "", effect) for name in _LIFECYCLE_NAMES for effect in ("NoSchedule", "NoExecute")),
    Taint("node.cloudprovider.kubernetes.io/uninitialized", "true", "NoSchedule"),
)
# Keys that every cluster may have, their values being its own business.
_STANDARD_KEYS = ("node-role.kubernetes.io/control-plane", "CriticalAddonsOnly", *dict.fromkeys(taint.key for taint in _STANDARD_TAINTS))
# Keys of their own, though a letter away from others: RKE 1.
_OTHER_KEYS = frozenset({"node-role.kubernetes.io/controlplane"})


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration that matches no known taint and nearly matches one, or has no operator. Only in lint."""
    if not context.is_lint:
        return
    known: dict[str, list[Taint]] = {}
    for taint in dict.fromkeys((*context.taints, *_STANDARD_TAINTS)):
        known.setdefault(taint.key, []).append(taint)
    for item in iter_tolerations(context):
        own = item.toleration
        if own.key and own.operator in ("", "Equal", "Exists"):
            hit = _check_value(item, known[own.key]) if own.key in known else _check_key(item, known)
            if (
                hit is None
                and not own.operator
                and not own.value
                and own.key not in REMOVED_TAINTS
                and not own.key.startswith(_NODE_TAINT_PREFIX)
            ):
                hit = _check_missing_operator(item, [taint for taint in known.get(own.key, ()) if tolerates(own, taint, None)])
            if hit is not None:
                yield hit


def _check_value(item: WorkloadToleration, taints: Sequence[Taint]) -> Hit | None:
    """Its key is known: an empty value, or one that is nearly the taint's."""
    own = item.toleration
    fitting = [taint for taint in taints if own.effect in ("", taint.effect)]
    if own.operator == "Exists" or any(taint.value == own.value for taint in fitting):
        return None
    missed = [taint for taint in fitting if not is_tolerated(taint, item.all_tolerations)]
    if not own.value and missed:
        return _make_hit(
            item, missed, messages.describe_empty_value(own.key, missed, has_operator=bool(own.operator)), messages.EMPTY_VALUE_LABEL
        )
    for taint in missed:
        if typo := find_typo(own.value, taint.value):
            return _make_hit(item, [taint], messages.describe_mistyped_value(own, taint, typo), messages.UNKNOWN_VALUE_LABEL)
    return None


def _check_key(item: WorkloadToleration, known: dict[str, list[Taint]]) -> Hit | None:
    """Its key is not known: one that nearly is, and that nothing else here tolerates."""
    own = item.toleration
    if own.key in _STANDARD_KEYS or own.key in _OTHER_KEYS or own.key in REMOVED_TAINTS:
        return None
    for key in dict.fromkeys((*sorted(known), *_STANDARD_KEYS)):
        if typo := find_typo(own.key, key):
            if any(other.key == key for other in item.all_tolerations):
                return None
            meant = Toleration(key, own.operator, own.value, own.effect, own.tolerationSeconds)
            fitting = [taint for taint in known.get(key, ()) if tolerates(meant, taint, None) and taint not in _STANDARD_TAINTS]
            message = messages.describe_mistyped_key(own, fitting, key, typo)
            return _make_hit(item, fitting, message, messages.UNKNOWN_KEY_LABEL, key)
    return None


def _check_missing_operator(item: WorkloadToleration, matched: Sequence[Taint]) -> Hit | None:
    """Nothing is known of its key; PF209 speaks of one that stands on one line with the same toleration of the old key."""
    if matched:
        return None
    return Hit(
        subject=make_subject_of(item.workload),
        key=item.key,
        location=item.location,
        toleration_location=item.location,
        severity=Severity.NOTE,
        message=messages.describe_unknown_empty_value(item.toleration.key),
        notes=(("help", messages.EXISTS_HELP),),
        covering_location=_locate_legacy_twin(item),
    )


def _locate_legacy_twin(item: WorkloadToleration) -> ManifestLocation | None:
    """The same toleration of the key that its own took the place of."""
    number = find_legacy_twin(item.toleration, item.spec.tolerations)
    return ManifestLocation(item.workload.origin, (*item.path[:-1], number)) if number is not None else None


def _make_hit(item: WorkloadToleration, taints: Sequence[Taint], message: str, label: str, known_key: str = "") -> Hit:
    """`known_key` is the key that was meant, for the case that no taint is known of it."""
    return Hit(
        subject=make_subject_of(item.workload),
        key=(*item.key, *(sorted(map(str, taints)) or [known_key])),
        location=item.location,
        toleration_location=item.location,
        message=message,
        label=label,
        suggestion=suggest_exact_tolerations(taints) if taints else None,
    )


RULE = Rule(id="PF208", name="never-matches", severity=Severity.WARNING, check=check, fix=FixKind.INTENTION)
