"""What the rows of `preflight.model.behaviors` mean for an answer, in words: of newer versions, and of older ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from preflight.model.releases import Behavior


class BehaviorText(NamedTuple):
    """What newer versions do, and older ones."""

    newer: str
    older: str


BEHAVIOR_TEXTS: Mapping[Behavior, BehaviorText] = {
    Behavior.COUNTS_UNAVAILABLE: BehaviorText(
        "In an update of a DaemonSet with maxUnavailable, old pods that are not available count as unavailable.",
        "They are deleted, and as many available pods as maxUnavailable allows with them: one that a taint keeps from coming back is lost.",
    ),
    Behavior.SURGE_REMOVES_UNWANTED: BehaviorText(
        "An update with maxSurge removes the old pod where the DaemonSet should not run.",
        "A new pod is created there too, stays Pending and uses up maxSurge; the old pod stays.",
    ),
    Behavior.NARROW_NODE_SYNC: BehaviorText(
        "A taint or a label alone does not make the DaemonSet controller count again: the numbers in the status can be old for hours.",
        "The numbers follow at once, and an update that waits goes on.",
    ),
    Behavior.RECREATES_SUCCEEDED: BehaviorText(
        "A DaemonSet pod that has succeeded is re-created.",
        "None comes until the pod is deleted. preflight assumes the newer behavior.",
    ),
    Behavior.REPLACES_TERMINAL: BehaviorText(
        "A DaemonSet pod that has ended and is held by a finalizer is replaced.",
        "The node has no pod until the finalizer goes. preflight assumes the newer behavior.",
    ),
    Behavior.EMPTY_SELECTOR_GUARDS: BehaviorText(
        "Evictions ask a PodDisruptionBudget with `selector: {}`.", "Evictions ignore it: it protects no pods (PF241)."
    ),
    Behavior.AWAITS_POD_END: BehaviorText(
        "A Job with a podFailurePolicy replaces a pod after its end.",
        "The replacement is created at once, and two pods can run for one index.",
    ),
    Behavior.LONG_BACK_OFF: BehaviorText("The back-off of a Job is 10 minutes at most.", "It is 6 minutes at most."),
    Behavior.SIDECAR_PORTS: BehaviorText(
        "Host ports of sidecars count when a pod is scheduled.",
        "The scheduler does not see them, and binds several pods with one port to a node.",
    ),
    Behavior.SKIPS_ZERO_REQUESTS: BehaviorText(
        "A pod that requests no cpu fits on a node whose cpu is overcommitted; memory and ephemeral storage likewise.",
        "The node refuses the pod if it requests any other resource: `Insufficient cpu`.",
    ),
    Behavior.SKIPS_EMPTY_NAME_TERMS: BehaviorText(
        "A term of the node affinity whose names exclude one another leaves the other terms.", "The pod stays Pending on all nodes."
    ),
    Behavior.EXPLAINS_ALL_NODES: BehaviorText(
        "The scheduler gives a reason for every node.",
        "Nodes that the affinity excludes by name have none. `doctor` concludes nothing from that.",
    ),
    Behavior.DRAIN_KNOWS_APPS_ONLY: BehaviorText(
        "`kubectl drain` treats the DaemonSet of another API group, such as OpenKruise, as an ordinary controller.",
        "It looks for a DaemonSet of apps/v1 with that name, and refuses the node without `--force`.",
    ),
    Behavior.NO_DELETE_LOCAL_DATA: BehaviorText(
        "`kubectl drain --delete-local-data` is an unknown flag.", "It means `--delete-emptydir-data`."
    ),
}
"""The words of every row."""
