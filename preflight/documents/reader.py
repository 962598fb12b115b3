"""A file's text to its documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from preflight.documents.model import Chunk, Document, InvalidDocument, SkippedDocument
from preflight.documents.prefilter import KindFilter
from preflight.documents.splitter import split_documents

MAX_SIZE = 64 << 20
"""How many characters one document may have."""


def read_yaml(
    text: str, kinds: Collection[str], clues: Mapping[str, Collection[str]] | None = None
) -> Iterator[Document | InvalidDocument | SkippedDocument]:
    """The documents of a file in order, those without a wanted kind unparsed.

    1. `kinds` are the wanted values of `kind`; the caller names `List` and lists of kinds too. Empty: everything is parsed. A kind with
       `clues` is wanted only where one of these words stands in the document.
    2. A document that is parsed is given whatever its kind is. One that is null is dropped, as are those that `split` drops.
    3. What cannot be read is Broken, with its place in the file; reading goes on with the next document, where kubectl stops.
    4. Never raises for what the text holds.
    """
    wanted = KindFilter(kinds, clues)
    for chunk in split_documents(text):
        if isinstance(chunk, InvalidDocument):
            yield chunk
        elif not wanted.may_be_wanted(chunk.text):
            yield SkippedDocument(chunk, "holds no wanted kind")
        else:
            result = read_chunk(chunk)
            if isinstance(result, InvalidDocument) or result.data is not None:
                yield result


def read_chunk(chunk: Chunk) -> Document | InvalidDocument:
    """One document parsed.

    1. `data` is None where the document is null, or empty.
    2. Broken where Kubernetes' reader refuses it, and where it is larger, deeper, or repeats more by aliases than the limits allow.
    """
    if len(chunk.text) > MAX_SIZE:
        return InvalidDocument(chunk, chunk.line, 1, f"the document is larger than {MAX_SIZE >> 20} MiB: give it as JSON, or in parts")
    if chunk.is_json:
        from preflight.documents.json_reader import read_json_document

        return read_json_document(chunk)
    from preflight.documents.yaml_reader import read_yaml_document

    return read_yaml_document(chunk)
