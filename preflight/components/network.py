"""What the network of a node stands on: CNI plugins, and Service proxies and DNS that are known by their settings alone."""

from __future__ import annotations

import re

from preflight.components.catalog import find
from preflight.components.detection import Findings, Provided
from preflight.components.pod_template import Container, Mount

_CONFIGURATION = re.compile(r"/etc/cni$|/cni/net\.d$|/cni-network$|/etc/cni/multus")
_PROGRAMS = re.compile(r"/cni/bin$|/opt/cni$|/cni-bin$")


def find_networks(findings: Findings) -> None:
    """Find CNI plugins by the files that every one of them must put on the node.

    1. A container that writes to the folder of network configurations or to that of plugin programs, by the path on the node or in
       the container: `/etc/cni/net.d`, `/opt/cni/bin`, and where distributions keep them.
    2. Reading is not enough, nor is a container that is known to only look at the node.
    3. Programs alone, without a configuration, are a plugin that only pods use which ask for it.

    Source: containernetworking/cni SPEC.md; the kubelet's and containerd's defaults for both folders.
    """
    found = False
    for container, mount in findings.template.mounts():
        if mount.writes and not findings.only_watches(container) and (what := _what(mount)):
            found = True
            networks = _networks(container)
            findings.add("cni", mount.path, f"writes {what} ({mount.host})", Provided(networks=networks))
    if found:
        for container in findings.template.running:
            findings.provide("cni", Provided(networks=_networks(container)))


def find_services(findings: Findings) -> None:
    """Find a kube-proxy by `--proxy-mode` or the folder of its configuration, and a CoreDNS by its Corefile, whatever they are called."""
    for container in findings.template.running:
        for name, values in container.flags.items():
            for value in values:
                if name == "proxy-mode" or (name in ("config", "kubeconfig") and value.text.startswith("/var/lib/kube-proxy/")):
                    findings.add("kube-proxy", value.path, f"is set up as a kube-proxy (--{name})")
                if name == "conf" and value.text.endswith("Corefile"):
                    findings.add("node-local-dns", value.path, "answers DNS by a Corefile (-conf)")


def _what(mount: Mount) -> str:
    for path in (mount.host, mount.inside):
        if _CONFIGURATION.search(path):
            return "network configurations"
        if _PROGRAMS.search(path):
            return "network plugins"
    return ""


def _networks(container: Container) -> tuple[str, ...]:
    """The networks of the program that a container runs, or of its image, whatever script it runs."""
    for names in (*(tuple(program.names) for program in container.programs), container.images):
        product = find(names)
        if product is not None and product.networks:
            return product.networks
    return ()
