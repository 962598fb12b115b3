"""What a DaemonSet is: every matcher, in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from preflight.components.catalog import load_kinds
from preflight.components.detection import OBSERVER_KINDS, Component, ComponentFindings, DetectedProgram, Evidence, ProvidedFeatures
from preflight.components.kubelet_plugins import find_kubelet_plugins
from preflight.components.network import NETWORK_KINDS, find_networks, find_services
from preflight.components.node_setup import find_node_changes
from preflight.components.observability import find_by_behavior, find_telemetry
from preflight.components.pod_template import read_template
from preflight.messages import components as messages
from preflight.model.apps import DaemonSet
from preflight.model.declaration import Declaration, ProvidedComponent
from preflight.model.declared_components import ComponentOverride

PROVEN_KINDS = frozenset({"device-plugin", "dra-driver", "csi-node-driver"})
"""Kinds that no name makes: the kubelet knows these by their sockets, and so do we."""


def recognize_components(
    daemonset: DaemonSet, config: Mapping[tuple[str, str], Mapping[str, str]] | None = None, declared: Sequence[ComponentOverride] = ()
) -> tuple[Component, ...]:
    """What a DaemonSet is, worst to lose first; () where nothing is recognised.

    1. First by what its pod template does: folders of the node, registrations, settings. Then by the programs that it runs: command,
       arguments, the end of the image's path. Never by its own name or labels.
    2. A DaemonSet can be of several kinds; each has its own evidence.
    3. `config` is the data of the ConfigMaps that are known, by namespace and name; names of resources are read from it.
    4. Data of any shape is taken: what is not as the API wants it is as if it were not there.
    5. `declared` goes before all that: of what means this DaemonSet, the last with `kinds` says all that it is; every `added` comes to it.
    6. Of a DaemonSet of a snapshot it is what was recognised when that was made: arguments and environment are not in it.
    """
    meant = [override for override in declared if override.selects_daemonset(daemonset)]
    said = [override for override in meant if override.kinds is not None]
    if said:
        found = _build_declared(said[-1], said[-1].kinds or ())
    elif daemonset.declaration is not None:
        found = tuple(_build_operand(component, daemonset.declaration) for component in daemonset.declaration.provides)
    else:
        found = _run_matchers(daemonset, config)
    for override in meant:
        known = {component.kind.id for component in found}
        found += _build_declared(override, [kind for kind in override.added_kinds if kind not in known])
    return tuple(sorted(found, key=lambda component: component.kind.rank)) if meant else found


def _build_operand(component: ProvidedComponent, declaration: Declaration) -> Component:
    """What the operator says that a DaemonSet provides."""
    return Component(
        load_kinds()[component.kind],
        (Evidence((), messages.describe_declaration(declaration)),),
        component.resources,
        component.drivers,
        component.labels,
        component.taints,
        component.networks,
    )


def _build_declared(declared: ComponentOverride, ids: Sequence[str]) -> tuple[Component, ...]:
    """The components of kinds that are stated, each with what is stated of it."""
    evidence = (Evidence((), declared.stated_by),)
    return tuple(
        Component(load_kinds()[id], evidence, declared.resources, declared.drivers, declared.labels, declared.taints)
        for id in dict.fromkeys(ids)
    )


def list_config_names(daemonset: DaemonSet) -> tuple[str, ...]:
    """The ConfigMaps of its namespace that recognition may read, sorted: those that its template names, and those of its programs."""
    findings = ComponentFindings(read_template(daemonset.data), {})
    fixed = (setting.config for run in findings.programs for setting in run.product.settings if setting.config)
    return tuple(sorted({*findings.template.config_names, *fixed}))


def _run_matchers(daemonset: DaemonSet, config: Mapping[tuple[str, str], Mapping[str, str]] | None) -> tuple[Component, ...]:
    if daemonset.kept:
        from preflight.components.snapshot_codec import decode_components
        from preflight.model.snapshot_fields import decode_snapshot_extras

        return decode_components(decode_snapshot_extras(daemonset).components)
    own = daemonset.metadata.namespace
    configs = {name: data for (namespace, name), data in (config or {}).items() if namespace == own}
    findings = ComponentFindings(read_template(daemonset.data), configs)
    find_kubelet_plugins(findings)
    find_networks(findings)
    find_services(findings)
    for run in findings.programs:
        _add_program(findings, run)
    find_node_changes(findings)
    find_telemetry(findings)
    if not findings:
        find_by_behavior(findings)
    if "cni" in findings:
        findings.drop("network-policy")  # the same pods are the network: that is what is missed first
        findings.drop("secondary-cni")
    return findings.build_components()


def _add_program(findings: ComponentFindings, detected: DetectedProgram) -> None:
    """The kinds of a program that is known, and those that its settings switch on."""
    product = detected.product
    renamed = _find_renamed_taints(findings, detected)
    taints = renamed or product.taints
    provided = ProvidedFeatures((), (), product.labels, taints, product.networks, product.note, product.outlive, product.symptom)
    for kind in product.kinds:
        if kind in OBSERVER_KINDS and not detected.container.mounts and not findings.is_main_container(detected.container):
            continue  # a sidecar of something that nobody knows
        if kind not in PROVEN_KINDS and (not product.needs or product.needs in findings):
            findings.add_evidence(kind, detected.evidence.path, detected.evidence.description, _filter_by_kind(kind, provided))
        elif kind in findings:
            findings.add_provided(kind, _filter_by_kind(kind, provided))
    for setting in product.settings:
        stated = findings.find_setting(detected.container, setting)
        if setting.absent if stated is None else stated.text.lower() in setting.values:
            path, how = (detected.evidence.path, messages.ON_BY_DEFAULT) if stated is None else (stated.path, "")
            for kind in setting.kinds:
                words = messages.describe_setting(detected.evidence.description, setting.name, how)
                findings.add_evidence(kind, path, words, ProvidedFeatures(networks=setting.networks))


def _find_renamed_taints(findings: ComponentFindings, detected: DetectedProgram) -> tuple[str, ...]:
    """The taints that a setting names in place of the usual ones."""
    stated = [findings.find_setting(detected.container, setting) for setting in detected.product.settings if setting.taints]
    return tuple(text.text for text in stated if text is not None and text.text)


def _filter_by_kind(kind: str, provided: ProvidedFeatures) -> ProvidedFeatures:
    """What of a program's facts belongs to a kind."""
    if kind == "startup-taint-remover":
        return ProvidedFeatures(taints=provided.taints, note=provided.note)
    if kind == "label-producer":
        return ProvidedFeatures(labels=provided.labels, note=provided.note, outlive=provided.outlive)
    note = provided.note if not provided.taints else ""
    if kind in (*NETWORK_KINDS, "virtualization"):
        return ProvidedFeatures(networks=provided.networks, labels=provided.labels, note=note, symptom=provided.symptom)
    return ProvidedFeatures(note=note, symptom=provided.symptom)
