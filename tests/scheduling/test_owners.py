"""Whose scale a budget takes a percentage of: semantics 10, `pkg/controller/disruption`."""

from __future__ import annotations

import pytest

from preflight.model.eviction_reasons import MissingInput, MissingKind
from preflight.model.meta import OwnerReference
from preflight.model.owners import OwnerKey
from preflight.model.pod_status import ClusterPod
from preflight.scheduling.owners import Owners, Scale, find_owner_scale, is_kind
from tests.scheduling.drain_objects import owners, pod, reference, workload

SET = reference("ReplicaSet", "web-5d9f")
HASHED = pod("web-5d9f-x", SET, labels={"pod-template-hash": "5d9f"})
NONE = 'found no controllers for pod "web-1"'


def deployed(uid: str = "", owner_uid: str = "") -> Owners:
    return owners(
        workload("ReplicaSet", "web-5d9f", 2, reference("Deployment", "web", uid=owner_uid)),
        workload("Deployment", "web", 5, uid=uid),
    )


@pytest.mark.parametrize(
    ("one", "known", "answer"),
    [
        pytest.param(pod(), owners(), Scale(), id="a bare pod has no owner"),
        pytest.param(pod(owner=OwnerReference("ReplicaSet", "web")), owners(), Scale(), id="an owner that does not control it is none"),
        pytest.param(
            pod(owner=SET), deployed(), Scale(OwnerKey("Deployment", "shop", "web"), 5), id="a ReplicaSet counts as its Deployment"
        ),
        pytest.param(
            pod(owner=SET), deployed("a", "a"), Scale(OwnerKey("Deployment", "shop", "web"), 5), id="with the UID that the ReplicaSet names"
        ),
        pytest.param(
            pod(owner=SET),
            deployed("b", "a"),
            Scale(OwnerKey("ReplicaSet", "shop", "web-5d9f"), 2),
            id="a Deployment made anew is another one",
        ),
        pytest.param(
            pod(owner=SET),
            owners(workload("ReplicaSet", "web-5d9f", 2, reference("Deployment", "web"))),
            Scale(OwnerKey("ReplicaSet", "shop", "web-5d9f"), 2),
            id="a ReplicaSet whose Deployment is gone counts itself",
        ),
        pytest.param(
            pod(owner=SET),
            owners(workload("ReplicaSet", "web-5d9f", 2, reference("Deployment", "web")), complete=("ReplicaSet",)),
            Scale(OwnerKey("Deployment", "shop", "web"), unknown=MissingInput(MissingKind.OWNER, "Deployment", "shop/web")),
            id="a Deployment that nobody listed may be there",
        ),
        pytest.param(
            pod(owner=SET),
            owners(workload("ReplicaSet", "web-5d9f", 2, reference("Rollout", "web", "argoproj.io/v1alpha1"))),
            Scale(OwnerKey("ReplicaSet", "shop", "web-5d9f"), 2),
            id="a ReplicaSet of something else counts itself",
        ),
        pytest.param(
            pod(owner=SET),
            owners(workload("ReplicaSet", "web-5d9f")),
            Scale(OwnerKey("ReplicaSet", "shop", "web-5d9f"), 1),
            id="no replicas are one",
        ),
        pytest.param(
            pod(owner=reference("ReplicaSet", "web-5d9f", uid="a")),
            owners(workload("ReplicaSet", "web-5d9f", 2, uid="b")),
            Scale(OwnerKey("ReplicaSet", "shop", "web-5d9f"), failure=NONE),
            id="a ReplicaSet made anew does not control it",
        ),
        pytest.param(
            pod(owner=SET), owners(), Scale(OwnerKey("ReplicaSet", "shop", "web-5d9f"), failure=NONE), id="a ReplicaSet that is gone"
        ),
        pytest.param(
            pod(owner=SET),
            owners(complete=("Deployment",)),
            Scale(OwnerKey("ReplicaSet", "shop", "web-5d9f"), unknown=MissingInput(MissingKind.OWNER, "ReplicaSet", "shop/web-5d9f")),
            id="a ReplicaSet that nobody listed",
        ),
        pytest.param(
            HASHED,
            owners(workload("Deployment", "web", 5), complete=("Deployment",)),
            Scale(OwnerKey("Deployment", "shop", "web"), 5),
            id="a ReplicaSet that nobody listed is known by its Deployment's name and the hash",
        ),
        pytest.param(
            pod("web-5d9f-x", SET, labels={"pod-template-hash": "77aa"}),
            owners(workload("Deployment", "web", 5), complete=("Deployment",)),
            Scale(OwnerKey("ReplicaSet", "shop", "web-5d9f"), unknown=MissingInput(MissingKind.OWNER, "ReplicaSet", "shop/web-5d9f")),
            id="not with another hash",
        ),
        pytest.param(
            HASHED,
            owners(workload("Deployment", "web", 5)),
            Scale(OwnerKey("ReplicaSet", "shop", "web-5d9f"), failure='found no controllers for pod "web-5d9f-x"'),
            id="and not where all ReplicaSets were listed: this one is gone",
        ),
        pytest.param(
            pod(owner=reference("ReplicaSet", "web-5d9f", "extensions/v1beta1")),
            deployed(),
            Scale(OwnerKey("Deployment", "shop", "web"), 5),
            id="the old API group counts",
        ),
        pytest.param(
            pod(owner=reference("StatefulSet", "db", uid="a")),
            owners(workload("StatefulSet", "db", 3, uid="a")),
            Scale(OwnerKey("StatefulSet", "shop", "db"), 3),
            id="a StatefulSet counts itself",
        ),
        pytest.param(
            pod(owner=reference("StatefulSet", "db")),
            owners(workload("StatefulSet", "db", 3, namespace="infra")),
            Scale(OwnerKey("StatefulSet", "shop", "db"), failure=NONE),
            id="one of another namespace is another one",
        ),
        pytest.param(
            pod(owner=reference("ReplicationController", "old", "v1")),
            owners(complete=()),
            Scale(
                OwnerKey("ReplicationController", "shop", "old"),
                unknown=MissingInput(MissingKind.OWNER, "ReplicationController", "shop/old"),
            ),
            id="a ReplicationController that nobody listed",
        ),
        pytest.param(
            pod(owner=reference("Job", "load", "batch/v1")),
            owners(),
            Scale(OwnerKey("Job", "shop", "load"), failure="jobs.batch does not implement the scale subresource"),
            id="a Job has no scale, whether it is there or not",
        ),
        pytest.param(
            pod(owner=reference("DaemonSet", "log")),
            owners(workload("DaemonSet", "log")),
            Scale(OwnerKey("DaemonSet", "shop", "log"), failure="daemonsets.apps does not implement the scale subresource"),
            id="a DaemonSet has no scale",
        ),
        pytest.param(
            pod(owner=reference("Node", "n1", "v1")),
            owners(),
            Scale(OwnerKey("Node", "shop", "n1"), failure="nodes does not implement the scale subresource"),
            id="a node, which owns its mirror pods, has no scale",
        ),
        pytest.param(
            pod(owner=reference("DaemonSet", "log", "apps.kruise.io/v1alpha1")),
            owners(),
            Scale(
                OwnerKey("DaemonSet", "shop", "log"), unknown=MissingInput(MissingKind.OWNER_SCALE, "DaemonSet", "apps.kruise.io/v1alpha1")
            ),
            id="a kind of another API may have a scale or not",
        ),
    ],
)
def test_scale(one: ClusterPod, known: Owners, answer: Scale) -> None:
    assert find_owner_scale(one, known) == answer


@pytest.mark.parametrize(
    ("api", "answer"),
    [
        pytest.param("apps/v1", True, id="its group"),
        pytest.param("apps/v1beta2", True, id="another version"),
        pytest.param("", True, id="no apiVersion stated"),
        pytest.param("apps.kruise.io/v1alpha1", False, id="another group"),
        pytest.param("v1", False, id="the core group"),
    ],
)
def test_a_kind_is_told_by_its_group(api: str, answer: bool) -> None:
    assert is_kind(reference("DaemonSet", "log", api), "DaemonSet", ("apps",)) is answer
    assert not is_kind(reference("DaemonSet", "log", api), "StatefulSet", ("apps",))
