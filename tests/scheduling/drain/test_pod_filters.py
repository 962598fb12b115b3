"""kubectl's filters of a drain, in its order and its words: semantics 10, `kubectl/pkg/drain/filters.go`."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.kubectl.label_selector import parse_selector
from preflight.model.drain_flags import DrainFlags
from preflight.model.eviction_reasons import MissingInput, MissingKind, PodFilter
from preflight.model.pod_status import ClusterPod
from preflight.scheduling.drain.pod_filters import (
    MIRROR_ANNOTATION,
    FilterDecision,
    filter_pods,
    list_refusals,
    list_warnings,
)
from preflight.scheduling.owners import Owners
from tests.scheduling.drain_objects import owners, pod, reference, workload

LOG = reference("DaemonSet", "log")
SET = reference("ReplicaSet", "web")
THERE = owners(workload("DaemonSet", "log"))
GONE = owners()
NOBODY = owners(complete=())
EVERYTHING: dict[str, Any] = {"ignore_daemonsets": True, "delete_emptydir_data": True, "force": True}
NOW = 1_767_225_600.0
EXISTS = MissingInput(MissingKind.DAEMONSET, "DaemonSet", "shop/log")


def managed(**fields: Any) -> ClusterPod:
    return pod("web-1", SET, **fields)


@pytest.mark.parametrize(
    ("one", "flags", "known", "fate", "by"),
    [
        pytest.param(managed(), {}, GONE, FilterDecision.GOES, None, id="a pod of a controller goes"),
        pytest.param(pod(), {}, GONE, FilterDecision.REFUSED, PodFilter.UNMANAGED_REFUSED, id="a bare pod is refused"),
        pytest.param(pod(), {"force": True}, GONE, FilterDecision.GOES, PodFilter.UNMANAGED_DELETED, id="--force deletes it"),
        pytest.param(pod(phase="Failed"), {}, GONE, FilterDecision.GOES, None, id="one that has ended goes"),
        pytest.param(managed(local_data=True), {}, GONE, FilterDecision.REFUSED, PodFilter.LOCAL_DATA, id="an emptyDir is refused"),
        pytest.param(
            managed(local_data=True), {"force": True}, GONE, FilterDecision.REFUSED, PodFilter.LOCAL_DATA, id="--force is not for data"
        ),
        pytest.param(
            managed(local_data=True), {"delete_emptydir_data": True}, GONE, FilterDecision.GOES, None, id="--delete-emptydir-data is"
        ),
        pytest.param(
            managed(local_data=True, phase="Succeeded"),
            {},
            GONE,
            FilterDecision.GOES,
            None,
            id="the data of one that has ended is no matter",
        ),
        pytest.param(
            pod(local_data=True), {}, GONE, FilterDecision.REFUSED, PodFilter.LOCAL_DATA, id="data comes before the missing controller"
        ),
        pytest.param(
            pod(local_data=True),
            EVERYTHING,
            GONE,
            FilterDecision.GOES,
            PodFilter.UNMANAGED_DELETED,
            id="only the last warning is left: not that of the data",
        ),
        pytest.param(pod("log-1", LOG), {}, THERE, FilterDecision.REFUSED, PodFilter.DAEMONSET_REFUSED, id="a DaemonSet's is refused"),
        pytest.param(
            pod("log-1", LOG), {"force": True}, THERE, FilterDecision.REFUSED, PodFilter.DAEMONSET_REFUSED, id="--force is not for those"
        ),
        pytest.param(
            pod("log-1", LOG),
            {"ignore_daemonsets": True},
            THERE,
            FilterDecision.LEFT,
            PodFilter.DAEMONSET_IGNORED,
            id="--ignore-daemonsets leaves it",
        ),
        pytest.param(
            pod("log-1", LOG, local_data=True),
            {"ignore_daemonsets": True},
            THERE,
            FilterDecision.LEFT,
            PodFilter.DAEMONSET_IGNORED,
            id="and does not look at its data",
        ),
        pytest.param(pod("log-1", LOG, phase="Failed"), {}, THERE, FilterDecision.GOES, None, id="a DaemonSet's that has ended goes"),
        pytest.param(
            pod("log-1", LOG),
            {"ignore_daemonsets": True},
            GONE,
            FilterDecision.REFUSED,
            PodFilter.DAEMONSET_MISSING,
            id="one whose DaemonSet is gone is refused",
        ),
        pytest.param(
            pod("log-1", LOG), {"force": True}, GONE, FilterDecision.GOES, None, id="--force deletes it, without a warning that is left"
        ),
        pytest.param(
            pod("log-1", LOG, local_data=True),
            {"force": True},
            GONE,
            FilterDecision.REFUSED,
            PodFilter.LOCAL_DATA,
            id="and then looks at its data",
        ),
        pytest.param(pod("log-1", LOG), EVERYTHING, NOBODY, FilterDecision.UNKNOWN, None, id="a DaemonSet of which nobody knows"),
        pytest.param(pod("log-1", LOG), {"force": True}, NOBODY, FilterDecision.UNKNOWN, None, id="it goes or is refused"),
        pytest.param(
            pod("log-1", LOG), {}, NOBODY, FilterDecision.REFUSED, PodFilter.DAEMONSET_REFUSED, id="without a flag it is refused either way"
        ),
        pytest.param(
            pod("log-1", reference("DaemonSet", "log", "apps.kruise.io/v1alpha1")),
            {},
            GONE,
            FilterDecision.GOES,
            None,
            id="a DaemonSet of another API is a controller as any other",
        ),
        pytest.param(pod(annotations={MIRROR_ANNOTATION: "x"}), {}, GONE, FilterDecision.LEFT, PodFilter.MIRROR, id="a mirror pod is left"),
        pytest.param(
            pod(annotations={MIRROR_ANNOTATION: "x"}, local_data=True),
            {},
            GONE,
            FilterDecision.LEFT,
            PodFilter.MIRROR,
            id="whatever its data",
        ),
        pytest.param(
            managed(), {"pod_selector": parse_selector("app=web")}, GONE, FilterDecision.GOES, None, id="selected by --pod-selector"
        ),
        pytest.param(
            pod(),
            {"pod_selector": parse_selector("app=db")},
            GONE,
            FilterDecision.LEFT,
            PodFilter.NOT_SELECTED,
            id="one that is not is not refused",
        ),
        pytest.param(
            managed(deletion="2025-12-31T23:59:00Z"), {}, GONE, FilterDecision.GOES, None, id="one that is being deleted goes once more"
        ),
        pytest.param(
            managed(deletion="2025-12-31T23:59:49Z"),
            {"skip_wait_for_delete_timeout": 10},
            GONE,
            FilterDecision.LEFT,
            PodFilter.OVERDUE,
            id="unless it should be gone for long",
        ),
        pytest.param(
            managed(deletion="2025-12-31T23:59:49.5Z"),
            {"skip_wait_for_delete_timeout": 10},
            GONE,
            FilterDecision.GOES,
            None,
            id="whole seconds count",
        ),
    ],
)
def test_filter(one: ClusterPod, flags: dict[str, Any], known: Owners, fate: FilterDecision, by: PodFilter | None) -> None:
    (found,) = filter_pods([one], DrainFlags(**flags), known, NOW)
    assert (found.decision, found.filter) == (fate, by)
    assert found.missing_input == (EXISTS if fate is FilterDecision.UNKNOWN else None)


def test_without_a_clock_nothing_is_deleted_for_too_long() -> None:
    (found,) = filter_pods([managed(deletion="2020-01-01T00:00:00Z")], DrainFlags(skip_wait_for_delete_timeout=1), GONE)
    assert found.decision is FilterDecision.GOES


def test_refusals_and_warnings_name_the_pods_by_reason_in_the_order_of_the_list() -> None:
    pods = [
        pod("b-1"),
        pod("log-1", LOG),
        pod("a-1", namespace="shop-2"),
        pod("a-1", local_data=True),
        pod("a-2", local_data=True),
        pod("static", annotations={MIRROR_ANNOTATION: "x"}),
        managed(),
    ]
    there = filter_pods(pods, DrainFlags(), THERE)
    assert [each.pod.metadata.name for each in there] == ["a-1", "a-1", "a-2", "b-1", "log-1", "static", "web-1"]
    refusals = list_refusals(there)
    assert [(refusal.filter, refusal.pods) for refusal in refusals] == [
        (PodFilter.UNMANAGED_REFUSED, ("shop-2/a-1", "shop/b-1")),
        (PodFilter.LOCAL_DATA, ("shop/a-1", "shop/a-2")),
        (PodFilter.DAEMONSET_REFUSED, ("shop/log-1",)),
    ]
    assert tuple(refusal.words for refusal in refusals) == (
        "cannot delete Pods that declare no controller (use --force to override): shop-2/a-1, shop/b-1",
        "cannot delete Pods with local storage (use --delete-emptydir-data to override): shop/a-1, shop/a-2",
        "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): shop/log-1",
    )
    assert list_warnings(there) == ()
    forced = filter_pods(pods, DrainFlags(**EVERYTHING), THERE)
    assert list_refusals(forced) == ()
    assert list_warnings(forced) == (
        "deleting Pods that declare no controller: shop-2/a-1, shop/a-1, shop/a-2, shop/b-1",
        "ignoring DaemonSet-managed Pods: shop/log-1",
    )


def test_the_refusal_for_a_missing_daemonset_names_it() -> None:
    (refusal,) = list_refusals(filter_pods([pod("log-1", LOG)], DrainFlags(ignore_daemonsets=True), GONE))
    assert (refusal.filter, refusal.daemonset) == (PodFilter.DAEMONSET_MISSING, "log")
    assert refusal.words == 'cannot delete daemonsets.apps "log" not found: shop/log-1'
