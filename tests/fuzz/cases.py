"""A case: files in an empty folder, the command lines that are run there, and the law that is checked in addition."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

Line = tuple[str, ...]
KUBECONFIG = "@kubeconfig"
"""The line `@kubeconfig FILE` reads a kubeconfig, and contacts no server."""


class Case(NamedTuple):
    """What is run, and by which law it is judged; `seed` is what the law draws by."""

    files: Mapping[str, bytes]
    lines: Sequence[Line]
    law: str = ""
    seed: str = ""

    @property
    def size(self) -> int:
        """How many bytes the files and lines have."""
        return sum(map(len, self.files.values())) + sum(len(word) for line in self.lines for word in line)


class Fault(NamedTuple):
    """A law that a case breaks: `place` tells faults with the same law apart, `detail` is for people."""

    law: str
    place: str
    detail: str

    @property
    def key(self) -> tuple[str, str]:
        """Faults with one key are the same fault."""
        return self.law, self.place


def save(case: Case, fault: Fault, folder: Path) -> None:
    """Write a case: its files, and `case.json` with the rest."""
    for name, data in case.files.items():
        path = folder / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    document = {"lines": case.lines, "law": case.law, "seed": case.seed, "fault": fault.law, "place": fault.place, "detail": fault.detail}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.json").write_text(json.dumps(document, indent=1) + "\n")


def load(folder: Path) -> Case:
    """Read a case that `save` has written."""
    document = json.loads((folder / "case.json").read_text())
    root = folder / "files"
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
    return Case(files, [tuple(line) for line in document["lines"]], document["law"], document["seed"])
