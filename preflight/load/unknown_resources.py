"""Custom resources that no known operator reads and that say where pods run: what an operator makes of them cannot be determined."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from preflight.load.kinds import get_api_group
from preflight.model.manifest_context import OperatedResource

_WORD = re.compile(r"(?:olerations|odeSelector|nodeAffinity)\"?[ \t]*:")
_KIND = re.compile(r"^kind:[ \t]*[\"']?([A-Za-z][A-Za-z0-9]*)[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE | re.ASCII)
_VERSION = re.compile(r"^apiVersion:[ \t]*[\"']?([A-Za-z0-9.-]+)/[A-Za-z0-9]+[\"']?[ \t]*(?:#.*)?\r?$", re.MULTILINE | re.ASCII)
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
    line = text[start + len("apiVersion:") : text.find("\n", start)].strip().strip("\"'")
    return not _is_custom("", get_api_group(line))


def find_unknown_resource(data: Mapping[str, object]) -> UnknownResource | None:
    """The unknown custom resource that plain data is: see `find_unknown_resource_in_text`; only its spec counts."""
    kind, version = data.get("kind"), data.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(version, str) or not _is_custom(kind, get_api_group(version)):
        return None
    return UnknownResource(kind, get_api_group(version)) if _places_pods(data.get("spec")) else None


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
