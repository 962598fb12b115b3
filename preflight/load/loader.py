"""Sources to the world: every path read, every document taken, the world built."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from preflight import documents
from preflight.documents import Broken, Chunk, Document, RepeatedKey
from preflight.errors import InputError
from preflight.load import locations, world_builder
from preflight.load.collector import Gathered
from preflight.load.files import Source, content, find, reason
from preflight.load.kinds import CLUES, SAVED_STATE, UNRENDERED, WANTED
from preflight.model.objects import Node, Origin
from preflight.model.report import Location, Problem, Skipped
from preflight.model.world import World

if TYPE_CHECKING:
    from mmap import mmap

    from preflight.load.pools import Declared

_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
_CONFIGURES = re.compile(r"^node-(taint|label):", re.MULTILINE)
_RANCHER = re.compile(r"(^|[/._-])(rke2|k3s)([/._-]|$)")


class Loaded(Struct, frozen=True):
    """What was read.

    1. `problems` could not be read (exit 3); `skipped` was not judged, counted by its reason. Both are in order of their text and place.
    2. `repeated` are the keys that documents with objects of ours hold twice, each with the origin of its document.
    3. `files` counts the files that were read, templates of charts excluded; `objects` the objects of our kinds, listed pods included.
    4. `nodes` are all nodes, document by document, also those that stand twice, and what single manifests declare of pools: hygiene
       judges each by itself. `pools` are these declarations, for what refers to them. `sources` are the names of the files that were read.
    5. `judged` are the files that get findings; None means all: nothing was given only as surroundings.
    6. `again` puts the world together once more, with what was asked of the cluster since; None where only files were read.
    7. `given` are the objects of the files that a command line names, in order (`read_objects`); `read` leaves it empty.
    """

    world: World
    problems: tuple[Problem, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    repeated: tuple[tuple[Origin, RepeatedKey], ...] = ()
    files: int = 0
    objects: int = 0
    texts: Mapping[tuple[str, int], Chunk] = {}
    nodes: tuple[Node, ...] = ()
    pools: tuple[Declared, ...] = ()
    sources: frozenset[str] = frozenset()
    judged: frozenset[str] | None = None
    again: Callable[[], Loaded] | None = None
    given: tuple[object, ...] = ()

    def locate(self, origin: Origin, path: Sequence[str | int]) -> Location:
        """The location of one field of an object; see `locate_all`."""
        return self.locate_all([(origin, tuple(path))])[0]

    def locate_all(self, asked: Sequence[tuple[Origin, tuple[str | int, ...]]]) -> list[Location]:
        """The location of each field, as an object's origin and a path in that object: see `places.locate`."""
        return locations.locate(self.texts, asked)

    def rendered_from(self, origin: Origin) -> str:
        """The template that an object was rendered from, where its document says so: see `places.rendered_from`."""
        return locations.rendered_from(self.texts, origin)


def read(
    paths: Sequence[str],
    *,
    around: Sequence[str] = (),
    stdin: BinaryIO | None = None,
    one_cluster: bool,
    comparison_operators: bool | None = None,
    leaves_templates: bool = False,
    wants_whole_pods: bool = False,
    wants_state: bool = False,
    cluster: Callable[[Gathered], None] | None = None,
    into: Gathered | None = None,
) -> Loaded:
    """Read files, folders and standard input (`-`) into a world.

    1. `around` is the world around the paths: it gets no findings.
    2. Any order of the paths gives the same result. Which files a folder means: see `files.find`; what a document means: `kinds.why_not`.
    3. What cannot be read is a problem with its place, and the rest is read all the same.
    4. `one_cluster` for a change: an object that stands twice with other content is then a problem; else it is ambiguous.
    5. An unrendered chart template is left out where a folder was walked, and a problem where the person named the file: they
       think that it is judged. With `leaves_templates` it is left out there too: a hook names whatever was changed.
    6. `wants_whole_pods`: listed pods are read as a whole too (`World.running`).
    7. `cluster` puts in what a live cluster has; beside paths it is the world around them.
    8. `into` is the heap to fill, of one who wants more of it; what it wants of templates and pods is then its own to say.
    """
    walked = find((*paths, *around))
    gathered = into or Gathered(leaves_templates=leaves_templates, wants_whole_pods=wants_whole_pods, wants_state=wants_state)
    for unread in walked.unread:
        gathered.problem(f"cannot be read: {unread.reason}", unread.file)
    gathered.leave_out("not followed: name it to read it", walked.links, "symbolic link")
    judged = frozenset(source.file for source in find(paths).sources) if around or (paths and cluster) else None
    if cluster is not None:
        cluster(gathered)
    streams = ((source, stdin) for source in walked.sources)
    return read_sources(gathered, streams, one_cluster=one_cluster, comparison_operators=comparison_operators, judged=judged)


