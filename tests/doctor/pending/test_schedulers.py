"""What words of schedulers mean: a group, a quota, or a lack of room, which is no hold."""

from __future__ import annotations

import pytest

from preflight.doctor.cluster_messages import HoldReason, find_hold_reason
from preflight.messages.doctor.pending import describe_hold_reason

GANG, QUOTA = HoldReason.GROUP, HoldReason.QUEUE_QUOTA


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        pytest.param("", None, id="nothing is said"),
        pytest.param("0/3 nodes are available: 3 Insufficient nvidia.com/gpu.", None, id="a lack of room"),
        pytest.param('0/3 nodes are available: persistentvolumeclaim "group" not found.', None, id="a claim"),
        pytest.param("3/4 tasks in gang unschedulable: pod group is not ready, 3 Pending, 4 minAvailable", GANG, id="Volcano"),
        pytest.param("waiting for minCount pods from a gang to appear in scheduling queue", GANG, id="kube-scheduler, before it begins"),
        pytest.param("minCount (4) cannot be satisfied: 1 scheduled, 2 remaining", GANG, id="kube-scheduler, in the middle"),
        pytest.param("pre-filter pod a cannot find enough sibling pods, current pods number: 1", GANG, id="the coscheduling plugin"),
        pytest.param("InsufficientQuota 0 of 4 left", QUOTA, id="a queue of one's own"),
        pytest.param("queue resource quota insufficient", QUOTA, id="a queue of Volcano"),
        pytest.param("Pod default/a is rejected because ElasticQuota default/q is more than Max", QUOTA, id="an ElasticQuota"),
    ],
)
def test_what_words_mean(words: str, reason: HoldReason | None) -> None:
    assert find_hold_reason(words) is reason


def test_each_reason_has_a_text() -> None:
    assert {reason: describe_hold_reason(reason) for reason in HoldReason} == {
        GANG: "it waits for the other pods of its group",
        QUOTA: "it is blocked by the quota of its queue",
    }
