"""What only the page says: the tiles, the signs of its table, labels of its regions."""

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
STATE_TILE_LABELS = {**TILE_LABELS, Outcome.KEPT: "with all pods"}
PAST_TILE_LABELS = {**TILE_LABELS, Outcome.LOST_NOW: "lost"}
STUCK = "stuck in Terminating"
UNPLACED = "whose replacement may stay Pending"
NOT_REPLACED = "not replaced"
PLACED = "moved to another node"

OTHER_RULES_RAN = "a rule crashed: the other rules ran"

EXIT_MEANINGS = {
    0: "no finding at or above --fail-on",
    1: "there are findings",
    3: "something could not be read, there was nothing to check, or an answer is unknown",
    4: "a rule crashed, which is a bug in preflight",
}
NO_REASON = "no reason given"

NO_DAEMONSET = "No DaemonSet to check."
EXCLUDED_BY_SELECTOR = "left out by its selector"
ON_NO_NODE = "on none of these nodes"
HAS_POD = "has a pod"
ASSUMED_POD = "has a pod (assumed: no pods in the input)"
HAS_NO_POD = "has no pod"
ON_SOME_NODES = "on some of these nodes"
DEPENDS_ON_UNKNOWN = "unknown"
CREATED_AGAIN = "deleted and re-created"
NO_POD_EITHER_TIME = "no pod before and now"
NOT_JUDGED = "not checked"
YES = "yes"
NO = "no"
ON_SOME = "on some"
NOT_KNOWN = "unknown"
AGAIN_AND_AGAIN = "again and again"
NOT_ASKED = "not asked"


def title_page(verdict: str, command: str) -> str:
    """What a tab of the browser says."""
    return f"preflight: {verdict}{f' · {command}' if command else ''}"


def count_more_findings(count: int) -> str:
    """How many of the worst findings are not shown at the top."""
    return format_count(count, "more finding")


def describe_assumed_tile(what: str) -> str:
    """What DaemonSets are assumed to be, since the input has no pods."""
    return f"{what} (assumed)"


def describe_own_nodes(nodes: str) -> str:
    """The nodes of one of several findings that have other nodes."""
    return f"on {nodes}"


def count_steady_rows(count: int, *, is_assumed: bool) -> str:
    """How many DaemonSets keep all their pods."""
    hint = " (assumed: no pods in the input)" if is_assumed else ""
    return f"{format_count(count, 'DaemonSet')} {'keeps its' if count == 1 else 'keep their'} pods{hint}"


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


def count_outcomes(count: int) -> str:
    """How many lines say what becomes of Jobs, JobSets and DaemonSets."""
    return f"{format_count(count, 'line')} on Jobs, JobSets and DaemonSets"


def name_group(rule: str, subjects: str) -> str:
    """Several objects of which a rule says the same."""
    return f"{rule}: {subjects}"


def count_single_nodes(count: int) -> str:
    """The heading over nodes that are shown one by one."""
    return f"{format_count(count, 'node')}, one by one"


def label_joined_pods(step: str) -> str:
    """What a table of pods of all nodes holds."""
    return f"Pods of all nodes{f', {step}' if step else ''}"


def label_pods_of_node(node: str, step: str) -> str:
    """What a table of pods holds."""
    return f"Pods of {node or 'no node yet'}{f', {step}' if step else ''}"


def number_step(number: int, total: int) -> str:
    """Which of several steps it is."""
    return f"step {number} of {total}"


def count_more_members(count: int) -> str:
    """How many objects of a group are folded."""
    return f"{count} more"


def count_hidden_notes(count: int) -> str:
    """How many notes of a finding are not shown."""
    return f"{count} more (-o json has all)"


def count_hidden_rows(rows: str) -> str:
    """How many rows are not shown."""
    return f"{rows} not shown (--all-rows)."
