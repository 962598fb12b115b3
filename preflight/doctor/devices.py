"""Extended resources that are not what they seem: not allocatable, allocatable with nobody behind them, or never advertised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.coverage.node_targeting import targets_nodes
from preflight.coverage.reasons import list_unselected
from preflight.dependents.requirements import is_extended_resource
from preflight.doctor.device_fault import ResourceFault
from preflight.doctor.gap_text import explain_gap
from preflight.messages.coverage import describe_reasons
from preflight.messages.lists import join_and
from preflight.model.objects import DaemonSet
from preflight.scheduling.quantities import QuantityError, parse_millis

if TYPE_CHECKING:
    from preflight.components import Component
    from preflight.doctor.context import ClusterFacts


class FaultyResource(Struct, frozen=True):
    """One extended resource on the nodes where the same is wrong with it, for the same reason.

    `amount` is what the capacity or Allocatable says, "" where nothing; `providers` are the DaemonSets that advertise it.
    """

    resource: str
    fault: ResourceFault
    nodes: tuple[str, ...]
    why: str
    amount: str = ""
    providers: tuple[DaemonSet, ...] = ()


class Provider(Struct, frozen=True):
    """A DaemonSet that provides something, in the respect that matters."""

    daemonset: DaemonSet
    component: Component

    @property
    def key(self) -> tuple[str, str]:
        """Its namespace and name."""
        return self.daemonset.metadata.namespace, self.daemonset.metadata.name


def find_faulty_resources(facts: ClusterFacts) -> tuple[FaultyResource, ...]:
    """Every such resource, in order of its name. Source: `pkg/kubelet/cm/devicemanager/manager.go`, GetCapacity.

    1. In Capacity and not in Allocatable: the devices are unhealthy, or the plugin went minutes ago. Also 0 in both where a plugin that is
       known has no working pod on the node: the key is what is left of it. The kubelet counts unhealthy devices in Capacity alone.
    2. Less of it in Allocatable than in Capacity: the plugin holds some of the devices for unhealthy.
    3. In Allocatable where no DaemonSet that advertises it has a pod; not where a plugin of unknown resources has one.
    4. A plugin that runs and advertises nothing on a node, where it is for chosen nodes only and advertises on others.
    5. Nothing is said of a node that is not Ready or has just registered, nor where the namespace of a plugin was not listed.
    """
    found: dict[tuple[str, ResourceFault, str, str], list[str]] = {}
    for name, node in facts.world.nodes.items():
        if node.pool is not None or name in facts.not_ready_nodes or facts.is_new_node(name):
            continue
        capacity, allocatable = facts.get_node_state(name).status.capacity, node.status.allocatable
        for resource in sorted({*capacity, *allocatable}):
            if is_extended_resource(resource):
                for fault, why, amount in _classify_resource(facts, name, resource, capacity.get(resource), allocatable.get(resource)):
                    found.setdefault((resource, fault, why, amount), []).append(name)
        for resource, why in _iter_unadvertised(facts, name, capacity, allocatable):
            found.setdefault((resource, ResourceFault.NOT_ADVERTISED, why, ""), []).append(name)
    return tuple(
        FaultyResource(
            resource,
            fault,
            tuple(sorted(nodes)),
            why,
            amount,
            tuple(advertiser.daemonset for advertiser in facts.find_advertisers(resource)),
        )
        for (resource, fault, why, amount), nodes in sorted(found.items(), key=lambda item: (item[0][0], item[0][1].value, item[1]))
    )


ResourceAmount = str | int | float | None


def _classify_resource(
    facts: ClusterFacts, node: str, resource: str, capacity: ResourceAmount, allocatable: ResourceAmount
) -> Iterator[tuple[ResourceFault, str, str]]:
    providers = facts.find_advertisers(resource)
    if not all(facts.world.are_pods_listed(*provider.key) for provider in providers):
        return
    there = [each for each in providers if facts.has_pod(each.key, node)]
    if _parse_amount(allocatable):
        if _parse_amount(allocatable) < _parse_amount(capacity):
            yield ResourceFault.UNHEALTHY, "the plugin holds the others for unhealthy", f"{allocatable} of {capacity}"
        if (
            providers
            and not there
            and not any(facts.has_pod(plugins_without_resource.key, node) for plugins_without_resource in facts.plugins_without_resources)
        ):
            yield ResourceFault.NO_PROVIDER, f"no pod of {join_and(each.daemonset.key for each in providers)} is there", str(allocatable)
        return
    working = [each for each in there if node in facts.get_working_nodes(each.key)]
    if _parse_amount(capacity):
        yield ResourceFault.NOT_ALLOCATABLE, _explain_not_allocatable(facts, node, providers, working), str(capacity)
    elif providers and not working and capacity is not None:
        yield ResourceFault.NOT_ALLOCATABLE, _explain_not_allocatable(facts, node, providers, working), ""


def _explain_not_allocatable(facts: ClusterFacts, node: str, providers: list[Provider], working: list[Provider]) -> str:
    if working:
        return f"the pod of {working[0].daemonset.key} runs there, so the devices are unhealthy or the plugin has yet to register"
    for provider in providers:
        for gap in facts.gaps:
            if gap.daemonset is provider.daemonset and node in gap.nodes:
                return f"{provider.daemonset.key} advertises it and is missing there: {explain_gap(gap)}"
    if providers:
        left_out = "; ".join(text for each in providers for text in _explain_excluded_node(facts, each, node))
        return f"no pod of {join_and(each.daemonset.key for each in providers)} works there{f': {left_out}' if left_out else ''}"
    return "no DaemonSet is known that advertises it"


def _explain_excluded_node(facts: ClusterFacts, provider: Provider, node: str) -> Iterator[str]:
    """Why a provider does not choose a node."""
    for group in facts.impact.groups if facts.impact is not None else ():
        if group.key == provider.daemonset.key and node in group.nodes and group.placement_after is not None:
            yield from describe_reasons(list_unselected(group.placement_after))


def _iter_unadvertised(
    facts: ClusterFacts, node: str, capacity: Mapping[str, ResourceAmount], allocatable: Mapping[str, ResourceAmount]
) -> Iterator[tuple[str, str]]:
    for plugins_with_resource in facts.plugins_with_resources:
        resources = [name for name in plugins_with_resource.component.resources if not name.endswith("*")]
        if len(resources) != len(plugins_with_resource.component.resources) or node not in facts.get_working_nodes(
            plugins_with_resource.key
        ):
            continue
        if any(name in capacity or name in allocatable for name in resources) or not targets_nodes(
            plugins_with_resource.daemonset.spec.template.spec
        ):
            continue
        others = (facts.get_working_nodes(plugins_with_resource.key) - {node}) & facts.world.nodes.keys()
        if any(_parse_amount(facts.world.nodes[name].status.allocatable.get(resource)) for name in others for resource in resources):
            why = "as if it found no device: the driver, or the order in which plugin and kubelet started"
            yield resources[0], f"the pod of {plugins_with_resource.daemonset.key} runs there and advertises nothing, {why}"


def _parse_amount(quantity: ResourceAmount) -> int:
    try:
        return parse_millis(quantity) if quantity is not None else 0
    except QuantityError:
        return 0
