"""Steps of a plan after one that leaves open whether a node takes a pod."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.coverage.fit.situations import ask, daemonset, node, running
from tests.coverage.fit.test_waiting_pods import waiting

AGENT = daemonset(cpu="800m")
OTHER = daemonset("other", cpu="800m")
CLUSTER = [node(cpu="1"), AGENT, *running(AGENT, "n1"), OTHER, waiting(OTHER, "other-x")]
CONTESTED = "rollout restart ds/agent -n ops"


@pytest.mark.parametrize(
    ("command", "outcome"),
    [
        pytest.param("label node n1 color=red", "unknown", id="a step that does nothing to it"),
        pytest.param("reboot n1", "unknown", id="a reboot"),
        pytest.param("taint node n1 maintenance=x:NoExecute", "lost-now", id="one that takes it in any case"),
        pytest.param("taint node n1 maintenance=x:NoSchedule", "lost-on-recreation", id="one that leaves it if it runs"),
    ],
)
def test_a_pod_that_may_wait_is_not_said_to_run_later(command: str, outcome: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, CLUSTER, CONTESTED, command)
    assert answer.outcomes["ops/agent"] == {"n1": outcome}
    assert answer.exit == 3


def test_it_is_a_rival_of_the_pods_of_later_steps(tmp_path: Path) -> None:
    answer = ask(tmp_path, CLUSTER, CONTESTED, "apply -f new", new=daemonset("third", cpu="500m"))
    assert answer.outcomes["ops/third"] == {"n1": "unknown"}


def test_one_that_certainly_runs_again_is_in_doubt_no_more(tmp_path: Path) -> None:
    answer = ask(tmp_path, CLUSTER, CONTESTED, "delete ds other -n ops", "rollout restart ds/agent -n ops", "label node n1 color=red")
    assert answer.outcomes["ops/agent"]["n1"] in ("kept", "unknown")


def test_a_pod_that_found_room_is_there_in_the_next_step(tmp_path: Path) -> None:
    agent = daemonset("agent", {"operator": "Exists"}, port=9100)
    holder = daemonset("holder", port=9100)
    cluster = [node(), holder, *running(holder, "n1"), agent, waiting(agent, "agent-x")]
    answer = ask(tmp_path, cluster, "taint node n1 a=b:NoExecute", "taint node n1 a-")
    assert answer.outcomes == {"ops/agent": {"n1": "kept"}, "ops/holder": {"n1": "missing"}}
