"""What only the page says: the verdict, the tiles, the signs of its table, what the answers rest on."""

from __future__ import annotations

from collections.abc import Iterable

from preflight.messages.counts import format_count
from preflight.model.report import Outcome

TILE_LABELS = {
    Outcome.LOST_NOW: "lost now",
    Outcome.LOST_ON_RECREATION: "lost on re-creation",
    Outcome.LOOP: "in a loop",
    Outcome.UNKNOWN: "unknown",
    Outcome.ALREADY_FRAGILE: "already fragile",
    Outcome.MISSING: "missing",
    Outcome.NOT_READY: "not Ready",
    Outcome.NODE_GONE: "with a node gone",
    Outcome.NEVER: "kept out by a taint",
    Outcome.GAINED: "gained",
    Outcome.KEPT: "kept",
}
PAST_TILE_LABELS = {**TILE_LABELS, Outcome.LOST_NOW: "lost"}
BLOCKED_FOREVER = "blocked for ever"
LOST_FOR_GOOD = "lost for good"
PENDING_AFTERWARDS = "Pending afterwards"
REFUSED_BY_KUBECTL = "refused by kubectl"
BLOCKED_FOR_NOW = "blocked for now"
UNKNOWN = "unknown"
GOING = "going"

OTHER_RULES_RAN = "a rule crashed: the other rules went on"

EXIT_MEANINGS = {
    0: "judged, and nothing at or above --fail-on",
    1: "there are findings",
    3: "something could not be read, nothing was there to judge, or an answer is unknown",
    4: "a rule crashed, which is a bug of preflight",
}
NO_REASON = "no reason given"

NO_DAEMONSET = "No DaemonSet to judge."
EXCLUDED_BY_SELECTOR = "left out by its selector"
ON_NO_NODE = "on none of these nodes"
HAS_POD = "has a pod"
HAS_NO_POD = "has none"
ON_SOME_NODES = "on some of these nodes"
DEPENDS_ON_UNKNOWN = "depends on what is not known"
CREATED_AGAIN = "deleted and created again"
NO_POD_EITHER_TIME = "no pod, before and now"
NOT_JUDGED = "not judged"
YES = "yes"
NO = "no"
ON_SOME = "on some"
NOT_KNOWN = "not known"
AGAIN_AND_AGAIN = "again and again"
NOT_ASKED = "not asked"


def title_page(verdict: str, command: str) -> str:
    """What a tab of the browser says."""
    return f"preflight: {verdict}{f' · {command}' if command else ''}"


def count_more_findings(count: int) -> str:
    """How many of the worst findings are not shown at the top."""
    return format_count(count, "more finding")


def label_daemonset_tile(count: int, what: str) -> str:
    """What a number of DaemonSets counts."""
    return f"DaemonSet{'' if count == 1 else 's'} {what}"


def label_pod_tile(count: int, what: str) -> str:
    """What a number of pods counts."""
    return f"pod{'' if count == 1 else 's'} {what}"


def label_nodes(nodes: str) -> str:
    """On how many nodes it is."""
    return f"on {nodes}"


def label_rules(rules: str) -> str:
    """Of how many rules the findings are."""
    return f"of {rules}"


def count_unread_things(count: int) -> str:
    """How many things could not be read."""
    return f"{format_count(count, 'thing')} could not be read"


def count_unknown_pairs(count: int) -> str:
    """How many pairs are unknown."""
    return f"{format_count(count, 'pair')} of a DaemonSet and a node cannot be judged"


def count_unjudged_things(count: int) -> str:
    """How many checks were left out."""
    return f"{format_count(count, 'thing')} not judged"


def count_exempted(count: int) -> str:
    """How many findings are exempted."""
    return f"{format_count(count, 'finding')} exempted"


def count_excluded(count: int, nodes: int) -> str:
    """How many DaemonSets leave these nodes out."""
    verb, whose = ("leaves", "its") if count == 1 else ("leave", "their")
    which = "this node" if nodes == 1 else "these nodes"
    return f"{format_count(count, 'DaemonSet')} {verb} {which} out by {whose} selector."


def describe_cell(outcome: str, columns: Iterable[tuple[str, str]]) -> str:
    """What a cell says: its outcome, and a word for each column."""
    return f"{outcome}: {', '.join(f'{heading} {word}' for heading, word in columns)}"


def describe_mixed_cell(outcome: str, total: str, part: str) -> str:
    """The worst outcome of nodes that do not share it; `part` is how many have it, "" for all."""
    return f"{outcome} on {part} of {total}" if part else f"{outcome} on {total}"


def count_hidden_pods(count: int, bad: int) -> str:
    """How many pods are not shown, and how many of those are in trouble."""
    return f"{format_count(count, 'more pod')}{f', {bad} of them blocked or lost' if bad else ''} (--all-rows shows all)."


def label_pods_of_node(node: str, step: str) -> str:
    """What a table of pods holds."""
    return f"Pods of {node or 'no node yet'}{f', {step}' if step else ''}"


def number_step(number: int, total: int) -> str:
    """Which of several steps it is."""
    return f"step {number} of {total}"


def count_hidden_notes(count: int) -> str:
    """How many notes of a finding are not shown."""
    return f"{count} more (-o json has all)"


def count_hidden_rows(rows: str) -> str:
    """How many rows are not shown."""
    return f"{rows} not shown (--all-rows)."
