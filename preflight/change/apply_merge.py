"""What a manifest of a DaemonSet makes of the one that is there.

Source: kubectl `pkg/cmd/apply/{apply,patcher}.go`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from preflight.change import workload_verbs
from preflight.errors import UsageError
from preflight.kubectl.apiserver.defaults import LAST_APPLIED, encode_json, finish_edit, is_from_cluster
from preflight.kubectl.apiserver.errors import format_invalid
from preflight.kubectl.apiserver.normalize import is_same_template, normalize_spec, normalize_value
from preflight.kubectl.patch.three_way import merge_three_way
from preflight.messages import change as messages
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.scheduling.request_validation import validate_requests
from preflight.scheduling.validation import validate_update_strategy


def apply_manifest(old: DaemonSet, new: DaemonSet) -> tuple[DaemonSet, list[str]]:
    """The DaemonSet after `new` is applied over `old`, and sentences about what stays though the manifest does not state it.

    1. One that came from the cluster (it has a uid, or kubectl's annotation) is merged with the manifest applied last, if the annotation
       has it; a manifest is replaced as a whole, since it was the one applied last.
    2. `old` itself where the server would store the same. Of a snapshot nobody knows that: see `is_assumed_update`.

    Errors: UsageError, in the server's words, for a changed selector, and for limits of an update, or of a container and its requests, that
    do not go together: those of a live object stay next to the manifest's where no manifest stated them before.
    """
    live, manifest = workload_verbs.to_plain(old), workload_verbs.to_plain(new)
    notes: list[str] = []
    if is_from_cluster(live):
        last = _read_last_applied(old)
        merged = {name: value for name, value in live.items() if name not in ("metadata", "spec")}
        for part in ("metadata", "spec"):
            merged[part] = merge_three_way(last.get(part), manifest.get(part) or {}, live.get(part) or {})
        if "namespace" in _get_map(live, "metadata"):
            merged["metadata"]["namespace"] = live["metadata"]["namespace"]
        if _get_selector(merged) == _get_selector(live):
            notes = _describe_retained_fields(merged, manifest)
        annotations = {**_get_map(merged, "metadata", "annotations"), LAST_APPLIED: encode_json(manifest)}
        merged["metadata"]["annotations"] = annotations
    else:
        merged = _keep_service_account(manifest, live)
        if not new.metadata.namespace and old.metadata.namespace:
            merged = {**merged, "metadata": {**_get_map(manifest, "metadata"), "namespace": old.metadata.namespace}}
    if _get_selector(merged) != _get_selector(live):
        refused = f"spec.selector: Invalid value: {encode_json(_get_selector(merged))}: field is immutable"
        raise UsageError(f'The DaemonSet "{new.metadata.name}" is invalid: {refused}')
    if comparable_content(merged) == comparable_content(live) and not old.kept:
        return old, notes
    result = workload_verbs.from_plain(finish_edit(merged, live) if is_from_cluster(live) else merged, new)
    requests = validate_requests(result.spec.template.spec, POD_TEMPLATE_SPEC)
    if refusals := (*validate_update_strategy(result.spec.updateStrategy), *requests):
        raise UsageError(format_invalid("DaemonSet", new.metadata.name, refusals))
    return result, notes


def _read_last_applied(daemonset: DaemonSet) -> Mapping[str, Any]:
    """The manifest that kubectl applied last, as the annotation has it; {} where there is none, or none that can be read."""
    try:
        last = msgspec.json.decode(daemonset.metadata.annotations.get(LAST_APPLIED, "{}"))
    except (msgspec.DecodeError, RecursionError):
        return {}
    return last if isinstance(last, dict) else {}


def _describe_retained_fields(merged: Mapping[str, Any], manifest: Mapping[str, Any]) -> list[str]:
    """What decides placement, is in the cluster and is not stated by the manifest, as sentences."""
    there, stated = _get_map(merged, *POD_TEMPLATE_SPEC), _get_map(manifest, *POD_TEMPLATE_SPEC)
    kept = [name for name in ("tolerations", "nodeSelector", "affinity", "nodeName") if there.get(name) and name not in stated]
    return [messages.format_retained_fields(kept)] if kept else []


def _get_map(data: Mapping[str, Any], *path: str) -> dict[str, Any]:
    """The map at a path; {} where there is none."""
    place: Any = data
    for name in path:
        place = place.get(name) if isinstance(place, dict) else None
    return place if isinstance(place, dict) else {}


def _get_selector(data: Mapping[str, Any]) -> object:
    return normalize_value(_get_map(data, "spec", "selector"))


def comparable_content(data: Mapping[str, Any]) -> object:
    """What of a DaemonSet counts where two are compared: labels, annotations and spec as the server has them."""
    annotations = {
        name: value for name, value in _get_map(data, "metadata", "annotations").items() if name not in (LAST_APPLIED, TEMPLATE_GENERATION)
    }
    finalizers = _get_map(data, "metadata").get("finalizers") or []
    return normalize_value(_get_map(data, "metadata", "labels"), "labels"), annotations, finalizers, normalize_spec(data.get("spec"))


def _keep_service_account(manifest: dict[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest, with the service account of the old one where it states none: the server keeps it under its old name."""
    pod, before = _get_map(manifest, *POD_TEMPLATE_SPEC), _get_map(old, *POD_TEMPLATE_SPEC)
    account = before.get("serviceAccountName") or before.get("serviceAccount")
    if not account or pod.get("serviceAccountName") or pod.get("serviceAccount"):
        return manifest
    template = {**_get_map(manifest, "spec", "template"), "spec": {**pod, "serviceAccountName": account}}
    return {**manifest, "spec": {**_get_map(manifest, "spec"), "template": template}}


def is_updated(old: DaemonSet | None, new: DaemonSet) -> bool:
    """Whether the template differs as the server sees it, so that an update starts; a new DaemonSet (`old` is None) is no update."""
    if old is None or old is new:
        return False
    before, after = _get_map(workload_verbs.to_plain(old), "spec"), _get_map(workload_verbs.to_plain(new), "spec")
    return not is_same_template(before.get("template"), after.get("template"))


def may_be_updated(old: DaemonSet | None, new: DaemonSet) -> bool:
    """Whether applying a manifest starts an update, for all that is known: over a DaemonSet of a snapshot it always may."""
    return is_updated(old, new) or (old is not new and bool(old and old.kept))


def is_assumed_update(old: DaemonSet, new: DaemonSet) -> bool:
    """Whether an update is only assumed: a snapshot has no more than a part of the old template, and the new one has the same part."""
    return bool(old.kept) and not is_visibly_updated(old, new)


def is_visibly_updated(old: DaemonSet, new: DaemonSet) -> bool:
    """Whether the templates differ in what a snapshot would show of them."""
    return _get_map(_visible_content(old), "template") != _get_map(_visible_content(new), "template")


def is_visibly_same(one: DaemonSet, other: DaemonSet) -> bool:
    """Whether two DaemonSets are the same in labels and spec, as far as a snapshot would show of them."""
    labels = [normalize_value(daemonset.metadata.labels) for daemonset in (one, other)]
    return labels[0] == labels[1] and _visible_content(one) == _visible_content(other)


def _visible_content(daemonset: DaemonSet) -> Any:
    from preflight.model.snapshot_fields import select_read_fields

    return normalize_spec(select_read_fields(workload_verbs.to_plain(daemonset), DaemonSet).get("spec"))
