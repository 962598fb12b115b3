"""The fuzzer notices what it is there to notice: each law is broken on purpose."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import yaml

from tests.cli.program import Result
from tests.fuzz import cases, laws, perform
from tests.fuzz.__main__ import make_case, make_world
from tests.fuzz.cases import Case, Fault, Line
from tests.fuzz.damage import damage
from tests.fuzz.laws import find_fault
from tests.fuzz.minimize import minimize
from tests.fuzz.seeds import list_seeds

NODES = b"""\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {pool: a}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {pool: b}}
"""
LINE = ("lint", "nodes.yaml", "-o", "json")
CASE = Case({"nodes.yaml": NODES}, [LINE])


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Line], Result]], None]:
    """The program answers as this function does."""
    return lambda function: monkeypatch.setattr(perform, "_call", function)


def test_a_sound_case_breaks_no_law() -> None:
    for law in laws.LAWS:
        assert find_fault(CASE._replace(law=law)) is None


@pytest.mark.parametrize(
    ("code", "out", "law"),
    [
        pytest.param(4, "", "exit code", id="a fault of the program"),
        pytest.param(0, "\x1b[31m", "characters", id="a control character"),
        pytest.param(0, "\u202e", "characters", id="a mark of direction"),
        pytest.param(0, "{", "format", id="JSON that is none"),
        pytest.param(0, '{"findings": []}', "format", id="JSON that is no report"),
        pytest.param(0, '{"x": NaN}', "format", id="a number that JSON has not"),
    ],
)
def test_an_answer_breaks_a_law(code: int, out: str, law: str, answer: Callable[[Callable[[Line], Result]], None]) -> None:
    answer(lambda _: Result(code, out, ""))
    fault = find_fault(CASE)
    assert fault is not None
    assert fault.law == law


def test_a_crash_is_told_by_its_place(answer: Callable[[Callable[[Line], Result]], None]) -> None:
    text = 'Traceback (most recent call last):\n  File "x/preflight/load/loader.py", line 5, in read\nKeyError: 3\n'
    answer(lambda _: Result(4, "", text))
    assert find_fault(CASE) == Fault("exit code", "preflight/load/loader.py:read KeyError", text)


def test_a_hang_and_a_slow_run_are_noticed(answer: Callable[[Callable[[Line], Result]], None], monkeypatch: pytest.MonkeyPatch) -> None:
    def work(_: Line) -> Result:
        end = time.process_time() + 0.3
        while time.process_time() < end:
            pass
        return Result(0, "", "")

    answer(work)
    monkeypatch.setattr(perform, "SECONDS", 0.1)
    assert (find_fault(CASE) or CASE).law == "time"
    monkeypatch.setattr(perform, "HANG", 0.05)
    assert (find_fault(CASE) or CASE).law == "ends"


def test_much_memory_is_noticed(answer: Callable[[Callable[[Line], Result]], None], monkeypatch: pytest.MonkeyPatch) -> None:
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("only Linux says how much memory a process had")
    monkeypatch.setattr(perform, "SLACK", 8 << 20)
    answer(lambda _: Result(len(b"x" * (64 << 20)) and 0, "", ""))
    assert (find_fault(CASE) or CASE).law == "memory"


def test_formats_that_disagree_are_noticed(answer: Callable[[Callable[[Line], Result]], None]) -> None:
    answer(lambda line: Result("json" in line, "", ""))
    assert (find_fault(CASE._replace(law="formats", seed="1")) or CASE).law == "one exit code"


def test_two_answers_are_noticed(answer: Callable[[Callable[[Line], Result]], None]) -> None:
    answers = iter(("a", "b"))
    answer(lambda _: Result(0, "", next(answers)))
    assert (find_fault(CASE._replace(law="repetition")) or CASE).law == "same bytes"


def test_an_order_that_matters_is_noticed(answer: Callable[[Callable[[Line], Result]], None]) -> None:
    answer(lambda _: Result(0 if Path("nodes.yaml").read_text().index("n1") < 80 else 1, "", ""))
    faults = [find_fault(CASE._replace(lines=[("doctor",)], law="order", seed=str(seed))) for seed in range(9)]
    assert {fault.law for fault in faults if fault} == {"order"}


def test_a_fix_that_goes_on_is_noticed(answer: Callable[[Callable[[Line], Result]], None]) -> None:
    def fix(_: Line) -> Result:
        with Path("nodes.yaml").open("a") as file:
            file.write("#")
        return Result(0, "", "")

    answer(fix)
    assert (find_fault(CASE._replace(lines=[("fix", "nodes.yaml", "--write")], law="fix")) or CASE).law == "fix twice"


def test_a_case_is_made_small(answer: Callable[[Callable[[Line], Result]], None]) -> None:
    """The program crashes wherever a second node is."""
    answer(lambda _: Result(4 if b"n2" in Path("nodes.yaml").read_bytes() else 0, "", ""))
    case = Case({"nodes.yaml": NODES, "other.yaml": NODES}, [LINE, ("lint", "--strict", "nodes.yaml")])
    small = minimize(case, Fault("exit code", "4", ""))
    assert yaml.safe_load(small.files["nodes.yaml"]) in ({"metadata": {"name": "n2"}}, ["n2"], "n2")
    assert sorted(small.files) == ["nodes.yaml"]
    assert small.lines == [("lint",)]


def test_a_saved_case_is_read_as_it_was(tmp_path: Path) -> None:
    case = Case({"a/b.yaml": b"\xff", "c": b""}, [LINE, ("fix", "\u202e")], "fix", "7")
    cases.save(case, Fault("law", "place", "detail"), tmp_path)
    assert cases.load(tmp_path) == case


def test_the_same_seed_draws_the_same_cases() -> None:
    assert [make_case(1, number) for number in range(20)] == [make_case(1, number) for number in range(20)]
    assert make_case(1, 0) != make_case(2, 0)
    assert make_world(1, 7) == make_world(1, 7)


def test_there_are_seeds_of_every_kind_and_damage_changes_most() -> None:
    verbs = {line[0] for case in list_seeds() for line in case.lines}
    assert {"lint", "plan", "fix", "apply", "taint", "drain", "doctor", "capacity", "diff", "verify", "policy", "@kubeconfig"} <= verbs
    random = Random(1)
    chosen = [random.choice(list_seeds()) for _ in range(100)]
    assert sum(damage(case, random) != case for case in chosen) > 80
