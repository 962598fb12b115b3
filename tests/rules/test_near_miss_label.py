"""Where a note explains why a toleration nearly tolerates the taint, nothing says that none does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import make_daemonset, make_node, write_manifest
from tests.cli.program import program

NEAR_MISSES = {
    "no value": ({"key": "dedicated", "effect": "NoSchedule"}, "value"),
    "another value": ({"key": "dedicated", "operator": "Equal", "value": "gpu", "effect": "NoSchedule"}, "gpu"),
    "another effect": ({"key": "dedicated", "operator": "Exists", "effect": "NoExecute"}, "NoExecute"),
    "another case": ({"key": "Dedicated", "operator": "Exists", "effect": "NoSchedule"}, "Dedicated"),
}


def _taint(path: Path, *tolerations: dict[str, str]) -> str:
    manifest = write_manifest(make_node("n1"), make_daemonset("agent", "a", *tolerations))
    (path / "world.yaml").write_text(manifest, encoding="utf-8")
    return program("taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--from", str(path / "world.yaml"), "--no-policy").out


@pytest.mark.parametrize(("toleration", "word"), NEAR_MISSES.values(), ids=NEAR_MISSES)
def test_a_near_miss_stands_alone(toleration: dict[str, str], word: str, tmp_path: Path) -> None:
    out = _taint(tmp_path, toleration)
    assert "no toleration here matches" not in out
    assert any(word in line for line in out.splitlines() if line.strip().startswith("= note:"))


def test_without_a_near_miss_the_place_says_it(tmp_path: Path) -> None:
    assert _taint(tmp_path).count("no toleration here matches dedicated=rdma:NoSchedule") == 1
    assert "no toleration here matches" in _taint(tmp_path, {"key": "other", "operator": "Exists"})
