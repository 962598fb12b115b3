"""Pods mount volumes of a CSI driver that has no pod on their node.

Why it matters
    Running pods keep what is mounted. Every mount or unmount there hangs: new pods stay in ContainerCreating, and pods that end stay in
    Terminating.
How to fix
    Get the node pod of the driver running again; pending mounts and unmounts then continue without further action. Do not force-delete the
    pods before that: their volumes stay mounted on the node.
Example
    A node pool that was tainted, and the node driver of its storage that does not tolerate the taint.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.doctor.resources import HANGING_MOUNTS_TEXT, describe_driver_users, describe_missing_driver
from preflight.messages.kubectl_hints import make_describe_command, make_events_command, make_get_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.doctor._gap_hits import get_diagnosis, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each driver."""
    for driver in get_diagnosis(context).missing_drivers:
        daemonset = driver.daemonsets[0]
        namespace, name = driver.pods[0]
        yield Hit(
            subject=make_subject_of(daemonset),
            key=(driver.driver,),
            nodes=driver.nodes,
            location=ManifestLocation(daemonset.origin),
            message=describe_missing_driver(driver),
            notes=(
                ("impact", HANGING_MOUNTS_TEXT),
                ("note", describe_driver_users(driver)),
                *make_check_notes(
                    make_get_command("csinode", driver.nodes[0], output="yaml"),
                    make_describe_command("pod", name, namespace),
                    make_events_command("Pod", name, namespace),
                ),
            ),
        )


RULE = Rule(id="PF425", name="volumes-without-driver", severity=Severity.ERROR, check=check)
