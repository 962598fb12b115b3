"""What workloads need of the nodes that their pods run on, and where these may run."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from msgspec import Struct

from preflight.coverage.node_classes import NodePartitions, collect_mentions
from preflight.dependents.csi_volumes import CsiDriverIndex, VolumePath
from preflight.model.apps import DaemonSet, Deployment, StatefulSet
from preflight.model.batch import Job, JobSet
from preflight.model.core import POD_TEMPLATE_SPEC, Container, Node, PodSpec, Toleration
from preflight.model.meta import Metadata, Origin
from preflight.model.report import Subject
from preflight.model.workloads import Workload, locate_pod_spec
from preflight.model.world import ClusterState
from preflight.scheduling.jobs.exclusive_placement import find_exclusive_topology
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations

# What the admission plugin DefaultTolerationSeconds gives to every pod that does not speak of these taints.
_DEFAULT_TOLERATIONS = tuple(
    Toleration(key=f"node.kubernetes.io/{key}", operator="Exists", effect="NoExecute", tolerationSeconds=300)
    for key in ("not-ready", "unreachable")
)
_FINISHED_CONDITIONS = frozenset(("Complete", "Completed", "Failed"))


class Consumer(Struct, frozen=True):
    """The pods of one template, and what they need of their node.

    1. `resources` and `drivers` lead from each extended resource that they ask for, and each CSI driver of their volumes, to the field
       that says so.
    2. `is_daemon`: a DaemonSet's pods, which run on all nodes that the controller takes, and nowhere else instead.
    3. `topology` is a label that a node must have, whatever its value: that of a JobSet's exclusive placement. "" for none.
    """

    subject: Subject
    origin: Origin
    spec: PodSpec
    resources: Mapping[str, VolumePath]
    drivers: Mapping[str, VolumePath]
    is_daemon: bool = False
    topology: str = ""


def list_consumers(world: ClusterState) -> tuple[Consumer, ...]:
    """Every workload that was given, each once, in order of its place; a JobSet once for each of its templates.

    1. One that a workload of ours controls (a ReplicaSet of a Deployment, a Job of a CronJob or JobSet) is left to that one.
    2. One that wants no pod is none: no replicas, a Job or JobSet that has ended.
    3. Pods that were listed are not looked at: only templates, and manifests of pods, say here what is needed.
    """
    drivers = CsiDriverIndex(world)
    every: list[Workload | JobSet] = [*world.workloads, *world.job_sets]
    known = {(type(workload).__name__, workload.metadata.namespace, workload.metadata.name) for workload in every}
    found: dict[tuple[str, str, VolumePath], Consumer] = {}
    for workload in every:
        if _wants_no_pods(workload) or _is_controlled(workload.metadata, known):
            continue
        for spec, path, topology in _iter_templates(workload):
            consumer = _make_consumer(workload, spec, path, drivers, topology)
            found.setdefault((str(consumer.subject), consumer.subject.kind, path), consumer)
    return tuple(found.values())


def make_subject(workload: Workload | JobSet) -> Subject:
    """A workload as what a finding names."""
    return Subject(type(workload).__name__, workload.metadata.namespace, workload.metadata.name)


def _iter_templates(workload: Workload | JobSet) -> Iterator[tuple[PodSpec, VolumePath, str]]:
    """Each template with its path, and the label of the domains of which its Jobs have one each to themselves."""
    if isinstance(workload, JobSet):
        for index, job in enumerate(workload.spec.replicatedJobs):
            path: VolumePath = ("spec", "replicatedJobs", index, "template", *POD_TEMPLATE_SPEC)
            yield job.template.spec.template.spec, path, find_exclusive_topology(workload, job)
    else:
        yield (*locate_pod_spec(workload), "")


def _make_consumer(workload: Workload | JobSet, spec: PodSpec, path: VolumePath, drivers: CsiDriverIndex, topology: str) -> Consumer:
    metadata = workload.metadata
    templates = workload.spec.volumeClaimTemplates if isinstance(workload, StatefulSet) else ()
    used: dict[str, VolumePath] = {}
    for driver, where in drivers.iter_drivers(spec, metadata.namespace, templates):
        used.setdefault(driver, (*path, *where) if where else ("spec", "volumeClaimTemplates"))
    return Consumer(
        subject=make_subject(workload),
        origin=workload.origin,
        spec=spec,
        resources={name: (*path, *where) for name, where in _iter_extended_resources(spec)},
        drivers=used,
        is_daemon=isinstance(workload, DaemonSet),
        topology=topology,
    )


def _iter_extended_resources(spec: PodSpec) -> Iterator[tuple[str, VolumePath]]:
    """The extended resources that containers, init containers or the pod as a whole ask for; a quantity of 0 asks for nothing.

    Source: `pkg/apis/core/v1/helper/helpers.go`, IsExtendedResourceName.
    """
    places: list[tuple[VolumePath, Container | PodSpec]] = [((), spec)]
    places += [(("containers", index), container) for index, container in enumerate(spec.containers)]
    places += [(("initContainers", index), container) for index, container in enumerate(spec.initContainers)]
    for path, place in places:
        for field, quantities in (("limits", place.resources.limits), ("requests", place.resources.requests)):
            for name, quantity in quantities.items():
                if is_extended_resource(name) and str(quantity) != "0":
                    yield name, (*path, "resources", field, name)


def is_extended_resource(resource: str) -> bool:
    """Whether the name of a resource is one that a device plugin, or a hand, has to add to a node."""
    domain, slash, _ = resource.partition("/")
    return bool(slash) and not domain.endswith("kubernetes.io") and not domain.startswith("requests.")


def _wants_no_pods(workload: Workload | JobSet) -> bool:
    if isinstance(workload, Job | JobSet) and any(
        condition.type in _FINISHED_CONDITIONS and condition.status == "True" for condition in workload.status.conditions
    ):
        return True
    return isinstance(workload, Deployment) and workload.spec.replicas == 0


def _is_controlled(metadata: Metadata, known_owners: set[tuple[str, str, str]]) -> bool:
    return any(owner.controller and (owner.kind, metadata.namespace, owner.name) in known_owners for owner in metadata.ownerReferences)


class PlaceableNodes:
    """The nodes of a world on which pods may be placed; templates that say the same of their nodes are judged once."""

    def __init__(self, nodes: Mapping[str, Node], comparison_operators: bool | None) -> None:
        """Over the nodes of one world, and the gate of Lt and Gt."""
        self._classes = NodePartitions(nodes)
        self._gate = comparison_operators
        self._found: dict[Hashable, frozenset[str]] = {}

    def select_nodes(self, spec: PodSpec, *, is_daemon: bool = False) -> frozenset[str]:
        """The nodes whose labels and taints the pods fit; those of which that is not known are among them.

        Resources, ports and affinity between pods are not looked at.
        """
        key = (spec.nodeName, tuple(spec.nodeSelector.items()), spec.affinity, spec.tolerations, is_daemon and spec.hostNetwork, is_daemon)
        nodes = self._found.get(key)
        if nodes is None:
            tolerations = add_implicit_tolerations(spec) if is_daemon else (*spec.tolerations, *_DEFAULT_TOLERATIONS)
            nodes = self._found[key] = frozenset().union(
                *(
                    node_class.nodes
                    for node_class in self._classes.get_classes(collect_mentions(spec))
                    if (node := node_class.before) is not None
                    and evaluate_placement(spec, tolerations, node, self._gate).should_run is not False
                )
            )
        return nodes
