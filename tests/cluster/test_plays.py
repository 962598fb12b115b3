"""The stand-in for the kubelets plays what it is told, as a kubelet would do it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.cluster.api import Object
from tests.cluster.bed import Bed
from tests.cluster.objects import daemonset, node, pod, uids
from tests.cluster.test_semantics import ready, settled

pytestmark = pytest.mark.cluster


def state(bed: Bed, name: str = "p") -> tuple[str, bool, str]:
    """A pod's phase, whether it is Ready, and why it is so."""
    status = bed.get(f"/api/v1/namespaces/default/pods/{name}")["status"]
    conditions = {condition["type"]: condition["status"] for condition in status.get("conditions", ())}
    container = next(iter(status.get("containerStatuses", [{}])[0].get("state", {"none": {}}).values()))
    why = status.get("reason") or str(container.get("reason", "")) + str(container.get("exitCode", ""))
    return status["phase"], conditions.get("Ready") == "True", why


@pytest.mark.parametrize(
    ("plays", "more", "spec", "wanted"),
    [
        pytest.param("", {}, {}, ("Running", True, ""), id="nothing"),
        pytest.param("never-ready", {}, {}, ("Running", False, ""), id="a pod that never gets ready"),
        pytest.param("never-ready@n1,n2", {}, {}, ("Running", False, ""), id="a pod that never gets ready on this node"),
        pytest.param("never-ready@n2", {}, {}, ("Running", True, ""), id="a pod that never gets ready on another"),
        pytest.param("image-fails", {}, {}, ("Pending", False, "ImagePullBackOff"), id="an image that is not there"),
        pytest.param("fail", {}, {}, ("Failed", False, "Error1"), id="a failure"),
        pytest.param("succeed", {}, {}, ("Succeeded", False, "Completed0"), id="a success"),
        pytest.param("succeed", {"ends-after": "1s"}, {}, ("Succeeded", False, "Completed0"), id="a success after a second"),
        pytest.param("", {"ready-after": "1s"}, {}, ("Running", True, ""), id="ready after a second"),
        pytest.param("", {}, {"resources": {"requests": {"cpu": "9"}}}, ("Failed", False, "OutOfcpu"), id="more than the node has"),
        pytest.param("", {}, {"image": "registry.example/c:bad"}, ("Pending", False, "ImagePullBackOff"), id="an image with the tag bad"),
    ],
)
def test_a_pod(bed: Bed, plays: str, more: Mapping[str, str], spec: Object, wanted: tuple[str, bool, str]) -> None:
    made = pod("p", on="n1", plays=plays, more=more)
    made["spec"]["containers"][0].update(spec)
    bed.create([node("n1"), made])
    bed.wait(lambda: state(bed) == wanted, 10, f"{wanted}, not {state(bed)}")
    assert state(bed) == wanted


def test_a_pod_that_changes_what_it_plays(bed: Bed) -> None:
    bed.create([node("n1"), pod("p", on="n1")])
    for plays, wanted in (("never-ready", False), (None, True)):
        bed.play(plays, pod="p")
        bed.wait(lambda wanted=wanted: state(bed) == ("Running", wanted, ""), 10, str(wanted))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("plays", "wanted"),
    [
        pytest.param("", True, id="at work"),
        pytest.param("not-ready", True, id="not ready, yet at work"),
        pytest.param("silent", False, id="silent"),
        pytest.param("rebooting", False, id="rebooting"),
    ],
)
def test_a_node_that_starts_and_ends_pods_or_not(bed: Bed, plays: str, wanted: bool) -> None:
    bed.create([node("n1", plays=plays), pod("p", on="n1")])
    bed.settle(quiet=1)
    assert ready(bed, "n1") == ("False" if plays == "not-ready" else "True")
    assert state(bed) == (("Running", True, "") if wanted else ("Pending", False, ""))
    bed.kubectl("delete", "pod", "p", "--wait=false")
    bed.settle(quiet=1)
    assert len(bed.list("pods")) == (0 if wanted else 1)


