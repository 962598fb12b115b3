"""A mutant in the running process: the code objects of its functions are replaced, wherever the functions are referred to."""

from __future__ import annotations

import ast
import functools
import gc
import importlib
import pkgutil
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

import preflight
from tests.mutate.points import find_points

ROOT = Path(preflight.__file__).parents[1]


class Mutant(NamedTuple):
    """A change: its module, its number among the changes there, and its texts."""

    module: str
    number: int
    path: str
    function: str
    lines: range
    before: str
    after: str


def import_all() -> None:
    """Import every module of the program, and the libraries that it imports late."""
    for found in pkgutil.walk_packages(preflight.__path__, "preflight."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    for name in ("jsonschema", "ruamel.yaml", "jinja2", "tree_sitter_bash"):
        importlib.import_module(name)


def list_mutants(package: str) -> Iterator[Mutant]:
    """All mutants of a package, in order."""
    for name in sorted(module for module in sys.modules if module.startswith(f"preflight.{package}.")):
        path = _path(name)
        for number, point in enumerate(find_points(ast.parse(_read(path)), vars(sys.modules[name]))):
            yield Mutant(name, number, str(path.relative_to(ROOT)), point.function, point.lines, *point.unparse())


@functools.cache
def _read(path: Path) -> str:
    """The source as it was when this process read it first: an edit during a run changes nothing."""
    return path.read_text(encoding="utf-8")


def _path(name: str) -> Path:
    return Path(str(sys.modules[name].__file__))


class Program(NamedTuple):
    """The functions of the program by their file, and those that remember their results."""

    functions: dict[str, list[FunctionType]]
    caches: list[functools._lru_cache_wrapper[object]]


def index_program() -> Program:
    """Everything that `install` needs; before `gc.freeze`, which hides it."""
    found = Program(defaultdict(list), [])
    for value in gc.get_objects():
        if type(value) is FunctionType and value.__code__.co_filename.startswith(str(ROOT / "preflight")):
            found.functions[value.__code__.co_filename].append(value)
        elif isinstance(value, functools._lru_cache_wrapper) and (value.__module__ or "").startswith("preflight."):
            found.caches.append(value)
    return found


def install(mutant: Mutant, program: Program) -> None:
    """Change the functions of this process; what they remember is forgotten."""
    path = _path(mutant.module)
    tree = ast.parse(_read(path))
    points = find_points(tree, vars(sys.modules[mutant.module]))
    next(point for number, point in enumerate(points) if number == mutant.number).apply()
    codes = dict(_find_codes(compile(tree, str(path), "exec", dont_inherit=True)))
    for function in program.functions[str(path)]:
        code = codes.get((function.__code__.co_qualname, function.__code__.co_firstlineno))
        if code is not None and code != function.__code__:
            function.__code__ = code
    for cached in program.caches:
        cached.cache_clear()


def _find_codes(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield (constant.co_qualname, constant.co_firstlineno), constant
            yield from _find_codes(constant)
