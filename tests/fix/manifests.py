"""Manifests for tests of fixes, and what a fix makes of them."""

from __future__ import annotations

from typing import Any

from preflight import documents
from preflight.documents import Document
from preflight.fix.edit_model import AddToleration, Operation
from preflight.fix.manifest import ManifestChange, ManifestResult, fix_manifest
from preflight.model.core import POD_TEMPLATE_SPEC

RDMA = {"key": "dedicated", "operator": "Equal", "value": "rdma", "effect": "NoSchedule"}

HEAD = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
"""


def read(text: str) -> list[Any]:
    """The documents of a text as Kubernetes reads them."""
    found = list(documents.read_yaml(text, ()))
    assert all(isinstance(document, Document) for document in found), found
    return [each.data for each in found if isinstance(each, Document)]


def at(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def fixed(text: str, *operations: Operation, document: int = 0, path: tuple[str | int, ...] = POD_TEMPLATE_SPEC) -> ManifestResult:
    """A text with the tolerations of one workload changed."""
    documents_ = {each.chunk.index: each.data for each in documents.read_yaml(text, ()) if isinstance(each, Document)}
    spec = at(documents_[document], path)
    tolerations = spec.get("tolerations") if isinstance(spec, dict) else None
    wanted = ManifestChange(document, (*path, "tolerations"), tolerations or [], operations or (AddToleration(RDMA),))
    return fix_manifest(text, [wanted])
