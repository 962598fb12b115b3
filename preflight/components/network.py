"""What the network of a node stands on: CNI plugins, and Service proxies and DNS that are known by their settings alone."""

from __future__ import annotations

import re

from preflight.components.catalog import find_program
from preflight.components.detection import ComponentFindings, ProvidedFeatures
from preflight.components.pod_template import HostMount, ParsedContainer
from preflight.messages import components as messages

_CONFIGURATION = re.compile(r"/etc/cni$|/cni/net\.d$|/cni-network$|/etc/cni/multus")
_PROGRAMS = re.compile(r"/cni/bin$|/opt/cni$|/cni-bin$")


def find_networks(findings: ComponentFindings) -> None:
    """Find CNI plugins by the files that every one of them must put on the node.

    1. A container that writes to the folder of network configurations or to that of plugin programs, by the path on the node or in
       the container: `/etc/cni/net.d`, `/opt/cni/bin`, and where distributions keep them.
    2. Reading is not enough, nor is a container that is known to only look at the node.
    3. Programs alone, without a configuration, are a plugin that only pods use which ask for it.

    Source: containernetworking/cni SPEC.md; the kubelet's and containerd's defaults for both folders.
    """
    found = False
    for container, mount in findings.template.iter_mounts():
        if mount.is_writable and not findings.only_observes(container) and (what := _describe_mount(mount)):
            found = True
            networks = _find_container_networks(container)
            findings.add_evidence(
                "cni", mount.path, messages.describe_network_files(what, mount.host_path), ProvidedFeatures(networks=networks)
            )
    if found:
        for container in findings.template.running_containers:
            findings.add_provided("cni", ProvidedFeatures(networks=_find_container_networks(container)))


def find_services(findings: ComponentFindings) -> None:
    """Find a kube-proxy by `--proxy-mode` or the folder of its configuration, and a CoreDNS by its Corefile, whatever they are called."""
    for container in findings.template.running_containers:
        for name, values in container.flags.items():
            for value in values:
                if name == "proxy-mode" or (name in ("config", "kubeconfig") and value.text.startswith("/var/lib/kube-proxy/")):
                    findings.add_evidence("kube-proxy", value.path, messages.describe_kube_proxy(name))
                if name == "conf" and value.text.endswith("Corefile"):
                    findings.add_evidence("node-local-dns", value.path, messages.COREFILE)


def _describe_mount(mount: HostMount) -> str:
    for path in (mount.host_path, mount.container_path):
        if _CONFIGURATION.search(path):
            return messages.NETWORK_CONFIGURATIONS
        if _PROGRAMS.search(path):
            return messages.NETWORK_PLUGINS
    return ""


def _find_container_networks(container: ParsedContainer) -> tuple[str, ...]:
    """The networks of the program that a container runs, or of its image, whatever script it runs."""
    for names in (*(tuple(program.candidate_names) for program in container.programs), container.images):
        product = find_program(names)
        if product is not None and product.networks:
            return product.networks
    return ()
