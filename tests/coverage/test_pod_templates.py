"""Whether orphans are of a new DaemonSet's template, and what becomes of them where they are, are not, and may be."""

from __future__ import annotations

import copy
import shlex
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from preflight.change.apply_command import perform_command
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.coverage.pod_templates import TemplateMatch, match_template
from preflight.coverage.reasons import list_outcome_reasons
from preflight.kubectl.parser import parse_command
from preflight.model.apps import DaemonSet
from preflight.model.core import CoveragePod
from preflight.model.reasons import PlainReason
from preflight.scheduling.tolerations import add_implicit_tolerations
from tests.builders import read_object
from tests.coverage.impacts import NAMESPACE, daemonset, node, outcomes, pods_after, world

Object = dict[str, Any]

TOKEN = {"name": "kube-api-access-x2x4z", "projected": {"sources": []}}
MOUNT = {"name": "kube-api-access-x2x4z", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "readOnly": True}
NEW = daemonset(
    "d",
    {"key": "gpu", "operator": "Exists"},
    containers=[
        {
            "name": "c",
            "image": "example.com/c:1",
            "args": ["--verbose"],
            "env": [{"name": "A", "value": "1"}],
            "resources": {"limits": {"cpu": "500m", "memory": "1Gi"}},
            "volumeMounts": [{"name": "host", "mountPath": "/host"}],
            "ports": [{"containerPort": 80}],
        }
    ],
    volumes=[{"name": "host", "hostPath": {"path": "/"}}],
    nodeSelector={"pool": "a"},
)


def orphan(name: str = "p", on: str = "n1", generation: str = "2", edit: Callable[[Object], object] | None = None) -> CoveragePod:
    """A pod of NEW's template as the controller, the server and a service account make it, without an owner, after an edit."""
    template = copy.deepcopy(NEW.data["spec"]["template"])
    spec: Object = template["spec"]
    container = spec["containers"][0]
    container["volumeMounts"].append(dict(MOUNT))
    container["resources"]["requests"] = {"cpu": "500m", "memory": "1Gi"}
    container |= {"imagePullPolicy": "IfNotPresent", "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
    container["ports"][0]["protocol"] = "TCP"
    spec["volumes"] = [{"name": "host", "hostPath": {"path": "/", "type": ""}}, dict(TOKEN)]
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}]
    spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    spec["tolerations"] = [
        {key: value for key, value in msgspec.to_builtins(toleration).items() if value}
        for toleration in add_implicit_tolerations(NEW.spec.template.spec)
    ]
    spec |= {"nodeName": on, "priority": 0, "enableServiceLinks": True, "serviceAccountName": "default"}
    labels = {**template["metadata"]["labels"], "controller-revision-hash": "67cf5d575d", "pod-template-generation": generation}
    found = {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": NAMESPACE, "labels": labels, "annotations": {"cni.projectcalico.org/podIP": "10.0.0.1"}},
        "spec": spec,
        "status": {"phase": "Running"},
    }
    if edit is not None:
        edit(found)
    return msgspec.json.decode(msgspec.json.encode(found), type=CoveragePod)


def in_container(**fields: Any) -> Callable[[Object], object]:
    return lambda pod: pod["spec"]["containers"][0].update(fields)


def in_spec(**fields: Any) -> Callable[[Object], object]:
    return lambda pod: pod["spec"].update(fields)


def in_metadata(name: str, **fields: str) -> Callable[[Object], object]:
    return lambda pod: pod["metadata"][name].update({key.replace("__", "/"): value for key, value in fields.items()})


OTHER: dict[str, Callable[[Object], object]] = {
    "another image": in_container(image="example.com/c:2"),
    "other arguments": in_container(args=["--quiet"]),
    "no arguments": lambda pod: pod["spec"]["containers"][0].pop("args"),
    "another value in the environment": in_container(env=[{"name": "A", "value": "2"}]),
    "other limits": in_container(resources={"limits": {"cpu": 1, "memory": "1Gi"}}),
    "another volume": in_spec(volumes=[{"name": "host", "hostPath": {"path": "/var"}}, TOKEN]),
    "a path that is no map": in_spec(volumes=[{"name": "host", "hostPath": "/"}, TOKEN]),
    "a path that is a number": in_spec(volumes=[{"name": "host", "hostPath": 5}, TOKEN]),
    "volumes that are no list": in_spec(volumes={"name": "host"}),
    "another selector": in_spec(nodeSelector={"pool": "b"}),
    "a toleration less": lambda pod: pod["spec"]["tolerations"].pop(0),
    "another name of the container": in_container(name="x"),
    "another label": in_metadata("labels", app="x"),
    "restarted": in_metadata("annotations", kubectl_kubernetes="x", **{"kubectl.kubernetes.io__restartedAt": "2026-01-01T00:00:00Z"}),
}
UNKNOWN: dict[str, Callable[[Object], object]] = {
    "a container more, as a mesh injects it": lambda pod: pod["spec"]["containers"].append({"name": "proxy", "image": "proxy:1"}),
    "an init container more": in_spec(initContainers=[{"name": "init", "image": "init:1"}]),
    "requests of a LimitRange": lambda pod: pod["spec"]["containers"][0]["resources"]["requests"].update({"ephemeral-storage": "1Gi"}),
    "a variable more": in_container(env=[{"name": "A", "value": "1"}, {"name": "B", "value": "1"}]),
    "a toleration more": lambda pod: pod["spec"]["tolerations"].append({"key": "x", "operator": "Exists"}),
    "a label more": in_metadata("labels", tier="x"),
    "an annotation more": in_metadata("annotations", checksum="x"),
    "a pull policy that admission sets everywhere": in_container(imagePullPolicy="Always"),
    "a pod of a snapshot, without images": lambda pod: pod["spec"]["containers"][0].pop("image"),
    "no containers": lambda pod: pod["spec"].pop("containers"),
    "preferred affinity": lambda pod: pod["spec"]["affinity"]["nodeAffinity"].update(
        {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]}
    ),
}
SAME: dict[str, Callable[[Object], object]] = {
    "as the controller makes it": lambda _: None,
    "as the manifest has it": lambda pod: pod["spec"]["containers"][0]["resources"].pop("requests"),
    "amounts written otherwise": lambda pod: pod["spec"]["containers"][0]["resources"].update(
        {"limits": {"cpu": "0.5", "memory": "1024Mi"}, "requests": {"cpu": "0.5", "memory": "1024Mi"}}
    ),
    "what networks note": in_metadata("annotations", **{"k8s.v1.cni.cncf.io__network-status": "[]"}),
}


