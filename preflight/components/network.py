"""What the network of a node stands on: CNI plugins, and Service proxies and DNS that are known by their settings alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from preflight.components.catalog import KnownProgram, find_program, programs_by_variable
from preflight.components.detection import ComponentFindings, ProvidedFeatures
from preflight.components.pod_template import HostMount, ParsedContainer
from preflight.messages import components as messages

_CONFIGURATION = re.compile(r"/etc/cni$|/cni/net\.d$|/cni-network$|/etc/cni/multus")
_PROGRAMS = re.compile(r"/cni/bin$|/opt/cni$|/cni-bin$")
_PROXY_MODES = frozenset(("iptables", "ipvs", "nftables", "userspace", "kernelspace"))
_PROXY_FLAGS = frozenset(("cluster-cidr", "hostname-override", "conntrack-max-per-core", "conntrack-min", "proxy-mode"))
_DNS_PORT = 53
NETWORK_KINDS = ("cni", "mesh-cni", "secondary-cni")
"""The kinds of what puts network plugins on a node: the network of every pod, or a plugin in addition to it."""


def find_networks(findings: ComponentFindings) -> None:
    """Find CNI plugins by the files that every one of them must put on the node.

    1. A container that writes to the folder of network configurations or to that of plugin programs, by the path on the node or in
       the container: `/etc/cni/net.d`, `/opt/cni/bin`, and where distributions keep them.
    2. Reading is not enough, nor is a container that is known to only look at the node.
    3. A program that is known tells what it is: the network of every pod, the plugin of a mesh, which is chained to that network, or a
       plugin that only pods use which ask for it.
    4. Of an unknown one, programs alone, without a configuration, are such a plugin; with a configuration it may be the network.

    Source: containernetworking/cni SPEC.md; the kubelet's and containerd's defaults for both folders.
    """
    files = [
        (container, mount, what)
        for container, mount in findings.template.iter_mounts()
        if mount.is_writable and not findings.only_observes(container) and (what := _describe_mount(mount))
    ]
    if not files:
        return
    writers = [container for container, _, _ in files]
    products = [product for container in (*writers, *findings.template.running_containers) if (product := _find_network_program(container))]
    kind = _classify_plugin(products, has_configuration=any(what == messages.NETWORK_CONFIGURATIONS for _, _, what in files))
    for _, mount, what in files:
        findings.add_evidence(kind, mount.path, messages.describe_network_files(what, mount.host_path))
    for product in products:
        findings.add_provided(kind, ProvidedFeatures(networks=product.networks))


def _classify_plugin(products: Sequence[KnownProgram], *, has_configuration: bool) -> str:
    """The kind of what writes network plugins, by the programs that are known in its pods."""
    if any("pod" in product.networks for product in products):
        return "cni"
    if products:
        return "mesh-cni" if any("mesh-cni" in product.kinds for product in products) else "secondary-cni"
    return "cni" if has_configuration else "secondary-cni"


def find_services(findings: ComponentFindings) -> None:
    """Find Service proxies and DNS, whatever they are called.

    1. A kube-proxy has `--proxy-mode` with one of its modes, its configuration in its folder, or its kubeconfig there next to other flags
       of a kube-proxy: what only looks at it may read that too.
    2. DNS is a program that is known as such, or one with a Corefile. It is that of its node where it listens on the node's network, or on
       port 53 of the node; any other is behind a Service, and each pod may ask any replica. A dnsmasq with port 0 answers nobody.
    """
    for container in findings.template.running_containers:
        for name, values in container.flags.items():
            for value in values:
                if _is_proxy_flag(container, name, value.text):
                    findings.add_evidence("kube-proxy", value.path, messages.describe_kube_proxy(name))
                if name == "conf" and value.text.endswith("Corefile"):
                    findings.add_evidence(_classify_dns(findings, container), value.path, messages.COREFILE)
    for run in findings.programs:
        port = run.container.get_setting("port")
        if run.product.dns and run.container.keeps_running and (port is None or port.text != "0"):
            findings.add_evidence(_classify_dns(findings, run.container), run.evidence.path, run.evidence.description)


def _is_proxy_flag(container: ParsedContainer, name: str, value: str) -> bool:
    if name == "proxy-mode":
        return value in _PROXY_MODES
    if not value.startswith("/var/lib/kube-proxy/"):
        return False
    return name == "config" or (name == "kubeconfig" and not _PROXY_FLAGS.isdisjoint(container.flags))


def _classify_dns(findings: ComponentFindings, container: ParsedContainer) -> str:
    is_local = findings.template.host_network or _DNS_PORT in container.host_ports or "localip" in container.flags
    return "node-local-dns" if is_local else "cluster-dns"


def _describe_mount(mount: HostMount) -> str:
    for path in (mount.host_path, mount.container_path):
        if _CONFIGURATION.search(path):
            return messages.NETWORK_CONFIGURATIONS
        if _PROGRAMS.search(path):
            return messages.NETWORK_PLUGINS
    return ""


def _find_network_program(container: ParsedContainer) -> KnownProgram | None:
    """The known network plugin that a container runs, or that of its image, whatever script it runs."""
    for names in (*(tuple(program.candidate_names) for program in container.programs), container.images):
        product = find_program(names)
        if product is not None and product.networks:
            return product
    known = (programs_by_variable()[name] for name in container.env if name in programs_by_variable())
    return next((product for product in known if product.networks), None)
