"""A session can be used again and by several threads; the engine prints nothing, ends nothing and inherits nothing."""

from __future__ import annotations

import ast
import gc
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from preflight import (
    Analysis,
    Files,
    FixRequest,
    InputError,
    Options,
    Session,
    Severity,
    Snapshot,
    UsageError,
    analyze,
    analyze_plan,
    diagnose_cluster,
    diff,
    lint,
    propose_fixes,
    read_plan_file,
    verify,
)
from preflight.report import FORMATS
from tests.paths import ROOT

EXAMPLE = ROOT / "examples" / "rdma-incident"
THURSDAY = Session(Snapshot(str(EXAMPLE / "thursday.json")))
TAINT = "kubectl taint nodes -l pool=rdma dedicated=rdma:NoSchedule"
ENGINE_LINES = 60

ASKS: dict[str, Callable[[Session], Analysis]] = {
    "analyze": lambda session: analyze(session, [TAINT]),
    "analyze again": lambda session: analyze(session, ["drain rdma-1 --ignore-daemonsets", ["uncordon", "rdma-1"]]),
    "plan": lambda session: analyze_plan(session, read_plan_file(str(EXAMPLE / "plan.yaml"))),
    "lint": lint,
    "diff": lambda session: diff(session, str(EXAMPLE / "cluster"), str(EXAMPLE / "fixed")),
    "verify": lambda _: verify(THURSDAY, str(EXAMPLE / "monday.json")),
    "diagnose_cluster": lambda _: diagnose_cluster(THURSDAY),
}


@pytest.fixture
def session() -> Session:
    return Session(Files((str(EXAMPLE / "cluster"),)))


def rendered(analysis: Analysis) -> dict[str, str]:
    """The answer in all formats."""
    return {name: form(analysis.report) for name, form in FORMATS.items()}


@pytest.mark.parametrize("name", ASKS)
def test_the_same_question_has_the_same_answer_twice_in_one_process(name: str, session: Session) -> None:
    first, second = ASKS[name](session), ASKS[name](session)
    assert rendered(first) == rendered(second)
    assert first.report.steps or name == "lint"
    assert (first.findings, first.exit_code) == (first.report.findings, first.report.exit)


def test_threads_that_ask_at_the_same_time_get_the_answers_of_one(session: Session) -> None:
    alone = {name: rendered(ask(session)) for name, ask in ASKS.items()}
    start = threading.Barrier(len(ASKS), timeout=60)

    def ask(name: str) -> dict[str, str]:
        start.wait()
        return rendered(ASKS[name](session))

    with ThreadPoolExecutor(len(ASKS)) as pool:
        for _ in range(3):
            assert dict(zip(ASKS, pool.map(ask, ASKS), strict=True)) == alone


def test_nothing_is_printed_and_the_process_is_left_as_it_was(session: Session, capfd: pytest.CaptureFixture[str]) -> None:
    for ask in ASKS.values():
        ask(session)
    propose_fixes(session, FixRequest(plan=read_plan_file(str(EXAMPLE / "plan.yaml"))))
    assert capfd.readouterr() == ("", "")
    assert gc.isenabled()


def test_fixes_are_proposed_and_nothing_is_written(session: Session) -> None:
    before = {path: path.read_bytes() for path in (EXAMPLE / "cluster").iterdir()}
    proposal = propose_fixes(session, FixRequest(plan=read_plan_file(str(EXAMPLE / "plan.yaml"))))
    assert sorted(Path(file).name for file in proposal.result.files) == sorted(path.name for path in (EXAMPLE / "fixed").iterdir())
    assert all(old == before[Path(file)] != new for file, (old, new) in proposal.result.files.items())
    assert (proposal.result.unfixed, proposal.problems) == ((), ())
    assert {path: path.read_bytes() for path in (EXAMPLE / "cluster").iterdir()} == before


def test_options_decide_what_fails(session: Session) -> None:
    assert lint(session).exit_code == 0
    assert lint(Session(session.input, Options(fail_on=Severity.NOTE))).exit_code == 1


def test_one_answer_is_as_typed_as_its_question(session: Session) -> None:
    analysis = analyze(session, [TAINT])
    assert [impact.change.headline for impact in analysis.impacts] == ["taint dedicated=rdma:NoSchedule on rdma-1, rdma-2"]
    assert analysis.inputs.world.daemonsets.keys() >= {group.key for group in analysis.impacts[0].groups}
    assert analysis.report.command == TAINT.removeprefix("kubectl ")
    assert (analysis.crashes, analysis.baseline, analysis.request_summary) == ((), None, "")


def test_errors_are_raised_and_end_no_process(session: Session) -> None:
    with pytest.raises(UsageError, match="step 1, `taint nodes`"):
        analyze(session, ["taint nodes"])
    with pytest.raises(InputError, match="the plan has no steps"):
        analyze(session, [])
    with pytest.raises(UsageError, match='nodes "nowhere" not found'):
        diagnose_cluster(session, "nowhere")


# How the engine is built.


def trees(*packages: str) -> list[tuple[str, ast.Module]]:
    """The modules of packages of preflight, parsed."""
    found = [path for package in packages for path in sorted((ROOT / "preflight" / package).rglob("*.py"))]
    return [(str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))) for path in found]


def test_no_class_of_the_engine_inherits_from_another_of_ours() -> None:
    classes = [node for _, tree in trees("engine", "fix") for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    bases = {base.id for node in classes for base in node.bases if isinstance(base, ast.Name)}
    assert bases & {node.name for node in classes} == set()


def test_no_function_is_longer_than_a_page() -> None:
    assert [
        (file, node.name)
        for file, tree in trees("engine", "cli", "fix")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and (node.end_lineno or 0) - node.lineno >= ENGINE_LINES
    ] == []


def test_only_the_command_line_ends_the_process_or_sets_its_collector() -> None:
    forbidden = {"sys.exit", "os._exit", "gc.disable", "gc.enable", "print", "input"}
    assert [
        (file, node.lineno, ast.unparse(node.func))
        for file, tree in trees("")
        if not file.startswith("preflight/cli/")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) in forbidden
    ] == []
