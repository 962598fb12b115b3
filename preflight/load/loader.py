"""Sources to the world: every path read, every document taken, the world built."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct
from msgspec.structs import replace

from preflight import documents
from preflight.documents import Chunk, Document, InvalidDocument, RepeatedKey
from preflight.errors import InputError
from preflight.load import locations, world_builder
from preflight.load.collector import ObjectCollector
from preflight.load.files import (
    ARCHIVE_START,
    ENDINGS,
    STDIN,
    SourceFile,
    describe_os_error,
    find_chart,
    find_files,
    is_archive_start,
    read_content,
)
from preflight.load.kinds import CLUES_BY_KIND, STATE_KINDS, STATE_LISTS, WANTED_KINDS
from preflight.load.kustomizations import read_kustomizations
from preflight.load.unknown_resources import find_operated_resource_in_text, find_unknown_resource_in_text, has_tolerations
from preflight.messages.load import (
    ARCHIVE_ON_STDIN,
    EXCLUDED,
    HIDDEN,
    IGNORED,
    KUSTOMIZE_PATCH,
    NOT_FOLLOWED,
    NOT_PARSED,
    NOT_UTF16,
    describe_missing_input,
    describe_templates,
    describe_undecodable_byte,
    describe_unreadable,
    explain_unrendered,
)
from preflight.model.core import Node
from preflight.model.exclusion import NOTHING_EXCLUDED, Exclusion
from preflight.model.meta import Origin
from preflight.model.report import Location, Problem, SkippedCheck
from preflight.model.versions import NO_VERSION_OPTIONS, VersionOptions
from preflight.model.world import ClusterState

if TYPE_CHECKING:
    from mmap import mmap

    from preflight.load.pools import PoolDeclaration

_BOM = b"\xef\xbb\xbf"
_BLANKS = b" \t\r\n"
_MAX_BLANK = 4096
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#.*")
_RANCHER_KEYS = re.compile(r"^node-(taint|label):", re.MULTILINE)
_GATHERED_POD = re.compile(r"(?:^|[/:])namespaces/[^/]+/pods/([^/]+)/\1\.yaml$")
"""Where must-gather and `oc adm inspect` put each pod by itself: it was there, as those of a list were."""
_RANCHER = re.compile(r"(^|[/._-])(rke2|k3s)([/._-]|$)")


class LoadResult(Struct, frozen=True):
    """What was read.

    1. `problems` could not be read (exit 3); `skipped` was not judged, counted by its reason. Both are in order of their text and place.
    2. `repeated_keys` are the keys that documents with objects of ours hold twice, each with the origin of its document.
    3. `files` counts the files that were read, templates of charts excluded; `objects` the objects of our kinds, listed pods included.
    4. `nodes` are all nodes, document by document, also those that stand twice, and what single manifests declare of pools: hygiene
       judges each by itself. `pools` are these declarations, for what refers to them. `sources` are the names of the files that were read.
    5. `checked_files` are the files that get findings; None means all: nothing was given only as surroundings.
    6. `reload` puts the world together once more, with what was asked of the cluster since; None where only files were read.
    7. `unknown_resources` counts the custom resources that say where pods run and that are not understood. `empty_paths` are named folders
       without a file, and named files without any content.
    8. `given_objects` are the objects of the files that a command line names, in order (`read_objects`); `load_world` leaves it empty.
    """

    world: ClusterState
    problems: tuple[Problem, ...] = ()
    skipped: tuple[SkippedCheck, ...] = ()
    repeated_keys: tuple[tuple[Origin, RepeatedKey], ...] = ()
    files: int = 0
    objects: int = 0
    texts: Mapping[tuple[str, int], Chunk] = {}
    nodes: tuple[Node, ...] = ()
    pools: tuple[PoolDeclaration, ...] = ()
    sources: frozenset[str] = frozenset()
    checked_files: frozenset[str] | None = None
    reload: Callable[[], LoadResult] | None = None
    given_objects: tuple[object, ...] = ()
    unknown_resources: int = 0
    empty_paths: tuple[str, ...] = ()

    def locate(self, origin: Origin, path: Sequence[str | int]) -> Location:
        """The location of one field of an object; see `locate_all`."""
        return self.locate_all([(origin, tuple(path))])[0]

    def locate_all(self, fields: Sequence[tuple[Origin, tuple[str | int, ...]]]) -> list[Location]:
        """The location of each field, as an object's origin and a path in that object: see `locations.locate_fields`."""
        return locations.locate_fields(self.texts, fields)

    def find_source_template(self, origin: Origin) -> str:
        """The template that an object was rendered from, where its document says so: see `locations.find_source_template`."""
        return locations.find_source_template(self.texts, origin)


