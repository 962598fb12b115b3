"""What reading gathers, file by file: objects, listed pods, what was left out, and what could not be read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from preflight.documents import Chunk, RepeatedKey
from preflight.errors import InputError
from preflight.load.kinds import (
    CHECKED_KINDS,
    OPERATOR_KINDS,
    SNAPSHOT,
    STATE_KINDS,
    STATE_LISTS,
    PlainObject,
    declares_pool,
    explain_unchecked,
    get_path,
    has_clue,
    is_list,
    is_unrendered,
)
from preflight.load.kustomizations import Kustomizations
from preflight.load.locations import locate_item
from preflight.load.unknown_resources import UnknownResource, find_operated_resource, find_toleration_lists, find_unknown_resource
from preflight.messages.load import (
    EDITED_DAEMONSET,
    NO_API_VERSION,
    NOT_AN_OBJECT,
    SECOND_SNAPSHOT,
    describe_count,
    describe_invalid_object,
    describe_truncated_list,
    describe_unknown_resources,
    describe_wrong_items,
    explain_no_pool,
    explain_unrendered,
)
from preflight.model.apps import DaemonSet
from preflight.model.convert import convert
from preflight.model.core import CoveragePod, Node
from preflight.model.manifest_context import OperatedResource
from preflight.model.meta import LabelSelector, Origin, Refusal, SourcedObject
from preflight.model.policy import PodDisruptionBudget
from preflight.model.report import Location, Problem, SkippedCheck
from preflight.model.world import ClusterListing

if TYPE_CHECKING:
    from preflight.load.pools import PoolDeclaration
    from preflight.load.runtime_state import RuntimeStateCollector
    from preflight.model.declaration import OperatorResource
    from preflight.model.lazy_pods import LazyPods
    from preflight.model.pod_scheduling import SchedulerPod
    from preflight.model.workloads import CustomResource

_BUDGETS_BEFORE_V1 = "policy/v1beta1"
"""There an empty selector selects nothing, as an absent one does."""

MAX_LOCATED = 4 << 20
"""A document with more characters than this has no lines: it is a dump, and nobody wrote it."""


class ObjectCollector:
    """The heap that the readers fill.

    1. `objects` and `pods` are in order of file and place; `pod_lists` has the file and the pods' namespaces of each list that showed pods.
       `lone_pods` were there too, and nothing says that these are all pods of their namespace.
    2. `pools` are what manifests declare of node pools, one by one: `pools.resolve_pools` puts them together. `operator_resources` are the
       objects that known operators read, for `operators.declare_daemonsets`; `custom_resources` are lists of tolerations of others.
    3. `texts` are the documents that hold objects of ours, by file and index, as far as their lines can be told.
    4. `survey` is what a live cluster or a snapshot says of itself; None where only files were read. `snapshots` are the documents that
       are snapshots, by file and index.
    5. `complete_kinds` are the kinds that a list of their own was given of, as the API answers with: `PodDisruptionBudgetList`.
    6. `whole_pods` are the listed pods as a whole, by namespace and name, where they are wanted (`wants_whole_pods`): most changes do not.
    7. `runtime_state` is what is read of the state of the cluster, None where nobody asks for it: most commands do not.
    8. `pod_texts` are the listed pods as a whole, each read when it is asked for; None where nobody wants them.
    9. `empty_paths` are named folders without a file, and named files without any content.
    10. `operated_resources` are the custom resources that are not read; `kustomizations` what kustomizations say of other files.
    11. `leaves_templates`: an unrendered template of a chart is left out, even where the person named its file.
    """

    def __init__(
        self,
        *,
        leaves_templates: bool = False,
        wants_whole_pods: bool = False,
        wants_pod_texts: bool = False,
        wants_state: bool = False,
    ) -> None:
        self.leaves_templates, self.wants_whole_pods = leaves_templates, wants_whole_pods
        self.pod_texts: LazyPods[SchedulerPod] | None = None
        if wants_pod_texts:
            from preflight.load.pod_texts import make_pod_texts

            self.pod_texts = make_pod_texts()
        self.runtime_state: RuntimeStateCollector | None = None
        if wants_state:
            from preflight.load.runtime_state import RuntimeStateCollector

            self.runtime_state = RuntimeStateCollector()
        self.objects: list[SourcedObject] = []
        self.pods: list[CoveragePod] = []
        self.lone_pods: list[CoveragePod] = []
        self.whole_pods: dict[tuple[str, str], SchedulerPod] = {}
        self.pools: list[PoolDeclaration] = []
        self.operator_resources: list[OperatorResource] = []
        self.unknown_resources: list[UnknownResource] = []
        self.custom_resources: list[CustomResource] = []
        self.operated_resources: list[OperatedResource] = []
        self.kustomizations = Kustomizations()
        self.pod_lists: list[tuple[str, frozenset[str]]] = []
        self.problems: list[Problem] = []
        self.repeated: list[tuple[Origin, RepeatedKey]] = []
        self.texts: dict[tuple[str, int], Chunk] = {}
        self.survey: ClusterListing | None = None
        self.snapshots: set[tuple[str, int]] = set()
        self.complete_kinds: set[str] = set()
        self.files = 0
        self.empty_paths: list[str] = []
        self._left_out: Counter[tuple[str, str]] = Counter()
        self._skipped: list[SkippedCheck] = []

    def count_skipped(self, why: str, count: int = 1, noun: str = "document") -> None:
        """Count something that is not judged: documents, or objects in a list."""
        if count:
            self._left_out[noun, why] += count

    def add_skipped(self, what: str, why: str) -> None:
        """Name something that is not judged."""
        self._skipped.append(SkippedCheck(what, why))

    def add_problem(self, message: str, file: str, line: int = 0, column: int = 0, source: str = "", path: str = "") -> None:
        """Note something that could not be read."""
        self.problems.append(Problem(message, Location(file, line, column, path, source)))

    def list_nodes(self) -> tuple[Node, ...]:
        """All nodes, and what single manifests declare of pools."""
        return (*(node for node in self.objects if isinstance(node, Node)), *(pool.node for pool in self.pools))

    def list_skipped(self) -> tuple[SkippedCheck, ...]:
        """What is not judged, counted and in order."""
        counted = [SkippedCheck(describe_count(count, noun), why) for (noun, why), count in self._left_out.items()]
        unknown = [SkippedCheck(*describe_unknown_resources(self.unknown_resources))] if self.unknown_resources else []
        return tuple(sorted((*counted, *self._skipped, *unknown), key=lambda check: (check.why, check.what)))

    @contextmanager
    def keep_document(self, chunk: Chunk | None, file: str, repeated: Sequence[RepeatedKey] = ()) -> Iterator[None]:
        """Keep the text and the repeated keys of a document where what is done meanwhile finds objects, or what should be some, in it.

        Not the text of a snapshot: nobody wrote it.
        """
        before = self._count_found()
        yield
        if chunk is not None and self._count_found() > before:
            self.repeated += ((Origin(file, chunk.index, chunk.line), key) for key in repeated)
            if len(chunk.text) <= MAX_LOCATED and (file, chunk.index) not in self.snapshots:
                self.texts[file, chunk.index] = chunk

    def add(
        self, data: object, origin: Origin, *, has_template_text: bool = False, is_named: bool = False, is_item: bool = False
    ) -> Sequence[CoveragePod]:
        """Take an object, or what it lists, lists in lists included; its listed pods are the answer, and the caller's to add.

        1. Pods in a list that are bound or have a status are evidence: they were listed by somebody, who may have left their
           containers out. Other pods are manifests.
        2. An item without apiVersion and kind has those of its list, as the API's own lists leave them out.
        """
        pods: list[CoveragePod] = []
        waiting: list[tuple[object, Origin, bool]] = [(data, origin, is_item)]
        while waiting:
            item, place, is_listed = waiting.pop()
            if not isinstance(item, dict):
                self.count_skipped(NOT_AN_OBJECT, noun="object" if is_listed else "document")
            elif is_list(item) or self.is_state_list(item.get("kind")):
                if item["kind"] == SNAPSHOT and not self.begin_snapshot(item["apiVersion"], item.get("metadata"), place):
                    continue
                self.complete_kinds.add(item["kind"].removesuffix("List"))
                waiting += reversed([(inner, where, True) for inner, where in self._list_items(item, place)])
            elif is_listed and is_listed_pod(item):
                if pod := self.convert_listed_pod(item, place):
                    pods.append(pod)
            elif declares_pool(item):
                if has_template_text and is_unrendered(item):
                    self.add_unrendered(place, is_named=is_named)
                else:
                    self.add_pools(item, place)
            elif self._take_operator_resource(item, place, has_template_text=has_template_text, is_named=is_named) or (
                self.runtime_state is not None and self.runtime_state.take_state_object(item)
            ):
                pass
            elif why := explain_unchecked(item, is_from_snapshot=self.is_from_snapshot(place)):
                if self.is_from_snapshot(place) and str(item.get("kind")) in STATE_KINDS:
                    continue
                if (operated := find_operated_resource(item)) is not None:
                    self.operated_resources.append(operated)
                if (unknown := find_unknown_resource(item)) is not None:
                    self.unknown_resources.append(unknown)
                    if not has_template_text:
                        self.custom_resources += find_toleration_lists(item, place)
                else:
                    self.count_skipped(why, noun="object" if is_listed else "document")
            elif has_template_text and is_unrendered(item):
                self.add_unrendered(place, is_named=is_named)
            else:
                self.add_object(item, place)
        return pods

    def add_object(self, item: PlainObject, origin: Origin) -> None:
        """Take one object of a kind that is judged."""
        kind = CHECKED_KINDS[item["kind"]]
        kept = Raw()
        if item["kind"] == "DaemonSet" and self.is_from_snapshot(origin):
            from preflight.load.snapshot.reader import is_valid_rest, unpack_daemonset

            item, kept = unpack_daemonset(item)
            if not is_valid_rest(kept):
                self.add_problem(EDITED_DAEMONSET, origin.file, origin.line)
                return
        value, refusals = convert(_with_generated_name(item), kind.type, origin)
        if value is None:
            self._add_invalid(item["kind"], refusals, origin)
            return
        if item.get("apiVersion") is None:
            value = replace(value, refusals=(Refusal(("apiVersion",), NO_API_VERSION), *value.refusals))
        if isinstance(value, DaemonSet) and value.spec.selector is None:
            # extensions/v1beta1: its server selected by the labels of the template.
            selector = LabelSelector(value.spec.template.metadata.labels)
            value = replace(value, spec=replace(value.spec, selector=selector))
        if (
            item.get("apiVersion") == _BUDGETS_BEFORE_V1
            and isinstance(value, PodDisruptionBudget)
            and value.spec.selector == LabelSelector()
        ):
            value = replace(value, spec=replace(value.spec, selector=None))  # there an empty selector selects nothing
        self.objects.append(replace(value, kept=kept) if kept else value)

    def _take_operator_resource(self, item: PlainObject, origin: Origin, *, has_template_text: bool, is_named: bool) -> bool:
        """Take an object that a known operator reads, and say whether it is nothing else: a ConfigMap is an object of ours, too."""
        kind = item.get("kind")
        if not isinstance(kind, str) or (kind not in OPERATOR_KINDS and kind != "ConfigMap"):
            return False
        from preflight.operators.resource import read_operator_resource

        resource = read_operator_resource(item, origin)
        if resource is None:
            return False
        if has_template_text and is_unrendered(item):
            self.add_unrendered(origin, is_named=is_named)
            return True
        self.operator_resources.append(resource)
        return bool(resource.group) or not has_clue(kind, repr(item.get("data")))

    def add_pools(self, item: PlainObject, origin: Origin) -> None:
        """Take what a manifest says of node pools."""
        from preflight.load.pools import read_pool_declarations

        found = read_pool_declarations(item, origin)
        if not found:
            self.count_skipped(explain_no_pool(str(item.get("kind") or "")))
        self.pools += found

    def add_pods(self, pods: Sequence[CoveragePod], file: str) -> None:
        """Take the pods that one list showed."""
        if pods:
            self.pods += pods
            self.pod_lists.append((file, frozenset(pod.metadata.namespace for pod in pods)))

    def convert_listed_pod(self, item: PlainObject, origin: Origin) -> CoveragePod | None:
        """A pod as evidence, from plain data."""
        if self.runtime_state is not None:
            self.runtime_state.take_pod(item)
        elif self.wants_whole_pods:
            from preflight.model.pod_scheduling import SchedulerPod

            self.add_whole_pod(convert(item, SchedulerPod, origin)[0])
        elif self.pod_texts is not None:
            from preflight.model.pod_scheduling import SchedulerPod

            if (whole_pod := convert(item, SchedulerPod, origin)[0]) is not None:
                self.pod_texts.add_pod(whole_pod)
        try:
            return msgspec.json.decode(msgspec.json.encode(item), type=CoveragePod)
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
            pod, refusals = convert(item, CoveragePod, origin)
            if pod is None:
                self._add_invalid("Pod", refusals, origin)
            return pod

    def add_whole_pod(self, pod: SchedulerPod | None) -> None:
        """Take a pod as a whole, where it could be understood."""
        if pod is not None:
            self.whole_pods[pod.key] = pod

    def add_unrendered(self, origin: Origin, *, is_named: bool, chart: str = "CHARTDIR") -> None:
        """Note a template that nobody rendered: a problem where the person named the file, else, and with `leaves_templates`, left out."""
        why = explain_unrendered(chart)
        if is_named and not self.leaves_templates:
            self.add_problem(why, origin.file, origin.line)
        else:
            self.add_skipped(f"{origin.file}:{origin.line}" if origin.line else origin.file, why)

    def add_truncated(self, kind: str, origin: Origin) -> None:
        """Note a list that says of itself that it goes on elsewhere."""
        self.add_problem(describe_truncated_list(kind), origin.file, origin.line, path="metadata.continue")

    def is_from_snapshot(self, origin: Origin) -> bool:
        """Whether an object stands in a snapshot."""
        return bool(self.snapshots) and (origin.file, origin.document) in self.snapshots

    def is_state_list(self, kind: object) -> bool:
        """Whether somebody asks for the state, and this is the kind of a list that has nothing else."""
        return self.runtime_state is not None and isinstance(kind, str) and kind in STATE_LISTS

    def begin_snapshot(self, api_version: str, metadata: object, origin: Origin) -> bool:
        """Take what a snapshot says of itself; False, and a problem, where its items cannot be read or do not belong here.

        A snapshot of another listing than one that was read is a problem: what both say together is of no cluster at any time.
        """
        from preflight.load.snapshot.reader import read_head

        try:
            listing = read_head(api_version, metadata)
            if self.survey is not None and self.survey != listing:
                raise InputError(SECOND_SNAPSHOT)
        except InputError as error:
            self.add_problem(str(error), origin.file, origin.line)
            return False
        self.survey = listing
        self.snapshots.add((origin.file, origin.document))
        return True

    def _count_found(self) -> int:
        found = (self.objects, self.pods, self.lone_pods, self.pools, self.operator_resources, self.custom_resources, self.problems)
        return sum(len(part) for part in found)

    def _list_items(self, data: PlainObject, origin: Origin) -> list[tuple[object, Origin]]:
        items = data.get("items")
        if items is None:
            return []
        if not isinstance(items, list):
            self.add_problem(describe_wrong_items(data["kind"]), origin.file, origin.line, path="items")
            return []
        metadata = data.get("metadata")
        if isinstance(metadata, dict) and metadata.get("continue"):
            self.add_truncated(data["kind"], origin)
        inherited = {"apiVersion": data.get("apiVersion"), "kind": data["kind"].removesuffix("List")}
        return [
            (
                {**inherited, **item} if inherited["kind"] and isinstance(item, dict) and "kind" not in item else item,
                locate_item(origin, index),
            )
            for index, item in enumerate(items)
        ]

    def _add_invalid(self, kind: str, refusals: Sequence[Refusal], origin: Origin) -> None:
        self.add_problem(describe_invalid_object(kind, [refusal.reason for refusal in refusals[:3]]), origin.file, origin.line)


def is_listed_pod(item: PlainObject) -> bool:
    """Whether an object in a list is a pod that was there when the list was taken: it is bound, or has a status."""
    if item.get("kind") != "Pod" or item.get("apiVersion") not in (None, "v1"):
        return False
    is_there = bool(get_path(item, ("spec", "nodeName"))) or bool(item.get("status"))
    return is_there and bool(get_path(item, ("metadata", "name")))


def _with_generated_name(item: PlainObject) -> PlainObject:
    """The object with a name where it has only a `generateName`: `train-*`, which no real name can be."""
    metadata: Any = item.get("metadata")
    if isinstance(metadata, dict) and not metadata.get("name") and isinstance(metadata.get("generateName"), str):
        return {**item, "metadata": {**metadata, "name": f"{metadata['generateName']}*"}}
    return item
