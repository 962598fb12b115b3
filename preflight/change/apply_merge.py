"""What a manifest of a DaemonSet makes of the one that is there.

Source: kubectl `pkg/cmd/apply/{apply,patcher}.go`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from preflight.change import workload_verbs
from preflight.errors import UsageError
from preflight.kubectl.apiserver.defaults import LAST_APPLIED, as_json, edited, is_from_cluster
from preflight.kubectl.apiserver.errors import invalid
from preflight.kubectl.apiserver.normalize import canonical, canonical_spec, same_template
from preflight.kubectl.patch.three_way import three_way
from preflight.model.objects import POD_TEMPLATE_SPEC, TEMPLATE_GENERATION, DaemonSet
from preflight.scheduling.validation import strategy_refusals

ASSUMED = "an update is assumed, for a snapshot shows only the part of a template that is read, and that is the same"


def over(old: DaemonSet, new: DaemonSet) -> tuple[DaemonSet, list[str]]:
    """The DaemonSet after `new` is applied over `old`, and sentences about what stays though the manifest does not state it.

    1. One that came from the cluster (it has a uid, or kubectl's annotation) is merged with the manifest applied last, if the annotation
       has it; a manifest is replaced as a whole, since it was the one applied last.
    2. `old` itself where the server would store the same. Of a snapshot nobody knows that: see `is_assumed`.

    Errors: UsageError, in the server's words, for a changed selector, and for limits of an update that do not go together: those of a
    live object stay beside the manifest's where no manifest stated them before.
    """
    live, manifest = workload_verbs.plain(old), workload_verbs.plain(new)
    notes: list[str] = []
    if is_from_cluster(live):
        last = _last_applied(old)
        merged = {name: value for name, value in live.items() if name not in ("metadata", "spec")}
        for part in ("metadata", "spec"):
            merged[part] = three_way(last.get(part), manifest.get(part) or {}, live.get(part) or {})
        if "namespace" in _map(live, "metadata"):
            merged["metadata"]["namespace"] = live["metadata"]["namespace"]
        if _selector(merged) == _selector(live):
            notes = _kept(merged, manifest)
        annotations = {**_map(merged, "metadata", "annotations"), LAST_APPLIED: as_json(manifest)}
        merged["metadata"]["annotations"] = annotations
    else:
        merged = _with_account(manifest, live)
        if not new.metadata.namespace and old.metadata.namespace:
            merged = {**merged, "metadata": {**_map(manifest, "metadata"), "namespace": old.metadata.namespace}}
    if _selector(merged) != _selector(live):
        refused = f"spec.selector: Invalid value: {as_json(_selector(merged))}: field is immutable"
        raise UsageError(f'The DaemonSet "{new.metadata.name}" is invalid: {refused}')
    if content(merged) == content(live) and not old.kept:
        return old, notes
    result = workload_verbs.typed(edited(merged, live) if is_from_cluster(live) else merged, new)
    if refusals := tuple(strategy_refusals(result.spec.updateStrategy)):
        raise UsageError(invalid("DaemonSet", new.metadata.name, refusals))
    return result, notes


def _last_applied(daemonset: DaemonSet) -> Mapping[str, Any]:
    """The manifest that kubectl applied last, as the annotation has it; {} where there is none, or none that can be read."""
    try:
        last = msgspec.json.decode(daemonset.metadata.annotations.get(LAST_APPLIED, "{}"))
    except (msgspec.DecodeError, RecursionError):
        return {}
    return last if isinstance(last, dict) else {}


def _kept(merged: Mapping[str, Any], manifest: Mapping[str, Any]) -> list[str]:
    """What decides placement, is in the cluster and is not stated by the manifest, as sentences."""
    there, stated = _map(merged, *POD_TEMPLATE_SPEC), _map(manifest, *POD_TEMPLATE_SPEC)
    kept = [name for name in ("tolerations", "nodeSelector", "affinity", "nodeName") if there.get(name) and name not in stated]
    return [f"not stated by the manifest, so as in the cluster: {', '.join(kept)}"] if kept else []


def _map(data: Mapping[str, Any], *path: str) -> dict[str, Any]:
    """The map at a path; {} where there is none."""
    place: Any = data
    for name in path:
        place = place.get(name) if isinstance(place, dict) else None
    return place if isinstance(place, dict) else {}


def _selector(data: Mapping[str, Any]) -> object:
    return canonical(_map(data, "spec", "selector"))


def content(data: Mapping[str, Any]) -> object:
    """What of a DaemonSet counts where two are compared: labels, annotations and spec as the server has them."""
    annotations = {
        name: value for name, value in _map(data, "metadata", "annotations").items() if name not in (LAST_APPLIED, TEMPLATE_GENERATION)
    }
    finalizers = _map(data, "metadata").get("finalizers") or []
    return canonical(_map(data, "metadata", "labels"), "labels"), annotations, finalizers, canonical_spec(data.get("spec"))


def _with_account(manifest: dict[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest, with the service account of the old one where it states none: the server keeps it under its old name."""
    pod, before = _map(manifest, *POD_TEMPLATE_SPEC), _map(old, *POD_TEMPLATE_SPEC)
    account = before.get("serviceAccountName") or before.get("serviceAccount")
    if not account or pod.get("serviceAccountName") or pod.get("serviceAccount"):
        return manifest
    template = {**_map(manifest, "spec", "template"), "spec": {**pod, "serviceAccountName": account}}
    return {**manifest, "spec": {**_map(manifest, "spec"), "template": template}}


def is_updated(old: DaemonSet | None, new: DaemonSet) -> bool:
    """Whether the template differs as the server sees it, so that an update starts; a new DaemonSet (`old` is None) is no update."""
    if old is None or old is new:
        return False
    before, after = _map(workload_verbs.plain(old), "spec"), _map(workload_verbs.plain(new), "spec")
    return not same_template(before.get("template"), after.get("template"))


def may_be_updated(old: DaemonSet | None, new: DaemonSet) -> bool:
    """Whether applying a manifest starts an update, for all that is known: over a DaemonSet of a snapshot it always may."""
    return is_updated(old, new) or (old is not new and bool(old and old.kept))


def is_assumed(old: DaemonSet, new: DaemonSet) -> bool:
    """Whether an update is only assumed: a snapshot has no more than a part of the old template, and the new one has the same part."""
    return bool(old.kept) and not looks_updated(old, new)


def looks_updated(old: DaemonSet, new: DaemonSet) -> bool:
    """Whether the templates differ in what a snapshot would show of them."""
    return _map(_visible(old), "template") != _map(_visible(new), "template")


def looks_same(one: DaemonSet, other: DaemonSet) -> bool:
    """Whether two DaemonSets are the same in labels and spec, as far as a snapshot would show of them."""
    labels = [canonical(each.metadata.labels) for each in (one, other)]
    return labels[0] == labels[1] and _visible(one) == _visible(other)


def _visible(daemonset: DaemonSet) -> Any:
    from preflight.model.snapshot_fields import readable

    return canonical_spec(readable(workload_verbs.plain(daemonset), DaemonSet).get("spec"))