def load_world(
    paths: Sequence[str],
    *,
    context_paths: Sequence[str] = (),
    stdin: BinaryIO | None = None,
    one_cluster: bool,
    versions: VersionOptions = NO_VERSION_OPTIONS,
    leaves_templates: bool = False,
    wants_whole_pods: bool = False,
    wants_pod_texts: bool = False,
    wants_state: bool = False,
    exclusion: Exclusion = NOTHING_EXCLUDED,
    cluster: Callable[[ObjectCollector], None] | None = None,
    collector: ObjectCollector | None = None,
) -> LoadResult:
    """Read files, folders and standard input (`-`) into a world.

    1. `context_paths` is the world around the paths: it gets no findings.
    2. Any order of the paths gives the same result. Which files a folder means: see `files.find_files`; what a document means:
       `kinds.explain_unchecked`.
    3. What cannot be read is a problem with its place, and the rest is read all the same; but a path that a person named has to be there.
    4. `one_cluster` for a change: an object that stands twice with other content is then a problem; else it is ambiguous.
    5. An unrendered chart template is left out where a folder was walked, and a problem where the person named the file: they
       think that it is judged. With `leaves_templates` it is left out there too: a hook names whatever was changed.
    6. `wants_whole_pods`: listed pods are read as a whole too (`pods_by_key`); `wants_pod_texts`: when they are asked for (`lazy_pods`).
    7. `cluster` puts in what a live cluster has; beside paths it is the world around them.
    8. `collector` is the heap to fill, of one who wants more of it; what it wants of templates and pods is then its own to say.
    """
    walked = find_files((*paths, *context_paths), exclusion)
    for missing in walked.missing:
        raise InputError(describe_missing_input(missing.file, missing.reason))
    gathered = collector or ObjectCollector(
        leaves_templates=leaves_templates, wants_whole_pods=wants_whole_pods, wants_pod_texts=wants_pod_texts, wants_state=wants_state
    )
    for unread in walked.unread:
        gathered.add_problem(describe_unreadable(unread.reason), unread.file)
    gathered.count_skipped(NOT_FOLLOWED, walked.skipped_links, "symbolic link")
    gathered.count_skipped(HIDDEN, walked.skipped_manifests, "hidden file")
    judged = frozenset(source.file for source in find_files(paths, exclusion).sources) if context_paths or (paths and cluster) else None
    gathered.count_skipped(EXCLUDED, walked.excluded, "path")
    gathered.count_skipped(IGNORED, walked.ignored, "path")
    if cluster is not None:
        cluster(gathered)
    gathered.empty_paths += walked.empty_folders
    gathered.kustomizations = read_kustomizations(walked.sources)
    streams = ((source, stdin) for source in walked.sources)
    return load_sources(gathered, streams, one_cluster=one_cluster, versions=versions, checked_files=judged)


def load_sources(
    collector: ObjectCollector,
    streams: Iterable[tuple[SourceFile, BinaryIO | None]],
    *,
    one_cluster: bool,
    versions: VersionOptions,
    checked_files: frozenset[str] | None = None,
) -> LoadResult:
    """The world that sources make, with what was gathered before; one whose path is `-` is read from the stream that comes with it."""
    sources = []
    for source, stream in streams:
        sources.append(source)
        if collector.kustomizations.is_patch(source):
            collector.count_skipped(KUSTOMIZE_PATCH, noun="file")
        elif not source.chart:
            members = _read_source(collector, source, stream)
            sources += members
            if checked_files is not None and source.file in checked_files:
                checked_files = checked_files.union(member.file for member in members)
    for chart, count in _count_templates(sources).items():
        collector.add_skipped(describe_templates(count, chart), explain_unrendered(chart))

    def loaded() -> LoadResult:
        return _build_result(collector, sources, checked_files, one_cluster=one_cluster, versions=versions)

    return replace(loaded(), reload=loaded) if collector.survey is not None else loaded()


