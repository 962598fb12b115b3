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

from preflight.doctor.kubectl_hints import describe, events_of, get
from preflight.kubectl.formatting import listed
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.rules.doctor._gap_hits import facts_of, shows


def check(context: Context) -> Iterator[Hit]:
    """One hit for each driver."""
    for each in facts_of(context).unmounted:
        daemonset = each.daemonsets[0]
        first = each.pods[0]
        yield Hit(
            subject=subject_of(daemonset),
            nodes=each.nodes,
            place=Place(daemonset.origin),
            message=f"has no pod on {names(each.nodes)}, where pods mount volumes of {each.driver}",
            notes=(
                ("then", "mounts and unmounts of these volumes hang"),
                ("note", f"mounted by {listed('/'.join(key) for key in each.pods)}"),
                *shows(
                    get("csinode", each.nodes[0], output="yaml"), describe("pod", first[1], first[0]), events_of("Pod", first[1], first[0])
                ),
            ),
        )


RULE = Rule(id="PF425", name="volumes-without-driver", severity=Severity.ERROR, check=check)