@pytest.mark.parametrize(
    ("want", "edit"),
    [
        *(pytest.param(TemplateMatch.SAME, edit, id=f"same: {name}") for name, edit in SAME.items()),
        *(pytest.param(TemplateMatch.UNKNOWN, edit, id=f"unknown: {name}") for name, edit in UNKNOWN.items()),
        *(pytest.param(TemplateMatch.OTHER, edit, id=f"other: {name}") for name, edit in OTHER.items()),
    ],
)
def test_of_which_template_a_pod_is(want: TemplateMatch, edit: Callable[[Object], object]) -> None:
    assert match_template(orphan(edit=edit), NEW) is want


def test_a_policy_that_a_template_states() -> None:
    data = copy.deepcopy(NEW.data)
    data["spec"]["template"]["spec"]["containers"][0]["imagePullPolicy"] = "Always"
    assert match_template(orphan(edit=in_container(imagePullPolicy="Always")), read_object(data, DaemonSet)) is TemplateMatch.SAME


def adopt(*pods: CoveragePod, new: DaemonSet = NEW) -> Impact:
    nodes = [node("n1", pool="a"), node("n2", "t:NoSchedule", pool="a"), node("n3", pool="a"), node("n4", "t:NoSchedule", pool="a")]
    start = world(nodes, [], pods)
    change = perform_command(parse_command(shlex.split(f"apply -f new -n {NAMESPACE}")), start, lambda _: [new])
    return predict_impact(change, collect_listed_pods(start))


def test_pods_of_the_same_template_stay() -> None:
    impact = adopt(orphan("a", "n1"), orphan("b", "n2"))
    assert pods_after(impact) == {("d", "n1"): "same", ("d", "n2"): "same", ("d", "n3"): "new", ("d", "n4"): "none"}
    assert outcomes(impact) == {("d", "n1"): "kept", ("d", "n2"): "lost-on-recreation", ("d", "n3"): "gained", ("d", "n4"): "never"}


def test_pods_of_another_template_are_replaced_unless_the_number_is_the_same() -> None:
    edit = OTHER["another image"]
    impact = adopt(orphan("a", "n1", edit=edit), orphan("b", "n2", edit=edit), orphan("c", "n4", "1", edit))
    assert pods_after(impact) == {("d", "n1"): "new", ("d", "n2"): "none", ("d", "n3"): "new", ("d", "n4"): "same"}
    assert outcomes(impact)["d", "n2"] == "lost-now"
    assert outcomes(impact)["d", "n4"] == "lost-on-recreation"


def test_where_it_cannot_be_told_the_loss_is_unknown_with_its_reason() -> None:
    edit = UNKNOWN["a label more"]
    impact = adopt(orphan("a", "n1", edit=edit), orphan("b", "n2", edit=edit), orphan("c", "n4", "1", edit))
    assert outcomes(impact) == {("d", "n1"): "kept", ("d", "n2"): "unknown", ("d", "n3"): "gained", ("d", "n4"): "lost-on-recreation"}
    (unknown,) = [group for group in impact.groups if group.outcome.value == "unknown"]
    assert list_outcome_reasons(unknown) == (PlainReason.UNKNOWN_TEMPLATE,)


def test_under_on_delete_all_stay() -> None:
    data = copy.deepcopy(NEW.data)
    data["spec"]["updateStrategy"] = {"type": "OnDelete"}
    edits = (SAME["as the controller makes it"], UNKNOWN["a label more"], OTHER["another image"])
    pods = [orphan(name, on, edit=edit) for name, on, edit in zip("abc", ("n1", "n2", "n4"), edits, strict=True)]
    assert pods_after(adopt(*pods, new=read_object(data, DaemonSet))) == {
        ("d", "n1"): "same",
        ("d", "n2"): "same",
        ("d", "n3"): "new",
        ("d", "n4"): "same",
    }