def _build_result(
    collector: ObjectCollector,
    sources: Sequence[SourceFile],
    checked_files: frozenset[str] | None,
    *,
    one_cluster: bool,
    versions: VersionOptions,
) -> LoadResult:
    built = world_builder.build_world(collector, one_cluster=one_cluster, versions=versions, checked_files=checked_files)
    return LoadResult(
        world=built,
        problems=tuple(sorted(collector.problems, key=_problem_sort_key)),
        skipped=collector.list_skipped(),
        unknown_resources=len(collector.unknown_resources),
        repeated_keys=tuple(collector.repeated),
        files=collector.files,
        objects=len(collector.objects) + len(collector.pools) + len(collector.operator_resources) + len(built.pods),
        texts=collector.texts,
        nodes=collector.list_nodes(),
        pools=tuple(collector.pools),
        sources=frozenset(source.file for source in sources),
        checked_files=checked_files,
        empty_paths=tuple(collector.empty_paths),
    )


def _count_templates(sources: Sequence[SourceFile]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for source in sources:
        if source.chart:
            counts[source.chart] = counts.get(source.chart, 0) + 1
    return counts


def _read_source(collector: ObjectCollector, source: SourceFile, stdin: BinaryIO | None) -> list[SourceFile]:
    """Read a file, or what an archive holds; its members, for these are the files then."""
    if source.is_named and source.path != STDIN and not source.path.endswith(ENDINGS):
        from preflight.load.archives import is_archive

        if is_archive(source.path):
            return _read_archive(collector, source)
    _read_file(collector, source, stdin)
    return []


def _read_archive(collector: ObjectCollector, source: SourceFile) -> list[SourceFile]:
    from preflight.load.archives import iter_members

    members = []
    try:
        for member, content in iter_members(source):
            members.append(member)
            _read_content(collector, member, content)
            for key in [key for key in collector.texts if key[0] == member.file]:
                del collector.texts[key]  # nobody wrote it, and all of them would be much
    except InputError as error:
        collector.add_problem(str(error), source.file)
    except OSError as error:
        collector.add_problem(describe_unreadable(describe_os_error(error)), source.file)
    if not members:
        collector.empty_paths.append(source.file)
    return members


def _read_file(collector: ObjectCollector, source: SourceFile, stdin: BinaryIO | None) -> None:
    try:
        data = read_content(source, stdin)
    except InputError as error:
        collector.add_problem(str(error), source.file)
        return
    except (OSError, ValueError) as error:
        if source.is_named:
            raise InputError(describe_missing_input(source.file, describe_os_error(error))) from None
        collector.add_problem(describe_unreadable(describe_os_error(error)), source.file)
        return
    if source.path == STDIN and is_archive_start(bytes(data[:ARCHIVE_START])):
        collector.add_problem(ARCHIVE_ON_STDIN, source.file)
        return
    _read_content(collector, source, data)


def _read_content(collector: ObjectCollector, source: SourceFile, data: bytes | bytearray | mmap) -> None:
    collector.files += 1
    if source.is_named and len(data) <= _MAX_BLANK and not bytes(data).strip(_BLANKS):
        collector.empty_paths.append(source.file)
    if _looks_like_json(data):
        from preflight.load.json_stream import read_json_stream

        if read_json_stream(collector, data, source.file, is_named=source.is_named):
            return
    _read_text(collector, _decode_text(collector, data, source.file), source)


def _looks_like_json(data: bytes | bytearray | mmap) -> bool:
    start = bytes(data[:4096]).removeprefix(_BOM).lstrip(_BLANKS)
    return start[:1] in {b"{", b"["} and start[:2] != b"{{"


def _decode_text(collector: ObjectCollector, data: bytes | bytearray | mmap, file: str) -> str:
    try:
        return str(data, "utf-8")
    except UnicodeDecodeError as error:
        start = bytes(data[: error.start])
        text = str(data, "utf-8", "replace")
        line = start.count(b"\n") + 1
        column = len(start[start.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        is_utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        collector.add_problem(NOT_UTF16 if is_utf16 else describe_undecodable_byte(data[error.start]), file, line, column)
        return "" if is_utf16 else text


def _read_text(collector: ObjectCollector, text: str, source: SourceFile) -> None:
    file = source.file
    broken: list[InvalidDocument] = []
    checks_everything = source.is_named and not collector.leaves_templates  # a hook names whatever was changed
    is_gathered_pod = _GATHERED_POD.search(file) is not None
    is_configuration = _may_be_rancher_config(text, source)
    wanted = frozenset() if is_configuration else WANTED_KINDS
    if collector.runtime_state is not None and not is_configuration:
        wanted |= STATE_KINDS | STATE_LISTS
    for item in documents.read_yaml(text, wanted, CLUES_BY_KIND):
        if isinstance(item, Document):
            chunk = item.chunk
            has_template_text = "{{" in chunk.text
            with collector.keep_document(chunk, file, item.repeated_keys):
                origin = Origin(file, chunk.index, chunk.line)
                if is_configuration and isinstance(item.data, dict) and _is_rancher_config(item.data):
                    collector.add_pools(item.data, origin)
                    continue
                pods = collector.add(
                    item.data, origin, has_template_text=has_template_text, is_named=source.is_named, is_item=is_gathered_pod
                )
                if is_gathered_pod:
                    collector.lone_pods += pods
                else:
                    collector.add_pods(pods, file)
        elif isinstance(item, InvalidDocument):
            broken.append(item)
        elif invalid := _take_unparsed(collector, item.chunk, file, checks_everything=checks_everything):
            broken.append(invalid)
    templates = [item for item in broken if _is_template(source, item)] if "{{" in text else []
    if templates:
        chart = find_chart(os.path.dirname(source.path)) if source.is_named and source.path != STDIN else ""  # noqa: PTH120
        collector.add_unrendered(Origin(file, line=templates[0].line), is_named=source.is_named, chart=chart or "CHARTDIR")
    for item in broken:
        if item in templates:
            continue
        line = documents.get_source_line(item.chunk, item.line) if item.chunk else ""
        collector.add_problem(item.message, file, item.line, item.column, line)


def _take_unparsed(collector: ObjectCollector, chunk: Chunk, file: str, *, checks_everything: bool) -> InvalidDocument | None:
    """Note a document of no kind that is judged; where everything is to be checked, why it cannot be read."""
    unknown = find_unknown_resource_in_text(chunk.text)
    if unknown is not None and has_tolerations(chunk.text) and isinstance(parsed := documents.read_chunk(chunk), Document):
        with collector.keep_document(chunk, file):
            collector.add(parsed.data, Origin(file, chunk.index, chunk.line), has_template_text="{{" in chunk.text)
        return None
    if operated := find_operated_resource_in_text(chunk.text):
        collector.operated_resources.append(operated)
    if unknown is not None:
        collector.unknown_resources.append(unknown)
        return None
    checked = documents.read_chunk(chunk) if checks_everything else None
    if isinstance(checked, InvalidDocument):
        return checked
    collector.count_skipped(NOT_PARSED)
    return None


def _is_template(source: SourceFile, broken: InvalidDocument) -> bool:
    """Whether a document is broken because it is a template: a chart has it, a line begins with `{{`, or the broken one has that.

    Braces in a comment make no template.
    """
    if source.path != STDIN and find_chart(os.path.dirname(source.path)):  # noqa: PTH120
        return True
    if broken.chunk is None:
        return False
    lines = [_COMMENT.sub("", line) for line in broken.chunk.text.split("\n")]
    at = broken.line - broken.chunk.line
    return any(line.lstrip().startswith(("{{", "- {{")) for line in lines) or "{{" in "".join(lines[at : at + 1])


def _is_rancher_config(data: dict[str, object]) -> bool:
    return "kind" not in data and ("node-taint" in data or "node-label" in data)


def _may_be_rancher_config(text: str, source: SourceFile) -> bool:
    """Whether a file may be the configuration of an RKE2 or k3s node, and is parsed as a whole.

    It has `node-taint` or `node-label` as a key, and the person named it, or its path names one of the two.
    """
    if ("node-taint:" not in text and "node-label:" not in text) or _RANCHER_KEYS.search(text) is None:
        return False
    return source.is_named or _RANCHER.search(source.file.lower()) is not None


def _problem_sort_key(problem: Problem) -> tuple[str, int, int, str]:
    place = problem.location or Location("")
    return place.file, place.line, place.column, problem.message
