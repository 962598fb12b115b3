"""Every recorded answer of kubectl's reader, or the reason why ours is another."""

from __future__ import annotations

import json
from typing import Any

import pytest

from preflight.documents import Chunk, Document, InvalidDocument, SkippedDocument
from preflight.documents.reader import read_chunk
from tests.documents.go_json import go_json
from tests.documents.read_text import read_all
from tests.paths import VECTORS

SCALARS: list[dict[str, Any]] = json.loads((VECTORS / "yaml-scalars.json").read_text(encoding="utf-8"))
STREAMS: list[dict[str, Any]] = json.loads((VECTORS / "yaml-documents.json").read_text(encoding="utf-8"))

OTHER_STREAMS = {
    "JSON, JSON, then YAML": "kubectl stops: after two JSON objects it takes no YAML; reading goes on here, as after every error",
}
"""By name: why our answer is another."""


def document(case: dict[str, Any]) -> str:
    return str(case["document"]) if "document" in case else f"v: {case['yaml']}\n"


@pytest.mark.parametrize("case", SCALARS, ids=lambda case: ascii(document(case)))
def test_a_scalar_is_what_kubectl_makes_of_it(case: dict[str, Any]) -> None:
    result = read_chunk(Chunk(document(case), 1, 0))
    if "error" in case:
        assert isinstance(result, InvalidDocument)
        return
    assert isinstance(result, Document)
    data: Any = result.data if "document" in case else result.data["v"]  # type: ignore[index]
    assert go_json(data) == case["jsonText"].replace("\\ufffd", "\ufffd")
    assert data == case["json"]


@pytest.mark.parametrize("case", STREAMS, ids=lambda case: str(case["name"]))
def test_a_stream_holds_what_kubectl_would_act_on(case: dict[str, Any]) -> None:
    objects: list[object] = []
    error = False
    for result in read_all(case["document"]):
        assert not isinstance(result, SkippedDocument)
        if isinstance(result, InvalidDocument):
            error = True
            break
        objects.append(result.data)
    is_same = objects == case["kubectlObjects"] and error == ("kubectlError" in case)
    assert is_same is (case["name"] not in OTHER_STREAMS)


@pytest.mark.parametrize("case", STREAMS, ids=lambda case: str(case["name"]))
def test_each_document_is_what_kubectl_s_reader_makes_of_it_alone(case: dict[str, Any]) -> None:
    for part in case["readerChunks"]:
        result = read_chunk(Chunk(part["text"], 1, 0))
        if "error" in part:
            assert isinstance(result, InvalidDocument)
        else:
            assert isinstance(result, Document)
            assert result.data == part["json"]
