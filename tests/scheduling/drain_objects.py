"""Pods, budgets and owners for tests of drains and evictions: everything that is not said is ordinary."""

from __future__ import annotations

from preflight.model.apps import DaemonSet, Deployment, ReplicaSet, StatefulSet, WorkloadSpec
from preflight.model.batch import Job
from preflight.model.core import EmptyDir, Node, NodeStatus, PodSpec, Toleration, Volume
from preflight.model.meta import Condition, LabelSelector, Metadata, OwnerReference
from preflight.model.pod_status import ClusterPod, ClusterPodMetadata, ClusterPodStatus, PodCondition
from preflight.model.policy import BudgetCondition, BudgetSpec, BudgetStatus, PodDisruptionBudget
from preflight.scheduling.owners import Owners, index_owners

APPS = "apps/v1"
ALL_KINDS = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController", "DaemonSet", "Job")
_CLASSES: dict[str, type[Deployment]] = {"Deployment": Deployment, "ReplicaSet": ReplicaSet, "StatefulSet": StatefulSet, "Job": Job}


def reference(kind: str, name: str, api: str = APPS, uid: str = "") -> OwnerReference:
    """The owner that controls something."""
    return OwnerReference(kind, name, uid, True, api)


def pod(
    name: str = "web-1",
    owner: OwnerReference | None = None,
    *,
    node: str = "n1",
    namespace: str = "shop",
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    phase: str = "Running",
    ready: bool = True,
    deletion: str = "",
    local_data: bool = False,
    grace: int | None = 30,
    tolerations: tuple[Toleration, ...] = (),
) -> ClusterPod:
    """A pod that runs and is Ready; its label `app` is its name up to the first hyphen."""
    return ClusterPod(
        metadata=ClusterPodMetadata(
            name=name,
            namespace=namespace,
            labels={"app": name.partition("-")[0]} if labels is None else labels,
            annotations=annotations or {},
            ownerReferences=() if owner is None else (owner,),
            deletionTimestamp=deletion,
        ),
        spec=PodSpec(
            nodeName=node,
            terminationGracePeriodSeconds=grace,
            tolerations=tolerations,
            volumes=(Volume("scratch", EmptyDir()),) if local_data else (),
        ),
        status=ClusterPodStatus(phase, (PodCondition("Ready", "True" if ready else "False"),)),
    )


def replicas(number: int, *, on: str = "n1", name: str = "web", first: int = 1, ready: bool = True) -> list[ClusterPod]:
    """Pods of the ReplicaSet of a name, on one node."""
    owner = reference("ReplicaSet", name)
    return [pod(f"{name}-{place}", owner, node=on, ready=ready) for place in range(first, first + number)]


def budget(
    min: int | str | None = None,
    max: int | str | None = None,
    *,
    name: str = "guard",
    namespace: str = "shop",
    app: str | None = "web",
    selector: LabelSelector | None = None,
    policy: str = "",
    generation: int = 1,
    status: BudgetStatus | None = None,
) -> PodDisruptionBudget:
    """A budget for the pods with a label `app`; without a status it is a manifest."""
    chosen = LabelSelector({"app": app}) if selector is None and app is not None else selector
    metadata = Metadata(name=name, namespace=namespace, generation=0 if status is None else generation)
    return PodDisruptionBudget(metadata=metadata, spec=BudgetSpec(chosen, min, max, policy), status=status)


def status(current: int, desired: int, expected: int, allowed: int, *, observed: int = 1, failure: str = "") -> BudgetStatus:
    """The status of a budget that the controller has seen."""
    reason = "SyncFailed" if failure else "SufficientPods" if allowed else "InsufficientPods"
    condition = BudgetCondition("DisruptionAllowed", "True" if allowed else "False", reason, failure)
    return BudgetStatus(observed, allowed, current, desired, expected, conditions=(condition,))


def workload(
    kind: str, name: str, wanted: int | None = None, owner: OwnerReference | None = None, *, uid: str = "", namespace: str = "shop"
) -> Deployment | DaemonSet:
    """An owner of pods, or of ReplicaSets."""
    metadata = Metadata(name=name, namespace=namespace, uid=uid, ownerReferences=() if owner is None else (owner,))
    if kind == "DaemonSet":
        return DaemonSet(metadata=metadata)
    return _CLASSES[kind](metadata=metadata, spec=WorkloadSpec(replicas=wanted))


def owners(*objects: Deployment | DaemonSet, complete: tuple[str, ...] = ALL_KINDS) -> Owners:
    """The owners that these objects are; all kinds are complete."""
    return index_owners(objects, complete)


def node(name: str = "n1", ready: str = "True") -> Node:
    """A node whose kubelet reports."""
    return Node(metadata=Metadata(name=name), status=NodeStatus((Condition("Ready", ready),)))
