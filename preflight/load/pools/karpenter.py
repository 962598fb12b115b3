"""Karpenter: NodePool (and the Provisioner that it was before), and EC2NodeClass for the operating system.

Source: karpenter.sh `docs/concepts/nodepools` (labels, requirements, startupTaints), `docs/concepts/disruption` (drift: a changed template
replaces nodes), `docs/concepts/nodeclasses` (AMI families); EKS user guide, `associate-workload` (eks.amazonaws.com/compute-type).
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.load.kinds import PlainObject, get_path
from preflight.load.pools.bootstrap_text import list_registered_taints
from preflight.load.pools.builder import OS, ManifestReference, PoolBuilder, PoolDeclaration, describe_node_count, list_entries
from preflight.load.pools.taint_formats import to_text
from preflight.messages.pools import KARPENTER_REPLACES
from preflight.model.meta import Origin

_LINUX_CLASSES = ("AKSNodeClass", "NodeClass")  # of karpenter.azure.com, and of the auto mode of EKS
_COMPUTE_TYPE = "eks.amazonaws.com/compute-type"


def read_node_pool(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """A NodePool.

    1. Labels are those of the template, and what a requirement leaves one value for; `DoesNotExist` says that a label is absent.
    2. The labels `karpenter.sh/nodepool` and, by the node class, `eks.amazonaws.com/compute-type` and the operating system are stated.
    3. A change of the template is drift: Karpenter replaces the nodes that are there, and changes none in place.
    """
    draft = PoolBuilder(data, origin, "NodePool", to_text(get_path(data, ("metadata", "name"))), renewal=KARPENTER_REPLACES)
    template = ("spec", "template", "spec")
    draft.add_labels("spec", "template", "metadata", "labels")
    draft.add_taints(*template, "taints")
    draft.add_taints(*template, "startupTaints", is_startup=True)
    draft.set_provider_label("karpenter.sh/nodepool", draft.name, identifies_pool=True)
    _read_requirements(draft, *template, "requirements")
    draft.count = describe_node_count(draft.get("spec", "replicas"), None, _to_whole_number(draft.get("spec", "limits", "nodes")))
    kind, name = draft.get_text(*template, "nodeClassRef", "kind"), draft.get_text(*template, "nodeClassRef", "name")
    if kind in _LINUX_CLASSES:
        draft.provider_labels.setdefault(OS, "linux")
    if kind == "NodeClass":
        draft.set_provider_label(_COMPUTE_TYPE, "auto")
    elif kind == "EC2NodeClass":
        draft.absent.add(_COMPUTE_TYPE)
    yield draft.build(*([ManifestReference("EC2NodeClass", "", name)] if kind == "EC2NodeClass" else []))


def read_provisioner(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """A Provisioner (v1alpha5): what a NodePool has in its template stands in its `spec`."""
    draft = PoolBuilder(data, origin, "Provisioner", to_text(get_path(data, ("metadata", "name"))), renewal=KARPENTER_REPLACES)
    draft.add_labels("spec", "labels")
    draft.add_taints("spec", "taints")
    draft.add_taints("spec", "startupTaints", is_startup=True)
    draft.set_provider_label("karpenter.sh/provisioner-name", draft.name, identifies_pool=True)
    _read_requirements(draft, "spec", "requirements")
    yield draft.build()


def read_ec2_node_class(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """An EC2NodeClass: its AMI family, or the alias of its AMI, tells Windows from Linux; a custom AMI tells nothing.

    Its user data may have taints: settings of Bottlerocket, or flags of the kubelet.
    """
    name = to_text(get_path(data, ("metadata", "name")))
    draft = PoolBuilder(data, origin, "EC2NodeClass", name)
    aliases = [to_text(entry.get("alias")) for _, entry in list_entries(data, "spec", "amiSelectorTerms")]
    family = draft.get_text("spec", "amiFamily") or next((alias for alias in aliases if alias), "").partition("@")[0]
    if family and family != "Custom":
        draft.set_provider_label(OS, "windows" if family.lower().startswith("windows") else "linux")
    draft.add_taints("spec", "userData", data=list_registered_taints(to_text(draft.get("spec", "userData"))))
    yield draft.build(offered_as=ManifestReference("EC2NodeClass", "", name))


def _read_requirements(draft: PoolBuilder, *path: str) -> None:
    for _, entry in list_entries(draft.entry, *path):
        key, operator, values = to_text(entry.get("key")), entry.get("operator"), entry.get("values")
        if operator == "In" and isinstance(values, list) and len(values) == 1:
            draft.set_provider_label(key, to_text(values[0]))
        elif operator == "DoesNotExist":
            draft.absent.add(key)


def _to_whole_number(value: object) -> object:
    """A quantity that is a whole number: limits are written as texts too."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10 else value
