"""Whole manifests that tests read: our own, and those of public projects where they are present beside the repository.

A test over a corpus runs on our own always and on the public one as an extra. What our own must give is in
`tests/data/corpus/expected.yaml`; what the public one must give is in the tests.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from tests.paths import DATA, ROOT

OWN = DATA / "corpus"
PUBLIC = ROOT.parent / "shared" / "corpus"

needs_public = pytest.mark.skipif(not PUBLIC.is_dir(), reason="extra: needs the manifests of public projects in ../shared/corpus")
BOTH = [pytest.param(OWN, id="own"), pytest.param(PUBLIC, id="public", marks=needs_public)]
"""The corpora as the values of a parameter."""


class ExpectedDaemonSet(Struct, frozen=True, forbid_unknown_fields=True):
    """What a DaemonSet of our own must give; `why` is for the reader."""

    file: str
    name: str
    components: tuple[str, ...]
    findings: tuple[str, ...]
    why: str
    network_or_proxy: bool = False


class ExpectedPool(Struct, frozen=True, forbid_unknown_fields=True):
    """What a node pool of our own must give."""

    labels: dict[str, str]
    taints: list[str] = []
    startup: list[str] = []
    count: str = ""


class Expected(Struct, frozen=True, forbid_unknown_fields=True):
    """All that our own corpus must give; pools by file and name, refusals by file."""

    daemonsets: tuple[ExpectedDaemonSet, ...]
    pools: dict[str, dict[str, ExpectedPool]]
    refused: dict[str, list[str]]


EXPECTED = msgspec.yaml.decode((OWN / "expected.yaml").read_bytes(), type=Expected)


def files(corpus: Path, kind: str) -> list[Path]:
    """The files of a corpus: `kind` is `manifests` or `nodepools`."""
    return sorted((corpus / kind).glob("*.yaml"))
