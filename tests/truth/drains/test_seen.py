"""What is read of a cluster and of its audit log, and the counts of what was compared."""

from __future__ import annotations

import json
import time

import pytest

from tests.evictions.clusters import pod
from tests.truth.drains.account import Account
from tests.truth.drains.pulse import Pulse
from tests.truth.drains.seen import Pod, Request, Seen, pods, requests
from tests.truth.drains.values import Compared
from tests.truth.drawing import Object

VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."


def test_what_is_not_compared_is_counted_under_its_reason() -> None:
    account = Account()
    assert account.add([Compared("stays", "shop/a", "there", "there", equal=True, is_pod=True, left_out=("it was going before",))]) == []
    assert "left out: 1 it was going before" in account.table()


def test_accounts_add_up_and_count_what_differs() -> None:
    one, two = Account(), Account()
    one.drains["of 1"] += 1
    one.add([Compared("evicted", "shop/a", "gone", "gone", equal=True, by_chance=True, is_pod=True)])
    one.add([Compared("exit code", "", "0", "0", equal=True)])
    two.merge(Account.of(json.loads(json.dumps(one.dumped()))))
    assert two.dumped() == one.dumped()
    wrong = two.add([Compared("evicted", "shop/a", "gone", "there", equal=False, is_pod=True)])
    two.refused += 1
    assert (one.mismatches, two.mismatches, [compared.about for compared in wrong]) == (0, 2, ["shop/a"])
    assert two.table().splitlines()[-1] == "1 drains, 2 mismatches"


def test_the_audit_log_says_what_was_asked_for() -> None:
    where = {"resource": "pods", "namespace": "shop", "name": "web-1"}
    refused = {"code": 429, "message": VIOLATES, "details": {"causes": [{"message": "because"}]}}
    events: list[Object] = [
        {"verb": "create", "objectRef": {**where, "subresource": "eviction"}, "responseStatus": refused},
        {"verb": "create", "objectRef": {**where, "subresource": "eviction"}, "responseStatus": {"code": 201}},
        {"verb": "delete", "objectRef": where, "responseStatus": {"code": 200}},
        {"verb": "create", "objectRef": where, "responseStatus": {"code": 201}},
    ]
    assert requests(events) == (
        Request("evict", "shop/web-1", 429, (VIOLATES, "because")),
        Request("evict", "shop/web-1", 201),
        Request("delete", "shop/web-1", 200),
    )


def test_a_pod_is_known_by_its_uid_and_whether_it_may_land_on_a_cordoned_node() -> None:
    made = {**pod("web-1", "n1", "ReplicaSet/web"), "status": {"phase": "Running"}}
    made["metadata"] |= {"uid": "u1", "deletionTimestamp": "2026-01-01T00:00:00Z"}
    made["spec"] |= {"tolerations": [{"operator": "Exists", "key": "node.kubernetes.io/unschedulable"}]}
    assert pods([made]) == {"shop/web-1": Pod("u1", "n1", "ReplicaSet shop/web", is_going=True, tolerates_cordon=True)}


@pytest.mark.parametrize(
    ("gone", "preempted"),
    [
        pytest.param([], [], id="all are there"),
        pytest.param(["shop/low"], ["shop/low"], id="one of lower priority is gone"),
        pytest.param(["shop/high"], [], id="one of the same is gone, which cannot be preempted"),
        pytest.param(["shop/going"], [], id="one is gone that was going"),
        pytest.param(["shop/drained"], [], id="the one that was asked for is gone"),
    ],
)
def test_pods_of_other_nodes_that_may_have_been_preempted(gone: list[str], preempted: list[str]) -> None:
    before = {
        "shop/drained": Pod("u1", "n1", "ReplicaSet shop/web", priority=1000),
        "shop/agent": Pod("u2", "n1", "DaemonSet shop/agent", priority=2_000_001_000),
        "shop/low": Pod("u3", "n2"),
        "shop/high": Pod("u4", "n2", priority=1000),
        "shop/going": Pod("u5", "n2", is_going=True),
    }
    after = {name: pod for name, pod in before.items() if name not in gone}
    assert Seen(0, "", 1.0, (), before, after).preempted({"n1"}) == preempted


def test_a_machine_that_stands_still_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    with Pulse() as pulse:
        clock[0] += 5
    assert pulse.longest == 5
