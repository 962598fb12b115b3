"""Who depends on what a component provides: by the resources, the volumes and the network that pod templates need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.coverage.model import Impact
from preflight.dependents.csi_volumes import Path
from preflight.dependents.remaining_providers import Provided
from preflight.dependents.requirements import Consumer, Landing, consumers
from preflight.model.objects import Origin
from preflight.model.report import Outcome, Subject

if TYPE_CHECKING:
    from preflight.components import Component

_EVERY_POD = frozenset(("kube-proxy", "node-local-dns"))
_SECRETS = "secrets-store.csi.k8s.io"


class Dependent(Struct, frozen=True):
    """A workload that needs what goes from the nodes.

    1. `needs` are the resources or drivers of those that go; () where every pod needs what goes. `path` is the field that says so.
    2. `elsewhere`: its pods may also run on nodes that keep what they need.
    """

    subject: Subject
    origin: Origin
    path: Path
    needs: tuple[str, ...] = ()
    elsewhere: bool = False


class Dependents:
    """The workloads of a world after a change, as far as they depend on something."""

    def __init__(self, impact: Impact, provided: Provided) -> None:
        """Of one impact; nothing is worked out before it is asked for."""
        self._world = impact.change.after
        self._provided = provided
        gate = self._world.comparison_operators
        self._landing = Landing(self._world.nodes, gate)
        self._landing_before = Landing(impact.change.before.nodes, gate)
        self._consumers: tuple[Consumer, ...] | None = None

    def of(
        self, component: Component, nodes: frozenset[str], outcome: Outcome, *, recreated: bool
    ) -> tuple[tuple[str, ...], tuple[Dependent, ...]]:
        """What goes by name, and who depends on it."""
        kind = component.kind.id
        if kind == "device-plugin":
            found = tuple(self._of_plugin(component, nodes, recreated=recreated))
            if outcome is Outcome.NEVER:
                found = tuple(each for each in found if not each.elsewhere)
            asked = tuple(sorted({name for each in found for name in each.needs}))
            return asked or component.resources, found
        if kind in ("csi-node-driver", "secrets-store-provider"):
            drivers = component.drivers if kind == "csi-node-driver" else (_SECRETS,)
            return drivers, tuple(self._of_drivers(component, drivers, nodes, outcome, recreated=recreated))
        if kind in _EVERY_POD or (kind == "cni" and (not component.networks or "pod" in component.networks)):
            return component.networks, tuple(self._of_every_pod(component, nodes, recreated=recreated))
        return component.taints if kind == "startup-taint-remover" else component.drivers, ()

    def _of_plugin(self, component: Component, nodes: frozenset[str], *, recreated: bool) -> Iterator[Dependent]:
        """Who asks for the resources of a device plugin; of one whose resources are not known, who asks for what no other has."""

        def asks(consumer: Consumer) -> dict[str, Path]:
            return {
                name: path
                for name, path in consumer.resources.items()
                if component.advertises(name) or (component.advertises(name) is None and not self._provided.is_known(name))
            }

        for consumer, found in self._asking(asks):
            reach = self._landing.of(consumer.spec, daemon=consumer.daemon)
            if not reach & nodes:
                continue
            rest = reach - nodes
            for name in found:
                rest &= self._provided.nodes_with_resource(name, recreated=recreated)
            yield _dependent(consumer, found, elsewhere=bool(rest))

    def _of_drivers(
        self, component: Component, drivers: tuple[str, ...], nodes: frozenset[str], outcome: Outcome, *, recreated: bool
    ) -> Iterator[Dependent]:
        """Who mounts volumes of these drivers: pods that may run on the nodes, and those that may be there from before the change."""

        def asks(consumer: Consumer) -> dict[str, Path]:
            return {name: path for name, path in consumer.drivers.items() if name in drivers}

        keep = self._provided.nodes_with(component, recreated=recreated)
        for consumer, found in self._asking(asks):
            reach = self._landing.of(consumer.spec, daemon=consumer.daemon)
            there = reach
            if outcome is not Outcome.NEVER:
                there = reach | self._landing_before.of(consumer.spec, daemon=consumer.daemon)
            if there & nodes:
                yield _dependent(consumer, found, elsewhere=bool((reach - nodes) & keep))

    def _of_every_pod(self, component: Component, nodes: frozenset[str], *, recreated: bool) -> Iterator[Dependent]:
        """Every workload whose pods may run on the nodes; for the network of pods, those that want one."""
        keep = self._provided.nodes_with(component, recreated=recreated)
        for consumer, _ in self._asking(lambda _: {"": ()}):
            if consumer.spec.hostNetwork and component.kind.id == "cni":
                continue
            reach = self._landing.of(consumer.spec, daemon=consumer.daemon)
            if reach & nodes:
                yield _dependent(consumer, {}, elsewhere=bool((reach - nodes) & keep))

    def _asking(self, asks: Callable[[Consumer], dict[str, Path]]) -> Iterator[tuple[Consumer, dict[str, Path]]]:
        """The consumers that ask for something, each subject once, with what it asks for."""
        if self._consumers is None:
            self._consumers = consumers(self._world)
        for consumer in self._consumers:
            found = asks(consumer)
            if found:
                yield consumer, found


def _dependent(consumer: Consumer, found: dict[str, Path], *, elsewhere: bool) -> Dependent:
    path = next(iter(found.values()), ())
    return Dependent(consumer.subject, consumer.origin, path, tuple(sorted(found)), elsewhere and not consumer.daemon)


def once(dependents: Iterable[Dependent]) -> tuple[Dependent, ...]:
    """One dependent for each subject: of several templates of a JobSet one that can go nowhere else, if there is one."""
    found: dict[Subject, Dependent] = {}
    for each in dependents:
        known = found.setdefault(each.subject, each)
        if known.elsewhere and not each.elsewhere:
            found[each.subject] = each
    return tuple(found.values())
