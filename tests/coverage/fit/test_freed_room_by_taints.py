"""Ordinary pods that a taint with NoExecute ends: DaemonSets that wait, or are new there, find their room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.coverage.fit.situations import ask, daemonset, node, web
from tests.coverage.fit.test_waiting_pods import waiting

AGENT = daemonset("agent", {"operator": "Exists"}, port=9100, cpu="200m")
TAINT = "taint nodes n1 maintenance=x:NoExecute"


@pytest.mark.parametrize(
    ("ordinary", "expected"),
    [
        pytest.param(web(port=9100), "gained", id="its port"),
        pytest.param(web(cpu="1900m"), "gained", id="its cpu"),
        pytest.param(web(port=9100, tolerations=[{"operator": "Exists", "tolerationSeconds": 300}]), "gained", id="it goes after a while"),
        pytest.param(web(port=9100, tolerations=[{"operator": "Exists"}]), "missing", id="it tolerates the taint"),
    ],
)
def test_a_pod_that_waits_finds_the_room_of_one_that_the_taint_ends(ordinary: dict[str, Any], expected: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, [node(), AGENT, waiting(AGENT, "agent-x"), ordinary], TAINT)
    assert answer.outcomes["ops/agent"] == {"n1": expected}


@pytest.mark.parametrize("command", ["taint nodes n1 maintenance=x:NoSchedule", "cordon n1"])
def test_what_ends_no_pod_leaves_no_room(command: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, [node(), AGENT, waiting(AGENT, "agent-x"), web(port=9100)], command)
    assert answer.outcomes["ops/agent"] == {"n1": "missing"}


def test_a_new_pod_has_the_room_of_one_that_a_taint_ends(tmp_path: Path) -> None:
    tainted = node("n1", "dedicated=x:NoSchedule")
    agent = daemonset("agent", {"key": "maintenance", "operator": "Exists"}, port=9100)
    command = "taint nodes n1 dedicated- maintenance=x:NoExecute"
    assert ask(tmp_path, [tainted, agent, web(port=9100)], command).outcomes["ops/agent"] == {"n1": "gained"}
