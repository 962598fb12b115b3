"""What the program says today of all changes of a batch, without a cluster: `python -m tests.truth --again FOLDER`."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.truth.evidence import list_kept
from tests.truth.judging import judge
from tests.truth.prediction import predict_or_fail


def judge_again(folder: Path) -> Iterator[str]:
    """Each change of which something differs from what was seen, with what differs; then how many were judged."""
    changes = pairs = numbers = different = 0
    for kept in list_kept(folder):
        with tempfile.TemporaryDirectory() as temporary:
            dump = Path(temporary, "dump.json")
            dump.write_bytes(kept.dump)
            judged = judge(predict_or_fail(kept.argv, dump), kept.observed)
        changes, pairs, numbers = changes + 1, pairs + len(judged.compared), numbers + len(judged.numbers)
        different += len(judged.different)
        if judged.different:
            yield f"{kept.folder.name}: {shlex.join(kept.argv)}"
            yield from (f"    {json.dumps(mismatch)}" for mismatch in judged.different)
    yield f"{changes} changes, {pairs} pairs and {numbers} status numbers, {different} differ"
