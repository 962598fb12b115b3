"""A node can allocate less of a resource than before.

Why it matters
    An extended resource leaves Allocatable when its device plugin is gone, or finds fewer devices: pods that ask for it stay Pending, while
    those that run keep what they have. Less cpu, memory or disk means that pods which fitted before may fit no more. Of memory and disk a
    hundredth is not counted: it differs from start to start.
How to fix
    Look at the device plugin of the resource on this node first: is its pod there, and Ready? Then at the driver and the devices.
Example
    `preflight verify world.json.gz` after the reboot of a node whose RDMA device plugin does not tolerate the taint of the node.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.comparison.nodes import NodeSince, Shrunk
from preflight.comparison.pods import Since
from preflight.components import recognise
from preflight.kubectl.formatting import listed
from preflight.messages.lists import names
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Place, Rule


def check(context: Context) -> Iterator[Hit]:
    """One hit for each resource that is gone from nodes, and one, a warning, for each of which there is less."""
    since = context.since
    assert since is not None
    found: dict[tuple[str, bool], list[tuple[NodeSince, Shrunk]]] = {}
    for node in since.nodes:
        for shrunk in node.shrunk:
            found.setdefault((shrunk.resource, shrunk.is_gone), []).append((node, shrunk))
    for (resource, is_gone), places in sorted(found.items()):
        nodes = tuple(node.name for node, _ in places)
        first = places[0][0].now
        assert first is not None
        amounts = listed(dict.fromkeys(f"{each.before} -> {each.now or '0'}" for _, each in places))
        yield Hit(
            subject=Subject("Resource", "", resource),
            nodes=nodes,
            place=Place(first.origin, ("status", "allocatable", resource)),
            severity=None if is_gone else Severity.WARNING,
            message=f"{'has left' if is_gone else 'has shrunk in'} Allocatable on {names(nodes)} ({amounts})",
            notes=tuple(("note", f"{name} advertises it") for name in _advertisers(since, resource)),
        )


def _advertisers(since: Since, resource: str) -> Iterator[str]:
    """The DaemonSets that made the resource allocatable before."""
    for each in since.daemonsets:
        if each.before is not None and "/" in resource:
            components = recognise(each.before, since.before.configs, since.before.stated)
            if any(component.advertises(resource) for component in components):
                yield str(each.before.key)


RULE = Rule(id="PF403", name="resource-gone", severity=Severity.ERROR, check=check)
