"""What breaks in consequence, as data: a component that is gone from nodes, why and when, and what depends on it there."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.change.node_lifecycle import is_controller_owned
from preflight.coverage.model import CoverageGroup
from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome

if TYPE_CHECKING:
    from preflight.components import Component
    from preflight.dependents.workloads import Dependent

KINDS_WITH_DEPENDENTS = frozenset(
    ("cni", "kube-proxy", "node-local-dns", "cluster-dns", "device-plugin", "csi-node-driver", "secrets-store-provider")
)
"""The kinds of component of which it can be told who depends on them."""


class NetworkDoubt(Enum):
    """Why a network plugin that is not known by name may, or may not, be the network of every pod.

    OTHER_NETWORK: another network stays on the nodes. NO_CONFIGURATION: it brings no configuration, and no other network is there.
    """

    OTHER_NETWORK = "other-network"
    NO_CONFIGURATION = "no-configuration"


class Consequence(Struct, frozen=True):
    """One component that is gone from nodes, and what depends on it there.

    1. `outcome` is what becomes of the DaemonSet's pods and brings it about: LOST_NOW (after `get_eviction_seconds`, where eviction waits),
       LOOP without a pause, LOST_ON_RECREATION, ALREADY_FRAGILE, or NEVER: it is not there today, and only a taint keeps it out.
    2. `passing`: only taints stand in its way that the cluster clears by itself.
    3. `lost_names` are the names of what goes: resources (those that are asked for, else those that are known), drivers, keys of taints.
    4. `producer` sets the `labels` that the DaemonSet waits for; it is that which a taint keeps out. None where its own loss is meant.
    5. `stuck_nodes` are the nodes that carry a startup taint of `lost_names` after the change, and nothing else removes it.
    6. `network_doubt` is why it may not be the network of every pod; `other_networks` are the DaemonSets that may be it instead.
    """

    key: ObjectKey
    daemonset: DaemonSet
    component: Component
    nodes: tuple[str, ...]
    outcome: Outcome
    seconds: int = 0
    is_transient: bool = False
    lost_names: tuple[str, ...] = ()
    dependents: tuple[Dependent, ...] = ()
    stuck_nodes: tuple[str, ...] = ()
    producer: ObjectKey | None = None
    labels: tuple[str, ...] = ()
    network_doubt: NetworkDoubt | None = None
    other_networks: tuple[ObjectKey, ...] = ()

    @property
    def dependent_nodes(self) -> tuple[str, ...]:
        """Those of the nodes where pods of a dependent workload can be; all of them where nobody depends on it."""
        found = frozenset().union(*(dependent.nodes for dependent in self.dependents))
        return tuple(sorted(found)) or self.nodes

    @property
    def has_dependents(self) -> bool:
        """Whether it is of a kind that workloads depend on, so that somebody was looked for."""
        return self.component.kind.id in KINDS_WITH_DEPENDENTS

    @property
    def is_existing_and_transient(self) -> bool:
        """Whether it was so before, and the cluster mends it by itself: the finding about coverage says enough then."""
        return self.is_transient and self.outcome in (Outcome.ALREADY_FRAGILE, Outcome.NEVER)

    @property
    def is_lost(self) -> bool:
        """Whether the change takes away what was there: not where it is a time bomb already, never came, or the cluster mends it."""
        return self.outcome in (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION, Outcome.LOOP) and not self.is_transient


def get_eviction_seconds(group: CoverageGroup) -> int:
    """How long taint eviction waits for a pod that is lost by it."""
    after = group.placement_after
    is_timed = group.outcome is Outcome.LOST_NOW and after is not None and after.may_stay
    return int(after.eviction_delay) if is_timed and after and after.eviction_delay and after.eviction_delay != float("inf") else 0


def is_transient_group(group: CoverageGroup) -> bool:
    """Whether only taints stand in the way that the cluster clears by itself."""
    taints = group.placement_after.untolerated_taints if group.placement_after else ()
    return (
        bool(taints)
        and all(is_controller_owned(taint) for taint in taints)
        and group.placement_after is not None
        and group.placement_after.is_selected is not False
    )
