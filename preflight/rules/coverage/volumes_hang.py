"""Volumes can be neither mounted nor unmounted on nodes that lose their CSI driver.

Why it matters
    The kubelet reaches the driver through its socket. Without the driver, mounts time out (`DeadlineExceeded`), so new pods stay in
    ContainerCreating, and unmounts hang, so old pods stay in Terminating. The scheduler does not avoid such a node and continues to place
    pods there.
How to fix
    Keep the driver on every node that pods with its volumes may run on: tolerate exactly the taint (`operator: Equal`) before anything
    re-creates its pods.
Example
    A CSI node driver that does not tolerate the taint of a pool, and a StatefulSet that does, with claims of its StorageClass.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.consequences import describe_hanging_volumes, describe_missing_secrets
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.coverage._consequence_notes import iter_consequences, make_broken_nodes, make_consequence_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each driver, or provider of secrets, and time at which it goes."""
    for consequence in iter_consequences(context, "csi-node-driver"):
        yield make_consequence_hit(consequence, describe_hanging_volumes(make_broken_nodes(consequence)), lower_severity=Severity.WARNING)
    for consequence in iter_consequences(context, "secrets-store-provider"):
        message = describe_missing_secrets(make_broken_nodes(consequence))
        yield make_consequence_hit(consequence, message, is_broken=False, lower_severity=Severity.WARNING)


RULE = Rule(id="PF111", name="volumes-hang", severity=Severity.ERROR, needs_nodes=True, check=check, is_consequence=True)
