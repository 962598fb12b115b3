"""Which taints a pod tolerates, by which toleration, and for how long."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from preflight.model.core import PodSpec, Taint, Toleration
from preflight.model.reasons import NearMiss, NearMissKind, reduce_near_miss

NEVER = math.inf

_ALWAYS_TOLERATED = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
_HOST_NETWORK = ("node.kubernetes.io/network-unavailable", "NoSchedule")


def list_implicit_tolerations(host_network: bool) -> tuple[Toleration, ...]:
    """The tolerations that the DaemonSet controller adds to every pod of a DaemonSet.

    1. not-ready and unreachable with NoExecute, the three pressures and unschedulable with NoSchedule: always, for ever.
    2. network-unavailable with NoSchedule: only for a pod of the host's network.

    Source: `pkg/controller/daemon/util/daemonset_util.go`, AddOrUpdateDaemonPodTolerations.
    """
    pairs = (*_ALWAYS_TOLERATED, _HOST_NETWORK) if host_network else _ALWAYS_TOLERATED
    return tuple(Toleration(key=key, operator="Exists", effect=effect) for key, effect in pairs)


def add_implicit_tolerations(template: PodSpec) -> tuple[Toleration, ...]:
    """The tolerations of a DaemonSet's new pods: the template's, with the implicit ones.

    1. A toleration of the template with the key, operator, value and effect of an implicit one is replaced by it where it stands
       (the first such one): its `tolerationSeconds` has no effect.
    2. The other implicit ones follow the template's own.

    Source: `pkg/apis/core/v1/helper/helpers.go`, AddOrUpdateTolerationInPodSpec.
    """
    tolerations = list(template.tolerations)
    for implicit in list_implicit_tolerations(template.hostNetwork):
        for place, own in enumerate(tolerations):
            if (own.key, own.operator, own.value, own.effect) == (implicit.key, implicit.operator, implicit.value, implicit.effect):
                tolerations[place] = implicit
                break
        else:
            tolerations.append(implicit)
    return tuple(tolerations)


_FIVE_MINUTES = 300


def add_default_tolerations(tolerations: tuple[Toleration, ...]) -> tuple[Toleration, ...]:
    """The tolerations of a new pod once it is admitted: not-ready and unreachable with NoExecute are tolerated for 300 s.

    1. Each is added at the end, not-ready first, unless a toleration speaks of it: with its key or none, and with NoExecute or no effect,
       whatever the operator and the value, so also where it does not tolerate it.
    2. A pod that has them keeps its tolerations as they are. A DaemonSet's pods have their own.

    Source: `plugin/pkg/admission/defaulttolerationseconds/admission.go`, Admit.
    """
    added = [
        Toleration(key=key, operator="Exists", effect="NoExecute", tolerationSeconds=_FIVE_MINUTES)
        for key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
        if not any(own.key in ("", key) and own.effect in ("", "NoExecute") for own in tolerations)
    ]
    return (*tolerations, *added)


def tolerates(toleration: Toleration, taint: Taint, comparison_operators: bool | None) -> bool | None:
    """Whether one toleration tolerates one taint; None where it depends on a gate, or on the version of an operator, that is not known.

    1. An empty effect matches every effect; else the effects must be equal.
    2. An empty key matches every key, whatever the operator; else the keys must be equal.
    3. An empty operator means Equal: the values must be equal, an absent value being "".
    4. Exists ignores the value.
    5. Lt and Gt compare the taint's value with the toleration's, both canonical decimal int64; they never match while the gate
       TaintTolerationComparisonOperators is off. `comparison_operators` is that gate, None where not known.
    6. Any other operator never matches.
    7. A toleration that an operator sets in some of its versions only (`since`) tolerates, or is not there: `comparison_operators` is the
       assumption on that, too.

    Source: `staging/src/k8s.io/api/core/v1/toleration.go`, ToleratesTaint.
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    operator = toleration.operator
    if operator in ("", "Equal"):
        return toleration.value == taint.value and (comparison_operators if toleration.since else True)
    if operator == "Exists":
        return comparison_operators if toleration.since else True
    if operator in ("Lt", "Gt"):
        have, bound = _parse_canonical_int64(taint.value), _parse_canonical_int64(toleration.value)
        if have is None or bound is None or not (have > bound if operator == "Gt" else have < bound):
            return False
        return comparison_operators
    return False


def _parse_canonical_int64(text: str) -> int | None:
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()) or (digits[0] == "0" and text != "0") or len(digits) > 19:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def find_toleration(tolerations: Iterable[Toleration], taint: Taint, comparison_operators: bool | None) -> tuple[Toleration | None, bool]:
    """The first toleration, in list order, that tolerates a taint, and whether that is certain.

    1. None where none does.
    2. Not certain where a toleration that depends on an unknown gate stands before it.
    """
    certain = True
    for toleration in tolerations:
        answer = tolerates(toleration, taint, comparison_operators)
        if answer:
            return toleration, certain
        if answer is None:
            certain = False
    return None, certain


def find_eviction_delay(tolerations: Sequence[Toleration], taints: Iterable[Taint], comparison_operators: bool | None) -> float | None:
    """Seconds after which taint eviction deletes a pod: 0 for now, NEVER, None where it depends on an unknown gate.

    1. Only NoExecute taints count, against the pod's own tolerations.
    2. A taint that nothing tolerates: now.
    3. For each taint the first matching toleration counts; absent seconds are for ever, 0 or less is now; the minimum wins.

    Source: `pkg/controller/tainteviction/taint_eviction.go`, getMinTolerationTime and processPodOnNode.
    """
    shortest = NEVER
    unsure = False
    for taint in taints:
        if taint.effect != "NoExecute":
            continue
        toleration, certain = find_toleration(tolerations, taint, comparison_operators)
        if not certain:
            unsure = True
        elif toleration is None:
            return 0.0
        elif toleration.tolerationSeconds is not None:
            shortest = min(shortest, float(max(toleration.tolerationSeconds, 0)))
    return None if unsure and shortest > 0 else shortest


def find_nearest_toleration(tolerations: Iterable[Toleration], taint: Taint) -> tuple[Toleration, NearMissKind] | None:
    """The toleration that comes nearest to an untolerated taint, and how it misses; None where none speaks of its key.

    The nearest is the one with the right effect, then the first in list order.
    """
    misses: list[tuple[int, Toleration, NearMissKind]] = []
    for toleration in tolerations:
        effect_fits = not toleration.effect or toleration.effect == taint.effect
        if toleration.key == taint.key:
            if not effect_fits:
                misses.append((3, toleration, NearMissKind.EFFECT))
            elif toleration.operator in ("Lt", "Gt"):
                misses.append((1, toleration, NearMissKind.COMPARISON))
            elif toleration.operator not in ("", "Equal", "Exists"):
                misses.append((1, toleration, NearMissKind.OPERATOR))
            elif not toleration.operator and not toleration.value:
                misses.append((0, toleration, NearMissKind.EMPTY_VALUE))
            else:
                misses.append((0, toleration, NearMissKind.VALUE))
        elif toleration.key and toleration.key.lower() == taint.key.lower():
            misses.append((2, toleration, NearMissKind.KEY))
    if not misses:
        return None
    _, nearest, kind = min(misses, key=lambda miss: miss[0])
    return nearest, kind


def find_near_miss(tolerations: Iterable[Toleration], taint: Taint) -> NearMiss | None:
    """Why the toleration that comes nearest to an untolerated taint is not enough; None where none speaks of its key."""
    nearest = find_nearest_toleration(tolerations, taint)
    return None if nearest is None else reduce_near_miss(nearest[1], nearest[0], taint)
