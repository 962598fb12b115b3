"""What was seen of a change, kept beside its command and its dump, so that it can be judged again without a cluster."""

from __future__ import annotations

import lzma
import shlex
from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.truth.comparing import Numbers, Scene
from tests.truth.state import Key
from tests.truth.watching import Pair


class LineSeen(Struct, frozen=True):
    """A command line without the program's name, what kubectl made of it, and what was there before and after."""

    words: list[str]
    code: int
    err: str
    scene: Scene


class EndedPods(Struct, frozen=True):
    """Pairs whose pods were deleted at once when the change had settled, and what came back."""

    pairs: frozenset[Pair]
    scene: Scene


class StatusSeen(Struct, frozen=True):
    """The status numbers of all DaemonSets; `unsure` are pairs that may count or not, `unplaced` have a pod that is Pending, or ends."""

    numbers: dict[Key, Numbers]
    unsure: frozenset[Pair]
    unplaced: frozenset[Pair]


class Observed(Struct):
    """What was seen of a change of a kind: line by line, then once pods were ended, and the status numbers; the last two at times."""

    kind: str
    lines: list[LineSeen]
    ended: EndedPods | None = None
    status: StatusSeen | None = None


def keep_evidence(folder: Path, dump: Path, observed: Observed) -> None:
    """Write what it takes to judge a change again into its folder, where its command and its files are."""
    (folder / "dump.json.xz").write_bytes(lzma.compress(dump.read_bytes(), preset=1))
    (folder / "observed.xz").write_bytes(lzma.compress(msgspec.msgpack.encode(observed), preset=1))


class Kept(Struct, frozen=True):
    """A change that was kept: its folder, and the program's arguments."""

    folder: Path
    argv: list[str]

    @property
    def dump(self) -> bytes:
        """The cluster before the change."""
        return lzma.decompress((self.folder / "dump.json.xz").read_bytes())

    @property
    def observed(self) -> Observed:
        """What was seen of it."""
        return msgspec.msgpack.decode(lzma.decompress((self.folder / "observed.xz").read_bytes()), type=Observed)


def list_kept(folder: Path) -> Iterator[Kept]:
    """The changes of a batch, in order; files that their commands name are where the batch lies now."""
    for path in sorted(folder.resolve().glob("*/observed.xz")):
        folder = path.parent
        words = shlex.split((folder / "command").read_text().splitlines()[0])[1:]
        names = {file.name for file in folder.iterdir()}
        yield Kept(folder, [str(folder / Path(word).name) if Path(word).name in names else word for word in words])
