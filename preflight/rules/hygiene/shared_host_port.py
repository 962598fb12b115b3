"""Two DaemonSets use the same port of the node and run on the same nodes.

Why it matters
    Only one pod can use a port of the node: a hostPort, or with hostNetwork every containerPort. The DaemonSet controller creates a pod of
    both DaemonSets on each node anyway, and the one that comes later stays Pending. After a reboot it may be the other one.
How to fix
    Use another port for one of them, remove the one that is no longer needed, or separate them with node affinity.
Example
    `monitoring/node-exporter` and `observe/prom-node-exporter`, both with `hostNetwork: true` and `containerPort: 9100`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import combinations

from preflight.messages import hygiene as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC, Container, PodSpec
from preflight.model.report import Severity
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.workload_fields import get_required_terms, iter_linted_daemonsets
from preflight.scheduling.ports import HostPort, is_port_taken, list_host_ports

_COMMON_LABELS = frozenset(("kubernetes.io/os", "beta.kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/arch"))
"""Labels of ordinary nodes: what selects by them alone runs on nodes without a taint."""


def check(context: Context) -> Iterator[Hit]:
    """One hit for each pair of DaemonSets. Only in lint.

    1. Where nodes are known: an error if both should run on one of them. A template of a pool is a node to come: a warning.
    2. Where none are known: a warning for two of one file whose selections are equal, so that both run on any node that has one.
    """
    linted = {daemonset.key: daemonset for daemonset in iter_linted_daemonsets(context)}
    holders: defaultdict[tuple[int, str], list[tuple[DaemonSet, HostPort]]] = defaultdict(list)
    for daemonset in context.world.daemonsets.values():
        for port in sorted(list_host_ports(daemonset.spec.template.spec)):
            holders[port.number, port.protocol].append((daemonset, port))
    shared: dict[tuple[int, int], tuple[DaemonSet, DaemonSet, list[HostPort]]] = {}
    for same in holders.values():
        for (first, taken), (second, port) in combinations(same, 2):
            if first is not second and is_port_taken(port, (taken,)) and (first.key in linted or second.key in linted):
                shared.setdefault((id(first), id(second)), (first, second, []))[2].append(port)
    if shared:
        nodes = _find_nodes(context)
        for first, second, ports in shared.values():
            yield from _check_pair(context, nodes, first, second, ports)


def _find_nodes(context: Context) -> Mapping[object, frozenset[str]] | None:
    """The known nodes on which each DaemonSet should run; None where no node is known."""
    if context.impact is None:
        return None
    found: defaultdict[object, set[str]] = defaultdict(set)
    for group in context.impact.groups:
        if group.placement_after is not None and group.placement_after.should_run:
            found[group.key].update(group.nodes)
    return {key: frozenset(names) for key, names in found.items()}


def _check_pair(
    context: Context, nodes: Mapping[object, frozenset[str]] | None, first: DaemonSet, second: DaemonSet, ports: list[HostPort]
) -> Iterator[Hit]:
    severity = Severity.WARNING
    both: tuple[str, ...] = ()
    if nodes is not None:
        known = context.world.nodes
        both = tuple(sorted(nodes.get(first.key, frozenset()) & nodes.get(second.key, frozenset())))
        if any(known[name].pool is None and not known[name].is_partial for name in both if name in known):
            severity = Severity.ERROR
    is_known = bool(both) if nodes is not None else _run_on_same_nodes(first, second)
    if not is_known:
        return
    if first.origin.file == second.origin.file or (nodes is not None and severity is Severity.ERROR):
        yield Hit(
            subject=make_subject_of(second),
            nodes=both,
            location=ManifestLocation(second.origin, _locate_port(second.spec.template.spec, ports[0])),
            severity=severity,
            message=messages.describe_shared_port(str(first.key), both, [(port.number, port.protocol) for port in ports]),
            notes=(("help", messages.SHARED_PORT_HELP),),
            related_locations=(
                (messages.OTHER_PORT_LABEL, ManifestLocation(first.origin, _locate_port(first.spec.template.spec, ports[0]))),
            ),
            key=(str(first.key), *(f"port:{port.number}/{port.protocol}" for port in ports)),
        )


def _run_on_same_nodes(first: DaemonSet, second: DaemonSet) -> bool:
    """Whether two selections are equal, so that both take any node that one takes, the taints included."""
    specs = (first.spec.template.spec, second.spec.template.spec)
    if any(spec.nodeName for spec in specs):
        return False
    if all(spec.nodeSelector.keys() <= _COMMON_LABELS and not get_required_terms(spec) for spec in specs):
        selectors = [_normalize_selector(spec) for spec in specs]
        return all(selectors[0].get(key, value) == value for key, value in selectors[1].items())
    one, other = specs
    return (one.nodeSelector, get_required_terms(one), one.tolerations) == (
        other.nodeSelector,
        get_required_terms(other),
        other.tolerations,
    )


def _normalize_selector(spec: PodSpec) -> dict[str, str]:
    return {key.removeprefix("beta."): value for key, value in spec.nodeSelector.items()}


def _locate_port(spec: PodSpec, port: HostPort) -> FieldPath:
    """The port in a pod's spec; of another address it may be another entry."""
    fields: tuple[tuple[str, tuple[Container, ...]], ...] = (("containers", spec.containers), ("initContainers", spec.initContainers))
    for field, containers in fields:
        for number, container in enumerate(containers):
            for place, own in enumerate(container.ports):
                if port.number in (own.hostPort, own.containerPort if spec.hostNetwork else 0):
                    return (*POD_TEMPLATE_SPEC, field, number, "ports", place)
    return (*POD_TEMPLATE_SPEC, "containers")


RULE = Rule(id="PF221", name="shared-host-port", severity=Severity.WARNING, check=check)
