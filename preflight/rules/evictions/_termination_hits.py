"""Findings on pods that are evicted or deleted and do not end."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.evictions import describe_advice
from preflight.messages.kubectl_hints import make_node_pods_command
from preflight.messages.termination import describe_stuck_pods, describe_waiting_owners
from preflight.model.eviction_reasons import EvictionFact, FreePods
from preflight.model.evictions import Eviction, EvictionMechanism, EvictionReport, NodeEvictions
from preflight.model.meta import Origin
from preflight.model.owners import OwnerKey
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, ManifestLocation


def find_stuck_pods(context: Context, *, lower_severity: Severity) -> Iterator[Hit]:
    """The nodes that keep pods in Terminating, one hit for each reason.

    An error if kubectl waits for such a pod, until its timeout or without end, or if the owner of one waits for its end.
    """
    evictions = context.evictions
    if evictions is None:
        return
    nodes = {node.node: node for node in evictions.nodes}
    for advice in (advice for advice in evictions.first if isinstance(advice, FreePods)):
        node, hang = nodes[advice.hang.node], advice.hang
        waiting = _list_waiting_owners(node, advice)
        is_awaited = _does_kubectl_wait(evictions, node) or bool(waiting)
        yield Hit(
            subject=Subject("Node", "", node.node),
            nodes=(node.node,),
            location=_locate_node(context, node.node),
            severity=None if hang.certain and is_awaited else lower_severity,
            message=describe_stuck_pods(hang, advice.pods, does_kubectl_wait=node.ends is False),
            key=tuple(filter(None, (hang.cause.value, hang.driver))),
            notes=(
                *((("impact", describe_waiting_owners(waiting)),) if waiting else ()),
                ("help", describe_advice(advice)),
                ("check", make_node_pods_command(node.node)),
            ),
        )


def _does_kubectl_wait(evictions: EvictionReport, node: NodeEvictions) -> bool:
    """Whether kubectl waits for the pods of a node, and does not end well."""
    if evictions.way is EvictionMechanism.DRAIN:
        return node.ends is not True or 0 not in node.exitCodes
    return evictions.way is EvictionMechanism.DELETION and node.ends is not True


def _list_waiting_owners(node: NodeEvictions, advice: FreePods) -> list[OwnerKey]:
    """The owners that create no pod before one of these ends."""
    stuck: list[Eviction] = [pod for pod in node.pods if pod.pod in advice.pods and EvictionFact.AWAITS_END in pod.reasons]
    return sorted({pod.owner for pod in stuck if pod.owner is not None})


def _locate_node(context: Context, name: str) -> ManifestLocation:
    node = context.world.nodes.get(name)
    return ManifestLocation(node.origin if node is not None else Origin("<none>"))
