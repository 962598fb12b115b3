"""Pieces of PromQL over the stable metrics of kube-state-metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable

from preflight.change.node_lifecycle import LEAVING_KEYS

_PUNCTUATION = re.compile(r"[.+*?()|\[\]{}^$\\]")
_INVALID_IN_NAME = re.compile(r"[^a-zA-Z0-9_]")

READY_NODE_QUERY = 'kube_node_status_condition{{condition="Ready", status="true"{more}}} == 1'


def quote_string(value: str) -> str:
    """A string literal."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def quote_name_regex(names: Iterable[str]) -> str:
    """A regular expression that matches these names and nothing else, as a string literal; matchers are anchored by themselves."""
    return quote_string("|".join(_PUNCTUATION.sub(lambda found: f"\\{found[0]}", name) for name in sorted(names)))


def query_ready_nodes(nodes: Iterable[str] = (), excluded: Iterable[str] = ()) -> str:
    """The nodes that are Ready: those of `nodes` where any is named, without those of `excluded`."""
    more = "".join(f", node{how}{quote_name_regex(names)}" for how, names in (("=~", tuple(nodes)), ("!~", tuple(excluded))) if names)
    return READY_NODE_QUERY.format(more=more)


def query_leaving_nodes() -> str:
    """The nodes that an autoscaler is taking away."""
    return f"kube_node_spec_taint{{key=~{quote_name_regex(LEAVING_KEYS)}}}"


def query_daemonset_pods(namespace: str, daemonset: str) -> str:
    """The pods of a DaemonSet."""
    return f'kube_pod_info{{namespace={quote_string(namespace)}, created_by_kind="DaemonSet", created_by_name={quote_string(daemonset)}}}'


def query_taints(key: str = "", value: str | None = None, effect: str = "") -> str:
    """The taints of nodes with this key, value and effect; "" and None for any."""
    wanted = [("key", key or None), ("value", value), ("effect", effect or None)]
    return f"kube_node_spec_taint{{{', '.join(f'{name}={quote_string(text)}' for name, text in wanted if text is not None)}}}"


def format_resource_name(name: str) -> str:
    """The name of an extended resource as kube-state-metrics writes it: `nvidia_com_gpu`.

    Source: kube-state-metrics, internal/store/node.go, which replaces what no label name may hold.
    """
    return _INVALID_IN_NAME.sub("_", name)
