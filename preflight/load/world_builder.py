"""From what was gathered to the world: keys, objects that stand twice, evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from preflight.load.collector import ObjectCollector
from preflight.load.kinds import CHECKED_KINDS
from preflight.load.operators import DeclaredDaemonSets, resolve_operators
from preflight.messages.load import (
    POOL_PART_NOT_GIVEN,
    describe_ambiguity,
    describe_moved_pods,
    describe_pool_part,
    describe_pool_sizes,
)
from preflight.model.apps import DaemonSet, Deployment
from preflight.model.autoscaling import HorizontalPodAutoscaler, ScaledObject
from preflight.model.batch import CronJob, JobSet
from preflight.model.core import CoveragePod, Namespace, Node, Pod, PriorityClass, ResourceQuota, RuntimeClass, find_controller
from preflight.model.manifest_context import ManifestContext
from preflight.model.meta import ObjectKey, Origin, SourcedObject, make_object_key
from preflight.model.policy import PodDisruptionBudget
from preflight.model.storage import ConfigMap, CSIDriver, PersistentVolume, PersistentVolumeClaim, StorageClass
from preflight.model.versions import ClusterVersions, VersionOptions, VersionSource, resolve_versions
from preflight.model.world import Ambiguity, ClusterListing, ClusterState

if TYPE_CHECKING:
    from preflight.model.pod_scheduling import SchedulerPod
    from preflight.model.version_fields import GatedField

WorldKey = tuple[str, tuple[str, str, str]]


def build_world(
    collector: ObjectCollector, *, one_cluster: bool, versions: VersionOptions, checked_files: frozenset[str] | None = None
) -> ClusterState:
    """The world that the objects make; problems that show only now are added to `collector`.

    1. An object that stands twice with equal content is one. Equal is what a prediction reads: the labels, and the spec (of a
       DaemonSet all of it; of a node its conditions too), not a status or an annotation.
    2. With other content it is `ambiguous` (a node or DaemonSet); for a change, which judges one cluster, a problem too, whatever the kind.
    3. The key is kind, namespace and name; an object that states no namespace is known by its file too, and never one with another file's.
    4. `checked_files` are the files that the surroundings do not count among (None: there are none): an object that stands in both is the
       judged one, since that is what the surroundings will become.
    5. A pool of nodes is one partly known node, beside the nodes of it that are there: it is what the next one is like.
    6. The namespaces that a list of pods names are listed. One beside nodes or DaemonSets, with pods of more than one namespace, was
       taken with `-A`: then those of all namespaces are. A list of nothing but pods may be two namespaces put together.
    7. A list of PodDisruptionBudgets alone, as the API answers with, has all of them, though it be empty. No other kind counts as complete.
    8. What a survey says of itself is known, and nothing is concluded from its lists; those beside a snapshot count as they do without
       one. The caller's gate comes before its own.
    """
    ambiguities: list[Ambiguity] = []
    twice: set[WorldKey] = set()
    by_key: dict[WorldKey, list[SourcedObject]] = {}
    for value in (*collector.objects, *_resolve_pools(collector)):
        by_key.setdefault(_get_key(value), []).append(value)
    for key, values in by_key.items():
        if checked_files is not None and any(value.origin.file in checked_files for value in values):
            by_key[key] = values = [value for value in values if value.origin.file in checked_files]
        if len(values) > 1 and (others := _find_differing(values)):
            twice.add(key)
            origins = tuple(value.origin for value in others)
            ambiguity = Ambiguity(key[0], ObjectKey(*key[1]), origins, CHECKED_KINDS[key[0]].is_namespaced)
            if ambiguity.kind in {"Node", "DaemonSet"}:
                ambiguities.append(ambiguity)
            if one_cluster:
                collector.add_problem(describe_ambiguity(ambiguity), others[1].origin.file, others[1].origin.line)
    nodes = {values[0].name: values[0] for key, values in by_key.items() if key not in twice and isinstance(values[0], Node)}
    known_versions = _resolve_versions(versions, collector.survey, nodes)
    objects, lost_fields = _drop_lost_fields(collector.objects, by_key, known_versions)
    once = [values[0] for key, values in by_key.items() if key not in twice]
    daemonsets = {value.key: value for value in once if isinstance(value, DaemonSet)}
    declared = resolve_operators(collector, daemonsets) if collector.operator_resources else DeclaredDaemonSets()
    if declared.daemonsets:
        daemonsets |= {daemonset.key: daemonset for daemonset in declared.daemonsets}
        from preflight.operators.assigned_labels import add_assigned_labels

        nodes = add_assigned_labels(nodes, declared.daemonsets)
    pods = _merge_listed_pods(collector, one_cluster=one_cluster)
    survey = collector.survey
    return ClusterState(
        nodes=dict(sorted(nodes.items())),
        daemonsets=dict(sorted(daemonsets.items())),
        workloads=(
            *(value for value in objects if isinstance(value, DaemonSet | Deployment | CronJob | Pod)),
            *declared.judged,
        ),
        declared_daemonsets=declared.made,
        operator_resources=tuple(collector.operator_resources),
        custom_resources=tuple(collector.custom_resources),
        pods=pods,
        pods_by_key=_select_whole_pods(collector, pods) if collector.wants_whole_pods or collector.runtime_state is not None else None,
        lazy_pods=collector.pod_texts,
        runtime_state=collector.runtime_state.build_state(survey.at if survey else "") if collector.runtime_state is not None else None,
        listed_namespaces=_find_listed_namespaces(collector),
        budgets=_select_kind(by_key, PodDisruptionBudget),
        namespaces=_select_kind(by_key, Namespace),
        priority_classes=_select_kind(by_key, PriorityClass),
        runtime_classes=_select_kind(by_key, RuntimeClass),
        csi_drivers=_select_kind(by_key, CSIDriver),
        job_sets=_select_kind(by_key, JobSet),
        claims=_select_kind(by_key, PersistentVolumeClaim),
        volumes=_select_kind(by_key, PersistentVolume),
        storage_classes=_select_kind(by_key, StorageClass),
        quotas=_select_kind(by_key, ResourceQuota),
        config_maps={(config.metadata.namespace, config.metadata.name): config.data for config in _select_kind(by_key, ConfigMap)},
        autoscalers=(*_select_kind(by_key, HorizontalPodAutoscaler), *_select_kind(by_key, ScaledObject)),
        manifest_context=ManifestContext(
            tuple(collector.operated_resources), collector.kustomizations.patched, collector.kustomizations.folders
        ),
        ambiguities=tuple(sorted(ambiguities, key=describe_ambiguity)),
        missing_kinds=survey.missing if survey is not None else {},
        comparison_operators=_find_comparison_gate(known_versions, survey),
        versions=known_versions,
        lost_fields=lost_fields,
        listing=survey,
        complete_kinds=_find_complete_kinds(collector),
    )


def _resolve_versions(options: VersionOptions, listing: ClusterListing | None, nodes: Mapping[str, Node]) -> ClusterVersions:
    kubelets = (node.status.nodeInfo.kubeletVersion for node in nodes.values())
    return resolve_versions(
        options, listing.version if listing is not None else "", is_live=listing is not None and listing.live, kubelets=kubelets
    )


def _drop_lost_fields(
    objects: Sequence[SourcedObject], by_key: dict[WorldKey, list[SourcedObject]], versions: ClusterVersions
) -> tuple[Sequence[SourcedObject], Mapping[Origin, tuple[GatedField, ...]]]:
    """The objects as the server keeps them, in `by_key` too, and the fields that it drops or may drop."""
    if versions.server is None and not versions.gates:
        return objects, {}
    from preflight.model.version_fields import FieldOwner, drop_fields, find_lost_fields  # only where a version is known

    owners = [value for value in objects if isinstance(value, FieldOwner)]
    lost = {owner.origin: fields for owner in owners if (fields := find_lost_fields(owner, versions))}
    if not lost:
        return objects, {}
    kept = {id(owner): drop_fields(owner, lost[owner.origin]) for owner in owners if owner.origin in lost}
    for values in by_key.values():
        values[:] = [kept.get(id(value), value) for value in values]
    return [kept.get(id(value), value) for value in objects], lost


def _find_comparison_gate(versions: ClusterVersions, listing: ClusterListing | None) -> bool | None:
    """The gate of Lt and Gt: as it is given, off in versions that do not know it, else as the server says."""
    listed = listing.comparison_operators if listing is not None else None
    if versions.source is VersionSource.NONE and not versions.gates:
        return listed
    from preflight.model.behaviors import COMPARISON_GATE

    is_on = versions.is_gate_on(COMPARISON_GATE)
    return listed if is_on is None else is_on


def _resolve_pools(collector: ObjectCollector) -> tuple[Node, ...]:
    """The template nodes of the pools that were declared; what they refer to and nobody gave is named as left out."""
    if not collector.pools:
        return ()
    from preflight.load.pools import resolve_pools

    resolved = resolve_pools(collector.pools)
    for name, reference in resolved.missing_references:
        collector.add_skipped(describe_pool_part(reference.kind, reference.name, name), POOL_PART_NOT_GIVEN)
    if resolved.nodes:
        collector.add_skipped(*describe_pool_sizes(len(resolved.nodes)))
    return resolved.nodes


def _get_key(value: Any) -> WorldKey:
    kind = type(value).__name__
    if value.metadata.name.endswith("*"):  # the server makes a name of its own for each
        return kind, (value.metadata.namespace, value.metadata.name, repr(value.origin))
    if CHECKED_KINDS[kind].is_namespaced:
        return kind, make_object_key(value.metadata, value.origin)
    return kind, ("", value.metadata.name, "")


def _find_differing(values: list[SourcedObject]) -> list[SourcedObject]:
    """One object for each content, where there is more than one; else nothing."""
    if len(values) == 1:
        return []
    different: dict[bytes, SourcedObject] = {}
    for value in values:
        different.setdefault(_fingerprint(_comparable_content(value)), value)
    return list(different.values()) if len(different) > 1 else []


def _fingerprint(content: object) -> bytes:
    """The same bytes for equal content: comparing each object with each other would take for ever where a thousand have one name."""
    try:
        return msgspec.json.encode(content, order="deterministic")
    except (TypeError, ValueError, RecursionError):  # what no JSON can hold: odd keys, halves of characters
        return repr(content).encode("utf-8", "backslashreplace")


def _comparable_content(value: Any) -> object:
    labels = value.metadata.labels
    if isinstance(value, DaemonSet):
        return labels, value.data.get("spec")
    if isinstance(value, Node):
        return labels, value.spec, value.status.conditions, value.startup_taints, value.absent_labels, value.pool
    if isinstance(value, Namespace):
        return labels, value.metadata.annotations
    if isinstance(value, PriorityClass):
        return value.value
    if isinstance(value, RuntimeClass):
        return value.scheduling, value.overhead
    if isinstance(value, StorageClass):
        return value.provisioner
    if isinstance(value, ConfigMap):
        return value.data
    if isinstance(value, PersistentVolumeClaim):  # the volume is for the cluster to fill in
        return value.spec.storageClassName
    if isinstance(value, Deployment):  # and the number of replicas for an autoscaler
        return labels, value.spec.template
    return labels, getattr(value, "spec", None)


def _select_kind(by_key: dict[WorldKey, list[SourcedObject]], kind: type[Any]) -> tuple[Any, ...]:
    """The objects of a kind by key, equal ones once."""
    keys = sorted(key for key, values in by_key.items() if isinstance(values[0], kind))
    return tuple(value for key in keys for value in _find_differing(by_key[key]) or by_key[key][:1])


def _merge_listed_pods(collector: ObjectCollector, *, one_cluster: bool) -> tuple[CoveragePod, ...]:
    """The listed pods, each once where more than one list showed it."""
    if len(collector.pod_lists) < 2 and not collector.lone_pods:
        return tuple(collector.pods)
    first: dict[tuple[str, str], CoveragePod] = {}
    moved: dict[tuple[str, str], None] = {}
    for pod in (*collector.pods, *collector.lone_pods):
        key = (pod.metadata.namespace, pod.metadata.name)
        known = first.setdefault(key, pod)
        if (known.spec.nodeName, find_controller(known)) != (pod.spec.nodeName, find_controller(pod)):
            moved[key] = None
    if moved and one_cluster:
        namespace, name = min(moved)
        file = min((file for file, _ in collector.pod_lists), default="")
        collector.add_problem(describe_moved_pods(namespace, name, len(moved) - 1), file)
    return tuple(first.values())


def _select_whole_pods(collector: ObjectCollector, pods: Sequence[CoveragePod]) -> Mapping[tuple[str, str], SchedulerPod]:
    """The listed pods as a whole, in the order of their names; one that could not be understood is not there."""
    if collector.runtime_state is not None and len(pods) == len(collector.runtime_state.pods):
        return collector.runtime_state.pods
    found = {(pod.metadata.namespace, pod.metadata.name) for pod in pods}
    if collector.runtime_state is not None:
        return collector.runtime_state.pods.select_pods(found)
    return {key: collector.whole_pods[key] for key in sorted(found & collector.whole_pods.keys())}


def _find_complete_kinds(collector: ObjectCollector) -> frozenset[str]:
    survey = collector.survey
    given = frozenset(collector.complete_kinds & {"PodDisruptionBudget"}) if survey is None or collector.snapshots else frozenset()
    return given | survey.complete if survey is not None else given


def _find_listed_namespaces(collector: ObjectCollector) -> frozenset[str] | None:
    survey, saved = collector.survey, {file for file, _ in collector.snapshots}
    if survey is not None and (survey.listed is None or not saved):
        return survey.listed
    lists = [(file, namespaces) for file, namespaces in collector.pod_lists if file not in saved]
    beside = {value.origin.file for value in collector.objects if isinstance(value, Node | DaemonSet)}
    if any(len(namespaces) > 1 and file in beside for file, namespaces in lists):
        return None
    return frozenset(survey.listed or () if survey is not None else ()).union(*(namespaces for _, namespaces in lists))
