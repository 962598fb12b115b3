"""A pod template as the API server stores it, so that two ways to write the same thing are equal.

What the server fills in is filled in, what means nothing is dropped, and quantities are numbers. Only equality counts: the result is
nothing to send or to show. Source: kubernetes `pkg/apis/core/v1/defaults.go`, `pkg/apis/apps/v1/defaults.go`; `omitempty` of the API types.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

_MAPS = frozenset(("annotations", "labels", "limits", "matchLabels", "metadata", "nodeSelector", "overhead", "requests", "resources"))
STRING_MAPS = frozenset(("annotations", "labels", "matchLabels", "nodeSelector"))
_ZEROS = frozenset(("hostIPC", "hostNetwork", "hostPID", "hostPort", "initialDelaySeconds", "minReadySeconds", "readOnly"))
_ZEROS |= frozenset(("stdin", "stdinOnce", "tty"))
_TEXTS = frozenset(("storageClassName",))
_QUANTITIES = frozenset(("limits", "overhead", "requests"))
_QUANTITY = frozenset(("divisor", "sizeLimit"))
_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
FIELD_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "fieldRef": {"apiVersion": "v1"},
    "httpGet": {"path": "/", "scheme": "HTTP"},
    "livenessProbe": _PROBE,
    "readinessProbe": _PROBE,
    "startupProbe": _PROBE,
    **{kind: {"defaultMode": 0o644} for kind in ("configMap", "downwardAPI", "projected", "secret")},
    "serviceAccountToken": {"expirationSeconds": 3600},
}
POD_DEFAULTS = {
    "dnsPolicy": "ClusterFirst",
    "restartPolicy": "Always",
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
}
CONTAINER_DEFAULTS = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
_SUFFIXES = {suffix: Fraction(1000) ** power for power, suffix in enumerate(("n", "u", "m", "", "k", "M", "G", "T", "P", "E"), -3)}
_SUFFIXES |= {f"{suffix}i": Fraction(1024) ** power for power, suffix in enumerate("KMGTPE", 1)}
_NUMBER = re.compile(r"([+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40}))(?:[eE]([+-]?[0-9]{1,2})|([a-zA-Z]{0,2}))")


def is_same_template(template: object, other: object) -> bool:
    """Whether a change from one pod template to the other changes nothing on the server, so that no update starts."""
    return normalize_template(template) == normalize_template(other)


def normalize_template(template: object) -> object:
    """A pod template for comparison; anything else as it is, but for what means nothing."""
    if not isinstance(template, dict):
        return normalize_value(template)
    spec = template.get("spec")
    return normalize_value({**template, "spec": _normalize_pod_spec(spec) if isinstance(spec, dict) else spec})


def normalize_spec(spec: object) -> object:
    """The spec of a DaemonSet for comparison."""
    if not isinstance(spec, dict):
        return normalize_value(spec)
    strategy = spec.get("updateStrategy")
    strategy = dict(strategy) if isinstance(strategy, dict) else {}
    if fill_defaults(strategy, {"type": "RollingUpdate"})["type"] == "RollingUpdate":
        rolling = strategy.get("rollingUpdate")
        strategy["rollingUpdate"] = fill_defaults(rolling if isinstance(rolling, dict) else {}, {"maxUnavailable": 1, "maxSurge": 0})
        strategy["type"] = "RollingUpdate"
    elif isinstance(strategy.get("rollingUpdate"), dict):
        strategy["rollingUpdate"] = fill_defaults(strategy["rollingUpdate"], {"maxUnavailable": 0, "maxSurge": 0})
    known = fill_defaults(spec, {"revisionHistoryLimit": 10})
    return normalize_value({**known, "updateStrategy": strategy, "template": normalize_template(spec.get("template"))})


def normalize_value(value: object, key: str = "") -> object:
    """Plain data without what means nothing: null, empty lists and texts, empty maps and zeros where the API has no difference."""
    if isinstance(value, dict):
        if key in _QUANTITIES:
            return {name: _normalize_quantity(amount) for name, amount in value.items() if amount is not None}
        if key in STRING_MAPS:
            return {str(name): "" if text is None else text for name, text in value.items()}
        items = ((str(name), normalize_value(item, str(name))) for name, item in fill_defaults(value, FIELD_DEFAULTS.get(key, {})).items())
        return {name: item for name, item in items if not is_insignificant(name, item)}
    if isinstance(value, list | tuple):
        return [normalize_value(item) for item in value]
    return _normalize_quantity(value) if key in _QUANTITY else value


def is_insignificant(key: str, value: object) -> bool:
    """Whether a field that holds this is the same as one that is absent."""
    if value is None or value == []:
        return True
    if value == "":
        return key not in _TEXTS
    return (value == {} and key in _MAPS) or (key in _ZEROS and value in (0, False))


def fill_defaults(value: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """A map with the defaults for what is absent, null, empty, or a zero in place of a number from 1 on."""
    return {**value, **{name: default for name, default in defaults.items() if _is_unset(value.get(name), name)}}


def _is_unset(value: object, name: str) -> bool:
    return value in (None, "") or (value == 0 and name in _PROBE)


def _normalize_pod_spec(spec: dict[str, Any]) -> dict[str, Any]:
    pod = fill_defaults(spec, {**POD_DEFAULTS, "securityContext": {}, "serviceAccountName": spec.get("serviceAccount")})
    pod.pop("serviceAccount", None)
    for name in ("containers", "initContainers", "ephemeralContainers"):
        if isinstance(pod.get(name), list):
            pod[name] = [_normalize_container(container) if isinstance(container, dict) else container for container in pod[name]]
    if isinstance(pod.get("volumes"), list):
        pod["volumes"] = [_normalize_volume(volume) if isinstance(volume, dict) else volume for volume in pod["volumes"]]
    return pod


def _normalize_container(container: dict[str, Any]) -> dict[str, Any]:
    after = fill_defaults(container, {**CONTAINER_DEFAULTS, "imagePullPolicy": default_pull_policy(container.get("image"))})
    if isinstance(after.get("ports"), list):
        after["ports"] = [fill_defaults(port, {"protocol": "TCP"}) if isinstance(port, dict) else port for port in after["ports"]]
    return after


def _normalize_volume(volume: dict[str, Any]) -> dict[str, Any]:
    if all(value is None for name, value in volume.items() if name != "name"):
        return {**volume, "emptyDir": {}}
    return volume


def default_pull_policy(image: object) -> str:
    """The pull policy that the server fills in: Always for the tag `latest` and for none, else IfNotPresent, also for what is no image."""
    name, digest, _ = str(image or "").partition("@")
    registry, slash, path = name.partition("/")
    remote = path if slash and (set(registry) & set(".:") or registry != registry.lower()) else name
    if remote.partition(":")[0] != remote.partition(":")[0].lower() or " " in name:
        return "IfNotPresent"
    tag = name.rpartition("/")[2].partition(":")[2] or ("" if digest else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"


def _normalize_quantity(value: object) -> object:
    """The number of a quantity; what is none stays as it is, and a bool is the text of one, as it equals a number."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return str(value) if isinstance(value, bool) else value
    match = _NUMBER.fullmatch(str(value))
    if match is None or (match[3] or "") not in _SUFFIXES:
        return value
    number = Fraction(match[1] if match[1].strip("+-") != "." else 0)
    return number * (Fraction(10) ** int(match[2]) if match[2] else _SUFFIXES[match[3] or ""])
