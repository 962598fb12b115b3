"""Nodes whose kubelet is silent: what is deleted there never ends, and holds its room."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Object
from tests.coverage.fit.situations import ask, daemonset, node, running, web
from tests.coverage.fit.test_waiting_pods import waiting

OUT_OF_SERVICE = "node.kubernetes.io/out-of-service=x:NoSchedule"


def silent(*taints: str, cpu: str = "2") -> Object:
    return {**(made := node("n1", *taints, cpu=cpu)), "status": {**made["status"], "conditions": [{"type": "Ready", "status": "Unknown"}]}}


def ready() -> Object:
    return {**(made := node("n1")), "status": {**made["status"], "conditions": [{"type": "Ready", "status": "True"}]}}


def terminating(pod: Object) -> Object:
    return {**pod, "metadata": {**pod["metadata"], "deletionTimestamp": "2026-01-01T00:00:00Z"}}


AGENT = daemonset("agent", {"operator": "Exists"}, port=9100, cpu="500m")
HOLDER = daemonset("holder", port=9100)


@pytest.mark.parametrize(
    ("there", "pods", "outcome"),
    [
        pytest.param(silent(), [terminating(web(port=9100))], "missing", id="an ordinary pod that terminates for ever"),
        pytest.param(silent(), [terminating(web(cpu="1800m"))], "missing", id="its cpu"),
        pytest.param(silent(), [HOLDER, terminating(running(HOLDER, "n1")[0])], "missing", id="the pod of a DaemonSet"),
        pytest.param(ready(), [terminating(web(port=9100))], "gained", id="on a node that is well it ends"),
        pytest.param(silent(OUT_OF_SERVICE), [terminating(web(port=9100))], "gained", id="one out of service has it removed"),
        pytest.param(silent(), [terminating(web(cpu="1"))], "gained", id="there is room beside it"),
    ],
)
def test_a_pod_that_terminates_holds_its_room_on_a_silent_node(there: Object, pods: list[Object], outcome: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, [there, *pods], "apply -f new", new=AGENT)
    assert answer.outcomes["ops/agent"] == {"n1": outcome}


@pytest.mark.parametrize(("there", "outcome"), [pytest.param(silent(), "missing", id="silent"), pytest.param(ready(), "gained", id="well")])
def test_nobody_gives_way_on_a_silent_node(there: Object, outcome: str, tmp_path: Path) -> None:
    new = daemonset("agent", {"operator": "Exists"}, port=9100, priority=1000)
    assert ask(tmp_path, [there, web(port=9100)], "apply -f new", new=new).outcomes["ops/agent"] == {"n1": outcome}


@pytest.mark.parametrize(("there", "outcome"), [pytest.param(silent(), "missing", id="silent"), pytest.param(ready(), "gained", id="well")])
def test_what_a_taint_drives_out_stays_on_a_silent_node(there: Object, outcome: str, tmp_path: Path) -> None:
    cluster = [there, HOLDER, *running(HOLDER, "n1"), AGENT, waiting(AGENT, "agent-x")]
    assert ask(tmp_path, cluster, "taint nodes n1 maintenance=x:NoExecute").outcomes["ops/agent"] == {"n1": outcome}


def test_a_deletion_of_the_node_removes_what_terminates(tmp_path: Path) -> None:
    agent = daemonset("agent", {"operator": "Exists"}, port=9100)
    cluster = [silent(), terminating(web(port=9100)), agent, *running(agent, "n1")]
    assert ask(tmp_path, cluster, "delete node n1").outcomes["ops/agent"] == {"n1": "kept"}
