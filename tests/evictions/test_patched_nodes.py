"""A patch or a file that gives a node a taint with NoExecute evicts ordinary pods, as `kubectl taint` does; one that deletes it too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from preflight import Files, Session, analyze
from preflight.scheduling.node_health import OUT_OF_SERVICE
from tests.builders import make_node, make_pod, write_list

EVICTING = {"spec": {"taints": [{"key": "gone", "value": "yes", "effect": "NoExecute"}]}}
CLOSING = {"spec": {"taints": [{"key": "gone", "value": "yes", "effect": "NoSchedule"}]}}
ADDING = [{"op": "add", "path": "/spec/taints", "value": EVICTING["spec"]["taints"]}]


@pytest.mark.parametrize(
    ("command", "gone"),
    [
        pytest.param(["patch", "node", "n1", "-p", json.dumps(EVICTING)], ["shop/web"], id="strategic"),
        pytest.param(["patch", "node", "n1", "--type=merge", "-p", json.dumps(EVICTING)], ["shop/web"], id="merge"),
        pytest.param(["patch", "node", "n1", "--type=json", "-p", json.dumps(ADDING)], ["shop/web"], id="json"),
        pytest.param(["patch", "node", "n1", "--patch-file", "FILE"], ["shop/web"], id="from a file"),
        pytest.param(["patch", "node", "n1", "-p", json.dumps(CLOSING)], [], id="one that evicts nothing"),
        pytest.param(["patch", "node", "n1", "-p", '{"metadata": {"labels": {"a": "b"}}}'], [], id="labels"),
    ],
)
def test_ordinary_pods_go_by_a_patch(command: list[str], gone: list[str], tmp_path: Path) -> None:
    path, patch = tmp_path / "list.json", tmp_path / "patch.json"
    patch.write_text(json.dumps(EVICTING))
    path.write_text(write_list([make_node("n1"), make_node("n2"), make_pod("web", "shop", node="n1", ready="True")]))
    words = [str(patch) if word == "FILE" else word for word in command]
    (step,) = analyze(Session(Files((str(path),))), [words]).report.steps
    assert [pod.pod for node in (step.evictions.nodes if step.evictions else ()) for pod in node.pods] == gone


@pytest.mark.parametrize(
    ("command", "spec", "gone"),
    [
        pytest.param("apply -f", EVICTING, ["shop/web"], id="a taint that evicts"),
        pytest.param("apply -f", {"spec": {"taints": [{"key": OUT_OF_SERVICE, "effect": "NoSchedule"}]}}, [], id="out of service"),
        pytest.param("apply -f", CLOSING, [], id="a taint that evicts nothing"),
        pytest.param("apply -f", {}, [], id="none"),
        pytest.param("delete -f", {}, ["shop/web"], id="the node is deleted"),
    ],
)
@pytest.mark.parametrize("name", ["n1", "n2"])
def test_ordinary_pods_go_by_a_file(command: str, spec: dict[str, object], gone: list[str], name: str, tmp_path: Path) -> None:
    path, file = tmp_path / "list.json", tmp_path / "node.json"
    file.write_text(json.dumps({**make_node(name), **spec}))
    path.write_text(write_list([make_node("n1"), make_node("n2"), make_pod("web", "shop", node="n1", ready="True")]))
    (step,) = analyze(Session(Files((str(path),))), [[*command.split(), str(file)]]).report.steps
    assert [pod.pod for node in (step.evictions.nodes if step.evictions else ()) for pod in node.pods] == (gone if name == "n1" else [])
