"""A surge that is held up keeps as many pods where it should not run as wanted nodes lack an available one: which of them do is counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import Object
from tests.coverage.fit.situations import ask, daemonset, node, running, web
from tests.coverage.fit.test_waiting_pods import waiting

SURGE = {"updateStrategy": {"rollingUpdate": {"maxSurge": 2, "maxUnavailable": 0}}}
HARMLESS = "label node n1 color=red"


def of_generation(pod: Object, generation: int) -> Object:
    labels = {**pod["metadata"]["labels"], "pod-template-generation": f"{generation}", "controller-revision-hash": f"h{generation}"}
    return {**pod, "metadata": {**pod["metadata"], "labels": labels}}


def make_agent(**more: Any) -> Object:
    """A DaemonSet of the second template."""
    agent = daemonset("agent", cpu="400m", fields=SURGE, **more)
    agent["metadata"]["annotations"] = {"deprecated.daemonset.template.generation": "2"}
    return {**agent, "status": {"desiredNumberScheduled": 3, "numberMisscheduled": 1}}


AGENT = make_agent()
RIVAL = daemonset("rival", cpu="500m")


def old(*nodes: str) -> list[Object]:
    return [of_generation(pod, 1) for pod in running(AGENT, *nodes)]


def held_up(*sunset: str, lacking: bool = True) -> list[Object]:
    """A surge beside which another DaemonSet waits on n2, with old pods on tainted nodes; on n1 its new pod finds no room, or runs."""
    nodes = [node("n1", cpu="300m" if lacking else "1"), node("n2", cpu="1"), *(node(name, "t=x:NoSchedule") for name in sunset)]
    new = waiting(AGENT, "agent-n1") if lacking else running(AGENT, "n1")[0]
    surging = [*old("n2"), of_generation(waiting(AGENT, "agent-new", on="n2"), 2), web(on="n2", cpu="300m"), RIVAL]
    return [*nodes, AGENT, of_generation(new, 2), *surging, waiting(RIVAL, "rival-x", on="n2"), *old(*sunset)]


@pytest.mark.parametrize("commands", [[HARMLESS], [HARMLESS, HARMLESS], [HARMLESS, "taint nodes n2 t=x:PreferNoSchedule", "cordon n1"]])
@pytest.mark.parametrize(
    ("sunset", "lacking", "outcome"),
    [
        pytest.param(["n3"], True, "already-fragile", id="the one pod stays"),
        pytest.param(["n3", "n4"], True, "unknown", id="one of two stays"),
        pytest.param(["n3", "n4"], False, "lost-now", id="every wanted node has a pod"),
    ],
)
def test_what_stays_in_the_first_step_stays_in_the_next(
    commands: list[str], sunset: list[str], lacking: bool, outcome: str, tmp_path: Path
) -> None:
    answer = ask(tmp_path, held_up(*sunset, lacking=lacking), *commands[:1])
    assert answer.outcomes["ops/agent"]["n2"] == "unknown"
    assert {answer.outcomes["ops/agent"][name] for name in sunset} == {outcome}
    if len(commands) > 1 and outcome == "already-fragile":
        again = ask(tmp_path, held_up(*sunset, lacking=lacking), *commands)
        assert {again.outcomes["ops/agent"][name] for name in sunset} == {outcome}


@pytest.mark.parametrize(
    ("cpu", "outcome"), [pytest.param(None, "already-fragile", id="nothing comes free"), pytest.param("300m", "lost-now", id="enough does")]
)
@pytest.mark.parametrize("command", ["delete ds other -n quiet", "delete namespace quiet"])
def test_it_goes_on_where_a_deletion_leaves_room_and_not_elsewhere(command: str, cpu: str | None, outcome: str, tmp_path: Path) -> None:
    other = daemonset("other", **({"cpu": cpu} if cpu else {}))
    other["metadata"]["namespace"] = "quiet"
    there = [node("n1", cpu="700m"), node("n3", "t=x:NoSchedule"), AGENT, of_generation(waiting(AGENT, "agent-n1"), 2), *old("n3")]
    cluster = [*there, web(on="n1", cpu="300m" if cpu else "500m"), other, *running(other, "n1")]
    answer = ask(tmp_path, cluster, command)
    assert answer.outcomes["ops/agent"]["n3"] == outcome


PRIORITIES = [{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}]


@pytest.mark.parametrize(("cpu", "stops"), [pytest.param("800m", True, id="it may wait"), pytest.param("2", False, id="it runs")])
def test_a_pod_that_may_wait_may_hold_the_next_update_up(cpu: str, stops: bool, tmp_path: Path) -> None:
    """On n1 it may have been preempted by the step before."""
    small = daemonset("small", cpu="400m", fields={"updateStrategy": {"rollingUpdate": {"maxUnavailable": 1}}})
    important = daemonset("important", cpu="500m", priorityClassName="high", nodeSelector={"on": "n1"})
    nodes = [node("n1", cpu=cpu, labels={"on": "n1"}), node("n2")]
    cluster = [*nodes, *PRIORITIES, small, *running(small, "n1", "n2", priority=0)]
    answer = ask(tmp_path, cluster, "apply -f new", "rollout restart ds/small -n ops", new=important)
    assert answer.outcomes["ops/small"]["n2"] == "kept"
    assert ("PF105" in answer.findings) is stops
