"""What pods without a node wait for that a DaemonSet would provide: extended resources, drivers of claims, labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from preflight.components import Component
from preflight.coverage.node_targeting import collect_asked_labels
from preflight.dependents.csi_volumes import CsiDriverIndex
from preflight.doctor.index import ClusterIndex
from preflight.doctor.pending.unschedulable import PodFits
from preflight.doctor.providers import Provider, ProviderIndex
from preflight.model.core import PodSpec
from preflight.model.runtime_state import PodState


class DemandIndex:
    """What the waiting pods of one cluster ask for."""

    def __init__(self, index: ClusterIndex, providers: ProviderIndex, pod_fits: PodFits) -> None:
        """Nothing is worked out before it is asked for."""
        self._index, self._providers, self._pod_fits = index, providers, pod_fits

    def list_resources(self, component: Component) -> list[str]:
        """The extended resources that pods wait for and that a device plugin advertises, or that it alone may advertise."""
        return [name for name in sorted(self._index.requested_resources) if self._provides(component, name)]

    def _provides(self, component: Component, resource: str) -> bool:
        if component.kind.id != "device-plugin":
            return bool(component.advertises(resource))
        return any(provider.component is component for provider in self._providers.find_likely_advertisers(resource))

    @cached_property
    def pods_by_driver(self) -> Mapping[str, list[PodState]]:
        """The pods that wait with a claim that is not bound, by the CSI driver that should make its volume."""
        found: dict[str, list[PodState]] = {}
        for pod in self._index.waiting_pods:
            for driver in self.find_unbound_drivers(pod):
                found.setdefault(driver, []).append(pod)
        return found

    @cached_property
    def _drivers(self) -> CsiDriverIndex:
        return CsiDriverIndex(self._index.cluster)

    def find_unbound_drivers(self, pod: PodState) -> tuple[str, ...]:
        """The CSI drivers that should make volumes for claims of a pod that are not bound."""
        drivers = self._drivers.iter_drivers(pod.spec, pod.metadata.namespace)
        return tuple(sorted({driver for driver, path in drivers if self._is_unbound(pod, path)}))

    def _is_unbound(self, pod: PodState, path: tuple[str | int, ...]) -> bool:
        """Whether the volume of a pod at a path leads to a claim without a PersistentVolume."""
        volume = pod.spec.volumes[int(path[1])]
        if volume.persistentVolumeClaim is not None:
            name = volume.persistentVolumeClaim.claimName
        elif volume.ephemeral is not None:
            name = f"{pod.metadata.name}-{volume.name}"
        else:
            return False
        claim = self._index.volumes.find_claim(pod.metadata.namespace, name)
        return self._index.volumes.find_volume(pod.metadata.namespace, name) is None and not (claim and claim.spec.volumeName)

    def list_drivers(self, component: Component, nodes: frozenset[str], working_nodes: frozenset[str]) -> list[str]:
        """The CSI drivers of a component that claims wait for, where a pod may only run on nodes without the driver.

        A pod that fits on a node where the driver works waits for something else. No `nodes` are any.
        """
        drivers = component.drivers if component.kind.id == "csi-node-driver" else ()
        return [
            driver for driver in drivers if any(self._may_need(pod, nodes, working_nodes) for pod in self.pods_by_driver.get(driver, ()))
        ]

    def _may_need(self, pod: PodState, nodes: frozenset[str], working_nodes: frozenset[str]) -> bool:
        account = self._pod_fits.explain(pod)
        possible = {name for node_class in account.classes if node_class.can_take is not False for name in node_class.nodes}
        return not possible & working_nodes and bool(possible & nodes or not nodes)

    def has_claimed_devices(self, component: Component) -> bool:
        """Whether pods wait with ResourceClaims and this is the only DRA driver."""
        drivers = self._providers.list_providers("dra-driver")
        return [provider.component for provider in drivers] == [component] and any(
            pod.spec.resourceClaims for pod in self._index.waiting_pods
        )

    def list_labels(self, component: Component) -> list[str]:
        """The node labels that waiting pods, or the plugins and drivers that they wait for, ask for and that only a component sets.

        Not those that some node has: the component sets them, and what lacks is another thing.
        """
        return [label for label in sorted(self._missing_labels) if component.sets_label(label)]

    @cached_property
    def _missing_labels(self) -> frozenset[str]:
        specs: list[PodSpec] = [pod.spec for pod in self._index.waiting_pods]
        specs += [provider.daemonset.spec.template.spec for provider in self._list_wanted_providers()]
        asked = {label for spec in specs for label in collect_asked_labels(spec)}
        return frozenset(asked) - {label for node in self._index.existing_nodes.values() for label in node.metadata.labels}

    def _list_wanted_providers(self) -> Iterator[Provider]:
        for resource in self._index.requested_resources:
            yield from self._providers.find_likely_advertisers(resource)
        yield from (
            provider
            for provider in self._providers.list_providers("csi-node-driver")
            if self.pods_by_driver.keys() & set(provider.component.drivers)
        )
        yield from (provider for provider in self._providers.list_providers("dra-driver") if self.has_claimed_devices(provider.component))
