"""The rows of a report: how many nodes have a pod before, now and later, and how a DaemonSet tolerates each taint."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.engine.coverage_rows import build_coverage_rows, describe_tolerance
from preflight.model.core import PodSpec, Taint
from preflight.model.report import Coverage
from tests.builders import make_taint, read_object
from tests.coverage.impacts import daemonset, node, run, world

RDMA = {"key": "dedicated", "operator": "Exists"}
NODES = [node("n1", pool="a"), node("n2", pool="a"), node("n3", pool="b")]


def rows(line: str, *daemonsets: Any) -> list[Coverage]:
    (impact,) = run(world(NODES, daemonsets), line)
    return list(build_coverage_rows(impact))


def counts(row: Coverage) -> tuple[str, tuple[str, ...], int, int, int, int | None]:
    return row.outcome.value, row.nodes, row.before, row.now, row.recreated, row.replaced


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param("taint nodes n1 n2 a=b:NoSchedule", [("lost-on-recreation", ("n1", "n2"), 2, 2, 0, None)], id="a time bomb"),
        pytest.param("taint nodes n1 a=b:NoExecute", [("lost-now", ("n1",), 1, 0, 0, None)], id="lost now"),
        pytest.param("taint nodes n1 n2 dedicated=x:NoExecute", [("kept", ("n1", "n2"), 2, 2, 2, None)], id="tolerated"),
        pytest.param("reboot n1 n3", [("kept", ("n1", "n3"), 2, 2, 2, None)], id="rebooted"),
        pytest.param("drain n1 --ignore-daemonsets", [("kept", ("n1",), 1, 1, 1, 1)], id="drained, and replaced as it is"),
    ],
)
def test_a_row_counts_nodes(line: str, expected: list[tuple[str, tuple[str, ...], int, int, int, int | None]]) -> None:
    assert [counts(row) for row in rows(line, daemonset("agent", RDMA))] == expected


@pytest.mark.parametrize(
    ("tolerations", "taint", "expected"),
    [
        pytest.param([], "a=b:NoSchedule", ("no", False, None), id="not"),
        pytest.param([{"key": "a", "value": "b"}], "a=b:NoSchedule", ("exact", True, None), id="exactly, with every effect"),
        pytest.param([{"key": "a", "value": "b", "effect": "NoSchedule"}], "a=b:NoSchedule", ("exact", False, None), id="exactly"),
        pytest.param([{"key": "a", "operator": "Exists"}], "a=b:NoSchedule", ("key", True, None), id="by the key"),
        pytest.param([{"operator": "Exists", "effect": "NoSchedule"}], "a=b:NoSchedule", ("effect", False, None), id="by the effect"),
        pytest.param([{"operator": "Exists"}], "a=b:NoSchedule", ("everything", True, None), id="as everything"),
        pytest.param([], "node.kubernetes.io/unschedulable:NoSchedule", ("implicit", False, None), id="as every DaemonSet does"),
        pytest.param([{"key": "a", "operator": "Exists", "tolerationSeconds": 60}], "a:NoExecute", ("key", True, 60), id="for a minute"),
        pytest.param(
            [{"key": "a", "operator": "Exists", "tolerationSeconds": 60}],
            "a:NoSchedule",
            ("key", True, None),
            id="seconds count for NoExecute only",
        ),
        pytest.param([{"key": "a", "operator": "Gt", "value": "5"}], "a=6:NoSchedule", ("unknown", False, None), id="by a gate"),
        pytest.param(
            [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}, {"operator": "Exists"}],
            "a:NoExecute",
            ("key", False, 5),
            id="by the first in the list",
        ),
    ],
)
def test_a_taint_is_tolerated(tolerations: list[dict[str, Any]], taint: str, expected: tuple[str, bool, int | None]) -> None:
    spec = read_object({"tolerations": tolerations, "containers": []}, PodSpec)
    (found,) = describe_tolerance(spec, [read_object(make_taint(taint), Taint)], None)
    assert (found.how, found.anyEffect, found.seconds) == expected
