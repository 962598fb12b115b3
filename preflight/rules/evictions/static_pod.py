"""A drained node keeps its static pods.

Why it matters
    A static pod belongs to the kubelet, which reads it from a file on the node. The API server only shows a mirror of it, and a drain
    does not evict it: it runs, and continues to serve, until the kubelet stops.
How to fix
    Nothing, if that is intended. Otherwise move its manifest out of the directory that the kubelet reads.
Example
    A control-plane node with `kube-apiserver` and `etcd` as static pods.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_static_pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for each drained node with static pods."""
    yield from find_static_pods(context)


RULE = Rule(id="PF312", name="static-pod", severity=Severity.NOTE, check=check)
