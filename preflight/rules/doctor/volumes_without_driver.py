"""Pods mount volumes of a CSI driver that has no pod on their node.

Why it matters
    Pods that run keep what is mounted. Whatever has to be mounted or unmounted there hangs: new pods stay in ContainerCreating, and pods
    that end stay in Terminating.
How to fix
    Bring the node pod of the driver back; what hangs then goes on by itself. Do not force the deletion of the pods before: their volumes
    stay mounted on the node.
Example
    A node pool that was tainted, and the node driver of its storage that does not tolerate it.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import make_describe_command, make_events_command, make_get_command
from preflight.kubectl.formatting import join_names
from preflight.messages.lists import join_node_names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.doctor._gap_hits import get_cluster_facts, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each driver."""
    for missing_driver in get_cluster_facts(context).missing_drivers:
        daemonset = missing_driver.daemonsets[0]
        first = missing_driver.pods[0]
        yield Hit(
            subject=make_subject_of(daemonset),
            nodes=missing_driver.nodes,
            location=ManifestLocation(daemonset.origin),
            message=f"has no pod on {join_node_names(missing_driver.nodes)}, where pods mount volumes of {missing_driver.driver}",
            notes=(
                ("then", "mounts and unmounts of these volumes hang"),
                ("note", f"mounted by {join_names('/'.join(key) for key in missing_driver.pods)}"),
                *make_check_notes(
                    make_get_command("csinode", missing_driver.nodes[0], output="yaml"),
                    make_describe_command("pod", first[1], first[0]),
                    make_events_command("Pod", first[1], first[0]),
                ),
            ),
        )


RULE = Rule(id="PF425", name="volumes-without-driver", severity=Severity.ERROR, check=check)
