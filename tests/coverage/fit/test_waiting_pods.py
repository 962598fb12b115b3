"""Pods that wait for room already: they hold an update up, and may be quicker than the pod that a change creates."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Object
from tests.coverage.fit.situations import ask, daemonset, node, running

AGENT = daemonset(cpu="800m")
SURGE = {"updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}


def waiting(owner: Object, name: str, *, on: str = "n1", priority: int = 0) -> Object:
    """The pod of a DaemonSet that the scheduler finds no room for on its node."""
    (pod,) = running(owner, on)
    field = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [field]}}}
    spec = {key: value for key, value in pod["spec"].items() if key != "nodeName"} | {"affinity": affinity, "priority": priority}
    conditions = [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]
    return {
        **pod,
        "metadata": {**pod["metadata"], "name": name},
        "spec": spec,
        "status": {"phase": "Pending", "conditions": conditions},
    }


OTHER = daemonset("other", cpu="800m")


@pytest.mark.parametrize(
    "command",
    ["set image ds/agent c=registry.example/c:2 -n ops", "rollout restart ds/agent -n ops", "delete pod agent-n1 -n ops"],
)
def test_a_pod_that_waits_may_take_the_room_of_one_that_is_replaced(command: str, tmp_path: Path) -> None:
    cluster = [node(cpu="1"), AGENT, *running(AGENT, "n1"), OTHER, waiting(OTHER, "other-x")]
    assert ask(tmp_path, cluster, command).outcomes["ops/agent"] == {"n1": "unknown"}


@pytest.mark.parametrize(
    "others",
    [
        pytest.param([OTHER, waiting(OTHER, "other-x", on="n9")], id="it waits for another node"),
        pytest.param([(big := daemonset("big", cpu="4")), waiting(big, "big-x")], id="it would not fit either"),
        pytest.param([OTHER, waiting(OTHER, "other-x", priority=-10)], id="it is of lower priority"),
        pytest.param([(small := daemonset("small", cpu="100m")), waiting(small, "small-x")], id="there is room for both"),
    ],
)
def test_one_that_cannot_take_it_changes_nothing(others: list[Object], tmp_path: Path) -> None:
    cluster = [node(cpu="1"), AGENT, *running(AGENT, "n1"), *others]
    assert ask(tmp_path, cluster, "rollout restart ds/agent -n ops").outcomes["ops/agent"] == {"n1": "kept"}


def test_an_update_stops_where_its_own_pod_waits(tmp_path: Path) -> None:
    cluster = [node("n1"), node("n2"), node("n3", cpu="500m"), AGENT, *running(AGENT, "n1", "n2"), waiting(AGENT, "agent-x", on="n3")]
    answer = ask(tmp_path, cluster, "rollout restart ds/agent -n ops")
    assert answer.outcomes["ops/agent"] == {"n1": "kept", "n2": "kept", "n3": "missing"}
    assert " stops " in answer.find("PF105")


def test_it_goes_on_where_the_new_template_fits(tmp_path: Path) -> None:
    cluster = [node("n1"), node("n2"), node("n3", cpu="500m"), AGENT, *running(AGENT, "n1", "n2"), waiting(AGENT, "agent-x", on="n3")]
    answer = ask(tmp_path, cluster, "apply -f new", new=daemonset(cpu="300m"))
    assert answer.outcomes["ops/agent"] == {"n1": "kept", "n2": "kept", "n3": "gained"}
    assert (answer.counts["ops/agent"], answer.find("PF105")) == ((2, 3, 3), "")


def test_a_node_with_no_place_for_a_second_pod_stops_a_surge(tmp_path: Path) -> None:
    surging = daemonset(fields=SURGE)
    for pods, stops in (("1", True), ("2", False)):
        answer = ask(tmp_path, [node(pods=pods), surging, *running(surging, "n1")], "rollout restart ds/agent -n ops")
        assert ("PF105" in answer.findings) is stops


@pytest.mark.parametrize(("priority", "policy"), [(0, "PreemptLowerPriority"), (500, "Never"), (500, "PreemptLowerPriority")])
def test_a_pod_that_the_scheduler_refused_may_find_the_room_of_all_that_is_created_again(
    priority: int, policy: str, tmp_path: Path
) -> None:
    """Whether it may preempt or not, and though its class was not given: it waits, so that nothing gave way to it before."""
    holder, wanting = daemonset("holder", port=9100), daemonset("wanting", port=9100, priorityClassName="some")
    pod = waiting(wanting, "wanting-x", priority=priority)
    pod["spec"]["preemptionPolicy"] = policy
    answer = ask(tmp_path, [node(), holder, *running(holder, "n1"), wanting, pod], "delete node n1")
    assert answer.outcomes["ops/wanting"] != {"n1": "missing"}
    assert answer.outcomes["ops/holder"] != {"n1": "kept"}
