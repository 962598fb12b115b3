"""What a DaemonSet is: every matcher, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from preflight.components.catalog import kinds
from preflight.components.detection import WATCHERS, Component, Evidence, Findings, Provided, Runs
from preflight.components.kubelet_plugins import find_kubelet_plugins
from preflight.components.network import find_networks, find_services
from preflight.components.node_setup import find_node_changes
from preflight.components.observability import find_by_behaviour, find_telemetry
from preflight.components.pod_template import read
from preflight.model.declared_components import StatedKinds
from preflight.model.objects import DaemonSet

PROVED = frozenset({"device-plugin", "dra-driver", "csi-node-driver"})
"""Kinds that no name makes: the kubelet knows these by their sockets, and so do we."""


def recognise(
    daemonset: DaemonSet, config: Mapping[tuple[str, str], Mapping[str, str]] | None = None, stated: Sequence[StatedKinds] = ()
) -> tuple[Component, ...]:
    """What a DaemonSet is, worst to lose first; () where nothing is recognised.

    1. First by what its pod template does: folders of the node, registrations, settings. Then by the programs that it runs: command,
       arguments, the end of the image's path. Never by its own name or labels.
    2. A DaemonSet can be of several kinds; each has its own evidence.
    3. `config` is the data of the ConfigMaps that are known, by namespace and name; names of resources are read from it.
    4. Data of any shape is taken: what is not as the API wants it is as if it were not there.
    5. `stated` goes before all that: of what means this DaemonSet, the last with `kinds` says all that it is; every `added` comes to it.
    6. Of a DaemonSet of a snapshot it is what was recognised when that was made: arguments and environment are not in it.
    """
    meant = [each for each in stated if each.is_meant(daemonset)]
    said = [each for each in meant if each.kinds is not None]
    found = _stated(said[-1], said[-1].kinds or ()) if said else _recognised(daemonset, config)
    for each in meant:
        known = {component.kind.id for component in found}
        found += _stated(each, [kind for kind in each.added if kind not in known])
    return tuple(sorted(found, key=lambda component: component.kind.rank)) if meant else found


def _stated(stated: StatedKinds, ids: Sequence[str]) -> tuple[Component, ...]:
    """The components of kinds that are stated, each with what is stated of it."""
    evidence = (Evidence((), stated.words),)
    return tuple(
        Component(kinds()[id], evidence, stated.resources, stated.drivers, stated.labels, stated.taints) for id in dict.fromkeys(ids)
    )


def config_names(daemonset: DaemonSet) -> tuple[str, ...]:
    """The ConfigMaps of its namespace that recognition may read, sorted: those that its template names, and those of its programs."""
    findings = Findings(read(daemonset.data), {})
    fixed = (setting.config for run in findings.runs for setting in run.product.settings if setting.config)
    return tuple(sorted({*findings.template.configs, *fixed}))


def _recognised(daemonset: DaemonSet, config: Mapping[tuple[str, str], Mapping[str, str]] | None) -> tuple[Component, ...]:
    if daemonset.kept:
        from preflight.components.snapshot_codec import from_kept
        from preflight.model.snapshot_fields import kept

        return from_kept(kept(daemonset).components)
    own = daemonset.metadata.namespace
    configs = {name: data for (namespace, name), data in (config or {}).items() if namespace == own}
    findings = Findings(read(daemonset.data), configs)
    find_kubelet_plugins(findings)
    find_networks(findings)
    find_services(findings)
    for run in findings.runs:
        _program(findings, run)
    find_node_changes(findings)
    find_telemetry(findings)
    if not findings:
        find_by_behaviour(findings)
    if "cni" in findings:
        findings.drop("network-policy")  # the same pods are the network: that is what is missed first
    return findings.components()


def _program(findings: Findings, run: Runs) -> None:
    """The kinds of a program that is known, and those that its settings switch on."""
    product = run.product
    renamed = _renamed_taints(findings, run)
    provided = Provided((), (), product.labels, renamed or product.taints, product.networks, product.note, product.outlive)
    for kind in product.kinds:
        if kind in WATCHERS and not run.container.mounts and not findings.stands_alone(run.container):
            continue  # a sidecar of something that nobody knows
        if kind not in PROVED and (not product.needs or product.needs in findings):
            findings.add(kind, run.evidence.path, run.evidence.words, _of(kind, provided))
        elif kind in findings:
            findings.provide(kind, _of(kind, provided))
    for setting in product.settings:
        stated = findings.state(run.container, setting)
        if setting.absent if stated is None else stated.text.lower() in setting.values:
            path, how = (run.evidence.path, " on by default") if stated is None else (stated.path, "")
            for kind in setting.kinds:
                findings.add(kind, path, f"{run.evidence.words}, with {setting.name}{how}")


def _renamed_taints(findings: Findings, run: Runs) -> tuple[str, ...]:
    """The taints that a setting names in place of the usual ones."""
    stated = [findings.state(run.container, setting) for setting in run.product.settings if setting.taints]
    return tuple(each.text for each in stated if each is not None and each.text)


def _of(kind: str, provided: Provided) -> Provided:
    """What of a program's facts belongs to a kind."""
    if kind == "startup-taint-remover":
        return Provided(taints=provided.taints, note=provided.note)
    if kind == "label-producer":
        return Provided(labels=provided.labels, note=provided.note, outlive=provided.outlive)
    if kind in ("cni", "virtualization"):
        return Provided(networks=provided.networks, labels=provided.labels, note=provided.note if not provided.taints else "")
    return Provided(note=provided.note if not provided.taints else "")
