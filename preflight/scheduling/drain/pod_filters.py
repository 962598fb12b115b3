"""Which pods of a node `kubectl drain` wants to go, which it leaves, and which make it refuse the node."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from msgspec import Struct

from preflight.model.drain_flags import DrainFlags
from preflight.model.eviction_reasons import KubectlRefusal, MissingInput, MissingKind, PodFilter
from preflight.model.pod_status import ClusterPod
from preflight.model.releases import Behavior
from preflight.model.timestamps import parse_time
from preflight.scheduling.drain.model import get_missing_daemonset
from preflight.scheduling.owners import Owner, Owners, is_kind

MIRROR_ANNOTATION = "kubernetes.io/config.mirror"

_KUBECTL_WORDS = {
    PodFilter.DAEMONSET_REFUSED: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
    PodFilter.DAEMONSET_IGNORED: "ignoring DaemonSet-managed Pods",
    PodFilter.DAEMONSET_MISSING: 'daemonsets.apps "{}" not found',
    PodFilter.LOCAL_DATA: "Pods with local storage (use --delete-emptydir-data to override)",
    PodFilter.UNMANAGED_REFUSED: "Pods that declare no controller (use --force to override)",
    PodFilter.UNMANAGED_DELETED: "deleting Pods that declare no controller",
}
_WARNED = (PodFilter.DAEMONSET_IGNORED, PodFilter.UNMANAGED_DELETED)


class FilterDecision(Enum):
    """What kubectl's filters make of a pod: it is to go, it is left, it makes kubectl refuse the node, or nobody can tell."""

    GOES = "goes"
    LEFT = "left"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class FilteredPod(Struct, frozen=True):
    """A pod and what the filters make of it: the filter that decides, None if none does; what was not given if that is unknown."""

    pod: ClusterPod
    decision: FilterDecision
    filter: PodFilter | None = None
    missing_input: MissingInput | None = None


def filter_pods(
    pods: Iterable[ClusterPod], flags: DrainFlags, owners: Owners, now: float | None = None, *, knows_apps_only: bool | None = True
) -> tuple[FilteredPod, ...]:
    """What the filters make of each pod of a node, in the order in which kubectl lists them: that of the texts `namespace/name`.

    `knows_apps_only`: kubectl looks only for apps/v1 DaemonSets, and takes one of another API group for any other controller; an older one
    looks for an apps/v1 DaemonSet of its name, which does not exist. None where the version is not known.
    """
    return tuple(_filter_pod(pod, flags, owners, now, knows_apps_only) for pod in sorted(pods, key=lambda pod: "/".join(pod.key)))


def _filter_pod(pod: ClusterPod, flags: DrainFlags, owners: Owners, now: float | None, knows_apps_only: bool | None) -> FilteredPod:
    if knows_apps_only is None:
        newer, older = (_filter_pod(pod, flags, owners, now, answer) for answer in (True, False))
        if newer.decision is older.decision:
            return newer
        missing = MissingInput(MissingKind.VERSION, name=Behavior.DRAIN_KNOWS_APPS_ONLY)
        return FilteredPod(pod, FilterDecision.UNKNOWN, missing_input=missing)
    return _filter_known_pod(pod, flags, owners, now, knows_apps_only=knows_apps_only)


