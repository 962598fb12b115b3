"""What `preflight diff` says besides findings."""

from __future__ import annotations

from preflight.messages.counts import format_count

NO_NODE = "no node in the input, so coverage is not checked: add the nodes with --from"
SAME_CLUSTER = "live and live are the same cluster: save one side with `preflight snapshot`"


def describe_nothing_to_compare(old: str, new: str) -> str:
    """That there is nothing to compare."""
    return f"nothing to compare: no Kubernetes object that preflight checks in {old} or {new}"


GIVEN_TWICE = "given twice"


def describe_same_problem(old: str) -> str:
    """A file that could not be read before either."""
    return f"could not be read in {old} either"


CANNOT_BE_READ = "cannot be read"


def describe_unchanged_findings(base: str, count: int) -> str:
    """Findings that existed before too."""
    return f"{format_count(count, 'finding')} {'is' if count == 1 else 'are'} already in {base} and not repeated"


def describe_gone_findings(base: str, count: int) -> str:
    """Findings that existed before and no longer do."""
    return f"{format_count(count, 'finding')} of {base} no longer {'applies' if count == 1 else 'apply'}"


def describe_partial_comparison(count: int) -> str:
    """DaemonSets that are equal as far as a snapshot shows."""
    looks = "looks" if count == 1 else "look"
    return (
        f"{format_count(count, 'DaemonSet')} {looks} the same in a snapshot, which holds only the fields of a template that preflight reads"
    )
