"""The text of a file with the tolerations of its workloads changed and nothing else, checked by reading it again."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from preflight import documents
from preflight.documents import Broken, Chunk
from preflight.documents.reader import read_chunk
from preflight.fix.edits import Edit, Operation, applied, edited
from preflight.fix.rewrite import rewrite
from preflight.fix.yaml_tree import CannotEdit, Path, Tree, read

_MARK = "\ufeff"


class Wanted(Struct, frozen=True):
    """What is to become of one workload.

    `document` is the 0-based place of its document, `path` that of its pod spec in it, `spec` the pod spec as it was read.
    """

    document: int
    path: Path
    spec: Mapping[str, Any]
    operations: tuple[Operation, ...]


class Fixed(Struct, frozen=True):
    """A file's text after the edits, and for each workload that was wanted why it was left as it is, None where it was not."""

    text: str
    refusals: tuple[str | None, ...]


def fix(text: str, wanted: Sequence[Wanted]) -> Fixed:
    """The text of a file with the tolerations of some workloads changed.

    1. The edit is a text put in; nothing is written anew. What the document holds afterwards, read as Kubernetes reads it, must be what
       it held before with the tolerations changed, or the workload is left as it is, with a reason.
    2. Left are JSON, templates that nobody rendered, and what an anchor or a merge shares with other places.
    """
    chunks = {chunk.index: chunk for chunk in documents.split(text) if not isinstance(chunk, Broken)}
    starts = _line_starts(text)
    edits: list[Edit] = []
    refusals: list[str | None] = []
    trees: dict[int, Tree] = {}
    for each in wanted:
        try:
            chunk = chunks.get(each.document)
            if chunk is None:
                raise CannotEdit("its document is not there any more: the file has changed")
            found = _edits(chunk, each, trees)
            base = starts[chunk.line - 1] + chunk.column - 1 + _marks(chunk.text)
            edits += [Edit(edit.start + base, edit.end + base, edit.text) for edit in found]
            refusals.append(None)
        except CannotEdit as refusal:
            refusals.append(str(refusal))
    after = _edited(text, edits)
    kept = [each for each, refusal in zip(wanted, refusals, strict=True) if refusal is None]
    if after is None or not _is_just_that(chunks, after, kept):
        reason = "the edit would change more than its tolerations: edit it by hand"
        return Fixed(text, tuple(refusal or reason for refusal in refusals))
    return Fixed(after, tuple(refusals))


def _edits(chunk: Chunk, wanted: Wanted, trees: dict[int, Tree]) -> list[Edit]:
    """The edits for one workload in the text of its document, checked."""
    if chunk.json:
        raise CannotEdit("it is JSON, which holds no comments and is seldom written by hand: --patch prints a patch")
    if "{{" in chunk.text:
        raise CannotEdit("its document has {{, as a template has: edit the template, or what it is rendered from")
    if chunk.index not in trees:
        trees[chunk.index] = read(chunk.text[_marks(chunk.text) :])
    before = _data(chunk)
    if before is None or _at(before, wanted.path) != wanted.spec:
        raise CannotEdit("the file has changed since it was read")
    found = rewrite(trees[chunk.index], wanted.path, wanted.operations)
    after = _edited(chunk.text, found, _marks(chunk.text))
    if after is None or _data(_with_text(chunk, after)) != _expected(before, [wanted]):
        raise CannotEdit("the edit would change more than its tolerations: edit it by hand")
    return found


def _is_just_that(before: Mapping[int, Chunk], after: str, wanted: Sequence[Wanted]) -> bool:
    """Whether the documents of the new text are the old ones but for the tolerations."""
    now = [chunk for chunk in documents.split(after) if not isinstance(chunk, Broken)]
    if [chunk.index for chunk in now] != list(before):
        return False
    for chunk in now:
        here = [each for each in wanted if each.document == chunk.index]
        if not here and chunk.text != before[chunk.index].text:
            return False
        if here and _data(chunk) != _expected(_data(before[chunk.index]), here):
            return False
    return True


def _expected(data: Any, wanted: Sequence[Wanted]) -> Any:
    """The document as plain data with the tolerations changed."""
    after = copy.deepcopy(data)
    for each in wanted:
        spec = _at(after, each.path)
        spec["tolerations"] = applied(spec.get("tolerations") or [], each.operations)
    return after


def _data(chunk: Chunk) -> Any:
    found = read_chunk(chunk)
    return None if isinstance(found, Broken) else found.data


def _at(data: Any, path: Path) -> Any:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _edited(text: str, edits: Sequence[Edit], base: int = 0) -> str | None:
    try:
        return edited(text, [Edit(edit.start + base, edit.end + base, edit.text) for edit in edits])
    except ValueError:
        return None


def _with_text(chunk: Chunk, text: str) -> Chunk:
    return Chunk(text, chunk.line, chunk.index, chunk.json, chunk.column)


def _marks(text: str) -> int:
    """How many byte order marks the text starts with: a reader takes two away."""
    return len(text) - len(text.removeprefix(_MARK).removeprefix(_MARK))


def _line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts
