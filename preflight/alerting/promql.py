"""Pieces of PromQL over the stable metrics of kube-state-metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PUNCTUATION = re.compile(r"[.+*?()|\[\]{}^$\\]")
_UNFIT = re.compile(r"[^a-zA-Z0-9_]")

LEAVING = ("ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", "karpenter.sh/disruption")
"""The taints by which an autoscaler takes a node away: it is drained, DaemonSet pods that do not tolerate them included, and deleted."""

READY_NODE = 'kube_node_status_condition{{condition="Ready", status="true"{more}}} == 1'


def string(value: str) -> str:
    """A string literal."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def one_of(names: Iterable[str]) -> str:
    """A regular expression that matches these names and nothing else, as a string literal; matchers are anchored by themselves."""
    return string("|".join(_PUNCTUATION.sub(lambda found: f"\\{found[0]}", name) for name in sorted(names)))


def ready_nodes(nodes: Iterable[str] = (), but: Iterable[str] = ()) -> str:
    """The nodes that are Ready: those of `nodes` where any is named, without those of `but`."""
    more = "".join(f", node{how}{one_of(names)}" for how, names in (("=~", tuple(nodes)), ("!~", tuple(but))) if names)
    return READY_NODE.format(more=more)


def leaving_nodes() -> str:
    """The nodes that an autoscaler is taking away."""
    return f"kube_node_spec_taint{{key=~{one_of(LEAVING)}}}"


def pods_of(namespace: str, daemonset: str) -> str:
    """The pods of a DaemonSet."""
    return f'kube_pod_info{{namespace={string(namespace)}, created_by_kind="DaemonSet", created_by_name={string(daemonset)}}}'


def taint(key: str = "", value: str | None = None, effect: str = "") -> str:
    """The taints of nodes with this key, value and effect; "" and None for any."""
    wanted = [("key", key or None), ("value", value), ("effect", effect or None)]
    return f"kube_node_spec_taint{{{', '.join(f'{name}={string(text)}' for name, text in wanted if text is not None)}}}"


def resource(name: str) -> str:
    """The name of an extended resource as kube-state-metrics writes it: `nvidia_com_gpu`.

    Source: kube-state-metrics, internal/store/node.go, which replaces what no label name may hold.
    """
    return _UNFIT.sub("_", name)
