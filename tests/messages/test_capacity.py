"""The words for facts about the capacity for a pod: one case for each template."""

from __future__ import annotations

import pytest

from preflight.messages.capacity import count_reasons, describe_capacity_doubt, describe_capacity_reason, describe_unchecked_limit
from preflight.model.capacity_reasons import (
    AddedToleration,
    AlwaysUnchecked,
    CapacityDoubt,
    CapacityReason,
    CapacityUncertainty,
    NodeFact,
    PodLimit,
    PossiblePreemption,
    QuotaLimits,
    SchedulerWords,
    UncheckedLimit,
    UnreadQuota,
    WaitingPods,
)
from preflight.model.core import Taint
from preflight.model.reasons import Untolerated
from preflight.model.uncertainty import Uncertainty, UncertaintyKind


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (NodeFact.CORDONED, "cordoned"),
        (NodeFact.NOT_READY, "not Ready"),
        (NodeFact.OTHER_NODES, "its node affinity names other nodes"),
        (NodeFact.HOST_PORT, "its host port is in use"),
        (PodLimit(20, 20), "pod limit reached (20 of 20)"),
        (SchedulerWords("Insufficient cpu"), "Insufficient cpu"),
        (Untolerated((Taint("a", "b", "NoSchedule"),)), "no toleration for a=b:NoSchedule"),
    ],
)
def test_reason(reason: CapacityReason, words: str) -> None:
    assert describe_capacity_reason(reason) == words


def test_reasons_of_a_class_are_counted_unless_all_nodes_have_them() -> None:
    reasons = (NodeFact.CORDONED, NodeFact.NOT_READY, NodeFact.CORDONED)
    assert list(count_reasons(reasons, 2)) == ["cordoned", "not Ready (1 of 2)"]


@pytest.mark.parametrize(
    ("doubt", "words"),
    [
        (CapacityUncertainty(Uncertainty(UncertaintyKind.PODS)), "not all pods are known"),
        (CapacityUncertainty(Uncertainty(UncertaintyKind.PODS), "no right"), "not all pods are known: no right"),
        (
            AddedToleration(2),
            "if the admission plugin ExtendedResourceToleration is enabled (off by default), the pod tolerates the taint of 2 of the nodes",
        ),
        (PossiblePreemption(3), "preemption of lower priority pods is not counted: with it, more copies may fit on 3 of the nodes"),
        (PossiblePreemption(None), "the priority of the pod is unknown: pods of lower priority may be preempted for it"),
    ],
)
def test_doubt(doubt: CapacityDoubt, words: str) -> None:
    assert describe_capacity_doubt(doubt) == words


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (QuotaLimits(("a", "b"), "shop"), "ResourceQuota a and b of namespace shop, which may allow fewer pods"),
        (UnreadQuota("shop"), "quota of namespace shop (not in the input)"),
        (UnreadQuota("shop", "no right"), "quota of namespace shop: no right"),
        (WaitingPods(("a/x",)), "1 pod already waiting for a node, which may use this capacity first: a/x"),
        (WaitingPods(("a/x", "b/y")), "2 pods already waiting for a node, which may use this capacity first: a/x, b/y"),
        (
            AlwaysUnchecked(),
            "changes made by admission (webhooks, LimitRanges, Pod Security), scheduler extenders and other scheduler settings",
        ),
    ],
)
def test_unchecked_limit(limit: UncheckedLimit, words: str) -> None:
    assert describe_unchecked_limit(limit) == words
