"""What keeps an answer of the scheduler from being known, named one by one."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class UncertaintyKind(StrEnum):
    """What was not judged, or could not be; what `Uncertainty.subject` then names.

    1. Of the input: PODS (not every pod is known), NODES (not every node is known), NODE (a partly known node), ALLOCATABLE (a node
       that does not give it), LABELS (a label of a partly known node), COMPARISON (a taint that only Lt or Gt may tolerate), QUANTITY (an
       amount that cannot be read: the resource, or the pod), UNREAD (a pod of which only a part was read, or "" for the new one).
    2. Of the pod: SCHEDULER (another schedulerName), GATES (scheduling gates), GROUP (a group that is scheduled together), CLAIMS (device
       claims, or a resource that a DeviceClass may provide), VOLUMES (volumes with zones, nodes or limits), AFFINITY (required pod affinity
       or anti-affinity), SPREAD (topology spread), ADMISSION (what its RuntimeClass adds).
    3. Of others: NEIGHBORS (the required anti-affinity of another pod), PREEMPTION (pods of lower priority may have to go for it).
    4. VERSION: a `versions.Behavior` that only some of the possible versions have.

    Nothing here says anything of quota, of admission besides RuntimeClass, of extenders and of another configuration of the scheduler.
    """

    PODS = "pods"
    NODES = "nodes"
    NODE = "node"
    ALLOCATABLE = "allocatable"
    LABELS = "labels"
    COMPARISON = "comparison"
    QUANTITY = "quantity"
    UNREAD = "unread"
    SCHEDULER = "scheduler"
    GATES = "gates"
    GROUP = "group"
    CLAIMS = "claims"
    VOLUMES = "volumes"
    AFFINITY = "affinity"
    SPREAD = "spread"
    ADMISSION = "admission"
    NEIGHBORS = "neighbours"
    PREEMPTION = "preemption"
    VERSION = "version"


class Uncertainty(Struct, frozen=True, order=True):
    """One reason not to know: its kind, and what it is about, "" where that is plain. Uncertainties sort by both."""

    kind: UncertaintyKind
    subject: str = ""
