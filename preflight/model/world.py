"""The world that a change meets: the objects of one cluster, as far as the input holds them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.apps import DaemonSet
from preflight.model.autoscaling import Autoscaler
from preflight.model.batch import JobSet
from preflight.model.core import CoveragePod, Namespace, Node, PriorityClass, ResourceQuota, RuntimeClass
from preflight.model.declaration import OperatorResource
from preflight.model.declared_components import ComponentOverride
from preflight.model.manifest_context import ManifestContext
from preflight.model.meta import ObjectKey, Origin
from preflight.model.policy import PodDisruptionBudget
from preflight.model.storage import CSIDriver, PersistentVolume, PersistentVolumeClaim, StorageClass
from preflight.model.versions import ClusterVersions
from preflight.model.workloads import CustomResource, Workload

if TYPE_CHECKING:
    from preflight.model.pod_scheduling import SchedulerPod
    from preflight.model.runtime_state import RuntimeState
    from preflight.model.version_fields import GatedField


class ClusterListing(Struct, frozen=True, rename="camel", omit_defaults=True):
    """What a listing of one cluster, live or saved, says of itself.

    1. `context` and `server` are those of the kubeconfig it was asked with, `version` the server's (`v1.37.2`); "" where not known.
       `default_namespace` is the one of the context. `live`: the cluster itself answered just now; what it does not show is not there.
    2. `listed_namespaces` are the namespaces whose pods were listed, None for all of them; `nodes` whether every node was. With
       `daemonsets`, only the pods of these (namespace and name) were listed, in whatever namespace. With `pod_nodes`, only those of these
       nodes and of none, and what shares a budget or an owner with pods that may have to go.
    3. `missing` are the kinds that could not be had, each with the reason; a kind that nobody asked for is not in it. `forbidden` are those
       of them that only a missing right hides, `partly_listed` the namespaces where one of them was listed all the same.
    4. `complete_kinds` are the kinds of which every object was asked for and had.
    5. `at` is the latest time that anything of a saved state states: see `State`; "" where no state was saved.
    6. `templates`: DaemonSets have their whole pod template. A snapshot keeps only what is read, and then any `apply` may be an update.
    """

    context: str = ""
    server: str = ""
    version: str = ""
    namespace: str = "default"
    live: bool = False
    listed: frozenset[str] | None = None
    daemonsets: frozenset[tuple[str, str]] | None = None
    pod_nodes: frozenset[str] | None = None
    nodes: bool = True
    missing: Mapping[str, str] = {}
    forbidden: Set[str] = frozenset()
    partly_listed: Mapping[str, Sequence[str]] = {}
    comparison_operators: bool | None = None
    templates: bool = True
    complete: frozenset[str] = frozenset()
    at: str = ""


class Ambiguity(Struct, frozen=True):
    """An object that is given several times, each time with other content: its kind, its key, and where each content is."""

    kind: str
    key: ObjectKey
    origins: tuple[Origin, ...]
    is_namespaced: bool = True


class ClusterState(Struct, frozen=True):
    """The objects of one cluster.

    1. `nodes` by name and `daemonsets` by key, each sorted by name; `workloads` is every document with a pod template in order of its
       place, DaemonSets included, also those that stand twice: hygiene judges each by itself.
    2. `pods` were listed: they are evidence. `listed_namespaces` holds the namespaces whose pods were listed; None means every namespace.
    3. `ambiguities` are the DaemonSets and nodes that were given twice with other content (a repository of many clusters): their
       coverage is not judged, and they are in neither `nodes` nor `daemonsets`.
    4. `missing_kinds` are kinds that could not be had, with the reason: what needs them answers "unknown, because ...".
    5. `config_maps` is the data of ConfigMaps by namespace and name: some components read from one what they provide. `component_overrides`
       is what a policy says that DaemonSets are.
    6. `job_sets` have several pod templates each, and are in no list of workloads; `claims`, `volumes` and `storage_classes` lead from a
       pod's volume to the CSI driver that mounts it.
    7. `comparison_operators` is the gate TaintTolerationComparisonOperators: None where not known. `versions` are those of the cluster.
    8. `pods_by_key` are the listed pods as a whole, by namespace and name; None where nobody wanted them. `complete_kinds` are the kinds of
       which every object is there: one that is not does not exist.
    9. `orphaned_daemonsets` are the DaemonSets that a plan has deleted and whose pods it has left, by a key that no DaemonSet has.
       `has_displaced_pods`: other pods have gone in an earlier step, and nobody knows on which nodes their replacements are.
    10. `runtime_state` is how things are and since when; None where nobody wanted that. Then `pods_by_key` are pods with what they wait
        for.
    11. `lazy_pods` are the listed pods as a whole too, each read when it is asked for: where only some of them may be needed.
        `deleted_daemonsets` are those that earlier steps of a plan have deleted.
    12. `declared_daemonsets` are DaemonSets that were read and that the custom resource of an operator declares, too: the
        declaration, by the key of the DaemonSet. A declared DaemonSet that was not read is in `daemonsets`. `operator_resources` are
        the custom resources, and ConfigMaps, from which operators make DaemonSets.
    13. `custom_resources` are the lists of tolerations in custom resources of operators that are not known.
    14. `listing` is what a live cluster or a snapshot says of itself; None for files.
    15. `lost_fields` are the fields of manifests that the server drops or may drop, by the origins of their objects, which are here as it
        keeps them.
    16. `autoscalers` are the autoscalers that were given; `manifest_context` is what else manifests hold.
    """

    nodes: Mapping[str, Node] = {}
    daemonsets: Mapping[ObjectKey, DaemonSet] = {}
    declared_daemonsets: Mapping[ObjectKey, DaemonSet] = {}
    operator_resources: tuple[OperatorResource, ...] = ()
    custom_resources: tuple[CustomResource, ...] = ()
    orphaned_daemonsets: Mapping[ObjectKey, DaemonSet] = {}
    workloads: tuple[Workload, ...] = ()
    pods: tuple[CoveragePod, ...] = ()
    pods_by_key: Mapping[tuple[str, str], SchedulerPod] | None = None
    listed_namespaces: frozenset[str] | None = frozenset()
    budgets: tuple[PodDisruptionBudget, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    priority_classes: tuple[PriorityClass, ...] = ()
    runtime_classes: tuple[RuntimeClass, ...] = ()
    csi_drivers: tuple[CSIDriver, ...] = ()
    job_sets: tuple[JobSet, ...] = ()
    claims: tuple[PersistentVolumeClaim, ...] = ()
    volumes: tuple[PersistentVolume, ...] = ()
    storage_classes: tuple[StorageClass, ...] = ()
    quotas: tuple[ResourceQuota, ...] = ()
    autoscalers: tuple[Autoscaler, ...] = ()
    manifest_context: ManifestContext = ManifestContext()
    config_maps: Mapping[tuple[str, str], Mapping[str, str]] = {}
    component_overrides: tuple[ComponentOverride, ...] = ()
    ambiguities: tuple[Ambiguity, ...] = ()
    missing_kinds: Mapping[str, str] = {}
    comparison_operators: bool | None = None
    versions: ClusterVersions = ClusterVersions()
    lost_fields: Mapping[Origin, tuple[GatedField, ...]] = {}
    listing: ClusterListing | None = None
    complete_kinds: frozenset[str] = frozenset()
    has_displaced_pods: bool = False
    lazy_pods: Mapping[tuple[str, str], SchedulerPod] | None = None
    deleted_daemonsets: frozenset[ObjectKey] = frozenset()
    runtime_state: RuntimeState | None = None

    def list_daemonsets(self) -> tuple[DaemonSet, ...]:
        """All DaemonSets: each that was read, also where another has its name, and each that is only declared."""
        read = (workload for workload in self.workloads if isinstance(workload, DaemonSet) and workload.declaration is None)
        return (*read, *(daemonset for daemonset in self.daemonsets.values() if daemonset.declaration is not None))

    @property
    def has_full_pods(self) -> bool:
        """Whether listed pods were read as a whole, of one namespace at least."""
        return self.pods_by_key is not None and (self.listed_namespaces is None or bool(self.listed_namespaces))

    def find_unlisted_reason(self, kind: str, namespace: str) -> str:
        """Why the objects of a kind in a namespace were not listed; "" where they were, or nobody asked for them."""
        listing = self.listing
        is_listed = listing is not None and namespace in listing.partly_listed.get(kind, ())
        return "" if is_listed else self.missing_kinds.get(kind, "")

    @property
    def whole_pods(self) -> Mapping[tuple[str, str], SchedulerPod] | None:
        """The listed pods as a whole, however they were read; None where nobody wanted that."""
        return self.lazy_pods if self.pods_by_key is None else self.pods_by_key

    def without_pods(self, keys: Collection[tuple[str, str]], *, displaces: bool) -> ClusterState:
        """The state once some listed pods are gone; `displaces`: others are created for them, nobody knows where."""
        if not keys:
            return self
        pods = tuple(pod for pod in self.pods if (pod.metadata.namespace, pod.metadata.name) not in keys)
        whole = None if self.pods_by_key is None else {key: pod for key, pod in self.pods_by_key.items() if key not in keys}
        return replace(self, pods=pods, pods_by_key=whole, has_displaced_pods=self.has_displaced_pods or displaces)

    @property
    def default_namespace(self) -> str:
        """The namespace of what is named without one: the context's, from files `default`."""
        return self.listing.namespace if self.listing else "default"

    def are_pods_listed(self, namespace: str, daemonset: str = "") -> bool:
        """Whether the pods of a namespace (of a DaemonSet in it) were listed, so that a missing pod is known to be missing."""
        if self.listing is not None and self.listing.daemonsets is not None:
            return (namespace, daemonset) in self.listing.daemonsets
        return self.listed_namespaces is None or namespace in self.listed_namespaces
