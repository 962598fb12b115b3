"""The text of a file with the tolerations of its workloads changed and nothing else, checked by reading it again."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct

from preflight import documents
from preflight.documents import Chunk, InvalidDocument
from preflight.documents.reader import read_chunk
from preflight.fix.edit_model import Operation, TextEdit, apply_edits, apply_operations
from preflight.fix.edit_tolerations import rewrite
from preflight.fix.text_fields import TextChange, make_text_edits
from preflight.fix.yaml_tree import CannotEdit, Path, YamlTree, read_tree
from preflight.messages import fix as messages

_BYTE_ORDER_MARK = "\ufeff"


class ManifestChange(Struct, frozen=True):
    """What is to become of one list of tolerations.

    `document` is the 0-based place of its document, `path` leads to the list in the document, `tolerations` is the list as it was
    read: empty where the document has none. Maps on the path that are not there are made.
    """

    document: int
    path: Path
    tolerations: Sequence[Mapping[str, Any]]
    operations: tuple[Operation, ...]


class ManifestResult(Struct, frozen=True):
    """A file's text after the edits, and for each workload that was wanted why it was left as it is, None where it was not."""

    text: str
    refusals: tuple[str | None, ...]


def fix_manifest(text: str, changes: Sequence[ManifestChange | TextChange]) -> ManifestResult:
    """The text of a file with the tolerations of some workloads changed.

    1. The edit is a text put in; nothing is written anew. What the document holds afterwards, read as Kubernetes reads it, must be what
       it held before with the tolerations changed, or the workload is left as it is, with a reason.
    2. Left are JSON, templates that nobody rendered, and what an anchor or a merge shares with other places.
    """
    chunks = {chunk.index: chunk for chunk in documents.split_documents(text) if not isinstance(chunk, InvalidDocument)}
    starts = _find_line_starts(text)
    edits: list[TextEdit] = []
    refusals: list[str | None] = []
    trees: dict[int, YamlTree] = {}
    for change in changes:
        try:
            chunk = chunks.get(change.document)
            if chunk is None:
                raise CannotEdit(messages.NO_DOCUMENT)
            found = _make_edits(chunk, change, trees)
            base = starts[chunk.line - 1] + chunk.column - 1 + _count_byte_order_marks(chunk.text)
            edits += [TextEdit(edit.start + base, edit.end + base, edit.text) for edit in found]
            refusals.append(None)
        except CannotEdit as refusal:
            refusals.append(str(refusal))
    after = _try_edits(text, edits)
    kept = [change for change, refusal in zip(changes, refusals, strict=True) if refusal is None]
    if after is None or not _changes_only_tolerations(chunks, after, kept):
        reason = messages.CHANGES_MORE
        return ManifestResult(text, tuple(refusal or reason for refusal in refusals))
    return ManifestResult(after, tuple(refusals))


def _make_edits(chunk: Chunk, change: ManifestChange | TextChange, trees: dict[int, YamlTree]) -> list[TextEdit]:
    """The edits for one workload in the text of its document, checked."""
    if chunk.is_json:
        raise CannotEdit(messages.IS_JSON)
    if "{{" in chunk.text:
        raise CannotEdit(messages.IS_TEMPLATE)
    if chunk.index not in trees:
        trees[chunk.index] = read_tree(chunk.text[_count_byte_order_marks(chunk.text) :])
    before = _parse_data(chunk)
    found = _edit_tree(trees[chunk.index], before, change)
    after = _try_edits(chunk.text, found, _count_byte_order_marks(chunk.text))
    if after is None or _parse_data(_replace_text(chunk, after)) != _make_expected(before, [change]):
        raise CannotEdit(messages.CHANGES_MORE)
    return found


def _edit_tree(tree: YamlTree, before: Any, change: ManifestChange | TextChange) -> list[TextEdit]:
    expected = change.before if isinstance(change, TextChange) else list(change.tolerations)
    if before is None or (_get_at(before, change.path) or type(expected)()) != expected:
        raise CannotEdit(messages.FILE_HAS_CHANGED)
    if isinstance(change, TextChange):
        return make_text_edits(tree, change)
    depth = next(depth for depth in range(len(change.path) - 1, -1, -1) if isinstance(_get_at(before, change.path[:depth]), dict))
    return rewrite(tree, change.path[:depth], tuple(map(str, change.path[depth:])), change.operations)


def _changes_only_tolerations(before: Mapping[int, Chunk], after: str, changes: Sequence[ManifestChange | TextChange]) -> bool:
    """Whether the documents of the new text are the old ones but for the tolerations."""
    now = [chunk for chunk in documents.split_documents(after) if not isinstance(chunk, InvalidDocument)]
    if [chunk.index for chunk in now] != list(before):
        return False
    for chunk in now:
        here = [change for change in changes if change.document == chunk.index]
        if not here and chunk.text != before[chunk.index].text:
            return False
        if here and _parse_data(chunk) != _make_expected(_parse_data(before[chunk.index]), here):
            return False
    return True


def _make_expected(data: Any, changes: Sequence[ManifestChange | TextChange]) -> Any:
    """The document as plain data with the tolerations changed."""
    after = copy.deepcopy(data)
    for change in changes:
        parent = after
        for step in change.path[:-1]:
            if isinstance(parent, dict) and parent.get(step) is None:
                parent[step] = {}
            parent = parent[step]
        name = change.path[-1]
        if isinstance(change, TextChange):
            parent[name] = change.after
        else:
            parent[name] = apply_operations(parent.get(name) or [], change.operations)
    return after


def _parse_data(chunk: Chunk) -> Any:
    found = read_chunk(chunk)
    return None if isinstance(found, InvalidDocument) else found.data


def _get_at(data: Any, path: Path) -> Any:
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _try_edits(text: str, edits: Sequence[TextEdit], base: int = 0) -> str | None:
    try:
        return apply_edits(text, [TextEdit(edit.start + base, edit.end + base, edit.text) for edit in edits])
    except ValueError:
        return None


def _replace_text(chunk: Chunk, text: str) -> Chunk:
    return Chunk(text, chunk.line, chunk.index, chunk.is_json, chunk.column)


def _count_byte_order_marks(text: str) -> int:
    """How many byte order marks the text starts with: a reader takes two away."""
    return len(text) - len(text.removeprefix(_BYTE_ORDER_MARK).removeprefix(_BYTE_ORDER_MARK))


def _find_line_starts(text: str) -> list[int]:
    starts = [0]
    at = text.find("\n")
    while at >= 0:
        starts.append(at + 1)
        at = text.find("\n", at + 1)
    return starts
