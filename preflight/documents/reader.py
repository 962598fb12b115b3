"""A file's text to its documents."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from preflight.documents.model import Broken, Chunk, Document, Skipped
from preflight.documents.prefilter import Filter
from preflight.documents.splitter import split

MAX_SIZE = 64 << 20
"""How many characters one document may have."""


def read_yaml(
    text: str, kinds: Collection[str], clues: Mapping[str, Collection[str]] | None = None
) -> Iterator[Document | Broken | Skipped]:
    """The documents of a file in order, those without a wanted kind unparsed.

    1. `kinds` are the wanted values of `kind`; the caller names `List` and lists of kinds too. Empty: everything is parsed. A kind with
       `clues` is wanted only where one of these words stands in the document.
    2. A document that is parsed is given whatever its kind is. One that is null is dropped, as are those that `split` drops.
    3. What cannot be read is Broken, with its place in the file; reading goes on with the next document, where kubectl stops.
    4. Never raises for what the text holds.
    """
    wanted = Filter(kinds, clues)
    for chunk in split(text):
        if isinstance(chunk, Broken):
            yield chunk
        elif not wanted.may_hold(chunk.text):
            yield Skipped(chunk, "holds no wanted kind")
        else:
            result = read_chunk(chunk)
            if isinstance(result, Broken) or result.data is not None:
                yield result


def read_chunk(chunk: Chunk) -> Document | Broken:
    """One document parsed.

    1. `data` is None where the document is null, or empty.
    2. Broken where Kubernetes' reader refuses it, and where it is larger, deeper, or repeats more by aliases than the limits allow.
    """
    if len(chunk.text) > MAX_SIZE:
        return Broken(chunk, chunk.line, 1, f"the document is larger than {MAX_SIZE >> 20} MiB: give it as JSON, or in parts")
    if chunk.json:
        from preflight.documents.json_reader import read_json

        return read_json(chunk)
    from preflight.documents.yaml_reader import read_text

    return read_text(chunk)
