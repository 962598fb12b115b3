"""Pods without a running container hold devices: a stale allocation.

Why it matters
    The scheduler counts what a bound pod requests, whether it runs, waits for an image, or is stuck in Terminating on a dead node. The
    devices are idle in the machine but count as allocated, and other pods wait for them.
How to fix
    Fix what the pod waits for, or delete it. If a node will not come back, delete the node: its pods are then garbage-collected.
Example
    Three pods in Terminating on a GPU node whose kubelet stopped, each with a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.owners import UNKNOWN_ORIGIN
from preflight.messages.doctor.resources import describe_stale_allocation, describe_stale_pod
from preflight.messages.kubectl_hints import make_describe_command
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, make_check_notes, make_waiting_note

_MAX_PODS = 4


def check(context: Context) -> Iterator[Hit]:
    """One hit for each resource: an error where pods wait for it."""
    index = get_diagnosis(context).index
    for allocation in get_diagnosis(context).stale_allocations:
        first = allocation.pods[0].pod.metadata
        nodes = index.cluster.nodes
        node = next((nodes[name] for name in allocation.nodes if name in nodes), None)
        waiting_note = make_waiting_note(context, allocation.resource)
        yield Hit(
            subject=Subject("Resource", "", allocation.resource),
            key=(allocation.resource,),
            nodes=allocation.nodes,
            location=ManifestLocation(node.origin if node is not None else UNKNOWN_ORIGIN),
            severity=Severity.ERROR if waiting_note else None,
            message=describe_stale_allocation(allocation),
            notes=(
                *(("note", describe_stale_pod(unhealthy_pod, index)) for unhealthy_pod in allocation.pods[:_MAX_PODS]),
                *waiting_note,
                *make_check_notes(make_describe_command("pod", first.name, first.namespace)),
            ),
        )


RULE = Rule(id="PF434", name="ghost-occupancy", severity=Severity.WARNING, check=check)
