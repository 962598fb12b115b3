"""Reasons as parts of the key of a finding: which taint, label, quota or DaemonSet it is about, in no sentence."""

from __future__ import annotations

from collections.abc import Iterable

from preflight.model.core import Taint
from preflight.model.fit_reasons import (
    FilterRefusal,
    FitDoubt,
    FitObstacle,
    PodLimitReached,
    PortConflict,
    ResourceShortage,
    StaysPending,
    VolumeElsewhere,
)
from preflight.model.meta import SelectorRequirement
from preflight.model.reasons import (
    AffinityMismatch,
    ConditionalOutcome,
    EvictionLoop,
    LostLabels,
    NearMiss,
    OtherNodeName,
    PlainReason,
    PodEnded,
    Reason,
    SelectorMismatch,
    TermMismatch,
    TimedToleration,
    UnknownGate,
    UnknownLabels,
    UnknownVersion,
    UnreadyPod,
    Untolerated,
    UpdateUncertainty,
)


def make_reason_key(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """The parts for some reasons, sorted, each once: `("taint:dedicated=rdma:NoSchedule",)`."""
    return tuple(sorted({part for reason in reasons for part in _list_parts(reason)}))


def make_taint_key(taints: Iterable[Taint]) -> tuple[str, ...]:
    """The parts for some taints, sorted, each once."""
    return tuple(sorted({f"taint:{taint}" for taint in taints}))


def _list_parts(reason: Reason) -> tuple[str, ...]:
    match reason:
        case OtherNodeName(node):
            return (f"node-name:{node}",)
        case SelectorMismatch(key, required, actual):
            return (f"node-selector:{key}={required}" + ("" if actual is None else f":{actual}"),)
        case AffinityMismatch(terms):
            return tuple(f"affinity:{_format_term(term)}" for term in terms) or ("affinity:",)
        case Untolerated(taints) | EvictionLoop(taints) | TimedToleration(taints) | UnknownGate(taints) | UnknownVersion(taints):
            return make_taint_key(taints)
        case NearMiss(kind, toleration, taint):
            return (f"near-miss:{kind.value}:{toleration.key}:{taint}",)
        case LostLabels(labels, producer):
            return tuple(f"lost-label:{label}:{producer}" for label in labels)
        case ConditionalOutcome(reasons=nested):
            return make_reason_key(nested)
        case UnknownLabels(labels):
            return tuple(f"unknown-label:{label}" for label in labels)
        case UpdateUncertainty():
            return ("update",)
        case PlainReason():
            return (f"pod:{reason.value}",)
        case StaysPending(obstacles):
            return tuple(map(_format_obstacle, obstacles))
        case FitDoubt(rivals, uncertainties, preemptors):
            named = (*(f"rival:{rival}" for rival in rivals), *(f"preemptor:{preemptor}" for preemptor in preemptors))
            return (*named, *(f"fit:{doubt.kind.value}:{doubt.subject}" for doubt in uncertainties))
        case PodEnded():
            return ("pod:ended",)
        case UnreadyPod():
            return ("pod:not-ready",)


def _format_obstacle(obstacle: FitObstacle) -> str:
    """What is in the way of a pod, without amounts and without those who hold it."""
    match obstacle:
        case ResourceShortage(resource):
            return f"resource:{resource}"
        case PortConflict(number, protocol):
            return f"port:{number}/{protocol}"
        case PodLimitReached():
            return "resource:pods"
        case VolumeElsewhere(claim):
            return f"claim:{claim}"
        case FilterRefusal():
            return "filter"


def _format_term(term: TermMismatch) -> str:
    """A term of the affinity; what is wrong with a broken one is told in sentences."""
    return "broken" if term.errors else ";".join(map(_format_requirement, (*term.expressions, *term.fields)))


def _format_requirement(requirement: SelectorRequirement) -> str:
    return f"{requirement.key} {requirement.operator} {','.join(requirement.values)}".rstrip()
