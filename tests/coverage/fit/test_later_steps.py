"""What a step of a plan leaves open, the next one meets: pods that were preempted, that found room, or that an update took by chance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import Object
from tests.coverage.fit.situations import ask, daemonset, node, running
from tests.coverage.fit.test_waiting_pods import waiting

HARMLESS = "label node n1 color=red"
HIGH = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
SMALL = daemonset("small", cpu="800m")


def important(**more: Any) -> Object:
    return daemonset("important", cpu="500m", priorityClassName="high", **more)


@pytest.mark.parametrize(
    ("cpu", "outcome"), [pytest.param("1", "unknown", id="room for one of them"), pytest.param("2", "kept", id="room for both")]
)
def test_a_pod_that_may_be_preempted_is_not_said_to_run_later(cpu: str, outcome: str, tmp_path: Path) -> None:
    cluster = [node(cpu=cpu), HIGH, SMALL, *running(SMALL, "n1", priority=0)]
    assert ask(tmp_path, cluster, "apply -f new", HARMLESS, new=important()).outcomes["ops/small"] == {"n1": outcome}


def test_one_that_is_as_important_stays(tmp_path: Path) -> None:
    equal = daemonset("equal", cpu="800m", priorityClassName="high")
    cluster = [node(cpu="1"), HIGH, equal, *running(equal, "n1", priority=1000)]
    assert ask(tmp_path, cluster, "apply -f new", HARMLESS, new=important()).outcomes["ops/equal"] == {"n1": "kept"}


@pytest.mark.parametrize("command", ["delete ds big -n ops", "set image ds/big c=registry.example/c:2 -n ops"])
def test_a_pod_that_waits_may_find_what_a_step_frees_though_that_does_not_name_it(command: str, tmp_path: Path) -> None:
    big = daemonset("big", cpu="800m")
    cluster = [node(cpu="1"), big, *running(big, "n1"), SMALL, waiting(SMALL, "small-x")]
    assert ask(tmp_path, cluster, command, HARMLESS).outcomes["ops/small"] == {"n1": "unknown"}


@pytest.mark.parametrize(
    ("big", "small"),
    [
        pytest.param({"cpu": "100m"}, {"cpu": "2"}, id="too little comes free"),
        pytest.param({"cpu": "800m"}, {"port": 9100}, id="it waits for something else"),
    ],
)
def test_one_that_does_not_fit_there_goes_on_waiting(big: dict[str, Any], small: dict[str, Any], tmp_path: Path) -> None:
    holder, going, wanting = daemonset("holder", port=9100), daemonset("going", **big), daemonset("wanting", **small)
    cluster = [node(cpu="1"), holder, *running(holder, "n1"), going, *running(going, "n1"), wanting, waiting(wanting, "wanting-x")]
    assert ask(tmp_path, cluster, "delete ds going -n ops", HARMLESS).outcomes["ops/wanting"] == {"n1": "missing"}


def test_one_on_another_node_goes_on_waiting_too(tmp_path: Path) -> None:
    big = daemonset("big", cpu="800m", nodeSelector={"kubernetes.io/hostname": "n2"})
    other = daemonset("other", cpu="800m")
    nodes = [node("n1", cpu="1"), node("n2", cpu="2", labels={"kubernetes.io/hostname": "n2"})]
    cluster = [*nodes, big, *running(big, "n2"), other, *running(other, "n1"), SMALL, waiting(SMALL, "small-x")]
    assert ask(tmp_path, cluster, "delete ds big -n ops", HARMLESS).outcomes["ops/small"] == {"n1": "missing"}


def test_a_node_that_registers_again_offers_what_it_did(tmp_path: Path) -> None:
    """A pod without an owner is gone then, and which of two others has its room is chance; a pod too large for the node waits still."""
    agent, large = daemonset("agent", cpu="800m"), daemonset("large", cpu="4")
    alone = running(daemonset("alone", cpu="200m"), "n1")[0]
    alone["metadata"].pop("ownerReferences")
    cluster = [node(cpu="1"), alone, agent, *running(agent, "n1"), SMALL, waiting(SMALL, "small-x"), large, waiting(large, "large-x")]
    cluster[0]["spec"] = {"unschedulable": True}
    answer = ask(tmp_path, cluster, "delete node n1")
    assert answer.outcomes == {"ops/agent": {"n1": "unknown"}, "ops/small": {"n1": "unknown"}, "ops/large": {"n1": "missing"}}


@pytest.mark.parametrize(("policy", "outcome"), [("Never", "missing"), ("PreemptLowerPriority", "gained")])
def test_whether_pods_of_a_class_preempt_is_read_from_one_of_them_where_no_class_is_given(
    policy: str, outcome: str, tmp_path: Path
) -> None:
    agent = daemonset("agent", cpu="800m", priorityClassName="high", nodeSelector={"gpu": "yes"})
    there = running(agent, "n2", priority=1000, preemptionPolicy=policy)
    nodes = [node("n1", "maintenance:NoSchedule", cpu="1", labels={"gpu": "yes"}), node("n2", labels={"gpu": "yes"})]
    cluster = [*nodes, SMALL, *running(SMALL, "n1", "n2", priority=0), agent, *there]
    assert ask(tmp_path, cluster, "taint node n1 maintenance-").outcomes["ops/agent"] == {"n1": outcome}


def _held_up(*nodes: str) -> list[Object]:
    """A DaemonSet of which one update may take one pod and stops there, since a new pod finds no room on any node."""
    agent = daemonset(cpu="600m", fields={"updateStrategy": {"rollingUpdate": {"maxUnavailable": 1}}})
    return [*(node(name, cpu="1") for name in nodes), agent, *running(agent, *nodes)]


LARGER = daemonset(cpu="2", fields={"updateStrategy": {"rollingUpdate": {"maxUnavailable": 1}}})


def test_a_pod_that_an_update_may_have_taken_is_not_said_to_run_later(tmp_path: Path) -> None:
    cluster = _held_up("n1", "n2")
    assert set(ask(tmp_path, cluster, "apply -f new", new=LARGER).outcomes["ops/agent"].values()) == {"lost-on-recreation"}
    later = ask(tmp_path, cluster, "apply -f new", "label nodes n1 n2 color=red", new=LARGER)
    assert set(later.outcomes["ops/agent"].values()) <= {"unknown", "lost-on-recreation"}
    assert "kept" not in later.outcomes["ops/agent"].values()


SHORTLY = {"key": "gone", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}
FOR_GOOD = {"key": "gone", "operator": "Exists", "effect": "NoExecute"}


@pytest.mark.parametrize(
    ("waits", "outcome"),
    [
        pytest.param([FOR_GOOD], "unknown", id="and stays"),
        pytest.param([SHORTLY], "unknown", id="and goes again"),
        pytest.param([], "loop", id="and may not be there"),
    ],
)
def test_a_pod_that_comes_and_goes_may_lose_its_place_to_one_that_waits(waits: list[dict[str, Any]], outcome: str, tmp_path: Path) -> None:
    agent, other = daemonset("agent", SHORTLY, port=9100), daemonset("other", *waits, port=9100)
    cluster = [node(), agent, *running(agent, "n1"), other, waiting(other, "other-x")]
    assert ask(tmp_path, cluster, "taint node n1 gone=yes:NoExecute").outcomes["ops/agent"] == {"n1": outcome}


@pytest.mark.parametrize(("has_pod", "outcome"), [(True, "lost-now"), (False, "missing")])
def test_one_that_finds_no_room_again_neither_comes_nor_goes(has_pod: bool, outcome: str, tmp_path: Path) -> None:
    agent, holder = daemonset("agent", SHORTLY, port=9100), daemonset("holder", FOR_GOOD, port=9100)
    there = running(daemonset("agent", SHORTLY), "n1")
    taints = () if has_pod else ("closed:NoSchedule",)
    cluster = [node("n1", *taints), agent, *(there if has_pod else []), holder, *running(holder, "n1")]
    command = "taint node n1 gone=yes:NoExecute" if has_pod else "taint node n1 gone=yes:NoExecute closed-"
    assert ask(tmp_path, cluster, command).outcomes["ops/agent"] == {"n1": outcome}


@pytest.mark.parametrize(
    "command", ["taint node n1 other=x:NoSchedule", "label node n1 color=red", "taint node n1 gone=again:NoExecute --overwrite"]
)
def test_a_pod_that_waits_where_pods_come_and_go_waits_still(command: str, tmp_path: Path) -> None:
    everything = {"key": "other", "operator": "Exists"}
    agent, holder = daemonset("agent", SHORTLY, everything, port=9100), daemonset("holder", FOR_GOOD, everything, port=9100)
    cluster = [node("n1", "gone=yes:NoExecute"), holder, *running(holder, "n1"), agent, waiting(agent, "agent-x")]
    answer = ask(tmp_path, cluster, command)
    assert answer.outcomes == {"ops/agent": {"n1": "missing"}, "ops/holder": {"n1": "kept"}}


def test_one_that_does_not_wait_comes_and_goes(tmp_path: Path) -> None:
    agent = daemonset("agent", SHORTLY)
    assert ask(tmp_path, [node("n1", "gone=yes:NoExecute"), agent], HARMLESS).outcomes == {"ops/agent": {"n1": "loop"}}


@pytest.mark.parametrize(
    ("cpu", "outcome"), [pytest.param("1", "unknown", id="no room for all three"), pytest.param("2", "kept", id="room for all three")]
)
def test_a_surge_beside_the_new_pod_of_another_may_wait(cpu: str, outcome: str, tmp_path: Path) -> None:
    surge = {"updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}
    agent, other = daemonset("agent", cpu="400m", fields=surge), daemonset("other", cpu="400m")
    cluster = [node(cpu=cpu), agent, *running(agent, "n1"), other, *running(other, "n1")]
    answer = ask(tmp_path, cluster, "rollout restart ds/agent ds/other -n ops")
    assert answer.outcomes["ops/agent"] == {"n1": outcome}
