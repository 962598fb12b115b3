"""Manifests of public projects, read where they are: beside the repository, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight.load import load_world

MANIFESTS = Path(__file__).parents[3] / "shared" / "corpus" / "manifests"
PARTS = {"xpumanager.yaml"}  # a base for kustomize, which adds the selector


@pytest.mark.skipif(not MANIFESTS.is_dir(), reason="the corpus is not beside the repository")
def test_every_manifest_holds_daemonsets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(MANIFESTS)
    files = sorted(path.name for path in MANIFESTS.glob("*.yaml"))
    assert files
    found = {file: load_world([file], one_cluster=True) for file in files}
    assert {file for file, result in found.items() if not result.world.daemonsets} == PARTS
    assert [problem for result in found.values() for problem in result.problems] == []
    whole = load_world(["."], one_cluster=False)
    assert len(whole.world.workloads) == sum(len(result.world.workloads) for result in found.values())
    assert sorted(line.split(" is in ")[0] for line in whole.world.ambiguous_names) == [
        "DaemonSet kube-system/kube-multus-ds",
        "DaemonSet kube-system/node-problem-detector",
    ]
