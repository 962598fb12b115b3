"""Extended resources that are not what they seem: not allocatable, allocatable with nobody behind them, or never advertised."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.coverage.node_targeting import names_nodes
from preflight.coverage.reasons import unselected
from preflight.dependents.requirements import is_extended
from preflight.doctor.device_fault import Fault
from preflight.doctor.gap_text import because
from preflight.messages.lists import listed
from preflight.model.objects import DaemonSet
from preflight.scheduling.quantities import QuantityError, millis

if TYPE_CHECKING:
    from preflight.components import Component
    from preflight.doctor.context import Diagnosis


class Faulty(Struct, frozen=True):
    """One extended resource on the nodes where the same is wrong with it, for the same reason.

    `amount` is what the capacity or Allocatable says, "" where nothing; `providers` are the DaemonSets that advertise it.
    """

    resource: str
    fault: Fault
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


def faulty(facts: Diagnosis) -> tuple[Faulty, ...]:
    """Every such resource, in order of its name. Source: `pkg/kubelet/cm/devicemanager/manager.go`, GetCapacity.

    1. In Capacity and not in Allocatable: the devices are unhealthy, or the plugin went minutes ago. Also 0 in both where a plugin that is
       known has no working pod on the node: the key is what is left of it. The kubelet counts unhealthy devices in Capacity alone.
    2. Less of it in Allocatable than in Capacity: the plugin holds some of the devices for unhealthy.
    3. In Allocatable where no DaemonSet that advertises it has a pod; not where a plugin of unknown resources has one.
    4. A plugin that runs and advertises nothing on a node, where it is for chosen nodes only and advertises on others.
    5. Nothing is said of a node that is not Ready or has just registered, nor where the namespace of a plugin was not listed.
    """
    found: dict[tuple[str, Fault, str, str], list[str]] = {}
    for name, node in facts.world.nodes.items():
        if node.pool is not None or name in facts.down or facts.is_new(name):
            continue
        capacity, allocatable = facts.node_state(name).status.capacity, node.status.allocatable
        for resource in sorted({*capacity, *allocatable}):
            if is_extended(resource):
                for fault, why, amount in _of(facts, name, resource, capacity.get(resource), allocatable.get(resource)):
                    found.setdefault((resource, fault, why, amount), []).append(name)
        for resource, why in _silent(facts, name, capacity, allocatable):
            found.setdefault((resource, Fault.SILENT, why, ""), []).append(name)
    return tuple(
        Faulty(resource, fault, tuple(sorted(nodes)), why, amount, tuple(each.daemonset for each in facts.advertisers(resource)))
        for (resource, fault, why, amount), nodes in sorted(found.items(), key=lambda item: (item[0][0], item[0][1].value, item[1]))
    )


Amount = str | int | float | None


def _of(facts: Diagnosis, node: str, resource: str, capacity: Amount, allocatable: Amount) -> Iterator[tuple[Fault, str, str]]:
    providers = facts.advertisers(resource)
    if not all(facts.world.pods_known(*each.key) for each in providers):
        return
    there = [each for each in providers if facts.has_pod(each.key, node)]
    if _number(allocatable):
        if _number(allocatable) < _number(capacity):
            yield Fault.UNHEALTHY, "the plugin holds the others for unhealthy", f"{allocatable} of {capacity}"
        if providers and not there and not any(facts.has_pod(each.key, node) for each in facts.plugins_unknown):
            yield Fault.GHOST, f"no pod of {listed(each.daemonset.key for each in providers)} is there", str(allocatable)
        return
    working = [each for each in there if node in facts.working(each.key)]
    if _number(capacity):
        yield Fault.NOT_ALLOCATABLE, _why_not(facts, node, providers, working), str(capacity)
    elif providers and not working and capacity is not None:
        yield Fault.NOT_ALLOCATABLE, _why_not(facts, node, providers, working), ""


def _why_not(facts: Diagnosis, node: str, providers: list[Provider], working: list[Provider]) -> str:
    if working:
        return f"the pod of {working[0].daemonset.key} runs there, so the devices are unhealthy or the plugin has yet to register"
    for each in providers:
        for gap in facts.gaps:
            if gap.daemonset is each.daemonset and node in gap.nodes:
                return f"{each.daemonset.key} advertises it and is missing there: {because(gap)}"
    if providers:
        left_out = "; ".join(text for each in providers for text in _left_out(facts, each, node))
        return f"no pod of {listed(each.daemonset.key for each in providers)} works there{f': {left_out}' if left_out else ''}"
    return "no DaemonSet is known that advertises it"


def _left_out(facts: Diagnosis, provider: Provider, node: str) -> Iterator[str]:
    """Why a provider does not choose a node."""
    for group in facts.impact.groups if facts.impact is not None else ():
        if group.key == provider.daemonset.key and node in group.nodes and group.after is not None:
            yield from unselected(group.after)


def _silent(facts: Diagnosis, node: str, capacity: Mapping[str, Amount], allocatable: Mapping[str, Amount]) -> Iterator[tuple[str, str]]:
    for each in facts.plugins_known:
        resources = [name for name in each.component.resources if not name.endswith("*")]
        if len(resources) != len(each.component.resources) or node not in facts.working(each.key):
            continue
        if any(name in capacity or name in allocatable for name in resources) or not names_nodes(each.daemonset.spec.template.spec):
            continue
        others = (facts.working(each.key) - {node}) & facts.world.nodes.keys()
        if any(_number(facts.world.nodes[name].status.allocatable.get(resource)) for name in others for resource in resources):
            why = "as if it found no device: the driver, or the order in which plugin and kubelet started"
            yield resources[0], f"the pod of {each.daemonset.key} runs there and advertises nothing, {why}"


def _number(quantity: Amount) -> int:
    try:
        return millis(quantity) if quantity is not None else 0
    except QuantityError:
        return 0
