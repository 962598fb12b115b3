"""The commands that show what a finding says: read-only, and safe to paste."""

from __future__ import annotations

import re

_SAFE_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def make_describe_command(kind: str, name: str, namespace: str = "") -> str:
    """`kubectl -n ns describe pod name`; "" where a name is none that Kubernetes would accept."""
    return _join_command(["kubectl", *_make_namespace_flag(namespace), "describe", kind, name], name, namespace)


def make_node_pods_command(node: str, namespace: str = "") -> str:
    """The pods of a node."""
    where = ["-n", namespace] if namespace else ["-A"]
    return _join_command(["kubectl", "get", "pods", *where, "-o", "wide", "--field-selector", f"spec.nodeName={node}"], node, namespace)


def make_events_command(kind: str, name: str, namespace: str) -> str:
    """The events about one object."""
    about = f"involvedObject.kind={kind},involvedObject.name={name}"
    return _join_command(["kubectl", *_make_namespace_flag(namespace), "get", "events", "--field-selector", about], name, namespace)


def make_get_command(kind: str, *names: str, namespace: str = "", output: str = "") -> str:
    """Some objects."""
    return _join_command(
        ["kubectl", *_make_namespace_flag(namespace), "get", kind, *names, *(["-o", output] if output else [])], *names, namespace
    )


def make_label_column_command(label: str) -> str:
    """All nodes, with a column for one label."""
    return f"kubectl get nodes -L {label}" if all(_SAFE_WORD.fullmatch(part) for part in label.split("/")) else ""


def _make_namespace_flag(namespace: str) -> list[str]:
    return ["-n", namespace] if namespace else []


def _join_command(words: list[str], *given: str) -> str:
    return " ".join(words) if all(_SAFE_WORD.fullmatch(name) for name in given if name) else ""
