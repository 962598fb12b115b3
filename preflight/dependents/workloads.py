"""Who depends on what a component provides: by the resources, the volumes and the network that pod templates need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.coverage.model import Impact
from preflight.dependents.csi_volumes import VolumePath
from preflight.dependents.remaining_providers import RemainingProviders, may_be_network
from preflight.dependents.requirements import Consumer, PlaceableNodes, list_consumers
from preflight.model.core import PodSpec
from preflight.model.meta import Origin
from preflight.model.report import Outcome, Subject

if TYPE_CHECKING:
    from preflight.components import Component

_EVERY_POD = frozenset(("kube-proxy", "node-local-dns"))
_ORDER = (False, None, True)
_SECRETS_DRIVER = "secrets-store.csi.k8s.io"


class Dependent(Struct, frozen=True):
    """A workload that needs what goes from the nodes.

    1. `needs` are the resources or drivers of those that go; () where every pod needs what goes. `path` is the field that says so.
    2. `can_run_elsewhere`: its pods may also run on nodes that keep what they need; None where no such node is known, and not all
       nodes were listed.
    3. `nodes` are those of the nodes that its pods can be on.
    """

    subject: Subject
    origin: Origin
    path: VolumePath
    needs: tuple[str, ...] = ()
    can_run_elsewhere: bool | None = False
    nodes: frozenset[str] = frozenset()


class LostNeed(Struct, frozen=True):
    """A component that goes from nodes, with what becomes of its DaemonSet's pods there.

    `may_be_network`: it is not known by name, brings no configuration, and is the only plugin on the nodes.
    """

    component: Component
    nodes: frozenset[str]
    outcome: Outcome
    may_be_network: bool = False


class DependentFinder:
    """The workloads of a world after a change, as far as they depend on something."""

    def __init__(self, impact: Impact, providers: RemainingProviders) -> None:
        """Of one impact; nothing is worked out before it is asked for."""
        self._world = impact.change.after
        self._providers = providers
        gate = self._world.comparison_operators
        self._nodes_after = PlaceableNodes(self._world.nodes, gate)
        self._nodes_before = PlaceableNodes(impact.change.before.nodes, gate)
        self._consumers: tuple[Consumer, ...] | None = None
        listing = self._world.listing
        self._otherwise = False if listing is None or listing.nodes else None

    def find_dependents(self, lost: LostNeed, *, recreated: bool) -> tuple[tuple[str, ...], tuple[Dependent, ...]]:
        """What goes by name, and who depends on it."""
        component, nodes, outcome = lost.component, lost.nodes, lost.outcome
        kind = component.kind.id
        if kind == "device-plugin":
            found = tuple(self._iter_plugin_dependents(component, nodes, recreated=recreated))
            if outcome is Outcome.NEVER:
                found = tuple(dependent for dependent in found if dependent.can_run_elsewhere is not True)
            asked = tuple(sorted({name for dependent in found for name in dependent.needs}))
            return asked or component.resources, found
        if kind in ("csi-node-driver", "secrets-store-provider"):
            drivers = component.drivers if kind == "csi-node-driver" else (_SECRETS_DRIVER,)
            return drivers, tuple(self._iter_driver_dependents(component, drivers, nodes, outcome, recreated=recreated))
        if kind == "cluster-dns":
            return (), tuple(self._iter_dns_dependents(component, recreated=recreated))
        if kind in _EVERY_POD or may_be_network(component) or lost.may_be_network:
            return component.networks, tuple(self._iter_network_dependents(component, nodes, recreated=recreated))
        return component.taints if kind == "startup-taint-remover" else component.drivers, ()

    def _iter_plugin_dependents(self, component: Component, nodes: frozenset[str], *, recreated: bool) -> Iterator[Dependent]:
        """Who asks for the resources of a device plugin; of one whose resources are not known, who asks for what no other has."""

        def asks(consumer: Consumer) -> dict[str, VolumePath]:
            return {
                name: path
                for name, path in consumer.resources.items()
                if component.advertises(name) or (component.advertises(name) is None and not self._providers.is_known_resource(name))
            }

        for consumer, found in self._iter_consumers(asks):
            reach = self._nodes_after.select_nodes(consumer.spec, is_daemon=consumer.is_daemon)
            if not reach & nodes:
                continue
            rest = reach - nodes
            for name in found:
                rest &= self._providers.find_resource_nodes(name, recreated=recreated)
            yield _make_dependent(consumer, found, reach & nodes, can_run_elsewhere=bool(rest) or self._otherwise)

    def _iter_driver_dependents(
        self, component: Component, drivers: tuple[str, ...], nodes: frozenset[str], outcome: Outcome, *, recreated: bool
    ) -> Iterator[Dependent]:
        """Who mounts volumes of these drivers: pods that may run on the nodes, and those that may be there from before the change."""

        def asks(consumer: Consumer) -> dict[str, VolumePath]:
            return {name: path for name, path in consumer.drivers.items() if name in drivers}

        keep = self._providers.find_provider_nodes(component, recreated=recreated)
        for consumer, found in self._iter_consumers(asks):
            reach = self._nodes_after.select_nodes(consumer.spec, is_daemon=consumer.is_daemon)
            there = reach
            if outcome is not Outcome.NEVER:
                there = reach | self._nodes_before.select_nodes(consumer.spec, is_daemon=consumer.is_daemon)
            if there & nodes:
                can_run_elsewhere = bool((reach - nodes) & keep) or self._otherwise
                yield _make_dependent(consumer, found, there & nodes, can_run_elsewhere=can_run_elsewhere)

    def _iter_network_dependents(self, component: Component, nodes: frozenset[str], *, recreated: bool) -> Iterator[Dependent]:
        """Every workload whose pods may run on the nodes; for the network of pods, those that want one."""
        keep = self._providers.find_provider_nodes(component, recreated=recreated)
        for consumer, _ in self._iter_consumers(lambda _: {"": ()}):
            if consumer.spec.hostNetwork and component.kind.id not in _EVERY_POD:
                continue
            reach = self._nodes_after.select_nodes(consumer.spec, is_daemon=consumer.is_daemon)
            if reach & nodes:
                yield _make_dependent(consumer, {}, reach & nodes, can_run_elsewhere=bool((reach - nodes) & keep) or self._otherwise)

    def _iter_dns_dependents(self, component: Component, *, recreated: bool) -> Iterator[Dependent]:
        """Every workload, where no replica of the cluster DNS is left: no DaemonSet, and no other workload that runs it."""
        if self._providers.find_provider_nodes(component, recreated=recreated) or self._has_other_dns():
            return
        for consumer, _ in self._iter_consumers(lambda _: {"": ()}):
            reach = self._nodes_after.select_nodes(consumer.spec, is_daemon=consumer.is_daemon)
            if reach and not _runs_dns(consumer.spec):
                yield _make_dependent(consumer, {}, reach, can_run_elsewhere=False)

    def _has_other_dns(self) -> bool:
        return any(not consumer.is_daemon and _runs_dns(consumer.spec) for consumer, _ in self._iter_consumers(lambda _: {"": ()}))

    def _iter_consumers(self, get_needs: Callable[[Consumer], dict[str, VolumePath]]) -> Iterator[tuple[Consumer, dict[str, VolumePath]]]:
        """The consumers that ask for something, each subject once, with what it asks for."""
        if self._consumers is None:
            self._consumers = list_consumers(self._world)
        for consumer in self._consumers:
            found = get_needs(consumer)
            if found:
                yield consumer, found


def _runs_dns(spec: PodSpec) -> bool:
    """Whether a container's image is a DNS server that is known."""
    from preflight.components.catalog import find_program
    from preflight.components.container_commands import split_image_name

    products = (find_program(split_image_name(container.image)) for container in spec.containers)
    return any(product is not None and product.dns for product in products)


def _make_dependent(
    consumer: Consumer, needs: dict[str, VolumePath], nodes: frozenset[str], *, can_run_elsewhere: bool | None
) -> Dependent:
    path = next(iter(needs.values()), ())
    elsewhere = False if consumer.is_daemon else can_run_elsewhere
    return Dependent(consumer.subject, consumer.origin, path, tuple(sorted(needs)), elsewhere, nodes)


def merge_by_subject(dependents: Iterable[Dependent]) -> tuple[Dependent, ...]:
    """One dependent for each subject: of several templates of a JobSet one that can go nowhere else, or of which that is not known.

    Its nodes are those of all templates.
    """
    found: dict[Subject, Dependent] = {}
    for dependent in dependents:
        known = found.setdefault(dependent.subject, dependent)
        worst = dependent if _ORDER.index(dependent.can_run_elsewhere) < _ORDER.index(known.can_run_elsewhere) else known
        found[dependent.subject] = replace(worst, nodes=known.nodes | dependent.nodes)
    return tuple(found.values())
