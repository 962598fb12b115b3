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
