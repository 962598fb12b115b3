"""Cluster API: MachineDeployment, MachineSet, MachinePool, KubeadmControlPlane, topologies and their ClusterClass, Kubeadm configuration.

Source: cluster-api `docs/book/src/reference/api/metadata-propagation.md` and `internal/util/labels` (GetManagedLabels), the API types
`api/core/v1beta2` (MachineTaint: propagation) and `api/bootstrap/kubeadm/v1beta2` (NodeRegistrationOptions); kubeadm `mark-control-plane`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.load.kinds import Data, at
from preflight.load.pools.builder import CONTROL_PLANE, Declared, Draft, Reference, counted, entries, inside
from preflight.load.pools.taint_formats import FIELDS, Form, text_of
from preflight.model.objects import Origin, Taint

_MACHINE = Form(fields=(*FIELDS, "propagation"))
_DOMAINS = ("node-restriction.kubernetes.io", "node.cluster.x-k8s.io")
_UNINITIALIZED = Taint("node.cluster.x-k8s.io/uninitialized", "", "NoSchedule")
_ROLLOUT = ": Cluster API rolls them out where their template changes"
_REGISTRATION = "nodeRegistration"


def machine_deployment(data: Data, origin: Origin) -> Iterator[Declared]:
    """A MachineDeployment, MachineSet or MachinePool.

    1. Of the labels of the template only those of the domains that Cluster API syncs reach a node, those of a MachinePool never.
    2. A taint with the propagation OnInitialization is set once; all others, and the labels, reach the nodes that are there.
    3. A MachineSet that a MachineDeployment owns is no pool of its own.
    """
    kind = text_of(data.get("kind"))
    owners = [text_of(each.get("kind")) for _, each in entries(data, "metadata", "ownerReferences")]
    if kind == "MachineSet" and "MachineDeployment" in owners:
        return
    name, namespace = (text_of(at(data, ("metadata", field))) for field in ("name", "namespace"))
    draft = Draft(data, origin, kind, name, cluster=text_of(at(data, ("spec", "clusterName"))), renewal=_ROLLOUT)
    if kind != "MachinePool":
        draft.labels("spec", "template", "metadata", "labels", kept=True, only=_is_synced)
        draft.owner = ("MachineSet", name)
    _machine_taints(draft, "spec", "template", "spec", "taints")
    draft.count = counted(draft.get("spec", "replicas"))
    yield draft.done(*_reference(draft, namespace, "spec", "template", "spec", "bootstrap", "configRef"))


def control_plane(data: Data, origin: Origin) -> Iterator[Declared]:
    """A KubeadmControlPlane: as a MachineDeployment, with the configuration of Kubeadm inside.

    Without any taints of its own in the registration it has the usual one. A patch, which has no version, does not say.
    """
    name = text_of(at(data, ("metadata", "name")))
    draft = Draft(data, origin, "KubeadmControlPlane", name, renewal=_ROLLOUT)
    draft.owner = ("KubeadmControlPlane", name)
    draft.labels("spec", "machineTemplate", "metadata", "labels", kept=True, only=_is_synced)
    _machine_taints(draft, "spec", "machineTemplate", "spec", "taints")
    _as_control_plane(draft, "spec", "kubeadmConfigSpec", whole=draft.get("spec", "version") is not None)
    draft.count = counted(draft.get("spec", "replicas"))
    yield draft.done()


def kubeadm_config(data: Data, origin: Origin) -> Iterator[Declared]:
    """A KubeadmConfigTemplate, or the KubeadmConfig of a MachinePool: what its nodes register with.

    `register-with-taints` among the arguments of the kubelet takes the place of the taints.
    """
    kind = text_of(data.get("kind"))
    name, namespace = (text_of(at(data, ("metadata", field))) for field in ("name", "namespace"))
    draft = Draft(data, origin, kind, name)
    inner = ("spec",) if kind == "KubeadmConfig" else ("spec", "template", "spec")
    _registration(draft, *inner, "joinConfiguration", _REGISTRATION)
    draft.startup.append(_UNINITIALIZED)
    yield draft.done(offers=Reference(kind, namespace, name))


def control_plane_template(data: Data, origin: Origin) -> Iterator[Declared]:
    """A KubeadmControlPlaneTemplate, to which a ClusterClass refers."""
    name, namespace = (text_of(at(data, ("metadata", field))) for field in ("name", "namespace"))
    draft = Draft(data, origin, "KubeadmControlPlaneTemplate", name)
    draft.labels("spec", "template", "spec", "machineTemplate", "metadata", "labels", kept=True, only=_is_synced)
    _as_control_plane(draft, "spec", "template", "spec", "kubeadmConfigSpec", whole=True)
    yield draft.done(offers=Reference("KubeadmControlPlaneTemplate", namespace, name))


def topology(data: Data, origin: Origin) -> Iterator[Declared]:
    """The control plane and the workers of a Cluster with a topology; what its ClusterClass says of them is put under it."""
    where = ("spec", "topology")
    if not isinstance(at(data, where), dict):
        return
    cluster, namespace = (text_of(at(data, ("metadata", field))) for field in ("name", "namespace"))
    used = text_of(at(data, (*where, "classRef", "name"))) or text_of(at(data, (*where, "class")))
    owner = text_of(at(data, (*where, "classRef", "namespace"))) or namespace
    plane = at(data, (*where, "controlPlane"))
    found: list[tuple[Data, Origin, str, str, str]] = []
    if isinstance(plane, dict):
        found.append((plane, inside(origin, *where, "controlPlane"), "controlPlane", "control-plane", f"{used}/controlPlane"))
    for field in ("machineDeployments", "machinePools"):
        for number, each in entries(data, *where, "workers", field):
            place = inside(origin, *where, "workers", field, number)
            found.append((each, place, field.removesuffix("s"), text_of(each.get("name")), f"{used}/{field}/{text_of(each.get('class'))}"))
    for entry, place, kind, name, reference in found:
        draft = Draft(entry, place, kind, name, cluster=cluster, renewal=_ROLLOUT)
        if kind != "machinePool":
            draft.labels("metadata", "labels", kept=True, only=_is_synced)
        _machine_taints(draft, "taints")
        if kind == "controlPlane":
            _role_of_control_plane(draft)
        draft.count = counted(entry.get("replicas"))
        yield draft.done(Reference("ClusterClass", owner, reference))


def cluster_class(data: Data, origin: Origin) -> Iterator[Declared]:
    """The classes of a ClusterClass, to which topologies refer: their labels, and the templates that they refer to in turn."""
    name, namespace = (text_of(at(data, ("metadata", field))) for field in ("name", "namespace"))
    found: list[tuple[Data, Origin, str]] = []
    plane = at(data, ("spec", "controlPlane"))
    if isinstance(plane, dict):
        found.append((plane, inside(origin, "spec", "controlPlane"), f"{name}/controlPlane"))
    for field in ("machineDeployments", "machinePools"):
        for number, each in entries(data, "spec", "workers", field):
            found.append((each, inside(origin, "spec", "workers", field, number), f"{name}/{field}/{text_of(each.get('class'))}"))
    for entry, place, reference in found:
        draft = Draft(entry, place, "ClusterClass", reference)
        refers: list[Reference] = []
        for base in ((), ("template",)):  # v1beta2 and v1beta1
            draft.labels(*base, "metadata", "labels", kept=True, only=_is_synced)
            for field in ("templateRef", "ref"):
                refers += _reference(draft, namespace, *base, "bootstrap", field)
                if reference.endswith("/controlPlane"):
                    refers += _reference(draft, namespace, *base, field)
        yield draft.done(*refers, offers=Reference("ClusterClass", namespace, reference))


def _is_synced(key: str) -> bool:
    domain = key.partition("/")[0]
    return domain == "node-role.kubernetes.io" or any(domain == each or domain.endswith(f".{each}") for each in _DOMAINS)


def _machine_taints(draft: Draft, *path: str) -> None:
    once = {text_of(each.get("key")) for _, each in entries(draft.entry, *path) if each.get("propagation") == "OnInitialization"}
    draft.taints(*path, form=_MACHINE, kept=True, once=once)


def _reference(draft: Draft, namespace: str, *path: str) -> list[Reference]:
    kind, name = draft.text(*path, "kind"), draft.text(*path, "name")
    return [Reference(kind, draft.text(*path, "namespace") or namespace, name)] if kind.startswith("Kubeadm") and name else []


def _role_of_control_plane(draft: Draft) -> None:
    draft.sure["node-role.kubernetes.io/control-plane"] = ""
    draft.sure["node.kubernetes.io/exclude-from-external-load-balancers"] = ""


def _as_control_plane(draft: Draft, *path: str, whole: bool) -> None:
    """What kubeadm makes of a control plane's node: `path` leads to its configuration; nil taints mean the usual one, [] means none."""
    _role_of_control_plane(draft)
    join = (*path, "joinConfiguration", _REGISTRATION)
    _registration(draft, *join)
    if whole and draft.get(*join, "taints") is None:
        draft.add_taint(CONTROL_PLANE)
    draft.startup.append(_UNINITIALIZED)


def _registration(draft: Draft, *path: str) -> None:
    """What the kubelet of a node registers with: `kubeletExtraArgs` is a map in v1beta1, and a list of names and values in v1beta2."""
    arguments = draft.get(*path, "kubeletExtraArgs")
    if isinstance(arguments, list):
        arguments = {text_of(each.get("name")): each.get("value") for each in arguments if isinstance(each, dict)}
    stated = arguments if isinstance(arguments, dict) else {}
    if stated.get("node-labels"):
        draft.labels(*path, "kubeletExtraArgs", data=stated["node-labels"])
    if stated.get("register-with-taints"):
        draft.taints(*path, "kubeletExtraArgs", data=stated["register-with-taints"])
    else:
        draft.taints(*path, "taints")
