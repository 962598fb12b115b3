"""What reading a file gives: its documents, those that could not be read, and those that were skipped."""

from __future__ import annotations

import msgspec

FieldPath = tuple[str | int, ...]

MAX_DEPTH = 200
"""How deep lists and maps may nest, in JSON as in YAML: whoever handles plain data later may recurse.

The deepest that Kubernetes ships, schemas of CustomResourceDefinitions, stay below 60.
"""


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """One document of a stream, as text.

    1. `text` is the document without its separator line, as it is in the file: line ends and a byte order mark are kept.
    2. `line` is the 1-based line of the file where `text` starts.
    3. `index` is the 0-based place in the stream; documents of blanks and comments do not count.
    4. `is_json` says that kubectl reads the document as JSON: the stream starts with `{`, and this is one of its first objects.
    5. `column` is the 1-based column of the file where `text` starts; 1 but for what follows a JSON object on its line.
    """

    text: str
    line: int
    index: int
    is_json: bool = False
    column: int = 1


class RepeatedKey(msgspec.Struct, frozen=True, gc=False):
    """A key that a mapping holds twice; Kubernetes' reader takes the last value and says nothing.

    1. `path` leads from the document to the key, and ends with it; `key` is the key alone.
    2. `first_line` and `line` are 1-based lines of the file: of the first one and of a later one. A key there three times gives two.
    3. Keys are compared as JSON has them: `1` and `"1"` are one key, and so are `yes` and `true`.
    4. A key that came by a merge (`<<`) is not counted: to replace it is what a merge is for.
    """

    path: FieldPath
    first_line: int
    line: int
    key: str


class Document(msgspec.Struct, frozen=True, gc=False):
    """A document that could be read.

    1. `data` is plain: dict (keys are str), list, str, int, float, bool; None only inside.
    2. `repeated_keys` is empty where no key is repeated.
    """

    data: object
    chunk: Chunk
    repeated_keys: tuple[RepeatedKey, ...] = ()


class InvalidDocument(msgspec.Struct, frozen=True, gc=False):
    """A document that could not be read, or a separator line that kubectl refuses.

    1. `line` and `column` are 1-based, of the file; a column counts characters.
    2. `message` is one line, lower case, without a full stop or control characters.
    3. `chunk` is None for a separator line: kubectl drops the document before it too, and reads nothing that follows.
    """

    chunk: Chunk | None
    line: int
    column: int
    message: str


class SkippedDocument(msgspec.Struct, frozen=True, gc=False):
    """A document that was not parsed, because it cannot hold a wanted kind; its errors stay unseen."""

    chunk: Chunk
    reason: str


class FieldPosition(msgspec.Struct, frozen=True, gc=False):
    """Where a field is in its file.

    1. `line` and `column` are 1-based, of the file: of the key for an entry of a mapping, of the item for an entry of a list.
    2. `found_depth` is how many components of the path are there; where some are missing, the place is the nearest present parent's.
    3. Where `found_depth` is 0, it is the place where the document's content starts.
    """

    line: int
    column: int
    found_depth: int


class DocumentError(Exception):
    """A document cannot be read: why, and the 0-based place in the text that was parsed."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.message = message
        self.index = index
