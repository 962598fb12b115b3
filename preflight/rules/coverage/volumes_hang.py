"""Volumes can neither be mounted nor unmounted on nodes that lose their CSI driver.

Why it matters
    The kubelet reaches the driver over its socket: mounts time out (`DeadlineExceeded`), so new pods stay in ContainerCreating, and
    unmounts hang too, so old pods stay in Terminating. The scheduler does not avoid such a node: whatever may be placed there is.
How to fix
    Keep the driver on every node that pods with its volumes may run on: tolerate exactly the taint (`operator: Equal`) before anything
    re-creates its pods.
Example
    A CSI node driver that does not tolerate the taint of a pool, and a StatefulSet that does, with claims of its StorageClass.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.dependents.consequences import Consequence
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import (
    describe_time,
    iter_consequences,
    join_affected_nodes,
    join_dependents,
    join_limited,
    make_consequence_hit,
)


def check(context: Context) -> Iterator[Hit]:
    """One hit for each driver, or provider of secrets, and time at which it goes."""
    for consequence in iter_consequences(context, "csi-node-driver"):
        yield make_consequence_hit(consequence, _format_message(consequence), lower_severity=Severity.WARNING)
    for consequence in iter_consequences(context, "secrets-store-provider"):
        yield make_consequence_hit(consequence, _format_provider_message(consequence), is_broken=False, lower_severity=Severity.WARNING)


def _format_message(consequence: Consequence) -> str:
    drivers, one = join_limited(consequence.lost_names, "drivers"), len(consequence.dependents) == 1
    if consequence.outcome is Outcome.NEVER:
        return (
            f"is kept out of {join_affected_nodes(consequence)}, so mounts of {drivers} hang there: "
            f"{join_dependents(consequence.dependents)} can be placed there"
        )
    uses = f"{'uses' if one else 'use'} {'it' if len(consequence.lost_names) == 1 else 'them'} there"
    return (
        f"leaves mounts and unmounts of {drivers} hanging on {join_affected_nodes(consequence)} "
        f"{describe_time(consequence)}: {join_dependents(consequence.dependents)} {uses}"
    )


def _format_provider_message(consequence: Consequence) -> str:
    mount = "mounts" if len(consequence.dependents) == 1 else "mount"
    fate = f"{join_dependents(consequence.dependents)} {mount} secrets there, which fails where they are this provider's"
    if consequence.outcome is Outcome.NEVER:
        return f"is kept out of {join_affected_nodes(consequence)}: {fate}"
    return f"takes its provider of secrets off {join_affected_nodes(consequence)} {describe_time(consequence)}: {fate}"


RULE = Rule(id="PF111", name="volumes-hang", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
