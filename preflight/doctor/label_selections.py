"""Who selects nodes by which labels: templates, pods that wait, and running pods of workloads that were not given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from preflight.dependents.requirements import list_consumers, make_subject
from preflight.doctor.index import ClusterIndex
from preflight.doctor.owners import get_owner
from preflight.doctor.pod_health import get_extended_requests
from preflight.model.core import PodSpec, find_controller
from preflight.model.report import Subject
from preflight.model.runtime_state import PodState

_NODE_SPECIFIC_LABELS = frozenset(
    (
        "kubernetes.io/hostname",
        "kubernetes.io/os",
        "kubernetes.io/arch",
        "beta.kubernetes.io/os",
        "beta.kubernetes.io/arch",
        "metadata.name",
    )
)


class LabelSelection(NamedTuple):
    """Someone who selects by a label; no `values` stand for any.

    `pod` is the pod where one waits, `resources` are the extended resources that the pods ask for; those of a DaemonSet use no device for
    anybody else: `is_daemon`.
    """

    subject: Subject
    values: frozenset[str]
    pod: PodState | None = None
    resources: frozenset[str] = frozenset()
    is_daemon: bool = False


def collect_label_selections(index: ClusterIndex) -> dict[str, list[LabelSelection]]:
    """The labels that templates, waiting pods, and pods of workloads that were not given select by."""
    found: dict[str, list[LabelSelection]] = {}
    consumers = list_consumers(index.cluster)
    for consumer in consumers:
        for label, values in _iter_selected_labels(consumer.spec):
            selection = LabelSelection(consumer.subject, values, None, frozenset(consumer.resources), consumer.is_daemon)
            found.setdefault(label, []).append(selection)
    for pod in index.waiting_pods:
        for label, values in _iter_selected_labels(pod.spec):
            selection = LabelSelection(Subject("Pod", *pod.key), values, pod, frozenset(get_extended_requests(pod.spec)))
            found.setdefault(label, []).append(selection)
    given = {make_subject(workload) for workload in (*index.cluster.workloads, *index.cluster.job_sets)}
    for pod in _iter_running_pods(index):
        owner, controller = get_owner(pod), pod.controller
        if owner in given or (controller is not None and Subject(controller.kind, pod.metadata.namespace, controller.name) in given):
            continue
        for label, values in _iter_selected_labels(pod.spec):
            selection = LabelSelection(owner, values, None, frozenset(get_extended_requests(pod.spec)))
            found.setdefault(label, []).append(selection)
    return found


def _iter_running_pods(index: ClusterIndex) -> Iterator[PodState]:
    """The pods that run, select their node and are of no DaemonSet; of pods that ask for the same only the first."""
    pods, seen = index.cluster.whole_pods or {}, set()
    for listed in index.cluster.pods:
        spec = listed.spec
        key = tuple(map(bytes, (spec.nodeSelector, spec.affinity, spec.containers)))
        if not listed.spec.nodeName or key in seen or not (listed.spec.nodeSelector or listed.spec.affinity):
            continue
        owner = find_controller(listed)
        if owner is not None and owner.kind == "DaemonSet":
            continue
        seen.add(key)
        pod = pods.get((listed.metadata.namespace, listed.metadata.name))
        if isinstance(pod, PodState):
            yield pod


def _iter_selected_labels(spec: PodSpec) -> Iterator[tuple[str, frozenset[str]]]:
    yield from ((key, frozenset((value,))) for key, value in spec.nodeSelector.items() if key not in _NODE_SPECIFIC_LABELS)
    affinity = spec.affinity.nodeAffinity if spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    for term in required.nodeSelectorTerms if required else ():
        for expression in term.matchExpressions:
            if expression.key not in _NODE_SPECIFIC_LABELS and expression.operator in ("In", "Exists"):
                yield expression.key, frozenset(expression.values)