def test_a_pod_that_takes_its_time_to_end_has_its_grace_period(bed: Bed) -> None:
    times = {"long": {"terminates-after": "60s"}, "short": {}}
    bed.create([node("n1"), *(pod(name, on="n1", more=more, terminationGracePeriodSeconds=2) for name, more in times.items())])
    bed.settle(quiet=1)
    bed.kubectl("delete", "pods", "--all", "--wait=false")
    bed.settle(quiet=1, limit=5)
    assert [each["metadata"]["name"] for each in bed.list("pods")] == ["long"]
    bed.wait(lambda: not bed.list("pods"), 5, "its grace period")


@pytest.mark.parametrize(("code", "wanted"), [("0", "Complete"), ("143", "Failed")])
def test_a_pod_of_a_job_ends_with_a_code(bed: Bed, code: str, wanted: str) -> None:
    template = pod("", more={"exit-code": code}, restartPolicy="Never")
    del template["metadata"]["name"], template["metadata"]["namespace"]
    spec = {"template": template, "backoffLimit": 0, "podReplacementPolicy": "Failed"}
    bed.create([node("n1"), {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j", "namespace": "default"}, "spec": spec}])
    bed.settle(quiet=1)
    bed.kubectl("delete", "pods", "--all", "--wait=false")
    bed.wait(lambda: wanted in {condition["type"] for condition in bed.list("jobs")[0]["status"].get("conditions", ())}, 20, wanted)


def test_a_plain_reboot_starts_the_same_pods_again(bed: Bed) -> None:
    bed.create([node("n1"), node("n2"), daemonset("d1")])
    before = settled(bed)
    bed.kubectl("taint", "nodes", "n1", "k=v:NoSchedule")
    bed.reboot("n1")
    assert settled(bed) == before
    assert {pod["spec"]["nodeName"]: restarts(pod) for pod in bed.list("pods")} == {"n1": 1, "n2": 0}
    assert [each["status"]["numberReady"] for each in bed.list("daemonsets")] == [1]  # n1 is misscheduled
    assert bed.list("daemonsets")[0]["status"]["numberMisscheduled"] == 1


def test_a_plain_reboot_fails_a_pod_that_the_node_has_no_room_for_any_more(bed: Bed) -> None:
    bed.create([node("n1"), daemonset("d1", resources={"requests": {"cpu": "4"}})])
    assert set(settled(bed)) == {("d1", "n1")}
    bed.patch("nodes", "n1", {"status": {"allocatable": {"cpu": "3"}}}, status=True)
    bed.reboot("n1")
    assert set(settled(bed)) == {("d1", "")}  # it failed, was replaced, and the new one is Pending


def test_a_graceful_reboot_is_a_re_creation(bed: Bed) -> None:
    bed.create([node("n1"), node("n2"), daemonset("d1"), daemonset("d2", {"operator": "Exists"}), pod("p", on="n1")])
    bed.settle(quiet=2)
    before = uids([each for each in bed.list("pods") if each["metadata"]["name"] != "p"])
    bed.kubectl("taint", "nodes", "n1", "k=v:NoSchedule")
    bed.play("shutting-down", node="n1")
    bed.wait(lambda: state(bed) == ("Failed", False, "Terminated"), 10, "the shutdown")
    assert ready(bed, "n1") == "False"
    bed.reboot("n1", graceful=True)
    bed.wait(lambda: ready(bed, "n1") == "True", 10, "the node to be back")
    bed.kubectl("delete", "pod", "p")
    after = settled(bed)
    assert after.keys() == before.keys() - {("d1", "n1")}
    assert {pair for pair in after if after[pair] == before[pair]} == {("d1", "n2"), ("d2", "n2")}


def restarts(found: Any) -> int:
    """How often the container of a pod was started again."""
    return int(found["status"]["containerStatuses"][0]["restartCount"])
