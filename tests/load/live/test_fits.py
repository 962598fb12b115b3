"""A live cluster is asked for all pods where a new pod may want what others hold, and not where it cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import Object, make_node, make_object, make_pod
from tests.cli.program import program
from tests.load.live.api_server import ApiServer, Asked, serving, status
from tests.load.live.listed_objects import daemonset, pod

AGENT = daemonset("ops", "agent")
HOLDER = make_pod("web", "shop", node="n1", containers=[{"name": "c", "ports": [{"containerPort": 1, "hostPort": 9100}]}])
CLUSTER = [
    make_node("n1", allocatable={"cpu": "2", "memory": "1Gi", "ephemeral-storage": "1Gi", "pods": "9"}),
    make_object("Namespace", "ops"),
    AGENT,
    pod(AGENT, "n1"),
    HOLDER,
]


def container(**more: Any) -> Object:
    return {"name": "main", "image": "example.com/agent:2", **more}


def apply(manifest: Object, folder: Path, fault: Any = None) -> tuple[list[str], dict[str, str], int]:
    (folder / "new.json").write_text(json.dumps(manifest))
    server = ApiServer(CLUSTER, fault)
    with serving(server, folder) as config:
        result = program("apply", "-f", str(folder / "new.json"), "-o", "json", "--kubeconfig", str(config))
    assert result.err == ""
    rows = {row["daemonset"]: row["outcome"] for row in json.loads(result.out)["coverage"]}
    return [question for question in server.questions() if question.startswith("pods")], rows, result.code


NEW = daemonset("ops", "new")
NEW["spec"]["template"]["spec"]["containers"] = [container(ports=[{"containerPort": 9100, "hostPort": 9100}])]
MORE = daemonset("ops", "agent")
MORE["spec"]["template"]["spec"]["containers"] = [container(ports=[{"containerPort": 9100, "hostPort": 9100}])]
IMAGE = daemonset("ops", "agent", image="example.com/agent:2")


@pytest.mark.parametrize(
    ("manifest", "asks", "outcomes", "code"),
    [
        pytest.param(NEW, True, {"ops/new": "missing"}, 1, id="a new DaemonSet"),
        pytest.param(MORE, True, {"ops/agent": "lost-now"}, 1, id="an update that asks for more"),
        pytest.param(IMAGE, False, {"ops/agent": "kept"}, 0, id="an update that asks for the same"),
    ],
)
def test_all_pods_are_asked_for_where_they_decide(
    manifest: Object, asks: bool, outcomes: dict[str, str], code: int, tmp_path: Path
) -> None:
    asked, rows, exit_code = apply(manifest, tmp_path)
    assert ("pods" in asked) is asks
    assert (rows, exit_code) == (outcomes, code)


def test_without_the_right_to_list_all_pods_the_answer_is_that_of_those_known(tmp_path: Path) -> None:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        return status(403, "forbidden") if str(asked) == "pods" else None

    asked, rows, exit_code = apply(MORE, tmp_path, fault)
    assert "pods" in asked
    assert (rows, exit_code) == ({"ops/agent": "kept"}, 0)
