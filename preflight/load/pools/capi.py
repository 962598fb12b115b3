"""Cluster API: MachineDeployment, MachineSet, MachinePool, KubeadmControlPlane, topologies and their ClusterClass, Kubeadm configuration.

Source: cluster-api `docs/book/src/reference/api/metadata-propagation.md` and `internal/util/labels` (GetManagedLabels), the API types
`api/core/v1beta2` (MachineTaint: propagation) and `api/bootstrap/kubeadm/v1beta2` (NodeRegistrationOptions); kubeadm `mark-control-plane`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.load.kinds import PlainObject, get_path
from preflight.load.pools.builder import (
    CONTROL_PLANE,
    ManifestReference,
    PoolBuilder,
    PoolDeclaration,
    describe_node_count,
    extend_origin,
    list_entries,
)
from preflight.load.pools.taint_formats import TAINT_FIELDS, TaintFormat, to_text
from preflight.messages.pools import CLUSTER_API_ROLLS_OUT
from preflight.model.core import Taint
from preflight.model.meta import Origin

_MACHINE = TaintFormat(fields=(*TAINT_FIELDS, "propagation"))
_DOMAINS = ("node-restriction.kubernetes.io", "node.cluster.x-k8s.io")
_UNINITIALIZED = Taint("node.cluster.x-k8s.io/uninitialized", "", "NoSchedule")
_REGISTRATION = "nodeRegistration"


def read_machine_deployment(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """A MachineDeployment, MachineSet or MachinePool.

    1. Of the labels of the template only those of the domains that Cluster API syncs reach a node, those of a MachinePool never.
    2. A taint with the propagation OnInitialization is set once; all others, and the labels, reach the nodes that are there.
    3. A MachineSet that a MachineDeployment owns is no pool of its own.
    """
    kind = to_text(data.get("kind"))
    owners = [to_text(entry.get("kind")) for _, entry in list_entries(data, "metadata", "ownerReferences")]
    if kind == "MachineSet" and "MachineDeployment" in owners:
        return
    name, namespace = (to_text(get_path(data, ("metadata", field))) for field in ("name", "namespace"))
    draft = PoolBuilder(data, origin, kind, name, cluster=to_text(get_path(data, ("spec", "clusterName"))), renewal=CLUSTER_API_ROLLS_OUT)
    if kind != "MachinePool":
        draft.add_labels("spec", "template", "metadata", "labels", in_place=True, accepts_key=_is_synced)
        draft.owner = ("MachineSet", name)
    _read_machine_taints(draft, "spec", "template", "spec", "taints")
    draft.count = describe_node_count(draft.get("spec", "replicas"))
    yield draft.build(*_read_references(draft, namespace, "spec", "template", "spec", "bootstrap", "configRef"))


def read_control_plane(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """A KubeadmControlPlane: as a MachineDeployment, with the configuration of Kubeadm inside.

    Without any taints of its own in the registration it has the usual one. A patch, which has no version, does not say.
    """
    name = to_text(get_path(data, ("metadata", "name")))
    draft = PoolBuilder(data, origin, "KubeadmControlPlane", name, renewal=CLUSTER_API_ROLLS_OUT)
    draft.owner = ("KubeadmControlPlane", name)
    draft.add_labels("spec", "machineTemplate", "metadata", "labels", in_place=True, accepts_key=_is_synced)
    _read_machine_taints(draft, "spec", "machineTemplate", "spec", "taints")
    _read_control_plane_node(draft, "spec", "kubeadmConfigSpec", has_defaults=draft.get("spec", "version") is not None)
    draft.count = describe_node_count(draft.get("spec", "replicas"))
    yield draft.build()


def read_kubeadm_config(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """A KubeadmConfigTemplate, or the KubeadmConfig of a MachinePool: what its nodes register with.

    `register-with-taints` among the arguments of the kubelet takes the place of the taints.
    """
    kind = to_text(data.get("kind"))
    name, namespace = (to_text(get_path(data, ("metadata", field))) for field in ("name", "namespace"))
    draft = PoolBuilder(data, origin, kind, name)
    inner = ("spec",) if kind == "KubeadmConfig" else ("spec", "template", "spec")
    _read_registration(draft, *inner, "joinConfiguration", _REGISTRATION)
    draft.startup_taints.append(_UNINITIALIZED)
    yield draft.build(offered_as=ManifestReference(kind, namespace, name))


def read_control_plane_template(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """A KubeadmControlPlaneTemplate, to which a ClusterClass refers."""
    name, namespace = (to_text(get_path(data, ("metadata", field))) for field in ("name", "namespace"))
    draft = PoolBuilder(data, origin, "KubeadmControlPlaneTemplate", name)
    draft.add_labels("spec", "template", "spec", "machineTemplate", "metadata", "labels", in_place=True, accepts_key=_is_synced)
    _read_control_plane_node(draft, "spec", "template", "spec", "kubeadmConfigSpec", has_defaults=True)
    yield draft.build(offered_as=ManifestReference("KubeadmControlPlaneTemplate", namespace, name))


def read_topology(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """The control plane and the workers of a Cluster with a topology; what its ClusterClass says of them is put under it."""
    where = ("spec", "topology")
    if not isinstance(get_path(data, where), dict):
        return
    cluster, namespace = (to_text(get_path(data, ("metadata", field))) for field in ("name", "namespace"))
    used = to_text(get_path(data, (*where, "classRef", "name"))) or to_text(get_path(data, (*where, "class")))
    owner = to_text(get_path(data, (*where, "classRef", "namespace"))) or namespace
    plane = get_path(data, (*where, "controlPlane"))
    found: list[tuple[PlainObject, Origin, str, str, str]] = []
    if isinstance(plane, dict):
        found.append((plane, extend_origin(origin, *where, "controlPlane"), "controlPlane", "control-plane", f"{used}/controlPlane"))
    for field in ("machineDeployments", "machinePools"):
        for number, worker in list_entries(data, *where, "workers", field):
            place = extend_origin(origin, *where, "workers", field, number)
            reference = f"{used}/{field}/{to_text(worker.get('class'))}"
            found.append((worker, place, field.removesuffix("s"), to_text(worker.get("name")), reference))
    for entry, place, kind, name, reference in found:
        draft = PoolBuilder(entry, place, kind, name, cluster=cluster, renewal=CLUSTER_API_ROLLS_OUT)
        if kind != "machinePool":
            draft.add_labels("metadata", "labels", in_place=True, accepts_key=_is_synced)
        _read_machine_taints(draft, "taints")
        if kind == "controlPlane":
            _set_control_plane_role(draft)
        draft.count = describe_node_count(entry.get("replicas"))
        yield draft.build(ManifestReference("ClusterClass", owner, reference))


def read_cluster_class(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """The classes of a ClusterClass, to which topologies refer: their labels, and the templates that they refer to in turn."""
    name, namespace = (to_text(get_path(data, ("metadata", field))) for field in ("name", "namespace"))
    found: list[tuple[PlainObject, Origin, str]] = []
    plane = get_path(data, ("spec", "controlPlane"))
    if isinstance(plane, dict):
        found.append((plane, extend_origin(origin, "spec", "controlPlane"), f"{name}/controlPlane"))
    for field in ("machineDeployments", "machinePools"):
        for number, worker in list_entries(data, "spec", "workers", field):
            reference = f"{name}/{field}/{to_text(worker.get('class'))}"
            found.append((worker, extend_origin(origin, "spec", "workers", field, number), reference))
    for entry, place, reference in found:
        draft = PoolBuilder(entry, place, "ClusterClass", reference)
        refers: list[ManifestReference] = []
        for base in ((), ("template",)):  # v1beta2 and v1beta1
            draft.add_labels(*base, "metadata", "labels", in_place=True, accepts_key=_is_synced)
            for field in ("templateRef", "ref"):
                refers += _read_references(draft, namespace, *base, "bootstrap", field)
                if reference.endswith("/controlPlane"):
                    refers += _read_references(draft, namespace, *base, field)
        yield draft.build(*refers, offered_as=ManifestReference("ClusterClass", namespace, reference))


def _is_synced(key: str) -> bool:
    domain = key.partition("/")[0]
    return domain == "node-role.kubernetes.io" or any(domain == synced or domain.endswith(f".{synced}") for synced in _DOMAINS)


def _read_machine_taints(draft: PoolBuilder, *path: str) -> None:
    once = {to_text(entry.get("key")) for _, entry in list_entries(draft.entry, *path) if entry.get("propagation") == "OnInitialization"}
    draft.add_taints(*path, form=_MACHINE, in_place=True, registration_only=once)


def _read_references(draft: PoolBuilder, namespace: str, *path: str) -> list[ManifestReference]:
    kind, name = draft.get_text(*path, "kind"), draft.get_text(*path, "name")
    return [ManifestReference(kind, draft.get_text(*path, "namespace") or namespace, name)] if kind.startswith("Kubeadm") and name else []


def _set_control_plane_role(draft: PoolBuilder) -> None:
    draft.provider_labels["node-role.kubernetes.io/control-plane"] = ""
    draft.provider_labels["node.kubernetes.io/exclude-from-external-load-balancers"] = ""


def _read_control_plane_node(draft: PoolBuilder, *path: str, has_defaults: bool) -> None:
    """What kubeadm makes of a control plane's node: `path` leads to its configuration; nil taints mean the usual one, [] means none."""
    _set_control_plane_role(draft)
    join = (*path, "joinConfiguration", _REGISTRATION)
    _read_registration(draft, *join)
    if has_defaults and draft.get(*join, "taints") is None:
        draft.add_taint(CONTROL_PLANE)
    draft.startup_taints.append(_UNINITIALIZED)


def _read_registration(draft: PoolBuilder, *path: str) -> None:
    """What the kubelet of a node registers with: `kubeletExtraArgs` is a map in v1beta1, and a list of names and values in v1beta2."""
    arguments = draft.get(*path, "kubeletExtraArgs")
    if isinstance(arguments, list):
        arguments = {to_text(argument.get("name")): argument.get("value") for argument in arguments if isinstance(argument, dict)}
    stated = arguments if isinstance(arguments, dict) else {}
    if stated.get("node-labels"):
        draft.add_labels(*path, "kubeletExtraArgs", data=stated["node-labels"])
    if stated.get("register-with-taints"):
        draft.add_taints(*path, "kubeletExtraArgs", data=stated["register-with-taints"])
    else:
        draft.add_taints(*path, "taints")
