"""Texts of `preflight doctor` around its diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.suggestions import suggest


def describe_unknown(limitation: str) -> str:
    """What is unknown."""
    return f"unknown: {limitation}"


def describe_missing_node(node: str, nodes: Iterable[str]) -> str:
    """A node that does not exist, in kubectl's words, and the one that was intended."""
    return f'nodes "{node}" not found{suggest(node, nodes)}'


NO_PODS = "unknown: no pods in the input (add the output of `kubectl get pods -A -o json`)"
NO_NODE = "no nodes in the input: nothing to diagnose (add the output of `kubectl get nodes -o json`)"
ONLY_PODS_SHOW = "no pods in the input: what is broken shows only in pods (add the output of `kubectl get pods -A -o json`)"


def describe_recovery(saved: str, back: int, was: int, node: str) -> str:
    """How many DaemonSets have the pods that they had in a snapshot."""
    return f"since {saved}: {back} of the {was} DaemonSets that had a pod {f'on {node} ' if node else ''}have one now"


def name_missing(missing: Sequence[str]) -> str:
    """Which DaemonSets do not."""
    return f"; missing: {', '.join(missing[:4])}{f' and {len(missing) - 4} more' if missing[4:] else ''}"


def count_unknown(count: int) -> str:
    """For how many it is unknown."""
    return f"; unknown for {count}"


GIVE_POD = "give NAMESPACE/NAME of a pod in the input"


def describe_unlisted_pod(name: str, namespace: str, reason: str) -> str:
    """A pod of a namespace whose pods are not in the input, or may not be read for the reason."""
    why = f" ({reason})" if reason else ""
    return f'unknown: whether pods "{name}" exists, because the pods of namespace {namespace} are not in the input{why}'


def describe_missing_pod(name: str, pods: Iterable[str]) -> str:
    """A pod that does not exist, and the one that was intended; all as NAMESPACE/NAME."""
    return f'pods "{name}" not found{suggest(name, pods) or f": {GIVE_POD}"}'
