"""A DaemonSet of a manifest as the API server stores it: what a patch meets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from preflight.kubectl.apiserver.normalize import (
    CONTAINER_DEFAULTS,
    FIELD_DEFAULTS,
    POD_DEFAULTS,
    STRING_MAPS,
    default_pull_policy,
    fill_defaults,
    is_insignificant,
    is_same_template,
)
from preflight.model.apps import TEMPLATE_GENERATION

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
"""The annotation with the manifest that kubectl applied last."""

_KEPT = frozenset(("containers", "metadata", "nodeSelectorTerms", "resources"))
_CONTAINERS = ("initContainers", "containers")


def fill_server_defaults(data: Mapping[str, Any]) -> dict[str, Any]:
    """A DaemonSet with the defaults that the server fills in, and without what it leaves out.

    Source: kubernetes `pkg/apis/apps/v1/defaults.go`, `pkg/apis/core/v1/defaults.go`; `omitempty` of the API types.
    """
    after: dict[str, Any] = _fill_defaults(data)
    metadata = _as_map(after.get("metadata"))
    annotations = {TEMPLATE_GENERATION: "1", **_as_map(metadata.get("annotations"))}
    spec = fill_defaults(_as_map(after.get("spec")), {"revisionHistoryLimit": 10})
    strategy = fill_defaults(_as_map(spec.get("updateStrategy")), {"type": "RollingUpdate"})
    if strategy["type"] == "RollingUpdate":
        strategy["rollingUpdate"] = fill_defaults(_as_map(strategy.get("rollingUpdate")), {"maxUnavailable": 1, "maxSurge": 0})
    elif "rollingUpdate" in strategy:
        strategy["rollingUpdate"] = fill_defaults(_as_map(strategy["rollingUpdate"]), {"maxUnavailable": 0, "maxSurge": 0})
    template = _as_map(spec.get("template"))
    pod = fill_defaults(_as_map(template.get("spec")), {**POD_DEFAULTS, "securityContext": {}})
    for name in ("serviceAccountName", "serviceAccount"):
        if pod.get(name):
            pod = fill_defaults(pod, {"serviceAccountName": pod[name], "serviceAccount": pod[name]})
    for name in _CONTAINERS:
        if isinstance(pod.get(name), list):
            pod[name] = [_fill_container(container) if isinstance(container, dict) else container for container in pod[name]]
    if isinstance(pod.get("volumes"), list):
        pod["volumes"] = [_fill_volume(volume) if isinstance(volume, dict) else volume for volume in pod["volumes"]]
    spec |= {"updateStrategy": strategy, "template": {**template, "spec": pod}}
    return {**after, "metadata": {**metadata, "annotations": annotations}, "spec": spec}


def _fill_defaults(value: Any, key: str = "") -> Any:
    """Plain data without what the server leaves out, and with the defaults of what stands in it."""
    if isinstance(value, dict):
        return dict(_iter_items(value, key))
    return [_fill_defaults(item, f"{key}[]") for item in value] if isinstance(value, list) else value


def _iter_items(value: Mapping[str, Any], key: str) -> Iterator[tuple[str, Any]]:
    for name, item in fill_defaults(value, FIELD_DEFAULTS.get(key, {})).items():
        if key in STRING_MAPS:
            yield name, "" if item is None else item
        elif (kept := _fill_defaults(item, "" if key == "sources[]" else name)) is not None and (
            name in _KEPT or not is_insignificant(name, kept)
        ):
            yield name, kept


def _fill_container(container: Mapping[str, Any]) -> dict[str, Any]:
    after = fill_defaults(
        container, {**CONTAINER_DEFAULTS, "imagePullPolicy": default_pull_policy(container.get("image")), "resources": {}}
    )
    if isinstance(after.get("ports"), list):
        after["ports"] = [fill_defaults(port, {"protocol": "TCP"}) if isinstance(port, dict) else port for port in after["ports"]]
    return after


def _fill_volume(volume: Mapping[str, Any]) -> dict[str, Any]:
    if isinstance(volume.get("hostPath"), dict):
        return {**volume, "hostPath": {"type": "", **volume["hostPath"]}}
    return {**volume, "emptyDir": {}} if set(volume) == {"name"} else dict(volume)


def _as_map(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, dict) else {}


def finish_edit(after: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """A DaemonSet after an edit in the cluster, with what the server and kubectl note of it.

    1. The number of its template is one more where the template is another than before; it stays away where it is not known: a manifest
       does not have it.
    2. One that came from a manifest keeps that manifest as the one applied last, so that a later `apply` keeps what was edited in between.
    """
    number = get_generation(before)
    annotations = dict(_as_map(_as_map(after.get("metadata")).get("annotations")))
    if number:
        templates = [_as_map(manifest.get("spec")).get("template") for manifest in (before, after)]
        annotations[TEMPLATE_GENERATION] = str(number if is_same_template(*templates) else number + 1)
    else:
        annotations.pop(TEMPLATE_GENERATION, None)
    if not is_from_cluster(before):
        annotations[LAST_APPLIED] = encode_json(before)
    return replace_annotations(after, annotations)


def create_from_manifest(manifest: dict[str, Any]) -> dict[str, Any]:
    """A DaemonSet that a manifest creates: its template is the first, and the manifest is the one applied last."""
    annotations = _as_map(_as_map(manifest.get("metadata")).get("annotations"))
    return replace_annotations(manifest, {**annotations, TEMPLATE_GENERATION: "1", LAST_APPLIED: encode_json(manifest)})


def is_from_cluster(data: Mapping[str, Any]) -> bool:
    """Whether an object was read from a cluster: it has a uid, or kubectl's annotation."""
    metadata = _as_map(data.get("metadata"))
    return bool(metadata.get("uid")) or LAST_APPLIED in _as_map(metadata.get("annotations"))


def get_generation(data: Mapping[str, Any]) -> int:
    """The number of a DaemonSet's template; 0 where it is not known."""
    text = str(_as_map(_as_map(data.get("metadata")).get("annotations")).get(TEMPLATE_GENERATION, ""))
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else 0


def get_misscheduled(data: Mapping[str, Any]) -> int | None:
    """The number of nodes that the status of a DaemonSet counts with a pod that should not run there; None where it is not known."""
    status = _as_map(data.get("status"))
    number = status.get("numberMisscheduled", 0 if "desiredNumberScheduled" in status else None)
    return number if type(number) is int else None


def has_no_updated_pod(data: Mapping[str, Any]) -> bool:
    """Whether the status of a DaemonSet, up to date, counts pods on nodes that should run it and none of its own template."""
    status, metadata = _as_map(data.get("status")), _as_map(data.get("metadata"))
    observed = status.get("observedGeneration")
    if observed is None or observed != metadata.get("generation"):
        return False
    return bool(status.get("currentNumberScheduled")) and not status.get("updatedNumberScheduled")


def replace_annotations(data: dict[str, Any], annotations: Mapping[str, Any]) -> dict[str, Any]:
    """An object with these annotations in place of its own; none is an absent field."""
    metadata = {name: value for name, value in _as_map(data.get("metadata")).items() if name != "annotations"}
    return {**data, "metadata": {**metadata, "annotations": dict(annotations)} if annotations else metadata}


def encode_json(value: object) -> str:
    """Plain data as one line of JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
