"""Exemptions in manifests: in an annotation of the object, or in comments of its document."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from preflight.documents import Chunk
from preflight.policy.constants import COMMENT_MARKER

MAX_SOURCE = 1000
"""How much of its line is kept."""
MAX_EXEMPTIONS = 100
"""How many exemptions one annotation, or the comments of one document, may hold; more are not read."""
_MAX_BRACKETS = 200

_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#[ \t]*preflight:[ \t]*exempt\b[ \t]*(?:\[([^\]\n]*)\])?[ \t]*:?[ \t]*(.*)$")
_ONLY_COMMENT = re.compile(r"[ \t]*(?:#.*)?$")
_BRACKET_CONTENT = re.compile(r"(?P<rules>(?:[\w,-]|[ ](?! *+until\s))*+)(?:\s+until\s+(?P<until>\S+))?\s*")
_ANNOTATION_PART = re.compile(
    r"\s*(?P<rules>PF\w*|[a-z]+(?:-[a-z]+)+)(?:\s+until\s+(?P<until>[^\s:]+))?\s*(?P<colon>:|$)\s*(?P<reason>.*)", re.DOTALL
)


class InlineExemption(Struct, frozen=True):
    """One exemption as it is written in a manifest.

    1. `rule` is an id or a name, as it is written; `until` the day on which it ends, "" for none; `reason` "" where it is missing.
    2. `line`, `column` and `source` are where it stands and what the line says; `first_line` and `last_line` the lines whose findings it is
       for, 0 for the whole object.
    """

    rule: str
    reason: str
    until: str = ""
    line: int = 0
    first_line: int = 0
    last_line: int = 0
    column: int = 0
    source: str = ""

    def covers(self, line: int) -> bool:
        """Whether it is for a finding in a line."""
        return not self.last_line or self.first_line <= line <= self.last_line


def parse_annotation(text: str) -> Iterator[InlineExemption]:
    """The exemptions of an annotation: `PF102: reason`, `PF102 until 2027-01-31: reason`, separated by line ends or `;`.

    A part that does not begin with a rule belongs to the reason before it. A text without a rule is an exemption of the rule "".
    """
    found: list[InlineExemption] = []
    for part in re.split(r"[;\n]", text):
        if len(found) > MAX_EXEMPTIONS:
            break
        match = _ANNOTATION_PART.match(part)
        if match is not None:
            found.append(InlineExemption(match["rules"], match["reason"].strip(), match["until"] or ""))
        elif part.strip() and found:
            last = found.pop()
            found.append(InlineExemption(last.rule, f"{last.reason}; {part.strip()}".removeprefix("; "), last.until))
        elif part.strip():
            found.append(InlineExemption("", part.strip()))
    return iter(found[:MAX_EXEMPTIONS])


def parse_comments(chunk: Chunk) -> Iterator[InlineExemption]:
    """The exemptions in the comments of a document: `# preflight: exempt[PF102] reason`, `exempt[PF102 until 2027-01-31] reason`.

    1. Behind something: for findings in this line. In a line of its own: for the next line that is more than a comment, and so
       for that which is right below it.
    2. Before the first line of the document that says something: for the whole object.
    3. Several rules in one pair of brackets, with commas between them, are several exemptions. JSON has no comments.
    """
    if chunk.is_json or COMMENT_MARKER not in chunk.text:
        return
    lines = chunk.text.split("\n")
    at_top, left = True, MAX_EXEMPTIONS
    for number, line in enumerate(lines):
        is_comment = _ONLY_COMMENT.match(line.rstrip("\r")) is not None
        at_top = at_top and is_comment
        match = _COMMENT.search(line.rstrip("\r")) if COMMENT_MARKER in line else None
        if match is None or left <= 0:
            continue
        left -= 1
        own = chunk.line + number
        first = last = own
        if at_top:
            first = last = 0
        elif is_comment:
            last = chunk.line + _find_next_content(lines, number)
        for stated in _parse_brackets(match):
            yield replace(
                stated, line=own, first_line=first, last_line=last, column=match.start() + 1, source=line.rstrip("\r")[:MAX_SOURCE]
            )


def _find_next_content(lines: list[str], number: int) -> int:
    """The number of the next line that is more than a comment, or the given one where none follows."""
    following = range(number + 1, len(lines))
    return next((index for index in following if not _ONLY_COMMENT.match(lines[index].rstrip("\r"))), number)


def _parse_brackets(match: re.Match[str]) -> Iterator[InlineExemption]:
    brackets, reason = (match[1] or "")[:_MAX_BRACKETS], match[2].strip()
    parts = _BRACKET_CONTENT.fullmatch(brackets)
    names = [name.strip() for name in parts["rules"].split(",")] if parts else [brackets.strip()]
    until = (parts["until"] or "") if parts else ""
    for name in names:
        yield InlineExemption(name, reason, until)
