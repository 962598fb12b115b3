"""What is read of the manifests of a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight.load import load_world
from tests.corpus import OWN, PUBLIC, files, needs_public

# Bases for kustomize, which adds the selector, and the DaemonSets that two files give with other content.
OWN_CASE = ({"security-agent-base.yaml"}, ["DaemonSet monitoring/node-metrics"])
PUBLIC_CASE = ({"xpumanager.yaml"}, ["DaemonSet kube-system/kube-multus-ds", "DaemonSet kube-system/node-problem-detector"])


@pytest.mark.parametrize(
    ("corpus", "parts", "twice"),
    [pytest.param(OWN, *OWN_CASE, id="own"), pytest.param(PUBLIC, *PUBLIC_CASE, id="public", marks=needs_public)],
)
def test_every_manifest_holds_daemonsets(corpus: Path, parts: set[str], twice: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(corpus / "manifests")
    names = [path.name for path in files(corpus, "manifests")]
    assert names
    found = {name: load_world([name], one_cluster=True) for name in names}
    assert {name for name, result in found.items() if not result.world.daemonsets} == parts
    assert [problem for result in found.values() for problem in result.problems] == []
    whole = load_world(["."], one_cluster=False)
    assert len(whole.world.workloads) == sum(len(result.world.workloads) for result in found.values())
    assert sorted(f"{ambiguity.kind} {ambiguity.key}" for ambiguity in whole.world.ambiguities) == twice
