"""Custom resources that no known operator reads and that say where pods run: what an operator makes of them cannot be determined."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from msgspec import Raw
from msgspec.structs import replace

from preflight.load.kinds import get_api_group
from preflight.model.convert import convert
from preflight.model.core import Pod
from preflight.model.declaration import FieldPath
from preflight.model.manifest_context import OperatedResource
from preflight.model.meta import Origin
from preflight.model.workloads import CustomResource

_WORD = re.compile(r"(?:olerations|odeSelector|nodeAffinity)\"?[ \t]*:")
_KIND = re.compile(r"^kind:[ \t]*[\"']?([A-Za-z][A-Za-z0-9]*)[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE | re.ASCII)
_VERSION = re.compile(r"^apiVersion:[ \t]*[\"']?([A-Za-z0-9.-]+)/[A-Za-z0-9]+[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE | re.ASCII)
_TOLERATION_FIELDS = frozenset({"key", "operator", "value", "effect", "tolerationSeconds"})
_JSON_WORDS = (b'olerations":', b'odeSelector":', b'nodeAffinity":')
_NOT_OPERATED = frozenset({"CustomResourceDefinition"})


_NAMESPACE = re.compile(r"\bnamespace:[ \t]*[\"']?([a-z0-9][a-z0-9-]{0,62})", re.ASCII)

_GROUPS_WITHOUT_PODS = (
    *("cert-manager.io", "cilium.io", "crd.projectcalico.org", "external-secrets.io", "getambassador.io", "istio.io", "kyverno.io"),
    *("keda.sh", "karpenter.sh", "gatekeeper.sh", "linkerd.io", "projectcontour.io", "secrets-store.csi.x-k8s.io", "traefik.io"),
)
"""Groups of custom resources, and of what stands before them, that configure something and make no pods."""
_KINDS_WITHOUT_PODS = frozenset(
    (
        *("AlertmanagerConfig", "PodMonitor", "Probe", "PrometheusRule", "ScrapeConfig", "ServiceMonitor"),
        *("AppProject", "BackendConfig", "GrafanaDashboard", "Kustomization", "ManagedCertificate", "SealedSecret"),
    )
)


class UnknownResource(NamedTuple):
    """The kind and the API group of a custom resource that is not understood."""

    kind: str
    group: str


def find_operated_resource_in_text(text: str) -> OperatedResource | None:
    """The custom resource that a document is, told from its text, if an operator may make pods from it.

    Of an operator of which nothing is known nobody can tell; kinds that are known to configure something make none.
    """
    if _is_builtin_at_first_sight(text):
        return None
    kind, version = _KIND.search(text), _VERSION.search(text)
    if kind is None or version is None:
        return None
    return _make_operated_resource(kind[1], version[1], frozenset(_NAMESPACE.findall(text)))


def find_operated_resource(data: Mapping[str, object]) -> OperatedResource | None:
    """The same of plain data."""
    kind, version, metadata = data.get("kind"), data.get("apiVersion"), data.get("metadata")
    if not isinstance(kind, str) or not isinstance(version, str):
        return None
    namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
    return _make_operated_resource(kind, get_api_group(version), frozenset((namespace,) if isinstance(namespace, str) else ()))


def _make_operated_resource(kind: str, group: str, namespaces: frozenset[str]) -> OperatedResource | None:
    configures = kind in _KINDS_WITHOUT_PODS or any(group == known or group.endswith(f".{known}") for known in _GROUPS_WITHOUT_PODS)
    return OperatedResource(kind, namespaces) if _is_custom(kind, group) and not configures else None


def find_unknown_resource_in_text(text: str) -> UnknownResource | None:
    """The unknown custom resource that a document is, told from its text: the document is not parsed.

    1. `kind` and `apiVersion` are lines at column 0, and somewhere in the text is a field that decides where pods run.
    2. Kinds of Kubernetes itself, and definitions of kinds, are none.
    """
    if _is_builtin_at_first_sight(text) or _WORD.search(text) is None:
        return None
    kind, version = _KIND.search(text), _VERSION.search(text)
    if kind is None or version is None or not _is_custom(kind[1], version[1]):
        return None
    return UnknownResource(kind[1], version[1])


def _is_builtin_at_first_sight(text: str) -> bool:
    """Whether the first `apiVersion` is a line at column 0 that names a group of Kubernetes itself: most documents end here."""
    start = text.find("apiVersion:")
    if start < 0 or (start and text[start - 1] != "\n"):
        return start < 0
    return _names_builtin(text[start : text.find("\n", start)])


@lru_cache(1024)
def _names_builtin(line: str) -> bool:
    return not _is_custom("", get_api_group(line.removeprefix("apiVersion:").strip().strip("\"'")))


def find_unknown_resource(data: Mapping[str, object]) -> UnknownResource | None:
    """The unknown custom resource that plain data is: see `find_unknown_resource_in_text`; only its spec counts."""
    kind, version = data.get("kind"), data.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str) or not _is_custom(kind, get_api_group(version)):
        return None
    return UnknownResource(kind, get_api_group(version)) if _places_pods(data.get("spec")) else None


def may_place_pods(kind: str, api_version: str, text: Raw | memoryview) -> bool:
    """Whether an object of a list may be an unknown custom resource that says where pods run, told from its JSON text."""
    return _is_custom(kind, get_api_group(api_version)) and any(word in bytes(text) for word in _JSON_WORDS)


def has_tolerations(text: str) -> bool:
    """Whether a document may state tolerations, told from its text."""
    return "olerations" in text


def find_toleration_lists(data: Mapping[str, Any], origin: Origin) -> Iterator[CustomResource]:
    """The lists of tolerations in the spec of a custom resource, each as a part of it.

    A list counts if its field is named so and its items have the fields of tolerations and no others.
    """
    metadata = data.get("metadata")
    name, namespace = (metadata.get("name"), metadata.get("namespace")) if isinstance(metadata, Mapping) else (None, None)
    head = {"name": str(name or "*"), **({"namespace": namespace} if isinstance(namespace, str) else {})}
    waiting: list[tuple[FieldPath, object]] = [(("spec",), data.get("spec"))]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed([((*path, index), item) for index, item in enumerate(value)])
        if not isinstance(value, dict):
            continue
        for field, content in reversed(value.items()):
            if isinstance(field, str) and field.endswith("olerations") and _is_toleration_list(content):
                place = replace(origin, fields=((("spec", "tolerations"), (*path, field)),))
                pod, refusals = convert({"metadata": head, "spec": {"tolerations": content}}, Pod, place)
                if pod is not None:
                    yield CustomResource(origin=place, refusals=refusals, kind=str(data["kind"]), metadata=pod.metadata, spec=pod.spec)
            elif isinstance(field, str):
                waiting.append(((*path, field), content))


def _is_toleration_list(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) and item.keys() <= _TOLERATION_FIELDS for item in value)


def _is_custom(kind: str, group: str) -> bool:
    """Whether a kind is a custom resource; groups of Kubernetes itself have no dot or end in k8s.io, but for x-k8s.io."""
    is_builtin = "." not in group or (group.endswith(".k8s.io") and not group.endswith(".x-k8s.io"))
    return kind not in _NOT_OPERATED and not is_builtin


def _places_pods(spec: object) -> bool:
    waiting = [spec]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if any(isinstance(name, str) and name.endswith(("olerations", "odeSelector", "nodeAffinity")) for name in value):
                return True
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
    return False
