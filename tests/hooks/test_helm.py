"""A chart of our own, rendered by a real helm and piped into preflight: what the jobs under `examples/ci` do."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import Result, program
from tests.paths import ROOT
from tests.shared import locked

MODULE = Path(__file__).parent / "helm"
PROGRAM = "helm.sh/helm/v3/cmd/helm"
NODES = ROOT / "examples" / "rdma-incident" / "cluster" / "nodes.yaml"
TAINT = ("taint", "nodes", "-l", "pool=rdma", "dedicated=rdma:NoSchedule")


@pytest.fixture(scope="module")
def helm() -> Path:
    """Helm, built once for each state of go.sum where PREFLIGHT_NEEDS_HELM asks for it: the first time takes minutes."""
    known = hashlib.sha256((MODULE / "go.sum").read_bytes()).hexdigest()[:16]
    built = ROOT / "build" / f"helm-{known}"
    built.parent.mkdir(exist_ok=True)
    with locked(built.with_suffix(".lock")):
        if not built.exists():
            if not os.environ.get("PREFLIGHT_NEEDS_HELM"):
                pytest.skip("no helm: PREFLIGHT_NEEDS_HELM=1 builds it, which needs Go and takes minutes")
            build(built)
    return built


def build(file: Path) -> None:
    """Without optimization and debug information, which takes two thirds of the time."""
    new = file.with_suffix(".new")
    made = subprocess.run(
        ["go", "build", "-mod=readonly", "-trimpath", "-gcflags=all=-N -l -dwarf=false", "-ldflags=-s -w", "-o", new, PROGRAM],
        cwd=MODULE,
        env={**os.environ, "CGO_ENABLED": "0", "GOGC": "400"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    new.rename(file)


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")
    for folder in ("CACHE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"HELM_{folder}_HOME", str(tmp_path / folder))


def rendered(helm: Path, *settings: str) -> bytes:
    command = [str(helm), "template", "logs", "examples/chart", "--namespace", "logging", *settings]
    return subprocess.run(command, capture_output=True, check=True).stdout


def lines(result: Result) -> list[str]:
    """What is said, without the source lines."""
    return [line for line in result.out.splitlines() if line.startswith(("error", "warning", "  -->", "   = note"))]


def test_lint_names_the_template_that_it_was_rendered_from(helm: Path) -> None:
    result = program("lint", "-", "--no-policy", "--fail-on", "warning", stdin=rendered(helm))
    assert result.code == 1
    assert lines(result) == [
        "warning[PF201] tolerates-everything: logging/logs tolerates every taint, including NoExecute without a time limit",
        "  --> -:24:11",
        "   = note: rendered from log-agent/templates/daemonset.yaml",
        "  --> -:19:5",
        "   = note: rendered from log-agent/templates/daemonset.yaml",
    ]


def test_a_taint_is_judged_over_what_helm_rendered(helm: Path) -> None:
    change = [*TAINT, "--no-policy", "--from", "-", "--from", str(NODES.relative_to(ROOT))]
    assert program(*change, stdin=rendered(helm)).code == 0
    lost = program(*change, stdin=rendered(helm, "--set", "tolerations=null"))
    assert lost.code == 1
    assert "   = note: rendered from log-agent/templates/daemonset.yaml" in lines(lost)


def test_values_that_tolerate_what_the_pools_have_pass(helm: Path) -> None:
    exact = '[{"key": "dedicated", "operator": "Equal", "value": "rdma", "effect": "NoSchedule"}]'
    result = program("lint", "-", "--no-policy", "--fail-on", "warning", stdin=rendered(helm, "--set-json", f"tolerations={exact}"))
    assert (result.code, lines(result)) == (0, [])


def test_the_templates_themselves_are_left_out() -> None:
    result = program("lint", "examples/chart", "--no-policy", "--allow-empty")
    assert result.code == 0
    assert "1 file of the chart examples/chart (unrendered chart template: render it first:" in result.out


def test_the_hint_for_a_template_is_a_command_that_works(helm: Path) -> None:
    hint = program("lint", "examples/chart/templates/daemonset.yaml", "--no-policy").err
    found = re.search(r"render it first: (helm template \S+) \| preflight (lint -) ", hint)
    assert found is not None, hint
    words = found[1].split()
    output = subprocess.run([str(helm), *words[1:]], capture_output=True, check=True).stdout
    assert words == ["helm", "template", "examples/chart"]
    assert program(*found[2].split(), "--no-policy", stdin=output).code == 0
