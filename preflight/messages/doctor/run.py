"""What `preflight doctor` says besides its diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.suggestions import suggest


def describe_unknown(limitation: str) -> str:
    """What is not known."""
    return f"not known: {limitation}"


def describe_missing_node(node: str, nodes: Iterable[str]) -> str:
    """A node that does not exist, in kubectl's words, and the one that was meant."""
    return f'nodes "{node}" not found{suggest(node, nodes)}'


NO_PODS = "not known: no pod was given"
NO_NODE = "no node was given: there is nothing to diagnose"
ONLY_PODS_SHOW = "no pod was given: what is broken shows only where pods are listed"


def describe_recovery(saved: str, back: int, was: int, node: str) -> str:
    """How many DaemonSets have what they had in a snapshot."""
    return f"since {saved}: {back} of the {was} DaemonSets that had a pod {f'on {node} ' if node else ''}have one"


def name_missing(missing: Sequence[str]) -> str:
    """Which have not."""
    return f", not {', '.join(missing[:4])}{f' and {len(missing) - 4} more' if missing[4:] else ''}"


def count_unknown(count: int) -> str:
    """Of how many it is not known."""
    return f"; of {count} it is not known"


GIVE_POD = "give NAMESPACE/NAME of one that is there"


def describe_unlisted_namespace(namespace: str) -> str:
    """A namespace whose pods were not given."""
    return f"the pods of namespace {namespace} were not given"


def describe_missing_pod(name: str, pods: Iterable[str], why: str) -> str:
    """A pod that does not exist, and the one that was meant, else why it is not known; all as NAMESPACE/NAME."""
    return f'pods "{name}" not found{suggest(name, pods) or f": {why}"}'
