"""What several findings with one cause say together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.counts import format_count
from preflight.messages.coverage import describe_reason
from preflight.messages.lists import join_and, join_node_names
from preflight.model.reasons import ConditionalOutcome, Reason, RecreationEvent, SelectorMismatch, Untolerated
from preflight.model.report import CoverageEffect, Outcome


def describe_shared_effect(count: int, nodes: Sequence[str], effect: CoverageEffect) -> str:
    """What happens to several DaemonSets, and why: `3 DaemonSets lose n1, n2 now: no toleration for a=b:NoExecute`."""
    reasons = describe_shared_reasons(select_causes(effect))
    return f"{format_count(count, 'DaemonSet')} {_describe_outcome(nodes, effect)}{f': {reasons}' if reasons else ''}"


def select_causes(effect: CoverageEffect) -> tuple[Reason, ...]:
    """The reasons; of what is unknown only why, and not what it may come to."""
    causes = tuple(reason for reason in effect.reasons if not isinstance(reason, ConditionalOutcome))
    return causes if effect.outcome is Outcome.UNKNOWN and causes else effect.reasons


def count_subjects(count: int, kind: str) -> str:
    """How many objects a rule finds the same of."""
    return format_count(count, kind, f"{kind}es" if kind.endswith("s") else "")


def describe_shared_reasons(reasons: Iterable[Reason]) -> str:
    """The reasons that several DaemonSets share."""
    return ", ".join(_describe_shared_reason(reason) for reason in reasons)


def _describe_shared_reason(reason: Reason) -> str:
    match reason:
        case Untolerated(taints):
            return f"no toleration for {join_and(taints)}"
        case SelectorMismatch(key, required, actual):
            return f"nodeSelector {key}={required} does not match: {'no such label' if actual is None else f'{key}={actual}'}"
        case _:
            return describe_reason(reason)


def _describe_outcome(nodes: Sequence[str], effect: CoverageEffect) -> str:
    where = join_node_names(nodes)
    match effect.outcome:
        case Outcome.LOST_NOW if effect.is_past:
            return f"no longer run on {where}"
        case Outcome.LOST_NOW:
            return f"lose {where} {f'after {effect.seconds} s' if effect.seconds else 'now'}"
        case Outcome.LOST_ON_RECREATION:
            return f"lose {where} {_describe_event(effect.event)}"
        case Outcome.LOOP:
            pace = f"every {effect.seconds} s" if effect.seconds else "without a pause"
            return f"are deleted and re-created {pace} on {where}"
        case Outcome.ALREADY_FRAGILE:
            return f"have pods on {where} that will not be created again"
        case Outcome.MISSING:
            return f"have no pod on {where}, where they should run"
        case Outcome.NEVER:
            return f"do not run on {where}"
        case Outcome.GAINED:
            return f"start on {where}"
        case Outcome.UNKNOWN:
            return f"may or may not run on {where}"
        case _:
            return f"on {where}"


def _describe_event(event: RecreationEvent | None) -> str:
    match event:
        case RecreationEvent.NODES:
            return "once these nodes are replaced"
        case RecreationEvent.PRODUCERS:
            return "when the pods of the DaemonSet that sets their labels are re-created"
        case _:
            return "when their pods are re-created"
