"""No code reads a fact out of a sentence: by the syntax tree, no text of a finding is compared, searched or split."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.paths import ROOT

TEXT_NAMES = frozenset(
    ("message", "messages", "reason", "reasons", "sentence", "sentences", "note", "notes", "headline", "cause", "causes")
)
"""What variables and fields are called that hold sentences."""
STRING_METHODS = frozenset(
    ("startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "split", "rsplit", "splitlines", "find", "index")
)
PATTERN_METHODS = frozenset(("match", "search", "fullmatch", "sub", "split", "findall", "finditer"))

INPUT_OWNERS = frozenset(("event", "condition", "waiting", "terminated", "status"))
"""Objects of the Kubernetes API: their `reason` is one word of the API, their `message` the text of a controller."""
INPUT_FILES = frozenset(
    (
        # messages of the scheduler, the API server and webhooks in events and conditions, which no field says in another way
        "doctor/cluster_messages.py",
        # messages of container runtimes in events, likewise
        "model/image_platforms.py",
    )
)
"""Files that match messages of others with patterns, on purpose; nothing else may be done with sentences there."""


def get_terminal_name(node: ast.expr) -> str:
    """`reason` of `reason`, `group.reason`, `reasons[0]` and `", ".join(reasons)`; "" for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return get_terminal_name(node.value)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "join" and node.args:
            return get_terminal_name(node.args[0])
        if node.func.attr in ("lower", "strip", "casefold", "upper"):
            return get_terminal_name(node.func.value)
    return ""


def is_text(node: ast.expr) -> bool:
    """Whether it is called as what holds sentences, and is none of the API."""
    return get_terminal_name(node) in TEXT_NAMES and not is_input(node)


def is_input(node: ast.expr) -> bool:
    """Whether it is a field of an object of the API."""
    owner = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(owner, ast.Name | ast.Attribute) and get_terminal_name(owner) in INPUT_OWNERS


def is_sentence_part(node: ast.expr) -> bool:
    """A literal of letters, or a formatted text."""
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != "")


def find_comparisons(source: str) -> Iterator[ast.expr]:
    """The expressions that compare, search or split a text."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            if any(map(is_text, operands)) and any(map(is_sentence_part, operands)):
                yield node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_split_at_spaces = node.func.attr == "split" and not node.args
            is_string_method = node.func.attr in STRING_METHODS and is_text(node.func.value) and not is_split_at_spaces
            if is_string_method or (node.func.attr in PATTERN_METHODS and any(map(is_text, node.args))):
                yield node


def is_pattern(node: ast.expr) -> bool:
    """Whether it is a call of a regular expression."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in PATTERN_METHODS


def list_comparisons() -> Iterator[tuple[str, ast.expr]]:
    """The file and the expression of each under `preflight/`."""
    package = ROOT / "preflight"
    for path in sorted(package.rglob("*.py")):
        for node in find_comparisons(path.read_text(encoding="utf-8")):
            yield path.relative_to(package).as_posix(), node


def test_no_fact_is_read_from_a_sentence() -> None:
    found = [f"{file}: {ast.unparse(node)}" for file, node in list_comparisons() if not (file in INPUT_FILES and is_pattern(node))]
    assert found == []


def test_what_is_allowed_exists() -> None:
    assert {file for file, node in list_comparisons() if is_pattern(node)} >= INPUT_FILES


FOUND = (
    '"stays Pending" in reason',
    'sentence.startswith(f"Node {name} is in ")',
    'group.reasons[0].removeprefix("x")',
    'message.partition(": ")[2]',
    '"a" in ", ".join(reasons)',
    'finding.message == "loses a node"',
    'miss.reason != "value"',
    'reason.lower().endswith("x")',
    'PATTERN.sub("", hit.message)',
    're.search("x", message)',
)
NOT_FOUND = (
    "reason in REASONS",
    'condition.reason == "SyncFailed"',
    'pod.status.message.partition(": ")',
    '" ".join(message.split())',
    'reason == ""',
    "reason is Reason.TAINT",
    'text.startswith("# ")',
    'f"{message}."',
)


@pytest.mark.parametrize("source", FOUND)
def test_found(source: str) -> None:
    assert len(list(find_comparisons(source))) == 1


@pytest.mark.parametrize("source", NOT_FOUND)
def test_not_found(source: str) -> None:
    assert list(find_comparisons(source)) == []
