"""Messages about reading files: what could not be read, and what was skipped."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Sequence

from preflight.messages.lists import join_names
from preflight.model.meta import Origin
from preflight.model.report import Problem
from preflight.model.world import Ambiguity


def lower_first(text: object) -> str:
    """A text of others as a part of a sentence: its first letter is small."""
    words = str(text)
    return words[:1].lower() + words[1:]


# Files

NO_SUCH_DIRECTORY = "no such directory"
NOT_UTF16 = "UTF-16: save it as UTF-8"
NOT_FOLLOWED = "not followed: give its path to read it"
HIDDEN = "not read, although `kubectl apply -f` reads hidden files: give its path to read it"
EXCLUDED = "excluded"
IGNORED = "ignored by git: --no-gitignore reads them"
CUT_OFF_GZIP = "broken gzip data: the file is cut off: copy or save it again"


def format_problem(problem: Problem) -> str:
    """What could not be read, with its file and, where they are known, its line and column."""
    place = problem.location
    if place is None:
        return problem.message
    position = f":{place.line}{f':{place.column}' if place.column else ''}" if place.line else ""
    return f"{place.file}{position}: {problem.message}"


def describe_missing_input(path: str, reason: str) -> str:
    """That a path which a person named cannot be opened."""
    return f"cannot read {path}: {reason}"


def describe_empty_input(paths: Sequence[str], skipped: Sequence[tuple[str, str]]) -> str:
    """That paths hold nothing to check; `skipped` is what they hold instead, with the reason."""
    named = join_names(["standard input" if path == "-" else path for path in paths])
    if not skipped:
        return f"no Kubernetes objects in {named}"
    return f"no Kubernetes objects to check in {named}: {'; '.join(f'{what} skipped ({why})' for what, why in skipped)}"


def describe_unreadable(reason: str) -> str:
    """That a file or a value cannot be read."""
    return f"cannot be read: {reason}"


def describe_damaged_gzip(error: Exception) -> str:
    """That a packed file is damaged, as the decoder says."""
    return f"broken gzip data: the file is damaged ({error}): copy or save it again"


def describe_unpacked_size(mebibytes: int) -> str:
    """That a packed file is too large when unpacked."""
    return f"unpacks to more than {mebibytes} MiB: if that is intended, unpack it first"


CUT_OFF_ARCHIVE = "a member is cut off"
LARGE_EXTENSION = "the header of a member is too large"
ARCHIVE_ON_STDIN = "is an archive, which is read only from a file: save it, and give its path"


def describe_damaged_archive(error: Exception) -> str:
    """That an archive is damaged, cut off or encrypted, as the library says."""
    return f"broken archive ({lower_first(error) or 'it is cut off'}): copy or save it again"


def describe_large_member(path: str, gibibytes: int) -> str:
    """That a file in an archive is too large."""
    return f"its member {path} is larger than {gibibytes} GiB: unpack it first"


def describe_undecodable_byte(byte: int) -> str:
    """That a text is not UTF-8, with the byte that cannot be."""
    return f"not UTF-8: byte 0x{byte:02x}"


def describe_undecodable_text(start: int) -> str:
    """That a text is not UTF-8, with the place of the first byte that cannot be."""
    return f"not UTF-8 from byte {start} on: save it as UTF-8"


def describe_too_large(mebibytes: int) -> str:
    """That a file of a command line is larger than any manifest."""
    return f"not read: larger than {mebibytes} MiB, which is too large for a manifest"


def describe_invalid_pattern(pattern: str) -> str:
    """That a path is an invalid pattern, as kubectl says it."""
    return f'pattern "{pattern}" is not valid: syntax error in pattern'


def describe_unreadable_patch(file: str, reason: str) -> str:
    """That the file of a patch cannot be read, as kubectl says it."""
    return f"unable to read patch file: {file}: {reason}"


NO_MANIFEST = "no .yaml, .yml or .json file in it"
LINKED_FOLDER = "a link to a folder, which kubectl reads only with a trailing slash"
NOT_REGULAR = "not a regular file"
EMPTY_PLAN = "is empty: a plan is a YAML list of command lines"
NOT_A_PLAN = "a plan is one YAML list of command lines, each after `- `"

# JSON

JSON_ENDS_TOO_EARLY = "the text ends too early"


def describe_broken_json(reason: str) -> str:
    """That a text is no JSON."""
    return f"broken JSON: {reason}"


def describe_broken_pod(reason: str) -> str:
    """That a field of a listed pod, which not every command reads, is no JSON."""
    return f"a listed pod cannot be read: {describe_broken_json(reason)}"


# Documents and objects

NOT_AN_OBJECT = "not Kubernetes objects"
NOT_PARSED = "not a Kubernetes object that preflight checks"
KUSTOMIZE_PATCH = "a patch of a kustomization"
NO_API_VERSION = "apiVersion is missing"
NO_KIND = "not a Kubernetes object: it has no kind"
_MAX_SHOWN_KIND = 60


def explain_unrendered(chart: str = "CHARTDIR") -> str:
    """That a template of a chart is not rendered, and how to."""
    return f"unrendered chart template: render it first: helm template {shlex.quote(chart)} | preflight lint - (other commands: --from -)"


def describe_templates(count: int, chart: str) -> str:
    """How many templates a chart has."""
    return f"{count} {'file' if count == 1 else 'files'} of the chart {chart}"


def describe_count(count: int, noun: str) -> str:
    """A number of documents or objects."""
    return f"{count} {noun if count == 1 else noun + 's'}"


def explain_unchecked_kind(kind: str) -> str:
    """That nothing is read of a kind."""
    return f"kind {kind[:_MAX_SHOWN_KIND]} is not checked"


def explain_unchecked_group(kind: str, group: str) -> str:
    """That nothing is read of a kind that only has the name of ours; `group` is "" for the core API."""
    return f"kind {kind} of {group or 'the core API'} is not checked"


def explain_unnamed(kind: str) -> str:
    """That an object has no name."""
    return f"{kind} without a name: not a complete object"


def explain_patch(kind: str, missing: str) -> str:
    """That an object lacks what a whole one has: `a selector`, `containers`."""
    return f"{kind} without {missing}: not a complete object (a patch?)"


def explain_no_clue(kind: str) -> str:
    """That an object of a kind of which little is read has nothing of that."""
    return f"{kind} without a field that preflight checks"


def explain_no_pool(kind: str) -> str:
    """That a configuration of nodes declares no pool; `kind` is "" where it has none."""
    return f"{kind or 'configuration'} without a node pool"


def describe_nameless(kind: str) -> str:
    """That an object of a file that a command names has no name."""
    return f"the {kind} has no name"


def describe_invalid_object(kind: str, reasons: Sequence[str]) -> str:
    """That an object cannot be checked, with its errors."""
    return f"{kind} cannot be checked: {'; '.join(dict.fromkeys(reasons)) or 'its values are invalid'}"


def describe_truncated_list(kind: str) -> str:
    """That a list is only a page of a longer one."""
    return f"this {kind} is part of a longer list (metadata.continue): get the whole list"


def describe_wrong_items(kind: str) -> str:
    """That the items of a List are not a list."""
    return f"items of {kind} must be a list"


def describe_ambiguity(ambiguity: Ambiguity) -> str:
    """That an object is given several times with other content, and where: four places at most, else three and a count."""
    places = [_format_origin(origin) for origin in ambiguity.origins]
    shown = places if len(places) <= 4 else [*places[:3], f"{len(places) - 3} more places"]
    where = f"{', '.join(shown[:-1])} and {shown[-1]}"
    name = str(ambiguity.key) if ambiguity.is_namespaced else ambiguity.key.name
    return f"{ambiguity.kind} {name} is in {where} with different content"


def describe_moved_pods(namespace: str, name: str, others: int) -> str:
    """That a pod is in two lists, on other nodes; `others` are as many more."""
    more = f" and {others} more" if others else ""
    return f"pod {namespace}/{name}{more}: listed twice, on different nodes or with different owners"


# Node pools

POOL_PART_NOT_GIVEN = "not in the input"


def describe_pool_part(kind: str, name: str, pool: str) -> str:
    """What an object that is not in the input declares for a pool."""
    return f"what {kind} {name} declares for {pool}"


def describe_pool_sizes(pools: int) -> tuple[str, str]:
    """That the sizes of pools are unknown, and how they are counted."""
    if pools == 1:
        return "the number of nodes of a pool", "counted as one node"
    return f"the number of nodes of {pools} pools", "each counted as one node"


# Snapshots

NOT_A_SNAPSHOT = "not a snapshot: create one with `preflight snapshot -o FILE`, or pass the file as manifests"
SECOND_SNAPSHOT = "a second snapshot (of another time or cluster): give only one"
EDITED_DAEMONSET = "DaemonSet cannot be checked: its data in the snapshot was edited; create a new snapshot"


def describe_unreadable_metadata(error: Exception) -> str:
    """That the metadata of a snapshot is invalid."""
    return f"metadata of the snapshot cannot be read: {lower_first(error)}"


def describe_wrong_version(api_version: str) -> str:
    """That a snapshot states no version."""
    return f"not a version of a snapshot: {api_version[:60]!r}"


def describe_newer_version(version: int, known_version: int) -> str:
    """That a snapshot is of a version that this program does not know."""
    return f"written by a newer preflight: version {version}; this one reads {known_version}"


def describe_unwritable(path: str, reason: str | None) -> str:
    """That a snapshot cannot be written."""
    return f"cannot write {path}: {reason}"


def describe_link(path: str) -> str:
    """Why nothing is written through a symbolic link."""
    return f"{path} is a symbolic link: name the file or folder that it leads to"


def describe_two_clusters(kind: str, name: str, files: tuple[str, str]) -> str:
    """That two objects without a namespace have one name, so that no snapshot can have both."""
    return f"{kind} -/{name} is in {files[0]} and {files[1]}: a snapshot holds one cluster, so set the namespace of each"


def describe_unsaved_pod(namespace: str, name: str) -> str:
    """That a listed pod is invalid."""
    return f"pod {namespace}/{name} cannot be saved: its values are invalid"


# The pod of a file

NO_SENSE = "its spec is invalid"


def describe_no_pod(path: str, skipped: Sequence[tuple[str, str]]) -> str:
    """That a file holds no pod, with what it holds instead."""
    why = "; ".join(f"{what}: {reason}" for what, reason in skipped)
    return f"{path}: no pod and no object with a pod template{f' ({why})' if why else ''}"


def describe_several_pods(path: str, descriptions: Sequence[str]) -> str:
    """That a file holds several pods where one is needed."""
    return f"{path}: {len(descriptions)} pod templates ({', '.join(descriptions[:3])}): give one of them"


def describe_pod_source(kind: str, namespace: str, name: str, file: str) -> str:
    """The workload that a pod is of; "" where there is no namespace, or no file."""
    return f"{kind} {f'{namespace}/' if namespace else ''}{name}{f' of {file}' if file else ''}"


def describe_listed_pod(namespace: str, name: str, file: str) -> str:
    """A pod of a list in a file."""
    return f"Pod {namespace}/{name} of {file}"


def describe_refused_pod(source: str, reason: str) -> str:
    """That the API server would refuse the pod of a workload."""
    return f"{source}: the API server would refuse its pod: {reason}"


def describe_part_of_device(resource: str, quantity: object, container: str) -> str:
    """That a container asks for a part of a device."""
    return f"{resource}={quantity} of container {container}: not a whole number"


def describe_bound_pod(source: str, node: str) -> str:
    """That a pod sets its node itself."""
    return f"{source}: its nodeName is {node}, so no scheduler places it"


def describe_refused_field(kind: str, name: str, path: Sequence[str | int], reason: str) -> str:
    """That the API server would refuse a field of an object."""
    return f"{kind} {name}: the API server would refuse {'.'.join(map(str, path))}: {reason}"


def _format_origin(origin: Origin) -> str:
    item = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in origin.path).lstrip(".")
    return f"{origin.file}:{origin.line}" + (f" ({item})" if item else "")


def describe_unknown_resources(resources: Iterable[tuple[str, str]]) -> tuple[str, str]:
    """How many custom resources with tolerations or node selection are not understood, and of which kinds."""
    kinds = Counter(f"{kind} ({group})" for kind, group in resources)
    count = sum(kinds.values())
    what = f"{count} custom resource{'s' if count > 1 else ''} with tolerations or node selection"
    return what, f"not understood: {', '.join(f'{number} {kind}' if number > 1 else kind for kind, number in sorted(kinds.items()))}"
