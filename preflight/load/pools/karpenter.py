"""Karpenter: NodePool (and the Provisioner that it was before), and EC2NodeClass for the operating system.

Source: karpenter.sh `docs/concepts/nodepools` (labels, requirements, startupTaints), `docs/concepts/disruption` (drift: a changed template
replaces nodes), `docs/concepts/nodeclasses` (AMI families); EKS user guide, `associate-workload` (eks.amazonaws.com/compute-type).
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.load.kinds import Data, at
from preflight.load.pools.builder import OS, Declared, Draft, Reference, counted, entries
from preflight.load.pools.taint_formats import text_of
from preflight.model.objects import Origin

_LINUX_CLASSES = ("AKSNodeClass", "NodeClass")  # of karpenter.azure.com, and of the auto mode of EKS
_COMPUTE_TYPE = "eks.amazonaws.com/compute-type"
_DRIFT = ": Karpenter replaces them, for they drifted"


def node_pool(data: Data, origin: Origin) -> Iterator[Declared]:
    """A NodePool.

    1. Labels are those of the template, and what a requirement leaves one value for; `DoesNotExist` says that a label is absent.
    2. The labels `karpenter.sh/nodepool` and, by the node class, `eks.amazonaws.com/compute-type` and the operating system are stated.
    3. A change of the template is drift: Karpenter replaces the nodes that are there, and changes none in place.
    """
    draft = Draft(data, origin, "NodePool", text_of(at(data, ("metadata", "name"))), renewal=_DRIFT)
    template = ("spec", "template", "spec")
    draft.labels("spec", "template", "metadata", "labels")
    draft.taints(*template, "taints")
    draft.taints(*template, "startupTaints", startup=True)
    draft.state("karpenter.sh/nodepool", draft.name, member=True)
    _requirements(draft, *template, "requirements")
    draft.count = counted(draft.get("spec", "replicas"), None, _whole(draft.get("spec", "limits", "nodes")))
    kind, name = draft.text(*template, "nodeClassRef", "kind"), draft.text(*template, "nodeClassRef", "name")
    if kind in _LINUX_CLASSES:
        draft.sure.setdefault(OS, "linux")
    if kind == "NodeClass":
        draft.state(_COMPUTE_TYPE, "auto")
    elif kind == "EC2NodeClass":
        draft.absent.add(_COMPUTE_TYPE)
    yield draft.done(*([Reference("EC2NodeClass", "", name)] if kind == "EC2NodeClass" else []))


def provisioner(data: Data, origin: Origin) -> Iterator[Declared]:
    """A Provisioner (v1alpha5): what a NodePool has in its template stands in its `spec`."""
    draft = Draft(data, origin, "Provisioner", text_of(at(data, ("metadata", "name"))), renewal=_DRIFT)
    draft.labels("spec", "labels")
    draft.taints("spec", "taints")
    draft.taints("spec", "startupTaints", startup=True)
    draft.state("karpenter.sh/provisioner-name", draft.name, member=True)
    _requirements(draft, "spec", "requirements")
    yield draft.done()


def ec2_node_class(data: Data, origin: Origin) -> Iterator[Declared]:
    """An EC2NodeClass: its AMI family, or the alias of its AMI, tells Windows from Linux; a custom AMI tells nothing."""
    name = text_of(at(data, ("metadata", "name")))
    draft = Draft(data, origin, "EC2NodeClass", name)
    aliases = [text_of(each.get("alias")) for _, each in entries(data, "spec", "amiSelectorTerms")]
    family = draft.text("spec", "amiFamily") or next((alias for alias in aliases if alias), "").partition("@")[0]
    if family and family != "Custom":
        draft.state(OS, "windows" if family.lower().startswith("windows") else "linux")
    yield draft.done(offers=Reference("EC2NodeClass", "", name))


def _requirements(draft: Draft, *path: str) -> None:
    for _, each in entries(draft.entry, *path):
        key, operator, values = text_of(each.get("key")), each.get("operator"), each.get("values")
        if operator == "In" and isinstance(values, list) and len(values) == 1:
            draft.state(key, text_of(values[0]))
        elif operator == "DoesNotExist":
            draft.absent.add(key)


def _whole(value: object) -> object:
    """A quantity that is a whole number: limits are written as texts too."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10 else value
