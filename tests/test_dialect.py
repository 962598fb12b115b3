"""No word of the house dialect in what preflight prints and its pages say: plain technical English, as kubectl and its docs write it.

Checked are the strings of `messages/` and `cli/`, the docstrings of rules, the catalog of components, and the prose of README and docs.
Text in backquotes and code blocks is quoted and not checked. A word with a legitimate use in one file goes into `EXCEPTIONS`.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT

DIALECT = {
    r"nobody": "unknown, cannot be determined, not, none",
    r"anew": "again, new",
    r"for ever": "without a time limit, permanently, without end",
    r"mend(?:s|ed|ing)?": "fix",
    r"beside": "next to, in addition to",
    r"stands? (?:in|behind|beside|under|there|twice)": "is in, follows, is repeated",
    r"(?:is|are) gone": "was removed, is missing, no longer exists",
    r"told|said of|by (?:our|its) own account": "reported, according to preflight",
    r"taken for": "treated as",
    r"meant": "intended",
    r"of which nothing": "with no running container",
    r"who depends on": "dependent workloads",
    r"admission adds or refuses": "changes made by admission",
    r"nothing to judge|there to judge|is no fault": "nothing to check",
    r"pods? of (?:it|them)|a pod of a budget": "its pods, the pods covered by the PDB",
    r"takes? the room|rests that": "uses the capacity, fragmented capacity",
    r"ghosts?(?!-)": "stale allocation",
    r"held by another": "blocked by another scheduler or a queue quota",
    r"makes? no sense": "is invalid",
    r"cannot be (?:told|had)": "cannot be determined, cannot be read",
    r"which (?:ones? )?is chance": "unknown which",
    r"recognis\w+|utilis\w+|initialis\w+|analys(?:ed|es|ing)|colours?|neighbours?|behaviour": "American spelling",
}
"""Each word or phrase of the dialect, and what to write instead."""

OUTPUT_DIALECT = {
    r"judge(?:s|d)?": "check, treat as, assume",
    r"somebody|whoever": "name who",
}
"""Words that pages may use, and output and help may not."""

EXCEPTIONS: dict[str, tuple[str, ...]] = {
    "preflight/messages/help/object_verbs.py": ("are gone",),  # kubectl's own words for --wait
}
"""By file, the words that are legitimate there."""

PENDING: frozenset[str] = frozenset()
"""Files that are not rewritten yet. Must be empty."""


def _compile(words: dict[str, str]) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(rf"\b(?:{phrases})(?!\w)", re.IGNORECASE), better) for phrases, better in words.items()]


_PATTERNS = _compile(DIALECT)
_OUTPUT_PATTERNS = _compile(DIALECT | OUTPUT_DIALECT)
_QUOTED = re.compile(r"``.*?``|`[^`\n]*`")
_FENCE = re.compile(r"^( *)```.*?^\1```", re.DOTALL | re.MULTILINE)
_LINK_TARGET = re.compile(r"\]\([^)]*\)")


def iter_strings(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a Python file with their lines; of a rule its docstring only, of `cli/` no docstring but those of commands."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if "rules" in path.parts:
        yield 1, ast.get_docstring(tree) or ""
        return
    hidden = {id(node) for node in _iter_hidden_docstrings(tree)} if "cli" in path.parts else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in hidden:
            yield node.lineno, node.value


def _iter_hidden_docstrings(tree: ast.Module) -> Iterator[ast.expr]:
    """The docstrings that no `--help` shows: a command is a function with a decorator."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            first = node.body[0]
            if isinstance(first, ast.Expr) and not (isinstance(node, ast.FunctionDef) and node.decorator_list):
                yield first.value


def iter_texts(path: Path) -> Iterator[tuple[int, str]]:
    """What a file says, with lines."""
    if path.suffix == ".py":
        yield from iter_strings(path)
    elif path.suffix == ".json":
        for kind in json.loads(path.read_text(encoding="utf-8")):
            yield 1, " | ".join(kind[field] for field in ("title", "provides", "symptom"))
    else:
        text = _FENCE.sub(lambda block: "\n" * block.group().count("\n"), path.read_text(encoding="utf-8"))
        yield from enumerate((_LINK_TARGET.sub("]", line) for line in text.splitlines()), 1)


def find_dialect(path: Path) -> list[str]:
    """`12: nobody (write: ...): the text` for each word of the dialect in a file."""
    allowed = EXCEPTIONS.get(path.relative_to(ROOT).as_posix(), ())
    found = []
    for line, text in iter_texts(path):
        plain = _QUOTED.sub("", text)
        for pattern, better in _PATTERNS if path.suffix == ".md" else _OUTPUT_PATTERNS:
            found += [
                f"{line}: {hit.group()!r} (write: {better}): ...{plain[max(0, hit.start() - 40) : hit.end() + 40]!r}"
                for hit in pattern.finditer(plain)
                if hit.group().lower() not in allowed
            ]
    return found


def list_files() -> list[Path]:
    package = ROOT / "preflight"
    rules = [path for path in (package / "rules").glob("*/*.py") if not path.name.startswith("_")]
    return sorted(
        [
            *(package / "messages").rglob("*.py"),
            *(package / "cli").glob("*.py"),
            *rules,
            package / "components" / "kinds.json",
            *ROOT.glob("*.md"),
            *(ROOT / "docs").rglob("*.md"),
            *(ROOT / "examples").rglob("*.md"),
        ]
    )


def make_case(path: Path) -> object:
    name = path.relative_to(ROOT).as_posix()
    marks = [pytest.mark.xfail(reason="not rewritten yet")] if name in PENDING else []
    return pytest.param(path, id=name, marks=marks)


@pytest.mark.parametrize("path", [make_case(path) for path in list_files()])
def test_a_file_has_no_word_of_the_dialect(path: Path) -> None:
    assert find_dialect(path) == []


@pytest.mark.parametrize(
    "text",
    [
        "nobody knows whether it fits",
        "tolerates every taint, NoExecute for ever included",
        "mend these nodes first",
        "held by pods of which nothing runs",
        "it stands in two files",
        "judged as a partly known node",
        "the Ghost of a pod",
    ],
)
def test_words_of_the_dialect_are_found(text: str) -> None:
    assert any(pattern.search(text) for pattern, _ in _OUTPUT_PATTERNS)


@pytest.mark.parametrize("text", ["recommended", "amend", "a time bomb", "ghost-occupancy", "standard input", "the judgement"])
def test_other_words_are_not_found(text: str) -> None:
    assert not any(pattern.search(text) for pattern, _ in _OUTPUT_PATTERNS)
