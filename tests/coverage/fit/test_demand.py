"""Whether the pods that are there already have to be known to judge new ones: a new pod may ask for what the one before it had not."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.coverage.fit.demand import depends_on_other_pods
from preflight.model.apps import DaemonSet
from tests.builders import make_container
from tests.coverage.impacts import daemonset, node, run, world


def agent(port: int = 0, label: str = "", **requests: str) -> DaemonSet:
    ports = [{"containerPort": port, "hostPort": port}] if port else []
    spec: dict[str, Any] = {"nodeSelector": {"pool": label}} if label else {}
    return daemonset("d", containers=[make_container("c", "c:1", ports=ports, resources={"requests": requests})], **spec)


@pytest.mark.parametrize(
    ("before", "line", "after", "expected"),
    [
        pytest.param(agent(cpu="1"), "label nodes n1 color=red", None, False, id="no new pod"),
        pytest.param(agent(cpu="1"), "set image ds/d c=c:2 -n truth", None, False, id="another image, and the same requests"),
        pytest.param(agent(cpu="1", port=80), "rollout restart ds/d -n truth", None, False, id="the same port"),
        pytest.param(agent(cpu="2"), "apply -f new -n truth", agent(cpu="1"), False, id="it asks for less"),
        pytest.param(agent(cpu="1"), "apply -f new -n truth", agent(cpu="2"), True, id="it asks for more"),
        pytest.param(agent(cpu="1"), "apply -f new -n truth", agent(cpu="1", memory="1Gi"), True, id="it asks for something else"),
        pytest.param(agent(port=80), "apply -f new -n truth", agent(port=81), True, id="it wants another port"),
        pytest.param(agent(cpu="x"), "apply -f new -n truth", agent(cpu="1"), True, id="what the old one asks for cannot be read"),
        pytest.param(None, "apply -f new -n truth", agent(cpu="1"), True, id="a new DaemonSet"),
        pytest.param(agent(label="a", cpu="1"), "label nodes n1 pool=a", None, True, id="a node more"),
    ],
)
def test_new_pods_depend_on_other_pods(before: DaemonSet | None, line: str, after: DaemonSet | None, expected: bool) -> None:
    start = world([node("n1"), node("n2", pool="a")], [before] if before else [])
    (impact,) = run(start, line, read={"new": [after]})
    assert depends_on_other_pods(impact) is expected
