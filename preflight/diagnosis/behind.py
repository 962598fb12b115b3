"""What stands behind a resource that nodes lack: the DaemonSet that provides it and is missing there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.diagnosis.saying import because
from preflight.impact.consumers import is_extended
from preflight.impact.words import names

if TYPE_CHECKING:
    from preflight.diagnosis.facts import Diagnosis
    from preflight.diagnosis.gaps import Gap
    from preflight.diagnosis.refusals import Account


def behind(facts: Diagnosis, account: Account) -> Iterator[tuple[str, Gap]]:
    """For each extended resource that is short: who provides it, and the nodes where that one is missing, with why."""
    for resource in account.short:
        if not is_extended(resource):
            continue
        for gap in facts.gaps:
            if gap.nodes and any(each.advertises(resource) for each in facts.recognised.of(gap.daemonset)):
                verb = "lacks" if len(gap.nodes) == 1 else "lack"
                yield f"{resource} comes from {gap.daemonset.key}, which {names(gap.nodes)} {verb}: {because(gap)}", gap
