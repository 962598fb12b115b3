"""Which fields the API knows of a DaemonSet and of a Node, where a patch that names another one would change nothing in silence.

Source: the json names in `k8s.io/api` and `k8s.io/apimachinery`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from preflight.model.core import POD_TEMPLATE_SPEC

_POD_SPEC = """
    volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy
    nodeSelector serviceAccountName serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID hostIPC shareProcessNamespace
    securityContext imagePullSecrets hostname subdomain affinity schedulerName tolerations hostAliases priorityClassName priority dnsConfig
    readinessGates runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints setHostnameAsFQDN os hostUsers
    schedulingGates resourceClaims resources hostnameOverride workloadRef schedulingGroup evictionResponders
"""
_CONTAINER = """
    name image command args workingDir ports envFrom env resources resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices
    livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext
    stdin stdinOnce tty
"""
_METADATA = """
    name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds
    labels annotations ownerReferences finalizers managedFields
"""
_OF_TEXTS = (("annotations",), ("labels",), ("matchLabels",), ("nodeSelector",))
_OBJECT = "apiVersion kind metadata spec status"

KnownFields = Mapping[tuple[str, ...], str]

DAEMONSET_FIELDS: KnownFields = {
    (): _OBJECT,
    ("metadata",): _METADATA,
    ("spec",): "selector template updateStrategy minReadySeconds revisionHistoryLimit",
    ("spec", "selector"): "matchLabels matchExpressions",
    ("spec", "updateStrategy"): "type rollingUpdate",
    ("spec", "updateStrategy", "rollingUpdate"): "maxUnavailable maxSurge",
    POD_TEMPLATE_SPEC[:2]: "metadata spec",
    (*POD_TEMPLATE_SPEC[:2], "metadata"): _METADATA,
    POD_TEMPLATE_SPEC: _POD_SPEC,
    (*POD_TEMPLATE_SPEC, "tolerations", "*"): "key operator value effect tolerationSeconds",
    (*POD_TEMPLATE_SPEC, "imagePullSecrets", "*"): "name",
    **{
        (*POD_TEMPLATE_SPEC, name, "*", *path): fields
        for name in ("initContainers", "containers")
        for path, fields in (
            ((), _CONTAINER),
            (("ports", "*"), "name hostPort containerPort protocol hostIP"),
            (("env", "*"), "name value valueFrom"),
        )
    },
}
"""The fields that the API knows at each place of a DaemonSet, `*` for an item of a list; elsewhere only `$...` is known to be none."""

NODE_FIELDS: KnownFields = {
    (): _OBJECT,
    ("metadata",): _METADATA,
    ("spec",): "podCIDR podCIDRs providerID unschedulable taints configSource externalID podPreemptionPolicy",
    ("spec", "taints", "*"): "key value effect timeAdded",
}
"""The same for a Node."""


def drop_unknown_fields(data: Any, fields: KnownFields) -> tuple[Any, tuple[str, ...]]:
    """An object without the fields that the API does not know, and these, as `spec.tolerations`: the server warns and drops them."""
    unknown: list[str] = []
    return _drop_unknown(data, fields, (), "", unknown), tuple(unknown)


def _drop_unknown(data: Any, fields: KnownFields, path: tuple[str, ...], shown_path: str, unknown: list[str]) -> Any:
    if isinstance(data, list):
        return [_drop_unknown(item, fields, (*path, "*"), f"{shown_path}[{index}]", unknown) for index, item in enumerate(data)]
    if not isinstance(data, dict):
        return data
    names = fields[path].split() if path in fields else None
    after = {}
    for key, value in data.items():
        here = f"{shown_path}.{key}" if shown_path else str(key)
        if (key not in names) if names is not None else (str(key).startswith("$") and path[-1:] not in _OF_TEXTS):
            unknown.append(here)
        else:
            after[key] = _drop_unknown(value, fields, (*path, str(key)), here, unknown)
    return after
