"""What the reports say around findings: totals, tables that are cut, headings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.counts import format_count
from preflight.messages.lists import format_names
from preflight.model.report import CheckedCounts

NO_FINDINGS = "No findings"
NOTE = "note"
IMPACT = "impact"
FIX = "fix"
CHECK = "check"
NOTE_LABELS = {"then": IMPACT, "see": CHECK, "now": NOTE}
"""The labels of notes whose heading in JSON is another word."""


def describe_consequence(message: str, rule: str) -> str:
    """What breaks in consequence, with the rule that explains it."""
    return f"{message} ({rule})"


def count_hygiene(count: int, rules: Sequence[str]) -> str:
    """What lint would say of the DaemonSets that a change touches."""
    what = format_count(count, "finding")
    return f"{what} on the manifests of these DaemonSets, not caused by this change: {', '.join(rules)} (preflight lint shows them)"


def describe_shared_message(message: str) -> str:
    """What each of several objects does, as a sentence after their names."""
    return f"each {message}"


_MOST_LISTED = 3


def list_members(names: Sequence[str]) -> str:
    """The objects of which only the names differ, in one line."""
    hidden = len(names) - _MOST_LISTED
    if hidden < 2:
        return ", ".join(names)
    return f"{', '.join(names[:_MOST_LISTED])} and {hidden} more (--all-rows lists them)"


def count_hidden_members(count: int) -> str:
    """How many objects of a finding are not shown."""
    return f"  and {count} more (--all-rows lists them)"


def count_hidden_findings(count: int, rules: Sequence[str]) -> str:
    """How many findings of a step are not shown, and of which rules."""
    return f"and {format_count(count, 'more finding')}: {', '.join(rules)} (--all-rows lists them)"


def count_unread_files(count: int) -> str:
    """How many files could not be read."""
    return f"{format_count(count, 'file')} could not be read"


def count_unjudged_lines(count: int) -> str:
    """How many lines of scripts were not checked."""
    return f"{format_count(count, 'line')} {'was' if count == 1 else 'were'} not checked"


def count_coverage(judged: CheckedCounts, nodes: int) -> str:
    """How many DaemonSets were checked on how many nodes."""
    where = f"{nodes} of {format_count(judged.nodes, 'node')}" if nodes < judged.nodes else format_count(nodes, "node")
    return f"{format_count(judged.daemonsets, 'DaemonSet')} on {where}"


def count_files(count: int) -> str:
    """In how many files it was."""
    return f" in {format_count(count, 'file')}"


def describe_judged_change(daemonsets: int, coverage: str, source: str) -> str:
    """What was checked of a change."""
    return f"Checked {coverage or format_count(daemonsets, 'DaemonSet')}{source}"


def describe_judged_objects(objects: int, source: str, coverage: str) -> str:
    """What was checked where nothing is changed."""
    return f"Checked {format_count(objects, 'object')}{source}{f', and {coverage}' if coverage else ''}"


def count_exempted(count: int) -> str:
    """How many findings are exempted."""
    return f"{count} exempted"


def describe_skipped_part(names: Sequence[str], reason: str) -> str:
    """What was not checked for one reason; "" where none is stated."""
    return f"{format_names(names)} ({reason})" if reason else format_names(names)


def name_cluster(context: object) -> str:
    """The cluster that was checked."""
    return f" of cluster {context}"


def describe_skipped(parts: Iterable[str]) -> str:
    """What was not checked."""
    return f"not checked: {', '.join(parts)}"


def count_losing_rows(count: int) -> str:
    """How many of the rows that are not shown lose nodes."""
    return f", {count} of them losing nodes"


def count_hidden_rows(count: int, losing: str) -> str:
    """How many rows are not shown."""
    return f"  {format_count(count, 'more DaemonSet')}{losing} (--all-rows shows all)"


def count_left_out(count: int, nodes: int) -> str:
    """How many DaemonSets leave the nodes out."""
    verb, whose = ("leaves", "its") if count == 1 else ("leave", "their")
    return f"  {format_count(count, 'DaemonSet')} {verb} {'this node' if nodes == 1 else 'these nodes'} out by {whose} selector"


def count_steady_daemonsets(count: int) -> str:
    """How many DaemonSets keep all their pods."""
    return f"{format_count(count, 'DaemonSet')} keep their pods"


def count_explained_rows(count: int, has_others: bool) -> str:
    """How many DaemonSets are in no row, because their findings list them."""
    return f"  {count} {'more ' if has_others else ''}DaemonSets have findings: see below (--all-rows lists them here)"


def count_steady_rows(name: str, count: int, *, is_change: bool) -> str:
    """How many DaemonSets keep all their pods, or run where they should if nothing changes; `name` is the name of the only one."""
    if name:
        return f"  {name} keeps its pods" if is_change else f"  {name} runs where it should"
    what = "keep their pods" if is_change else "run where they should"
    return f"  {format_count(count, 'DaemonSet')} {what} (--all-rows lists them)"


CONSEQUENCE = "consequence"
NO_ROW = "  no DaemonSet to check"


def describe_unknown(reasons: Iterable[str]) -> str:
    """That a row is not known, and why."""
    return f"not known: {', '.join(reasons)}"


ANY_EFFECT = " (any effect)"


def count_seconds(seconds: object) -> str:
    """For how long a taint is tolerated."""
    return f", {seconds} s"


def limit_reason(reason: str, count: int, total: int) -> str:
    """A reason that holds on some of the nodes."""
    return f"{reason} ({count} of {total} nodes)"


AGAIN_AND_AGAIN = "again and again"


def describe_period(seconds: object) -> str:
    """How often a pod is deleted."""
    return f"every {seconds} s"


def describe_loop(pace: str) -> str:
    """A pod that is deleted and re-created."""
    return f"deleted and re-created {pace}"


def number_step(number: int, total: int) -> str:
    """Which of several steps it is."""
    return f"step {number} of {total}: "


CANNOT_BE_READ = "cannot be read"


def count_hidden_sentences(count: int) -> str:
    """How many sentences are not shown."""
    return f"  and {count} more (--all-rows shows all)"


NOTHING_BROKEN = "  nothing is broken that can be seen"
MORE_FINDINGS = "--all-rows shows all, --write-baseline FILE accepts them for now"


def count_findings(count: int, shown: int, hint: str) -> str:
    """How many findings there are."""
    return f"{format_count(count, 'finding')} in all, the worst {shown} above ({hint}):"


def describe_heading(counts: str) -> str:
    """The heading of the page."""
    return f"### preflight: {counts}"


UNREAD = "what could not be read"


def describe_cut_findings(left: str, limit: int) -> str:
    """That findings are left out."""
    return f"**Cut here: {left} more, since a comment has room for {limit:,} characters. `-o json` has all.**"


def describe_cut_steps(count: int) -> str:
    """That steps are left out."""
    return f"**Cut here: {format_count(count, 'more step')}. `-o json` has all.**"


NOTHING_IS_BROKEN = "nothing is broken that can be seen"
LOST_ON = "lost on"


def count_hidden_daemonsets(count: int) -> str:
    """How many DaemonSets are not shown."""
    return f"{format_count(count, 'more DaemonSet')} not shown"


def count_excluded_daemonsets(count: int) -> str:
    """How many DaemonSets leave the nodes out by their selector."""
    return f"{format_count(count, 'DaemonSet')} left out by selector"


NO_DAEMONSET = "no DaemonSet to check"


def count_hidden_pods(count: int) -> str:
    """How many pods are not shown."""
    return f"{format_count(count, 'more pod')} not shown"


def number_finding_step(number: int, total: int) -> str:
    """The step that a finding belongs to."""
    return f" (step {number} of {total})"


def count_more_lines(count: int) -> str:
    """How many lines are not shown."""
    return f"... {count} more lines"


def count_more_notes(count: int) -> str:
    """How many notes of a step are not shown."""
    return format_count(count, "more note")


def count_more_sentences(count: int) -> str:
    """How many sentences of a story are not shown."""
    return format_count(count, "more sentence")


COULD_NOT_BE_READ = "could not be read"
WORKING_FOLDER = "The folder that preflight ran in."


def title_other_findings(counts: Sequence[str]) -> str:
    """The heading over what is no annotation."""
    return f"preflight: the other findings ({', '.join(counts)})"


def describe_hidden_annotations(most: int, counts: Sequence[str]) -> str:
    """That GitHub shows a part of the findings."""
    return f"GitHub shows {most} annotations of a kind for a step; the others are in its log: {', '.join(counts)}"


def label_step(number: int, total: int) -> str:
    """The step that a finding belongs to, as a line below it."""
    return f"step: {number} of {total}"


def label_exempted(reason: object) -> str:
    """That a finding is exempted, and why."""
    return f"exempted: {reason}"


def count_others(count: int) -> str:
    """How many further findings the shown one represents."""
    return f" (+ {count} more)"
