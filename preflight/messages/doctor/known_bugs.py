"""Texts about known bugs of Kubernetes, by the id of the bug."""

from __future__ import annotations

from typing import NamedTuple

from preflight.doctor.pending.known_bugs import BugMatch, ForgottenNode, KnownBug
from preflight.messages.lists import join_node_names
from preflight.model.releases import Version


class BugText(NamedTuple):
    """What a bug does, for use after the name of the component, and what to do about it."""

    what: str
    help: str


BUG_TEXTS = {
    "kubernetes#91601": BugText(
        "can skip nodes if zones have different numbers of nodes and a node joins later",
        "restart kube-scheduler and update it to 1.18.8 or later; until then every node that joins can trigger the bug again",
    ),
}


def describe_bug(match: BugMatch) -> str:
    """`kube-scheduler v1.18.6 can skip nodes ...`."""
    condition = f" (if {match.sign.node} has room)" if match.is_conditional else ""
    return f"{match.bug.component} {match.version} {BUG_TEXTS[match.bug.id].what}{condition}"


def describe_condition(match: BugMatch) -> str:
    """Why it is not certain that the node has room."""
    return f"unknown: whether {match.sign.node} has room (not all pods are in the input: add the output of `kubectl get pods -A -o json`)"


def describe_version_source(match: BugMatch) -> str:
    """Where the version of the component comes from, if not from the server itself."""
    return (
        f"the version is that of the kubelets ({match.version}), and the server is not older: `kubectl version` shows whether it is one "
        f"with the fix"
    )


def describe_bug_help(bug: KnownBug) -> str:
    """What to do about a bug."""
    return BUG_TEXTS[bug.id].help


def describe_bug_fix(bug: KnownBug) -> str:
    """Where the bug was fixed."""
    return f"{bug.id}, fixed in {', '.join(bug.links)}"


def describe_sign(sign: ForgottenNode) -> str:
    """What was seen."""
    by_zone = ", ".join(f"{number} in {name or 'none'}" for name, number in sign.zones)
    return (
        f"the scheduler gives reasons for {sign.explained_nodes} of {sign.all_nodes} nodes, but none for {join_node_names((sign.node,))}; "
        f"nodes per zone: {by_zone}"
    )


def describe_possible_bug(match: BugMatch) -> str:
    """A bug whose symptom is present while the version of the server is unknown."""
    bug = match.bug
    ranges = " and ".join(f"from {_format_version(since)} until the fix in {_format_version(fixed)}" for since, fixed in bug.ranges)
    return f"{describe_sign(match.sign)}: a known bug of {bug.component} {ranges} ({bug.id}); the version of this cluster is unknown"


def _format_version(version: Version) -> str:
    return f"1.{version.minor}.{version.patch}"
