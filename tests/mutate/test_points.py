"""Which mutants there are, and that they get into the functions of a process."""

from __future__ import annotations

import ast
import os
from enum import Enum

import pytest

from preflight.scheduling.tolerations import tolerates
from tests.mutate.__main__ import EQUIVALENT, get_key, read_equivalent
from tests.mutate.install import import_all, index_program, install, list_mutants
from tests.mutate.points import find_points


class Color(Enum):
    RED = "red"
    GREEN = "green"


@pytest.mark.parametrize(
    ("function", "mutants"),
    [
        pytest.param("def f(): ...", [], id="nothing to change"),
        pytest.param("def f(a: int = 1) -> None: pass", [], id="no default, no annotation"),
        pytest.param("def f(a, b):\n return a < b", ["return None", "return a <= b"], id="a comparison and what is returned"),
        pytest.param("def f(a) -> bool:\n return not a", ["return True", "return False", "return a"], id="a predicate returns either"),
        pytest.param("def f(a) -> list[int]:\n return a", ["return []"], id="a list is empty"),
        pytest.param("def f(a, b):\n if a and b: pass", ["if a or b:"], id="and, without the body"),
        pytest.param("def f(a):\n a += 3", ["pass", "a += 4", "a += 2"], id="a constant, and the statement"),
        pytest.param("def f(a, b):\n g(a, b, c=b)", ["pass", "g(b, a, c=b)"], id="arguments are swapped"),
        pytest.param("def f(a):\n g(a, a)", ["pass"], id="the same arguments are not"),
        pytest.param("def f(a):\n x = a is Color.RED", ["x = a is not Color.RED", "x = a is Color.GREEN"], id="a member of an enum"),
        pytest.param("def f(a):\n x = any(a)", ["x = all(a)"], id="any"),
        pytest.param("def f(a):\n yield a", ["yield from ()"], id="a generator stays one"),
        pytest.param("def f(a):\n for x in a: continue", ["break"], id="continue"),
        pytest.param("def f(a):\n def g():\n  return a == 'b'", ["return None", "return a != 'b'"], id="in a function inside"),
        pytest.param("class C:\n def f(self): return True", ["return False"], id="in a method"),
    ],
)
def test_a_function_has_these_mutants(function: str, mutants: list[str]) -> None:
    assert [point.unparse()[1] for point in find_points(ast.parse(function), {"Color": Color})] == mutants


def test_a_mutant_replaces_the_function_wherever_it_was_imported() -> None:
    """In a process of its own, since nothing puts the function back."""
    import_all()
    path = "preflight/scheduling/tolerations.py"
    mutant = next(mutant for mutant in list_mutants("scheduling") if (mutant.path, mutant.function) == (path, "tolerates"))
    program = index_program()
    before = tolerates.__code__
    child = os.fork()
    if child == 0:
        install(mutant, program)
        os._exit(0 if tolerates.__code__ != before else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert tolerates.__code__ == before


def test_every_equivalent_mutant_is_one_of_today() -> None:
    import_all()
    packages = {key[0].split("/")[1] for key in read_equivalent()}
    known = {get_key(mutant) for package in packages for mutant in list_mutants(package)}
    assert read_equivalent() - known == set(), f"delete these from {EQUIVALENT.name}"
