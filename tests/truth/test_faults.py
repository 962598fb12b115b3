"""What counts as named, by hand and without a cluster."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.truth.faults import Found, named, table
from tests.truth.planting import FAULTS, Fault, world

FAULT = Fault("label", frozenset(("gpu-1", "operators/plugin")), ("node_env",))


def finding(message: str, *nodes: str, severity: str = "error", name: str = "plugin") -> dict[str, Any]:
    subject = {"kind": "DaemonSet", "namespace": "operators", "name": name}
    return {"severity": severity, "subject": subject, "nodes": list(nodes), "message": message, "notes": []}


OTHER = finding("is not Ready", "gpu-2", name="other")
HERE = finding("is not Ready", "gpu-1", name="other")
CAUSE = finding("lacks the label node_env", "gpu-1")


@pytest.mark.parametrize(
    ("findings", "is_named"),
    [
        pytest.param([], False, id="nothing is said"),
        pytest.param([CAUSE], True, id="it is the only one"),
        pytest.param([OTHER, OTHER, OTHER, CAUSE], True, id="others are of something else"),
        pytest.param([HERE, CAUSE], True, id="it is the second of its node"),
        pytest.param([HERE, HERE, CAUSE], False, id="it is the third of its node"),
        pytest.param([{**CAUSE, "severity": "note"}], False, id="it is a note"),
        pytest.param([finding("lacks the label node_env", "gpu-2", name="other")], False, id="another node has the same"),
        pytest.param([{**HERE, "notes": [{"text": "the label node_env is absent"}]}], True, id="the evidence says it"),
    ],
)
def test_named(findings: list[dict[str, Any]], is_named: bool) -> None:
    assert named(FAULT, findings) is is_named


def test_the_table_counts_faults_and_worlds_that_were_blamed() -> None:
    told = table([Found({"label": True, "taint": False}, ()), Found({"label": True}, ("is broken",))]).splitlines()
    assert "label                    2 planted     2 named" in told
    assert "taint                    1 planted     0 named" in told
    assert told[-2:] == ["every fault              3 planted     2 named (66.7 %)", "2 worlds, 1 called broken before"]


def test_a_quota_is_planted_last_for_it_refuses_the_pods_of_others() -> None:
    assert list(FAULTS)[-1] == "quota"


def test_in_a_world_that_works_no_two_pods_want_one_port_of_a_node() -> None:
    for seed in range(30):
        objects, gpus = world(Random(seed))
        pods = [
            each["spec"] if each["kind"] == "Pod" else each["spec"]["template"]["spec"]
            for each in objects
            if "spec" in each and each["kind"] in ("Pod", "DaemonSet")
        ]
        ports = [port["hostPort"] for pod in pods for container in pod["containers"] for port in container.get("ports", ())]
        assert len(ports) == len(set(ports))
        assert len(gpus) >= 5
