"""Fixing twice is fixing once: an edit that another one makes room for is made in the same run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import program

DAEMONSET = """apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: d, namespace: ns}}
spec:
  selector: {{matchLabels: {{a: b}}}}
  template:
    metadata: {{labels: {{a: b}}}}
    spec:
      containers: [{{name: c, image: "c:1"}}]
      tolerations:
{}
"""
WILDCARD = "      - operator: Exists"
FORGOTTEN = "      - key: x\n        effect: {}"


@pytest.mark.parametrize(
    "tolerations",
    [
        [FORGOTTEN.format("PreferNoSchedule"), WILDCARD],
        [WILDCARD, FORGOTTEN.format("PreferNoSchedule")],
        [FORGOTTEN.format("NoSchedule"), WILDCARD],
        [WILDCARD],
        [FORGOTTEN.format("PreferNoSchedule")],
    ],
)
@pytest.mark.parametrize("effect", ["PreferNoSchedule", "NoSchedule", "NoExecute"])
def test_a_second_run_has_nothing_to_do(tolerations: list[str], effect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m").mkdir()
    Path("m/ds.yaml").write_text(DAEMONSET.format("\n".join(tolerations)), encoding="utf-8")
    nodes = [(0, "x", effect), (1, "y", "NoSchedule")]
    node = "{{apiVersion: v1, kind: Node, metadata: {{name: n{}}}, spec: {{taints: [{{key: {}, value: '5', effect: {}}}]}}}}\n"
    Path("m/nodes.yaml").write_text("---\n".join(node.format(*taint) for taint in nodes), encoding="utf-8")
    first = program("fix", "m", "--write")
    once = Path("m/ds.yaml").read_bytes()
    second = program("fix", "m", "--write")
    assert Path("m/ds.yaml").read_bytes() == once, first.out
    assert "fixed 1 DaemonSet" not in second.out
