"""Messages about the clusters that preflight reads."""

from __future__ import annotations

ONE_REQUEST = "1 request"


def describe_requests(context: str, server: str, requests: str, size: str) -> str:
    """What was asked of a cluster."""
    return f"asked {context} ({server}): {requests}, {size}"


def advise_same_flag(flag: str) -> str:
    """Which flag to give to preflight too."""
    return f"give --{flag} to preflight too"


GIVE_CONTEXT = "give its --context instead"


def describe_other_cluster(command: str, flag: str, value: str, context: str, server: str, advice: str) -> str:
    """A command that names another cluster than the one that is asked."""
    return f"`{command}` uses {flag} {value}, but preflight reads context {context} ({server}): {advice}"


def describe_unread_cluster(name: str, error: object) -> str:
    """A cluster that cannot be asked."""
    return f"{name}: cannot be read: {error}"


def describe_mixed_sources(other: str) -> str:
    """Several snapshots next to other files."""
    return f"several snapshots are several clusters, and it is unknown which one {other} belongs to: give it with one snapshot only"


def describe_repeated_cluster(flag: str, name: str) -> str:
    """A cluster that is given twice."""
    return f"{flag} {name} is given twice"
