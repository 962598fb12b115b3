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
from preflight.rules.coverage._consequence_notes import few, hit, of_kinds, when, where, who


def check(context: Context) -> Iterator[Hit]:
    """One hit for each driver, or provider of secrets, and time at which it goes."""
    for each in of_kinds(context, "csi-node-driver"):
        yield hit(each, _message(each), milder=Severity.WARNING)
    for each in of_kinds(context, "secrets-store-provider"):
        yield hit(each, _provider_message(each), is_broken=False, milder=Severity.WARNING)


def _message(each: Consequence) -> str:
    drivers, one = few(each.gone, "drivers"), len(each.dependents) == 1
    if each.outcome is Outcome.NEVER:
        return f"is kept out of {where(each)}, so mounts of {drivers} hang there: {who(each.dependents)} can be placed there"
    uses = f"{'uses' if one else 'use'} {'it' if len(each.gone) == 1 else 'them'} there"
    return f"leaves mounts and unmounts of {drivers} hanging on {where(each)} {when(each)}: {who(each.dependents)} {uses}"


def _provider_message(each: Consequence) -> str:
    mount = "mounts" if len(each.dependents) == 1 else "mount"
    fate = f"{who(each.dependents)} {mount} secrets there, which fails where they are this provider's"
    if each.outcome is Outcome.NEVER:
        return f"is kept out of {where(each)}: {fate}"
    return f"takes its provider of secrets off {where(each)} {when(each)}: {fate}"


RULE = Rule(id="PF111", name="volumes-hang", severity=Severity.ERROR, needs_nodes=True, check=check)
