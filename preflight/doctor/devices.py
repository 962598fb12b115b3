"""Extended resources that are not what they seem: not allocatable, allocatable without a provider, or never advertised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum

from msgspec import Struct

from preflight.coverage.model import Impact
from preflight.coverage.node_targeting import targets_nodes
from preflight.coverage.reasons import list_unselected
from preflight.dependents.requirements import is_extended_resource
from preflight.doctor.coverage_gaps import CoverageGap
from preflight.doctor.daemonset_health import PodHealthByDaemonSet, get_working_nodes, has_pod
from preflight.doctor.index import ClusterIndex
from preflight.doctor.providers import Provider, ProviderIndex
from preflight.model.apps import DaemonSet
from preflight.model.reasons import Reason
from preflight.scheduling.quantities import QuantityError, parse_millis


class ResourceFault(Enum):
    """What is wrong with a resource of a node, in the order in which it is reported."""

    NO_PROVIDER = "no-provider"
    NOT_ALLOCATABLE = "not-allocatable"
    NOT_ADVERTISED = "not-advertised"
    UNHEALTHY = "unhealthy"


class FaultCause(Enum):
    """Why a resource of a node has a fault.

    1. PLUGIN_REPORTS_UNHEALTHY: the plugin takes some of its devices for unhealthy.
    2. NO_PLUGIN_POD: no DaemonSet that advertises the resource has a pod on the node.
    3. PLUGIN_RUNS: a pod of the plugin runs on the node, so the devices are unhealthy or the plugin has yet to register.
    4. PLUGIN_MISSING: a gap explains why the plugin is missing on the node.
    5. PLUGIN_NOT_WORKING: the plugin has no working pod on the node, and no gap says why.
    6. UNKNOWN_PLUGIN: no DaemonSet is known that advertises the resource.
    7. PLUGIN_SILENT: a pod of the plugin runs on the node and advertises nothing.
    """

    PLUGIN_REPORTS_UNHEALTHY = "plugin-reports-unhealthy"
    NO_PLUGIN_POD = "no-plugin-pod"
    PLUGIN_RUNS = "plugin-runs"
    PLUGIN_MISSING = "plugin-missing"
    PLUGIN_NOT_WORKING = "plugin-not-working"
    UNKNOWN_PLUGIN = "unknown-plugin"
    PLUGIN_SILENT = "plugin-silent"


class FaultReason(Struct, frozen=True):
    """Why a resource has a fault.

    `daemonsets` are the plugins that `cause` is about, `gap` is the one that explains a missing plugin, and `exclusions` are why the
    plugins do not select the node.
    """

    cause: FaultCause
    daemonsets: tuple[DaemonSet, ...] = ()
    gap: CoverageGap | None = None
    exclusions: tuple[Reason, ...] = ()

    @property
    def key(self) -> tuple[object, ...]:
        """The facts that it consists of: nodes with equal keys have the same fault."""
        return (
            self.cause,
            tuple(daemonset.key for daemonset in self.daemonsets),
            self.gap.key if self.gap is not None else None,
            self.exclusions,
        )


class ResourceAmounts(Struct, frozen=True):
    """What a node states of a resource, as it is written; "" where nothing is stated or it does not matter."""

    capacity: str = ""
    allocatable: str = ""


class FaultyResource(Struct, frozen=True):
    """One extended resource on the nodes where the same is wrong with it, for the same reason.

    `providers` are the DaemonSets that advertise it.
    """

    resource: str
    fault: ResourceFault
    nodes: tuple[str, ...]
    reason: FaultReason
    amounts: ResourceAmounts = ResourceAmounts()
    providers: tuple[DaemonSet, ...] = ()


_Fault = tuple[ResourceFault, FaultReason, ResourceAmounts]
_Amount = str | int | float | None


def find_faulty_resources(
    index: ClusterIndex,
    impact: Impact | None,
    providers: ProviderIndex,
    pod_health: PodHealthByDaemonSet,
    gaps: tuple[CoverageGap, ...],
) -> tuple[FaultyResource, ...]:
    """Every such resource, in order of its name. Source: `pkg/kubelet/cm/devicemanager/manager.go`, GetCapacity.

    1. In Capacity and not in Allocatable: the devices are unhealthy, or the plugin went minutes ago. Also 0 in both where a plugin that is
       known has no working pod on the node: the key is what is left of it. The kubelet counts unhealthy devices in Capacity alone.
    2. Less of it in Allocatable than in Capacity: the plugin takes some of the devices for unhealthy.
    3. In Allocatable where no DaemonSet that advertises it has a pod; not where a plugin of unknown resources has one.
    4. A plugin that runs and advertises nothing on a node, where it is for chosen nodes only and advertises on others.
    5. A node that is not Ready or has just registered is left out, and so is a plugin whose namespace was not listed.
    """
    finder = _Finder(index, impact, providers, pod_health, gaps)
    found: dict[tuple[object, ...], tuple[str, _Fault, list[str]]] = {}
    for name in index.existing_nodes:
        if name in index.not_ready_nodes or index.is_new_node(name):
            continue
        for resource, fault in finder.iter_node_faults(name):
            kind, reason, amounts = fault
            found.setdefault((resource, kind, reason.key, amounts), (resource, fault, []))[2].append(name)
    order = list(ResourceFault)
    sorted_faults = sorted(found.values(), key=lambda entry: (entry[0], order.index(entry[1][0]), entry[2]))
    return tuple(
        FaultyResource(
            resource,
            fault,
            tuple(sorted(nodes)),
            reason,
            amounts,
            tuple(provider.daemonset for provider in providers.find_advertisers(resource)),
        )
        for resource, (fault, reason, amounts), nodes in sorted_faults
    )


class _Finder:
    """The facts that the search for faulty resources needs."""

    def __init__(
        self,
        index: ClusterIndex,
        impact: Impact | None,
        providers: ProviderIndex,
        pod_health: PodHealthByDaemonSet,
        gaps: tuple[CoverageGap, ...],
    ) -> None:
        self.index, self.impact, self.providers, self.pod_health, self.gaps = index, impact, providers, pod_health, gaps

    def iter_node_faults(self, node: str) -> Iterator[tuple[str, _Fault]]:
        """The faulty resources of a node."""
        capacity = self.index.get_node_state(node).status.capacity
        allocatable = self.index.cluster.nodes[node].status.allocatable
        for resource in sorted({*capacity, *allocatable}):
            if is_extended_resource(resource):
                for fault in self._iter_resource_faults(node, resource, capacity.get(resource), allocatable.get(resource)):
                    yield resource, fault
        for resource, reason in self._iter_unadvertised(node, capacity, allocatable):
            yield resource, (ResourceFault.NOT_ADVERTISED, reason, ResourceAmounts())

    def _iter_resource_faults(self, node: str, resource: str, capacity: _Amount, allocatable: _Amount) -> Iterator[_Fault]:
        plugins = self.providers.find_advertisers(resource)
        if not all(self.index.cluster.are_pods_listed(*plugin.key) for plugin in plugins):
            return
        present = [plugin for plugin in plugins if has_pod(self.pod_health, plugin.key, node)]
        if _parse_amount(allocatable):
            if _parse_amount(allocatable) < _parse_amount(capacity):
                amounts = ResourceAmounts(str(capacity), str(allocatable))
                yield ResourceFault.UNHEALTHY, FaultReason(FaultCause.PLUGIN_REPORTS_UNHEALTHY), amounts
            unknown_plugins = self.providers.plugins_without_resources
            if plugins and not present and not any(has_pod(self.pod_health, plugin.key, node) for plugin in unknown_plugins):
                daemonsets = tuple(plugin.daemonset for plugin in plugins)
                yield (
                    ResourceFault.NO_PROVIDER,
                    FaultReason(FaultCause.NO_PLUGIN_POD, daemonsets),
                    ResourceAmounts(allocatable=str(allocatable)),
                )
            return
        working = [plugin for plugin in present if node in get_working_nodes(self.pod_health, plugin.key)]
        if _parse_amount(capacity):
            amounts = ResourceAmounts(str(capacity))
            yield ResourceFault.NOT_ALLOCATABLE, self._explain_not_allocatable(node, plugins, working), amounts
        elif plugins and not working and capacity is not None:
            yield ResourceFault.NOT_ALLOCATABLE, self._explain_not_allocatable(node, plugins, working), ResourceAmounts()

    def _explain_not_allocatable(self, node: str, plugins: list[Provider], working: list[Provider]) -> FaultReason:
        if working:
            return FaultReason(FaultCause.PLUGIN_RUNS, (working[0].daemonset,))
        for plugin in plugins:
            for gap in self.gaps:
                if gap.daemonset is plugin.daemonset and node in gap.nodes:
                    return FaultReason(FaultCause.PLUGIN_MISSING, (plugin.daemonset,), gap)
        if not plugins:
            return FaultReason(FaultCause.UNKNOWN_PLUGIN)
        exclusions = tuple(reason for plugin in plugins for reason in self._iter_exclusions(plugin, node))
        return FaultReason(FaultCause.PLUGIN_NOT_WORKING, tuple(plugin.daemonset for plugin in plugins), exclusions=exclusions)

    def _iter_exclusions(self, plugin: Provider, node: str) -> Iterator[Reason]:
        """Why a plugin does not select a node."""
        for group in self.impact.groups if self.impact is not None else ():
            if group.key == plugin.daemonset.key and node in group.nodes and group.placement_after is not None:
                yield from list_unselected(group.placement_after)

    def _iter_unadvertised(
        self, node: str, capacity: Mapping[str, _Amount], allocatable: Mapping[str, _Amount]
    ) -> Iterator[tuple[str, FaultReason]]:
        for plugin in self.providers.plugins_with_resources:
            resources = [name for name in plugin.component.resources if not name.endswith("*")]
            working_nodes = get_working_nodes(self.pod_health, plugin.key)
            if len(resources) != len(plugin.component.resources) or node not in working_nodes:
                continue
            if any(name in capacity or name in allocatable for name in resources) or not targets_nodes(plugin.daemonset.spec.template.spec):
                continue
            nodes = self.index.cluster.nodes
            others = (working_nodes - {node}) & nodes.keys()
            if any(_parse_amount(nodes[name].status.allocatable.get(resource)) for name in others for resource in resources):
                yield resources[0], FaultReason(FaultCause.PLUGIN_SILENT, (plugin.daemonset,))


def _parse_amount(quantity: _Amount) -> int:
    try:
        return parse_millis(quantity) if quantity is not None else 0
    except QuantityError:
        return 0
