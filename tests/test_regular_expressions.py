"""Every regular expression of the program takes time in proportion to its input: each is measured on text that is to provoke it.

An expression is found by what the modules hold and, where a function has it, by the syntax tree. What is repeated is made of its own
parts: characters that its sets take, pairs of them, and its words, each with and without what it asks for before.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import re
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from tests.paths import ROOT

constants: Any = importlib.import_module("re._constants")
parser: Any = importlib.import_module("re._parser")

LIMITS = ((22, 0.02), (40, 0.02), (400, 0.02), (4_000, 0.05))
"""Lengths of texts, and the processor time that each may take: a tenth of what a quadratic expression takes for the longer one, and a
hundred times what a linear one does. A cubic or exponential one shows in the shorter ones."""

METHODS = frozenset(("match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"))


class Expression(NamedTuple):
    """An expression and how the program uses it; methods that cannot be told from its name are all."""

    pattern: re.Pattern[Any]
    methods: frozenset[str]


def collect_expressions() -> dict[str, Expression]:
    """Each pattern by its text and its methods: those that modules hold, and those that are written as a constant."""
    found = [expression for tree in TREES.values() for expression in iter_written(tree)]
    used: dict[str, set[str]] = {}
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in METHODS:
                owner = module if node.value.id.startswith("_") else ""
                used.setdefault(f"{owner} {node.value.id}", set()).add(node.attr)
    for module in TREES:
        for name, value in vars(importlib.import_module(module)).items():
            methods = frozenset(used.get(f"{module if name.startswith('_') else ''} {name}", METHODS))
            found += [Expression(pattern, methods) for pattern in iter_held(value)]
    return {f"{pattern.pattern!r} {'/'.join(sorted(methods))}": Expression(pattern, methods) for pattern, methods in found}


def iter_held(value: object) -> Iterator[re.Pattern[Any]]:
    """The patterns that a variable of a module holds."""
    if isinstance(value, re.Pattern):
        yield value
    elif type(value) in (dict, list, tuple, set, frozenset):
        inner: Any = value
        for held in inner.values() if isinstance(value, dict) else inner:
            yield from iter_held(held)


def iter_written(tree: ast.AST) -> Iterator[Expression]:
    """The patterns that are constants of a call: `re.sub("a+", ...)`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            is_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
            if is_re and isinstance(node.args[0], ast.Constant):
                yield Expression(re.compile(node.args[0].value), frozenset((node.func.attr,)))


def iter_characters(items: Any) -> Iterator[str]:
    """A character for each part of an expression, and one that a negated set takes."""
    for operation, argument in items:
        match operation:
            case constants.LITERAL:
                yield chr(argument)
            case constants.NOT_LITERAL | constants.ANY:
                yield "~"
            case constants.IN:
                yield from iter_set(argument)
            case constants.BRANCH:
                for branch in argument[1]:
                    yield from iter_characters(branch)
            case constants.SUBPATTERN:
                yield from iter_characters(argument[-1])
            case constants.MAX_REPEAT | constants.MIN_REPEAT | constants.POSSESSIVE_REPEAT:
                yield from iter_characters(argument[2])
            case constants.ASSERT | constants.ASSERT_NOT:
                yield from iter_characters(argument[1])
            case constants.ATOMIC_GROUP:
                yield from iter_characters(argument)


def iter_set(parts: Any) -> Iterator[str]:
    classes = {
        constants.CATEGORY_DIGIT: "7",
        constants.CATEGORY_SPACE: " ",
        constants.CATEGORY_WORD: "w",
        constants.CATEGORY_NOT_SPACE: "~",
        constants.CATEGORY_NOT_WORD: "~",
        constants.CATEGORY_NOT_DIGIT: "~",
    }
    for operation, argument in parts:
        match operation:
            case constants.LITERAL:
                yield chr(argument)
            case constants.RANGE:
                yield chr(argument[0])
            case constants.NEGATE:
                yield "~"
            case constants.CATEGORY:
                yield classes[argument]


