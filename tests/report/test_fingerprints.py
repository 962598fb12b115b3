"""When a finding is the same one in the next run."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.report import Location, Severity, Subject
from preflight.report.fingerprints import make_fingerprints
from tests.report.reports import finding

BASE: dict[str, Any] = {
    "message": "loses a, b when its pods are re-created: no",
    "nodes": ("a", "b"),
    "key": ("dedicated=rdma:NoSchedule",),
    "location": Location("x/a.yaml", 31, 7, "spec.tolerations[0]", "tolerations:"),
}
NODES = tuple("abcdef")

SAME: dict[str, dict[str, Any]] = {
    "nothing differs": {},
    "its lines move": {"location": Location("x/a.yaml", 99, 5, "spec.tolerations[3]", "- {}")},
    "the path is written another way": {"location": Location("./x//a.yaml")},
    "the severity, a label and notes differ": {"severity": Severity.NOTE, "label": "here", "notes": (("then", "x"),)},
    "it is exempted": {"exempted": "accepted"},
    "it is of another step": {"step": 2},
    "another node": {"message": "loses z when its pods are re-created: no", "nodes": ("z",)},
    "other words": {"message": "will not come back on a and b: another"},
    "so many nodes that they are not all named": {
        "message": "loses a, b, c and 3 more nodes when its pods are re-created: no",
        "nodes": NODES,
    },
}
OTHER: dict[str, dict[str, Any]] = {
    "another rule": {"rule": "PF101"},
    "another kind": {"subject": Subject("Deployment", "storage", "csi-rdma-node")},
    "another namespace": {"subject": Subject("DaemonSet", "", "csi-rdma-node")},
    "another name": {"subject": Subject("DaemonSet", "storage", "csi")},
    "another file": {"location": Location("y/a.yaml", 31, 7)},
    "no file": {"location": None},
    "another key": {"key": ("dedicated=rdma:NoExecute",)},
    "one more part of the key": {"key": ("dedicated=rdma:NoSchedule", "gpu:NoSchedule")},
    "no key": {"key": ()},
}


@pytest.mark.parametrize("fields", SAME.values(), ids=SAME)
def test_it_stays_though(fields: dict[str, Any]) -> None:
    assert make_fingerprints([finding(**(BASE | fields))]) == make_fingerprints([finding(**BASE)])


@pytest.mark.parametrize("fields", OTHER.values(), ids=OTHER)
def test_it_changes_with(fields: dict[str, Any]) -> None:
    assert make_fingerprints([finding(**(BASE | fields))]) != make_fingerprints([finding(**BASE)])


def test_findings_that_are_alike_are_numbered() -> None:
    one, other = make_fingerprints([finding(**BASE), finding(**BASE)])
    assert one != other
    assert make_fingerprints([finding(**BASE)]) == [one]


def test_the_fingerprint_of_one_finding_is_the_same_on_every_machine() -> None:
    assert make_fingerprints([finding(**BASE)]) == ["a0615d0aec839256464275e7ccb293ba"]
