"""What `preflight diff` says besides findings."""

from __future__ import annotations

from preflight.messages.counts import format_count

NO_NODE = "no node is known, so coverage is not judged: give the nodes by --from"
SAME_CLUSTER = "live and live are the same cluster: save one side with `preflight snapshot`"


def describe_nothing_to_compare(old: str, new: str) -> str:
    """That there is nothing to compare."""
    return f"nothing was there to compare: no object of a kind that preflight knows in {old} or {new}"


GIVEN_TWICE = "given twice"


def describe_same_problem(old: str) -> str:
    """A file that could not be read before either."""
    return f"could not be read in {old} either"


CANNOT_BE_READ = "cannot be read"


def describe_unchanged_findings(base: str, count: int) -> str:
    """What there was to be said before, too."""
    return f"{format_count(count, 'finding')} {'is' if count == 1 else 'are'} in {base} already and not said again"


def describe_gone_findings(base: str, count: int) -> str:
    """What there was to be said before, and is not now."""
    return f"{format_count(count, 'finding')} of {base} {'is' if count == 1 else 'are'} gone"


def describe_partial_comparison(count: int) -> str:
    """DaemonSets that are alike as far as a snapshot shows."""
    looks = "looks" if count == 1 else "look"
    return f"{format_count(count, 'DaemonSet')} {looks} the same in a snapshot, which shows only what preflight reads of a template"
