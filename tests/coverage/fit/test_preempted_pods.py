"""Pods of DaemonSets that stay, and that the scheduler may evict for a new one of higher priority."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.coverage.fit.situations import ask, daemonset, node, running, web

TOLERANT = {"key": "dedicated", "operator": "Exists"}
LOW = daemonset("low", TOLERANT, cpu="800m", priority=-10)
HIGH = daemonset("high", cpu="800m", priority=10)
UNTAINT = "taint nodes n1 dedicated:NoSchedule-"
TAINTED = node("n1", "dedicated=x:NoSchedule", cpu="1")


def test_a_pod_that_may_be_evicted_for_a_new_one_is_not_said_to_stay(tmp_path: Path) -> None:
    answer = ask(tmp_path, [TAINTED, LOW, *running(LOW, "n1"), HIGH], UNTAINT)
    assert answer.outcomes == {"ops/high": {"n1": "gained"}, "ops/low": {"n1": "unknown"}}
    said = "the new pod of ops/high has a higher priority, and the scheduler may evict this one for it"
    assert answer.find("PF109") == f"warning: ops/low may lose n1: {said}"


@pytest.mark.parametrize(
    ("low", "web_cpu"),
    [
        pytest.param(daemonset("low", TOLERANT, cpu="100m", priority=10), "800m", id="it is of the same priority"),
        pytest.param(daemonset("low", TOLERANT, cpu="100m", priority=5), "800m", id="pods of lower priority are enough"),
        pytest.param(daemonset("low", TOLERANT, cpu="100m", priority=-10), "50m", id="there is room for both"),
    ],
)
def test_one_that_need_not_go_stays(low: dict[str, object], web_cpu: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, [TAINTED, low, *running(low, "n1"), web(cpu=web_cpu), HIGH], UNTAINT)
    assert answer.outcomes == {"ops/high": {"n1": "gained"}, "ops/low": {"n1": "kept"}}


def test_two_new_pods_that_do_not_both_fit_evict_a_third(tmp_path: Path) -> None:
    other = daemonset("other", priority=10)
    low = daemonset("low", TOLERANT, priority=-10)
    there = node("n1", "dedicated=x:NoSchedule", pods="2")
    answer = ask(tmp_path, [there, low, *running(low, "n1"), daemonset("high", priority=10), other], UNTAINT)
    assert answer.outcomes == {"ops/high": {"n1": "gained"}, "ops/other": {"n1": "gained"}, "ops/low": {"n1": "unknown"}}


@pytest.mark.parametrize(
    ("policy", "outcome"), [("PreemptLowerPriority", "unknown"), ("Never", "kept")], ids=["by eviction", "they may not evict"]
)
def test_new_pods_that_would_not_all_fit_in_its_place_either_may_evict_a_third(policy: str, outcome: str, tmp_path: Path) -> None:
    """Which of them is bound is chance, and whether one that is not bound first makes room for itself."""
    low = daemonset("low", TOLERANT, priority=-10)
    there = node("n1", "dedicated=x:NoSchedule", pods="2")
    new = [daemonset(name, priority=10, preemptionPolicy=policy) for name in ("first", "second", "third")]
    answer = ask(tmp_path, [there, low, *running(low, "n1"), *new], UNTAINT)
    assert answer.outcomes["ops/low"] == {"n1": outcome}
    assert {answer.outcomes[f"ops/{name}"]["n1"] for name in ("first", "second", "third")} == {"unknown"}


@pytest.mark.parametrize("port", [9100, None], ids=["one port for both", "too little cpu for both"])
@pytest.mark.parametrize(
    ("fields", "is_stalled"),
    [
        pytest.param({"priority": 10}, False, id="a higher priority"),
        pytest.param({"priority": 0}, True, id="the same"),
        pytest.param({"priority": -10}, True, id="a lower one"),
        pytest.param({"priority": 10, "preemptionPolicy": "Never"}, True, id="a higher one that never preempts"),
    ],
)
def test_the_new_pod_of_a_surge_evicts_the_old_one_of_lower_priority(
    port: int | None, fields: dict[str, object], is_stalled: bool, tmp_path: Path
) -> None:
    surge = {"updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}
    owner = daemonset("agent", port=port, cpu="100m" if port else "600m", fields=surge)
    new = daemonset("agent", port=port, cpu="100m" if port else "600m", fields=surge, **fields)
    answer = ask(tmp_path, [node(cpu="1"), owner, *running(owner, "n1", priority=0)], "apply -f new", new=new)
    assert answer.outcomes == {"ops/agent": {"n1": "kept"}}
    assert ("PF105" in answer.findings) is is_stalled


def started(owner: dict[str, object], at: str) -> dict[str, object]:
    (pod,) = running(owner, "n1", priority=0)
    return {**pod, "status": {**pod["status"], "startTime": f"2026-03-09T17:00:0{at}Z"}}


def find_evicted(folder: Path, command: str, *, priority: int = 10, policy: str = "PreemptLowerPriority", pods: str = "3") -> str:
    """The DaemonSets that may lose their pod where a command ends one pod of a full node and creates another."""
    here = {"color": "red"}
    going = daemonset("going", nodeSelector=here)
    comes = daemonset("comes", nodeSelector={"color": "blue"}, priority=priority, preemptionPolicy=policy)
    early, late = daemonset("early"), daemonset("late")
    cluster = [node("n1", pods=pods, labels=here), going, started(going, "1"), early, started(early, "2"), late, started(late, "3"), comes]
    answer = ask(folder, cluster, command)
    assert answer.outcomes["ops/comes"] == {"n1": "gained"}
    assert answer.outcomes["ops/going"] == {"n1": "lost-now"}
    return " ".join(name for name in ("early", "late") if answer.outcomes[f"ops/{name}"]["n1"] == "unknown")


RECOLOR = "label --overwrite node n1 color=blue"


def test_a_new_pod_may_evict_while_those_that_make_room_for_it_end(tmp_path: Path) -> None:
    assert find_evicted(tmp_path, RECOLOR) == "late"


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"pods": "4"}, id="there is room already"),
        pytest.param({"priority": 0}, id="it is of the same priority"),
        pytest.param({"policy": "Never"}, id="it may not evict"),
    ],
)
def test_one_that_need_not_or_may_not_evict_waits_for_them(more: dict[str, object], tmp_path: Path) -> None:
    assert find_evicted(tmp_path, RECOLOR, **more) == ""  # type: ignore[arg-type]


@pytest.mark.parametrize("times", [("2", "2"), ("", "3"), ("2", "")], ids=["the same second", "one is not known", "nor is the other"])
def test_where_it_is_not_known_which_has_started_later_either_may_go(times: tuple[str, str], tmp_path: Path) -> None:
    low = [daemonset(name, TOLERANT, cpu="400m", priority=0) for name in ("first", "second")]
    pods = [started(owner, at) if at else running(owner, "n1", priority=0)[0] for owner, at in zip(low, times, strict=True)]
    answer = ask(tmp_path, [TAINTED, *low, *pods, daemonset("high", cpu="400m", priority=10)], UNTAINT)
    assert {answer.outcomes[f"ops/{name}"]["n1"] for name in ("first", "second")} == {"unknown"}


def test_of_pods_of_one_priority_the_one_that_started_last_goes(tmp_path: Path) -> None:
    low = [daemonset(name, TOLERANT, cpu="400m", priority=0) for name in ("first", "second")]
    pods = [started(owner, at) for owner, at in zip(low, "12", strict=True)]
    answer = ask(tmp_path, [TAINTED, *low, *pods, daemonset("high", cpu="400m", priority=10)], UNTAINT)
    assert [answer.outcomes[f"ops/{name}"]["n1"] for name in ("first", "second")] == ["kept", "unknown"]
