"""The commands that show what a finding says: read-only, and safe to paste."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def describe(kind: str, name: str, namespace: str = "") -> str:
    """`kubectl -n ns describe pod name`; "" where a name is none that Kubernetes would accept."""
    return _line(["kubectl", *_in(namespace), "describe", kind, name], name, namespace)


def pods_on(node: str, namespace: str = "") -> str:
    """The pods of a node."""
    where = ["-n", namespace] if namespace else ["-A"]
    return _line(["kubectl", "get", "pods", *where, "-o", "wide", "--field-selector", f"spec.nodeName={node}"], node, namespace)


def events_of(kind: str, name: str, namespace: str) -> str:
    """The events about one object."""
    about = f"involvedObject.kind={kind},involvedObject.name={name}"
    return _line(["kubectl", *_in(namespace), "get", "events", "--field-selector", about], name, namespace)


def get(kind: str, *names: str, namespace: str = "", output: str = "") -> str:
    """Some objects."""
    return _line(["kubectl", *_in(namespace), "get", kind, *names, *(["-o", output] if output else [])], *names, namespace)


def nodes_with(label: str) -> str:
    """All nodes, with a column for one label."""
    return f"kubectl get nodes -L {label}" if all(_PLAIN.fullmatch(part) for part in label.split("/")) else ""


def _in(namespace: str) -> list[str]:
    return ["-n", namespace] if namespace else []


def _line(words: list[str], *given: str) -> str:
    return " ".join(words) if all(_PLAIN.fullmatch(each) for each in given if each) else ""
