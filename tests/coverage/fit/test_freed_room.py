"""Pods that wait for room, and get some from what a change removes or replaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Object
from tests.coverage.fit.situations import ask, daemonset, node, running, web
from tests.coverage.fit.test_waiting_pods import waiting

AGENT = daemonset(port=9100, cpu="200m")
WAITS = waiting(AGENT, "agent-x")
HOLDER = daemonset("holder", port=9100)
PICKY = daemonset("picky", port=9100, nodeSelector={"disk": "ssd"})
BIG = daemonset("big", cpu="1900m")
SMALLER = daemonset("big", cpu="1")


def outcome(folder: Path, cluster: list[Object], command: str, **files: Object) -> tuple[str, int]:
    answer = ask(folder, [node(labels={"disk": "ssd"}), AGENT, WAITS, *cluster], command, **files)
    return answer.outcomes["ops/agent"]["n1"], answer.counts["ops/agent"][1]


@pytest.mark.parametrize(
    ("others", "command"),
    [
        pytest.param([web(port=9100)], "delete node n1", id="an ordinary pod that goes with its node"),
        pytest.param([web(cpu="1900m")], "delete node n1", id="its cpu"),
        pytest.param([HOLDER, *running(HOLDER, "n1")], "taint nodes n1 maintenance=x:NoExecute", id="a pod that may not stay"),
        pytest.param([PICKY, *running(PICKY, "n1")], "label node n1 disk-", id="a pod that a label takes away"),
    ],
)
def test_a_pod_that_waits_starts_once_what_is_in_its_way_is_gone(others: list[Object], command: str, tmp_path: Path) -> None:
    agent = daemonset("agent", {"operator": "Exists"}, port=9100, cpu="200m")
    answer = ask(tmp_path, [node(labels={"disk": "ssd"}), agent, waiting(agent, "agent-x"), *others], command)
    assert (answer.outcomes["ops/agent"], answer.counts["ops/agent"]) == ({"n1": "gained"}, (0, 1, 1))
    assert answer.find("PF104") == "note: ops/agent starts on n1"
    assert answer.find("PF107") == ""


def test_only_the_node_that_is_freed_starts_the_pod_that_waits_there(tmp_path: Path) -> None:
    agent = daemonset("agent", {"operator": "Exists"}, port=9100)
    both = [waiting(agent, "agent-x"), waiting(agent, "agent-y", on="n2")]
    cluster = [node("n1"), node("n2"), agent, *both, HOLDER, *running(HOLDER, "n1", "n2")]
    answer = ask(tmp_path, cluster, "taint nodes n1 maintenance=x:NoExecute")
    assert answer.outcomes["ops/agent"]["n1"] == "gained"
    assert answer.outcomes["ops/agent"].get("n2", "missing") == "missing"


@pytest.mark.parametrize(
    "others",
    [
        pytest.param([HOLDER, *running(HOLDER, "n1")], id="the port is taken by a pod that stays"),
        pytest.param([web(cpu="1900m")], id="the room is"),
    ],
)
def test_one_whose_way_stays_barred_stays_missing(others: list[Object], tmp_path: Path) -> None:
    assert outcome(tmp_path, others, "label node n1 color=red") == ("missing", 0)


def test_what_waits_for_another_reason_stays_missing(tmp_path: Path) -> None:
    assert outcome(tmp_path, [], "delete node n1") == ("missing", 0)


@pytest.mark.parametrize(
    ("priority", "expected"),
    [
        pytest.param(0, "unknown", id="of the same priority"),
        pytest.param(9, "unknown", id="of a higher one"),
        pytest.param(-9, "gained", id="of a lower one"),
    ],
)
def test_a_rival_that_waits_too_leaves_it_open_unless_it_gives_way(priority: int, expected: str, tmp_path: Path) -> None:
    rival = daemonset("rival", port=9100, priority=priority)
    others = [web(port=9100), rival, waiting(rival, "rival-x", priority=priority)]
    assert outcome(tmp_path, others, "delete node n1") == (expected, 1)


def test_a_rival_for_other_room_leaves_nothing_open(tmp_path: Path) -> None:
    rival = daemonset("rival", port=9200)
    others = [web(containers=[], port=9100), web("held", port=9100), rival, waiting(rival, "rival-x")]
    assert outcome(tmp_path, others, "delete node n1") == ("gained", 1)


def test_a_rival_that_may_no_longer_run_there_is_none(tmp_path: Path) -> None:
    agent = daemonset("agent", {"operator": "Exists"}, port=9100)
    cluster = [node(), agent, waiting(agent, "agent-x"), HOLDER, *running(HOLDER, "n1"), (rival := daemonset("rival", port=9100))]
    answer = ask(tmp_path, [*cluster, waiting(rival, "rival-x")], "taint nodes n1 maintenance=x:NoExecute")
    assert answer.outcomes["ops/agent"] == {"n1": "gained"}


def test_a_pod_that_is_replaced_leaves_its_room_open_to_one_that_waits(tmp_path: Path) -> None:
    owner = daemonset("holder", port=9100)
    cluster = [node(), AGENT, WAITS, owner, *running(owner, "n1")]
    answer = ask(tmp_path, cluster, "delete node n1")
    assert answer.outcomes == {"ops/agent": {"n1": "unknown"}, "ops/holder": {"n1": "unknown"}}
    assert answer.find("PF109").startswith("warning: ops/")


def test_a_smaller_template_starts_where_the_larger_one_waited(tmp_path: Path) -> None:
    cluster = [node("n1"), node("n2"), BIG, *running(BIG, "n2"), waiting(BIG, "big-x"), web(cpu="500m")]
    answer = ask(tmp_path, cluster, "apply -f new", new=SMALLER)
    assert answer.outcomes["ops/big"] == {"n1": "gained", "n2": "kept"}


@pytest.mark.parametrize(
    ("policy", "expected"), [pytest.param("Never", "unknown", id="may not"), pytest.param("PreemptLowerPriority", "kept", id="may")]
)
def test_one_of_lower_priority_gives_way_only_to_a_pod_that_may_preempt(policy: str, expected: str, tmp_path: Path) -> None:
    owner = daemonset("owner", port=9100, priority=500, preemptionPolicy=policy)
    answer = ask(tmp_path, [node(), AGENT, WAITS, owner, *running(owner, "n1")], "rollout restart ds/owner -n ops")
    assert answer.outcomes["ops/owner"] == {"n1": expected}


def test_without_a_pod_that_waits_freed_room_starts_none(tmp_path: Path) -> None:
    agent = daemonset("agent", {"operator": "Exists"}, port=9100)
    cluster = [node(), agent, HOLDER, *running(HOLDER, "n1")]
    assert ask(tmp_path, cluster, "taint nodes n1 maintenance=x:NoExecute").outcomes["ops/agent"] == {"n1": "missing"}
