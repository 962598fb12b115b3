"""`preflight rbac`: the smallest ClusterRole that lets preflight ask a cluster."""

from __future__ import annotations

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.streams import print_text


@click.command("rbac", cls=DocumentedCommand)
@click.option("--coverage", is_flag=True, help="Only nodes, DaemonSets and pods: enough for coverage, not for dependent workloads.")
@click.option("--operators", is_flag=True, help="Also the custom resources of known operators: drift, and patches of them.")
def command(*, coverage: bool, operators: bool) -> int:
    """Print the ClusterRole that preflight needs."""
    from preflight.load.live.resources import ALL_RESOURCES, DAEMONSETS, NODES, PODS, list_operator_resources

    groups: dict[str, list[str]] = {}
    custom = list_operator_resources() if operators else ()
    for resource in (*((NODES, DAEMONSETS, PODS) if coverage else ALL_RESOURCES), *custom):
        groups.setdefault(resource.group, []).append(resource.plural)
    lines = ["apiVersion: rbac.authorization.k8s.io/v1", "kind: ClusterRole", "metadata:", "  name: preflight", "rules:"]
    for group, plurals in groups.items():
        lines += [f'  - apiGroups: ["{group}"]', f"    resources: [{', '.join(plurals)}]", "    verbs: [list]"]
    lines += ['  - nonResourceURLs: [/version, /apis, "/apis/*", /metrics]', "    verbs: [get]"]
    print_text("\n".join(lines))
    return 0
