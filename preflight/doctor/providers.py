"""DaemonSets by what they provide: device plugins by resource, CSI drivers by name, removers of startup taints."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from preflight.components import Component
from preflight.coverage.component_cache import ComponentCache
from preflight.model.apps import DaemonSet
from preflight.model.report import Subject
from preflight.model.world import ClusterState


class Provider(Struct, frozen=True):
    """A DaemonSet together with one component that it is."""

    daemonset: DaemonSet
    component: Component

    @property
    def key(self) -> tuple[str, str]:
        """Its namespace and name."""
        return self.daemonset.metadata.namespace, self.daemonset.metadata.name


class ProviderIndex:
    """The DaemonSets of one cluster by what they provide."""

    def __init__(self, cluster: ClusterState, component_cache: ComponentCache) -> None:
        """Nothing is recognized before it is needed."""
        self._daemonsets = cluster.daemonsets
        self._component_cache = component_cache

    def recognize(self, daemonset: DaemonSet) -> tuple[Component, ...]:
        """The components that a DaemonSet is, the worst to lose first."""
        return self._component_cache.recognize(daemonset)

    def get_worst_component(self, daemonset: DaemonSet) -> Component | None:
        """The component whose loss breaks most; None for a DaemonSet that is not recognized."""
        return next(iter(self.recognize(daemonset)), None)

    def rank_subject(self, subject: Subject) -> int:
        """How much the subject of a finding matters: a DaemonSet by its kind (0 breaks most), nodes and resources 50, other objects 100."""
        if subject.kind != "DaemonSet":
            return 100 if subject.namespace else 50
        found = self.find_daemonset(subject)
        return self._component_cache.get_rank(found) if found is not None else 99

    def find_daemonset(self, subject: Subject) -> DaemonSet | None:
        """The DaemonSet that a finding is about."""
        items = self._daemonsets.items()
        return next((daemonset for key, daemonset in items if key[:2] == (subject.namespace, subject.name)), None)

    def list_providers(self, kind: str) -> list[Provider]:
        """The DaemonSets that are of a kind of component."""
        return [
            Provider(daemonset, component)
            for daemonset in self._daemonsets.values()
            for component in self.recognize(daemonset)
            if component.kind.id == kind
        ]

    def is_pod_network(self, daemonset: DaemonSet) -> bool:
        """Whether a DaemonSet is, or may be, the network of every pod: not one that only adds a plugin which some pods ask for."""
        return any(
            component.kind.id == "cni" and (not component.networks or "pod" in component.networks)
            for component in self.recognize(daemonset)
        )

    @cached_property
    def plugins_with_resources(self) -> tuple[Provider, ...]:
        """The device plugins whose resources are known."""
        return tuple(provider for provider in self.list_providers("device-plugin") if provider.component.resources)

    @cached_property
    def plugins_without_resources(self) -> tuple[Provider, ...]:
        """The device plugins whose resources are unknown."""
        return tuple(provider for provider in self.list_providers("device-plugin") if not provider.component.resources)

    def find_advertisers(self, resource: str) -> list[Provider]:
        """The device plugins that advertise an extended resource."""
        return [provider for provider in self.plugins_with_resources if provider.component.advertises(resource)]

    def find_likely_advertisers(self, resource: str) -> list[Provider]:
        """The same; where no plugin is known to advertise it, the only one whose resources are not known."""
        known = self.find_advertisers(resource)
        return known or list(self.plugins_without_resources if len(self.plugins_without_resources) == 1 else ())
