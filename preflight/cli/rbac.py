"""`preflight rbac`: the smallest ClusterRole that lets preflight ask a cluster."""

from __future__ import annotations

import click


@click.command("rbac")
@click.option("--coverage", is_flag=True, help="Only nodes, DaemonSets and pods: what a change costs, without what breaks in consequence.")
def command(*, coverage: bool) -> int:
    """The smallest ClusterRole that lets preflight ask a cluster, as YAML: it lists, and changes nothing.

    Apply it, and bind it: kubectl create clusterrolebinding preflight --clusterrole=preflight --user=NAME
    """
    from preflight.load.live.resources import ALL_RESOURCES, DAEMONSETS, NODES, PODS

    groups: dict[str, list[str]] = {}
    for resource in (NODES, DAEMONSETS, PODS) if coverage else ALL_RESOURCES:
        groups.setdefault(resource.group, []).append(resource.plural)
    lines = ["apiVersion: rbac.authorization.k8s.io/v1", "kind: ClusterRole", "metadata:", "  name: preflight", "rules:"]
    for group, plurals in groups.items():
        lines += [f'  - apiGroups: ["{group}"]', f"    resources: [{', '.join(plurals)}]", "    verbs: [list]"]
    lines += ['  - nonResourceURLs: [/version, /apis, "/apis/*", /metrics]', "    verbs: [get]"]
    click.echo("\n".join(lines))
    return 0
