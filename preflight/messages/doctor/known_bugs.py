"""Texts about known faults of Kubernetes, by the id of the fault."""

from __future__ import annotations

from typing import NamedTuple

from preflight.doctor.pending.known_bugs import BugMatch, ForgottenNode, KnownBug, ServerVersion
from preflight.messages.lists import join_node_names


class BugText(NamedTuple):
    """What a fault does, to stand after the name of the component, and what to do about it."""

    what: str
    help: str


BUG_TEXTS = {
    "kubernetes#91601": BugText(
        "forgets nodes where zones have unequal numbers of them and a node joins later",
        "restart kube-scheduler, and update it to 1.18.8 or later: every node that joins may bring it back until then",
    ),
}


def describe_bug(match: BugMatch) -> str:
    """`kube-scheduler v1.18.6 forgets nodes ...`."""
    return f"{match.bug.component} {match.version} {BUG_TEXTS[match.bug.id].what}"


def describe_bug_help(bug: KnownBug) -> str:
    """What to do about a fault."""
    return BUG_TEXTS[bug.id].help


def describe_bug_fix(bug: KnownBug) -> str:
    """Where the fault was fixed."""
    return f"{bug.id}, fixed in {', '.join(bug.links)}"


def describe_sign(sign: ForgottenNode) -> str:
    """What was seen."""
    by_zone = ", ".join(f"{number} in {name or 'none'}" for name, number in sign.zones)
    return (
        f"the scheduler has reasons for {sign.explained_nodes} of {sign.all_nodes} nodes and not for {join_node_names((sign.node,))}; "
        f"zones are uneven ({by_zone})"
    )


def describe_possible_bug(match: BugMatch) -> str:
    """A fault whose sign is there where the version of the server is unknown."""
    bug = match.bug
    ranges = " and ".join(f"{_format_version(since)} up to, and without, {_format_version(fixed)}" for since, fixed in bug.ranges)
    return f"{describe_sign(match.sign)}: {bug.component} {ranges} has this fault ({bug.id}); the version here is not known"


def _format_version(version: ServerVersion) -> str:
    return ".".join(map(str, version))