def iter_words(items: Any) -> Iterator[str]:
    """The parts of an expression as texts that they take, each repetition once."""
    for operation, argument in items:
        if operation in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
            yield sample(argument[2])
            yield from iter_words(argument[2])
        elif operation is constants.SUBPATTERN:
            yield sample(argument[-1])
            yield from iter_words(argument[-1])
        elif operation is constants.BRANCH:
            for branch in argument[1]:
                yield sample(branch)
                yield from iter_words(branch)


def sample(items: Any) -> str:
    """A text that an expression takes, roughly: what is repeated is there as often as it has to be, and once at least."""
    parts = []
    for operation, argument in items:
        match operation:
            case constants.SUBPATTERN:
                parts.append(sample(argument[-1]))
            case constants.BRANCH:
                parts.append(sample(argument[1][0]))
            case constants.MAX_REPEAT | constants.MIN_REPEAT | constants.POSSESSIVE_REPEAT:
                parts.append(sample(argument[2]) * max(1, min(argument[0], 3)))
            case constants.ATOMIC_GROUP:
                parts.append(sample(argument))
            case constants.ASSERT | constants.ASSERT_NOT | constants.AT | constants.GROUPREF:
                pass
            case _:
                parts.append(next(iter_characters([(operation, argument)]), ""))
    return "".join(parts)


def iter_attacks(pattern: re.Pattern[Any]) -> Iterator[tuple[str, str]]:
    """Beginnings, and what is repeated after each."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(text, pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags)
    characters = list(dict.fromkeys(("a", " ", *iter_characters(tree))))
    characters = [*characters[:14], *(["\n"] if "\n" not in characters[:14] else [])]
    words = [word for word in dict.fromkeys(iter_words(tree)) if 1 < len(word) < 40][:12]
    pumps = [*characters, *words, *map("".join, itertools.permutations(characters[:6], 2))]
    whole = sample(tree)
    starts = dict.fromkeys(("", whole, whole[: len(whole) // 2], *(whole[:length] for length in (1, 2, 3))))
    yield from ((start, pump) for pump in pumps for start in starts)


def measure(expression: Expression, text: str) -> float:
    """The processor time that the methods take for a text."""
    pattern = expression.pattern
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode("utf-8", "replace")
    began = time.process_time()
    if expression.methods - {"match", "fullmatch"}:
        for _ in pattern.finditer(subject):
            pass
    else:
        pattern.match(subject)
    if "fullmatch" in expression.methods:
        pattern.fullmatch(subject)
    return time.process_time() - began


def find_slow(expression: Expression) -> str:
    """What makes an expression slow, "" for nothing; a text that was slow twice in a row is."""
    attacks = list(iter_attacks(expression.pattern))
    for length, limit in LIMITS:
        for start, pump in attacks:
            count = length // len(pump) + 1
            text = start + pump * count + "\x00"
            if measure(expression, text) > limit and measure(expression, text) > limit:
                return f"{start!r} and {count} times {pump!r}"
    return ""


TREES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "preflight").rglob("*.py"))
    if path.name != "__main__.py"
}
EXPRESSIONS = collect_expressions()


def test_the_expressions_are_found() -> None:
    written = sum(path.read_text(encoding="utf-8").count("re.compile(") for path in (ROOT / "preflight").rglob("*.py"))
    assert len({expression.pattern for expression in EXPRESSIONS.values()}) >= written


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_it_takes_linear_time(name: str) -> None:
    assert not find_slow(EXPRESSIONS[name])


@pytest.mark.parametrize("text", [r"(a+)+b", r"a*a*b", "(?:[a-z]+-)*[a-z]+:"])
def test_a_slow_expression_is_noticed(text: str) -> None:
    assert find_slow(Expression(re.compile(text), METHODS))


@pytest.mark.parametrize("text", [r"[a-z]+", "(?:[a-z]++-)*+:", r"\d{1,9}x", "#.*\n", "a(?=b)"])
def test_a_linear_expression_is_none(text: str) -> None:
    assert not find_slow(Expression(re.compile(text), METHODS))