def _filter_known_pod(pod: ClusterPod, flags: DrainFlags, owners: Owners, now: float | None, *, knows_apps_only: bool) -> FilteredPod:
    """One pod, through the filters in kubectl's order; the first that says no ends it.

    1. Not selected by --pod-selector: left, it is not even listed.
    2. Being deleted for longer than --skip-wait-for-delete-timeout: left.
    3. Of an apps/v1 DaemonSet, and not ended: where the DaemonSet is gone it needs --force, else it needs --ignore-daemonsets and is left.
       Without both flags it is refused, also where nobody knows which. An older kubectl does so with one of another API group too.
    4. A mirror pod: left.
    5. With an emptyDir, and not ended: needs --delete-emptydir-data.
    6. Without a controller, and not ended: needs --force.

    `now` is in seconds since 1970; where it is not known, no pod counts as deleted for too long.
    Source: `staging/src/k8s.io/kubectl/pkg/drain/filters.go`, makeFilters.
    """
    metadata = pod.metadata
    if flags.pod_selector is not None and not flags.pod_selector.selects(metadata.labels):
        return FilteredPod(pod, FilterDecision.LEFT, PodFilter.NOT_SELECTED)
    if _is_overdue(metadata.deletionTimestamp, flags.skip_wait_for_delete_timeout, now):
        return FilteredPod(pod, FilterDecision.LEFT, PodFilter.OVERDUE)
    controller = pod.controller
    is_of_apps = controller is not None and is_kind(controller, "DaemonSet", ("apps",))
    is_daemonset = is_of_apps or (controller is not None and controller.kind == "DaemonSet" and not knows_apps_only)
    if controller is not None and is_daemonset and not pod.has_ended:
        daemonset = owners.find("DaemonSet", metadata.namespace, controller.name)
        if daemonset is None and not is_of_apps:
            daemonset = False  # two of one name and different groups are as good as impossible
        if daemonset is None and (flags.ignore_daemonsets or flags.force):
            return FilteredPod(
                pod,
                FilterDecision.UNKNOWN,
                missing_input=MissingInput(MissingKind.DAEMONSET, "DaemonSet", f"{metadata.namespace}/{controller.name}"),
            )
        if daemonset is None or isinstance(daemonset, Owner):
            if not flags.ignore_daemonsets:
                return FilteredPod(pod, FilterDecision.REFUSED, PodFilter.DAEMONSET_REFUSED)
            return FilteredPod(pod, FilterDecision.LEFT, PodFilter.DAEMONSET_IGNORED)
        if not flags.force:
            return FilteredPod(pod, FilterDecision.REFUSED, PodFilter.DAEMONSET_MISSING)
    if MIRROR_ANNOTATION in metadata.annotations:
        return FilteredPod(pod, FilterDecision.LEFT, PodFilter.MIRROR)
    if pod.has_ended:
        return FilteredPod(pod, FilterDecision.GOES)
    if has_local_data(pod) and not flags.delete_emptydir_data:
        return FilteredPod(pod, FilterDecision.REFUSED, PodFilter.LOCAL_DATA)
    if controller is None:
        return (
            FilteredPod(pod, FilterDecision.GOES, PodFilter.UNMANAGED_DELETED)
            if flags.force
            else FilteredPod(pod, FilterDecision.REFUSED, PodFilter.UNMANAGED_REFUSED)
        )
    return FilteredPod(pod, FilterDecision.GOES)


def has_local_data(pod: ClusterPod) -> bool:
    """Whether a pod has an emptyDir, whose data ends with it."""
    return any(volume.emptyDir is not None for volume in pod.spec.volumes)


def quote_kubectl(pod_filter: PodFilter, daemonset: str = "") -> str:
    """kubectl's own words for a filter in an error or a warning; `daemonset` is the name of a missing one."""
    return _KUBECTL_WORDS[pod_filter].format(daemonset)


def list_refusals(pods: Iterable[FilteredPod]) -> tuple[KubectlRefusal, ...]:
    """kubectl's errors for a node that it refuses, one for each reason; it prints them in any order."""
    refused = (pod for pod in pods if pod.decision is FilterDecision.REFUSED)
    return tuple(
        KubectlRefusal(pod_filter, daemonset, names, f"cannot delete {quote_kubectl(pod_filter, daemonset)}: {', '.join(names)}")
        for (pod_filter, daemonset), names in _group_by_filter(refused).items()
    )


def list_warnings(pods: Iterable[FilteredPod]) -> tuple[str, ...]:
    """kubectl's warnings for a node that it drains; it prints them in any order, on one line with semicolons."""
    shown = (pod for pod in pods if pod.filter in _WARNED)
    return tuple(f"{quote_kubectl(pod_filter)}: {', '.join(names)}" for (pod_filter, _), names in _group_by_filter(shown).items())


def _group_by_filter(pods: Iterable[FilteredPod]) -> Mapping[tuple[PodFilter, str], tuple[str, ...]]:
    """The names of the pods by their filter and the DaemonSet that is missing."""
    named: dict[tuple[PodFilter, str], tuple[str, ...]] = {}
    for pod in pods:
        assert pod.filter is not None
        key = pod.filter, get_missing_daemonset(pod.pod, pod.filter)
        named[key] = (*named.get(key, ()), "/".join(pod.pod.key))
    return named


def _is_overdue(deletion: str, seconds: int, now: float | None) -> bool:
    """The deletion timestamp is when the grace period ends; whole seconds count."""
    moment = parse_time(deletion) if seconds > 0 and now is not None else None
    return moment is not None and now is not None and int(now - moment) > seconds
