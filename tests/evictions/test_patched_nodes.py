"""A patch that gives a node a taint with NoExecute evicts ordinary pods, as `kubectl taint` does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from preflight import Files, Session, analyze
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
