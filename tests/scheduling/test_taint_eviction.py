"""What a NoExecute taint does to ordinary pods, and that no budget protects them: semantics 5."""

from __future__ import annotations

import pytest

from preflight.model.core import Taint, Toleration
from preflight.model.pod_status import ClusterPod
from preflight.scheduling.taint_eviction import TaintEviction, predict_taint_evictions
from preflight.scheduling.tolerations import NEVER
from tests.scheduling.drain_objects import budget, pod, reference

SET = reference("ReplicaSet", "web")
DEDICATED = Taint("dedicated", "rdma", "NoExecute")
UNREACHABLE = Taint("node.kubernetes.io/unreachable", "", "NoExecute")
STOP = Taint("stop", "", "NoSchedule")
ADDED = tuple(Toleration(f"node.kubernetes.io/{condition}", "Exists", "", "NoExecute", 300) for condition in ("not-ready", "unreachable"))
FOR_A_WHILE = Toleration("dedicated", "Exists", "", "NoExecute", 60)
FOR_EVER = Toleration("dedicated", "Exists")
GREATER = Toleration("dedicated", "Gt", "5", "NoExecute")


def tolerating(*tolerations: Toleration) -> ClusterPod:
    return pod("web-1", SET, tolerations=(*tolerations, *ADDED))


@pytest.mark.parametrize(
    ("one", "taints", "after"),
    [
        pytest.param(tolerating(), (), NEVER, id="no taint"),
        pytest.param(tolerating(), (STOP,), NEVER, id="NoSchedule evicts nothing"),
        pytest.param(tolerating(), (DEDICATED,), 0, id="now: what admission adds does not help"),
        pytest.param(tolerating(), (UNREACHABLE,), 300, id="for unreachable it does, for 300 s"),
        pytest.param(tolerating(FOR_A_WHILE), (DEDICATED,), 60, id="its own seconds"),
        pytest.param(tolerating(FOR_A_WHILE), (DEDICATED, UNREACHABLE), 60, id="the fewest seconds win"),
        pytest.param(tolerating(FOR_EVER), (DEDICATED,), NEVER, id="for ever"),
        pytest.param(tolerating(FOR_EVER), (DEDICATED, Taint("other", "", "NoExecute")), 0, id="all taints have to be tolerated"),
        pytest.param(tolerating(GREATER), (Taint("dedicated", "7", "NoExecute"),), None, id="a gate of which nobody knows"),
    ],
)
def test_when_a_pod_goes(one: ClusterPod, taints: tuple[Taint, ...], after: float | None) -> None:
    (found,) = predict_taint_evictions([one], "n1", taints, (), (), None)
    assert found.delay == after


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(pod(node="n2"), id="a pod of another node"),
        pytest.param(pod(node=""), id="a pod of no node"),
        pytest.param(pod(deletion="now"), id="a pod that goes already"),
        pytest.param(pod("log-1", reference("DaemonSet", "log")), id="a pod of a DaemonSet"),
    ],
)
def test_who_is_left_out(one: ClusterPod) -> None:
    assert predict_taint_evictions([one], "n1", (DEDICATED,), (), (), None) == ()


def test_a_daemonset_of_another_api_is_as_any_other_owner() -> None:
    one = pod("log-1", reference("DaemonSet", "log", "apps.kruise.io/v1alpha1"))
    assert predict_taint_evictions([one], "n1", (DEDICATED,), (), (), None) == (TaintEviction(one, 0, NEVER, (DEDICATED,)),)


def test_no_budget_protects_what_it_selects() -> None:
    one = tolerating(FOR_A_WHILE)
    strict = budget(max=0)
    assert predict_taint_evictions([one], "n1", (DEDICATED, STOP), (), (strict,), None) == (
        TaintEviction(one, 60, NEVER, time_limited_taints=(DEDICATED,), budgets=(("shop", "guard"),)),
    )


def test_what_is_lost_and_what_may_come_back() -> None:
    bare = pod("bare", local_data=True)
    back = tolerating(FOR_A_WHILE)
    found = predict_taint_evictions([back, bare], "n1", (DEDICATED,), (), (), None)
    assert found == (
        TaintEviction(bare, 0, NEVER, (DEDICATED,), is_lost=True, has_local_data=True),
        TaintEviction(back, 60, NEVER, time_limited_taints=(DEDICATED,), may_return=True),
    )


def test_a_pod_that_has_ended_loses_nothing() -> None:
    (found,) = predict_taint_evictions([pod("bare", phase="Succeeded", local_data=True)], "n1", (DEDICATED,), (), (), None)
    assert (found.delay, found.is_lost, found.has_local_data) == (0, False, False)


def test_a_timer_that_runs_is_told() -> None:
    one = tolerating(FOR_A_WHILE)
    (found,) = predict_taint_evictions([one], "n1", (UNREACHABLE, DEDICATED), (UNREACHABLE,), (), None)
    assert (found.previous_delay, found.delay, found.time_limited_taints) == (300, 60, (UNREACHABLE, DEDICATED))
