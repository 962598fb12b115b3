"""One run of the safety net: files and command lines, or a rule case; what it answers, and the digests of both."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from tests.cli.program import program
from tests.rules import casefile
from tests.safety.answers import Answer, reduce_result

TODAY = "2026-06-30"
"""The day that exemptions are judged by: no answer may depend on a clock."""

Line = tuple[str, ...]


class Run(NamedTuple):
    """What is given: `files` by their path in an empty folder and the command `lines` to run there, one after another; or a rule `case`."""

    name: str
    lines: Sequence[Line] = ()
    files: Mapping[str, str] = {}
    case: casefile.Case | None = None

    @property
    def source(self) -> str:
        """The source that the run is from: the first word of its name."""
        return self.name.partition("/")[0]

    @property
    def given(self) -> dict[str, Any]:
        """All that the answer depends on, but for the program."""
        if self.case is not None:
            return {key: self.case[key] for key in ("world", "files", "run", "plan") if key in self.case}
        return {"files": dict(self.files), "lines": [list(line) for line in self.lines]}


def digest(data: object) -> str:
    """Twelve digits that tell JSON data apart."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def perform(run: Run, folder: Path | None = None) -> list[Answer]:
    """The answers to the command lines of a run, and last, where files were written, these; in a folder that is kept where one is named."""
    with contextlib.ExitStack() as stack:
        where = folder or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="safety-")))
        stack.enter_context(contextlib.chdir(where))
        stack.enter_context(_no_cluster())
        if run.case is not None:
            return [reduce_result(("case",), casefile.run(run.case))]
        for name, text in run.files.items():
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(text, encoding="utf-8")
        answers = [reduce_result(line, program(*line)) for line in run.lines]
        written = dict(_reduce_written(run.files))
        return [*answers, {"written": written}] if written else answers


@contextlib.contextmanager
def _no_cluster() -> Iterator[None]:
    """No cluster and no setting of the user is near."""
    with mock.patch.dict(os.environ, {"KUBECONFIG": str(Path("no-kubeconfig").absolute()), "NO_COLOR": "1"}):
        os.environ.pop("KUBERNETES_SERVICE_HOST", None)
        yield


def _reduce_written(given: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """What the run has written into the working directory: the changed lines of a file, and what a snapshot holds (a baseline: words)."""
    for path in sorted(Path().rglob("*")):
        name = path.as_posix()
        if not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        if name not in given:
            yield name, _reduce_snapshot(json.loads(text)) if name.endswith(".json") else "written"
        elif text != given[name]:
            lines = difflib.unified_diff(given[name].splitlines(), text.splitlines(), n=0, lineterm="")
            yield name, list(lines)[2:]


def _reduce_snapshot(snapshot: Any) -> Answer:
    """How many objects a snapshot has, and the digest of them without what the program adds, which holds words."""
    return {"objects": len(snapshot["items"]), "digest": digest(_without_ours(snapshot))}


def _without_ours(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_ours(value) for key, value in data.items() if key != "preflight"}
    return [_without_ours(item) for item in data] if isinstance(data, list) else data
