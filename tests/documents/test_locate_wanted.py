"""Places that are looked for alone are those that are found among all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from preflight.documents import Document, locate_paths, read_yaml
from preflight.documents.model import FieldPath as FieldPath
from preflight.documents.yaml_reader import read_positions
from tests.paths import VECTORS

STREAMS = [load["document"] for load in json.loads((VECTORS / "yaml-documents.json").read_text())]
MANIFEST = """\
# a comment
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: d, labels: {a: b, c: [1, 2, {d: e}]}}
spec:
  template:
    spec:
      tolerations:
      - key: a
        operator: Exists
      -
        key: b
      containers:
      - {name: c, args: [--x, "--y"]}
      "quoted key": |
        a block
        of text
"""
ANCHORS = """\
base: &base {key: a, effect: NoSchedule}
list:
- <<: *base
  value: x
- *base
"""


def paths(data: Any, before: FieldPath = ()) -> Iterator[FieldPath]:
    yield before
    if isinstance(data, dict):
        for key, value in data.items():
            yield from paths(value, (*before, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from paths(value, (*before, index))


@pytest.mark.parametrize("text", [MANIFEST, ANCHORS, *STREAMS])
def test_each_path_alone_is_where_it_is_among_all(text: str) -> None:
    for document in read_yaml(text, ()):
        if isinstance(document, Document):
            whole = read_positions(document.chunk)
            if whole is None:
                continue
            for path in paths(document.data):
                for asked in (path, (*path, "absent"), (*path, 99)):
                    assert locate_paths(document.chunk, [asked]) == [whole.find_position(asked)], asked
