"""What the program says today of the changes that a batch has kept, without a cluster: `python -m tests.truth --again FOLDER`."""

from __future__ import annotations

import gzip
import json
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.truth.prediction import prediction


def judge_again(folder: Path) -> Iterator[str]:
    """Each change that differed, with what is said of its pairs now beside what was seen of them."""
    for kept in sorted(folder.glob("*/mismatches.jsonl")):
        command = (kept.parent / "command").read_text().splitlines()[0]
        yield f"{kept.parent.name}: {command}"
        with tempfile.TemporaryDirectory() as temporary:
            dump = Path(temporary, "dump.json")
            dump.write_bytes(gzip.decompress((kept.parent / "dump.json.gz").read_bytes()))
            said = prediction(shlex.split(command)[1:], dump)
        if not said.steps:
            yield f"    exit {said.result.code}: {said.result.err.strip()}"
        for line in kept.read_text().splitlines():
            found = json.loads(line)
            pair = tuple(found.get("pair", ()))
            for step in said.steps:
                if pair in step.pairs:
                    now = step.pairs[pair]
                    yield f"    {'/'.join(pair)} {found['stage']}: {now.outcome}: {now.pod}, re-created: {now.again}; seen {found['seen']}"
