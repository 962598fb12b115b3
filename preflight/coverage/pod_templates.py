"""Whether a pod that nothing controls is of a DaemonSet's template, by what the pod itself shows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

import msgspec
from msgspec import Raw

from preflight.change.workload_verbs import to_plain
from preflight.coverage.pod_fields import GENERATION_LABEL, REVISION_LABEL, parse_labels, parse_tolerations
from preflight.kubectl.apiserver.normalize import default_pull_policy, normalize_template
from preflight.model.apps import DaemonSet
from preflight.model.core import CoveragePod
from preflight.scheduling.tolerations import add_implicit_tolerations

_RESTARTED = "kubectl.kubernetes.io/restartedAt"
_FIELDS = ("nodeSelector", "initContainers", "containers", "volumes")
_TOKEN_VOLUME = "kube-api-access-"
_TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
_NAMES = ("name", "mountPath", "devicePath", "key")
_RUNTIME_DOMAINS = ("cni.projectcalico.org/", "k8s.v1.cni.cncf.io/", "k8s.ovn.org/", "kubernetes.io/", "openshift.io/")
"""Annotations of these begin with what networks and admission note on pods."""


class TemplateMatch(IntEnum):
    """What a comparison comes to: the SAME, UNKNOWN where admission may have added what differs, or OTHER; the worst counts."""

    SAME = 0
    UNKNOWN = 1
    OTHER = 2


def match_template(pod: CoveragePod, daemonset: DaemonSet) -> TemplateMatch:
    """Whether a listed pod is of a DaemonSet's template.

    The controller compares a hash of the template, which cannot be computed here: it is one of the Go structs of the server's version.

    1. What the template states and the pod has otherwise makes it OTHER: labels, annotations, containers, volumes, selector, tolerations.
    2. What only the pod has, an older template may have stated or admission added: UNKNOWN. What the server, the controller and a service
       account always add is left out.
    3. Required node affinity is not compared, since the controller replaces it in the pod; nor is any other field.
    4. A pod without images is one of a snapshot, which keeps none: UNKNOWN.

    Source: `pkg/controller/controller_utils.go`, ComputeHash; `pkg/controller/daemon/update.go`, snapshot.
    """
    template = _as_map(_as_map(to_plain(daemonset).get("spec")).get("template"))
    spec = _as_map(template.get("spec"))
    own = {name: _decode(getattr(pod.spec, name)) for name in _FIELDS}
    if not own["containers"] or any(not _as_map(container).get("image") for container in own["containers"]):
        return TemplateMatch.UNKNOWN
    found = [
        _compare_labels(_as_map(_as_map(template.get("metadata")).get("labels")), parse_labels(bytes(pod.metadata.labels))),
        _compare_annotations(_as_map(_as_map(template.get("metadata")).get("annotations")), _as_map(_decode(pod.metadata.annotations))),
        _compare_tolerations(pod, daemonset),
        _compare(_strip_node_affinity(spec.get("affinity")), _strip_node_affinity(_decode(pod.spec.affinity))),
        _compare_fields(spec, own),
    ]
    return max(found)


def _compare_fields(spec: Mapping[str, Any], own: Mapping[str, Any]) -> TemplateMatch:
    stated = {name: spec.get(name) for name in _FIELDS}
    pairs = [(_list_maps(stated[name]), _list_maps(own[name])) for name in ("initContainers", "containers")]
    policies = all(_compare_policies(*pair) for pair in pairs)
    before, after = (
        normalize_template(
            {
                "spec": {
                    **fields,
                    "initContainers": [_strip_container(container) for container in _list_maps(fields["initContainers"])],
                    "containers": [_strip_container(container) for container in _list_maps(fields["containers"])],
                    "volumes": [
                        volume for volume in _list_maps(fields["volumes"]) if not str(volume.get("name", "")).startswith(_TOKEN_VOLUME)
                    ],
                }
            }
        )
        for fields in (stated, own)
    )
    return max(_compare(before, after), TemplateMatch.SAME if policies else TemplateMatch.UNKNOWN)


def _compare_policies(stated: Iterable[Mapping[str, Any]], own: Iterable[Mapping[str, Any]]) -> bool:
    """Whether the pull policies are those of the template: admission may set Always everywhere."""
    policies = {container.get("name"): _get_pull_policy(container) for container in own}
    return all(policies.get(container.get("name")) in (None, _get_pull_policy(container)) for container in stated)


def _get_pull_policy(container: Mapping[str, Any]) -> object:
    return container.get("imagePullPolicy") or default_pull_policy(container.get("image"))


def _strip_container(container: Mapping[str, Any]) -> dict[str, Any]:
    """A container without its pull policy, what a service account mounts, and requests that are only those of its limits."""
    mounts = [mount for mount in _list_maps(container.get("volumeMounts")) if mount.get("mountPath") != _TOKEN_PATH]
    resources = _as_map(container.get("resources"))
    limits, requests = _as_map(resources.get("limits")), _as_map(resources.get("requests"))
    requests = {name: amount for name, amount in requests.items() if limits.get(name) != amount}
    left = {name: value for name, value in container.items() if name != "imagePullPolicy"}
    return {**left, "volumeMounts": mounts, "resources": {**resources, "requests": requests}, "imagePullPolicy": "-"}


def _compare_labels(stated: Mapping[str, Any], own: Mapping[str, str]) -> TemplateMatch:
    return _compare(stated, {key: value for key, value in own.items() if key not in (GENERATION_LABEL, REVISION_LABEL)})


def _compare_annotations(stated: Mapping[str, Any], own: Mapping[str, Any]) -> TemplateMatch:
    if own.get(_RESTARTED) != stated.get(_RESTARTED):
        return TemplateMatch.OTHER
    return _compare(stated, {key: value for key, value in own.items() if key in stated or not _is_noted_by_runtime(key)})


def _is_noted_by_runtime(key: str) -> bool:
    return key.startswith(_RUNTIME_DOMAINS)


def _compare_tolerations(pod: CoveragePod, daemonset: DaemonSet) -> TemplateMatch:
    stated, own = add_implicit_tolerations(daemonset.spec.template.spec), parse_tolerations(bytes(pod.spec.tolerations))
    if any(toleration not in own for toleration in stated):
        return TemplateMatch.OTHER
    return TemplateMatch.SAME if all(toleration in stated for toleration in own) else TemplateMatch.UNKNOWN


def _strip_node_affinity(affinity: object) -> object:
    """Affinity without required node affinity, which the controller replaces in pods."""
    data = _as_map(affinity)
    node = {name: value for name, value in _as_map(data.get("nodeAffinity")).items() if not name.startswith("required")}
    rest = {name: value for name, value in data.items() if name != "nodeAffinity" and value}
    return {**rest, "nodeAffinity": node} if node else rest


def _compare(stated: object, own: object) -> TemplateMatch:
    """Plain data that a template states against that of a pod: what the pod has besides is UNKNOWN, all else that differs is OTHER."""
    if isinstance(stated, Mapping) and isinstance(own, Mapping):
        found = [_compare(value, own[name]) if name in own else TemplateMatch.OTHER for name, value in stated.items()]
        return max([*found, *(TemplateMatch.UNKNOWN for name in own if name not in stated)], default=TemplateMatch.SAME)
    if isinstance(stated, list) and isinstance(own, list):
        return _compare(_name_items(stated), _name_items(own))
    return TemplateMatch.SAME if stated == own else TemplateMatch.OTHER


def _name_items(items: list[Any]) -> dict[object, Any]:
    """The items of a list by what tells them apart, or by their places."""
    name = next((name for name in _NAMES if items and all(isinstance(item, dict) and item.get(name) for item in items)), "")
    keys = [item[name] for item in items] if name else []
    return dict(zip(keys, items, strict=True)) if len(set(map(str, keys))) == len(items) else dict(enumerate(items))


def _decode(raw: Raw) -> Any:
    try:
        return json.loads(bytes(raw)) if raw else None
    except (ValueError, msgspec.MsgspecError):
        return None


def _as_map(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list_maps(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