def read_sources(
    gathered: Gathered,
    streams: Iterable[tuple[Source, BinaryIO | None]],
    *,
    one_cluster: bool,
    comparison_operators: bool | None,
    judged: frozenset[str] | None = None,
) -> Loaded:
    """The world that sources make, with what was gathered before; one whose path is `-` is read from the stream that comes with it."""
    sources = []
    for source, stream in streams:
        sources.append(source)
        if not source.chart:
            _read_source(gathered, source, stream)
    for chart, count in _templates(sources).items():
        gathered.skip(f"{count} {'file' if count == 1 else 'files'} of the chart {chart}", UNRENDERED.format(chart=chart))

    def loaded() -> Loaded:
        return _loaded(gathered, sources, judged, one_cluster=one_cluster, comparison_operators=comparison_operators)

    return replace(loaded(), again=loaded) if gathered.survey is not None else loaded()


def _loaded(
    gathered: Gathered, sources: Sequence[Source], judged: frozenset[str] | None, *, one_cluster: bool, comparison_operators: bool | None
) -> Loaded:
    built = world_builder.build(gathered, one_cluster=one_cluster, comparison_operators=comparison_operators, judged=judged)
    return Loaded(
        world=built,
        problems=tuple(sorted(gathered.problems, key=_problem_order)),
        skipped=gathered.skipped(),
        repeated=tuple(gathered.repeated),
        files=gathered.files,
        objects=len(gathered.objects) + len(gathered.pools) + len(built.pods),
        texts=gathered.texts,
        nodes=gathered.nodes(),
        pools=tuple(gathered.pools),
        sources=frozenset(source.file for source in sources),
        judged=judged,
    )


def _templates(sources: Sequence[Source]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for source in sources:
        if source.chart:
            counts[source.chart] = counts.get(source.chart, 0) + 1
    return counts


def _read_source(gathered: Gathered, source: Source, stdin: BinaryIO | None) -> None:
    try:
        data = content(source, stdin)
    except InputError as error:
        gathered.problem(str(error), source.file)
        return
    except (OSError, ValueError) as error:
        gathered.problem(f"cannot be read: {reason(error)}", source.file)
        return
    gathered.files += 1
    if _looks_like_json(data):
        from preflight.load.json_stream import read_json

        if read_json(gathered, data, source.file, is_named=source.is_named):
            return
    _read_text(gathered, _text(gathered, data, source.file), source)


def _looks_like_json(data: bytes | bytearray | mmap) -> bool:
    start = bytes(data[:4096]).removeprefix(_BOM).lstrip(_BLANKS)
    return start[:1] in {b"{", b"["} and start[:2] != b"{{"


def _text(gathered: Gathered, data: bytes | bytearray | mmap, file: str) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        start = bytes(data[: error.start])
        text = str(data, "utf-8", "replace")
        line = start.count(b"\n") + 1
        column = len(start[start.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        what = "UTF-16: save it as UTF-8" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else f"not UTF-8: byte 0x{data[error.start]:02x}"
        gathered.problem(what, file, line, column)
        return text if "UTF-16" not in what else ""


def _read_text(gathered: Gathered, text: str, source: Source) -> None:
    file = source.file
    unparsed = 0
    broken: list[Broken] = []
    is_configuration = _may_be_configuration(text, source)
    wanted = frozenset() if is_configuration else WANTED if gathered.observed is None else WANTED | SAVED_STATE
    for item in documents.read_yaml(text, wanted, CLUES):
        if isinstance(item, Document):
            chunk = item.chunk
            has_template_text = "{{" in chunk.text
            with gathered.keeping(chunk, file, item.repeated):
                origin = Origin(file, chunk.index, chunk.line)
                if is_configuration and isinstance(item.data, dict) and _is_configuration(item.data):
                    gathered.add_pools(item.data, origin)
                    continue
                pods = gathered.add(item.data, origin, has_template_text=has_template_text, is_named=source.is_named)
                gathered.add_pods(pods, file)
        elif isinstance(item, Broken):
            broken.append(item)
        else:
            unparsed += 1
    gathered.leave_out("not parsed: of no kind that is judged", unparsed)
    if broken and "{{" in text:
        gathered.unrendered(Origin(file, line=broken[0].line), is_named=source.is_named)
        return
    for item in broken:
        line = documents.source_line(item.chunk, item.line) if item.chunk else ""
        gathered.problem(item.message, file, item.line, item.column, line if len(line) <= locations.MAX_SOURCE else "")


def _is_configuration(data: dict[str, object]) -> bool:
    return "kind" not in data and ("node-taint" in data or "node-label" in data)


def _may_be_configuration(text: str, source: Source) -> bool:
    """Whether a file may be the configuration of an RKE2 or k3s node, and is parsed as a whole.

    It has `node-taint` or `node-label` as a key, and the person named it, or its path names one of the two.
    """
    if ("node-taint:" not in text and "node-label:" not in text) or _CONFIGURES.search(text) is None:
        return False
    return source.is_named or _RANCHER.search(source.file.lower()) is not None


def _problem_order(problem: Problem) -> tuple[str, int, int, str]:
    place = problem.location or Location("")
    return place.file, place.line, place.column, problem.message
