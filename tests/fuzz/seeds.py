"""Valid inputs of every kind, as cases."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import yaml

from tests.fuzz.cases import KUBECONFIG, Case
from tests.load.live.kubeconfigs.cases import CASES
from tests.rules import casefile
from tests.safety.clusters import draw_cluster
from tests.safety.corpus import NODES
from tests.safety.generated import KINDS
from tests.safety.record import list_runs
from tests.safety.runs import Run

TESTS = Path(__file__).parents[1]
POLICIES = TESTS.parent / "policies"


@cache
def list_seeds() -> tuple[Case, ...]:
    """All seeds, in order."""
    runs = (run for source in ("examples", "cases", "generated", "own") for run in list_runs(source))
    found = (*(_make_case(run) for run in runs), *_kubectl_lines(), *_operator_cases(), *_policies(), *_kubeconfigs())
    return tuple(case for case in found if case.size < 100_000)


def _make_case(run: Run) -> Case:
    if run.case is None:
        return Case({name: text.encode() for name, text in run.files.items()}, run.lines)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        line = (*casefile.prepare(run.case), "-o", "json")
        return Case({path.as_posix(): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}, [line])


def _kubectl_lines() -> Iterator[Case]:
    """Command lines that kubectl accepts or refuses, on a few nodes."""
    for row in (TESTS / "cluster/lines.txt").read_text().splitlines():
        if row and not row.startswith("#"):
            yield Case({"nodes.yaml": NODES.replace("plain-1", "n1").encode()}, [(*shlex.split(row), "--from", "nodes.yaml", "-o", "json")])


def _operator_cases() -> Iterator[Case]:
    for path in sorted((TESTS / "operators/cases").glob("*.yaml")):
        for case in yaml.safe_load(path.read_text()):
            files = {"resource.yaml": str(case["resource"]).encode(), "nodes.yaml": NODES.encode()}
            taint = str(case.get("taint", "a=b:NoSchedule"))
            yield Case(files, [("taint", "nodes", "--all", taint, "--from", "resource.yaml", "--from", "nodes.yaml", "-o", "json")])
            yield Case(files, [("lint", "resource.yaml", "--from", "nodes.yaml", "-o", "json")])


def _policies() -> Iterator[Case]:
    """Policies over manifests with errors."""
    folder = TESTS.parent / "examples/policy"
    manifests = {f"manifests/{path.name}": path.read_bytes() for path in sorted((folder / "manifests").glob("*.yaml"))}
    for path in (*sorted(POLICIES.glob("*.yaml")), folder / ".preflight.yaml"):
        files = {**manifests, "policy.yaml": path.read_bytes()}
        yield Case(files, [("lint", "manifests", "--policy", "policy.yaml", "-o", "json")])
        yield Case(files, [("policy", "show", "policy.yaml")])
        yield Case(files, [("policy", "check", "policy.yaml")])


def _kubeconfigs() -> Iterator[Case]:
    for case in CASES.values():
        if case.kubeconfig:
            files = {name: text.replace("@FOLDER@/", "").encode() for name, text in case.files.items() if not name.endswith(".sh")}
            yield Case(files, [(KUBECONFIG, case.kubeconfig.replace("@FOLDER@/", ""))])


def draw_world(seed: str) -> Case:
    """A random cluster, and a question that it has an answer to."""
    random = Random(seed)
    cluster = draw_cluster(random, listed=random.random() < 0.5)
    while True:
        question = KINDS[random.choice(list(KINDS))](random, cluster)
        if question is not None:
            files = question.files if question.alone else {**cluster.files(), **question.files}
            return Case({name: text.encode() for name, text in files.items()}, question.lines)
