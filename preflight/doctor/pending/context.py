"""The facts on pods that wait for a node: what the rules on them ask for, each worked out once and only when somebody asks."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from preflight.doctor import jobsets
from preflight.doctor.jobsets import Stalled
from preflight.doctor.pending import causes, creation_failures, schedulers, text
from preflight.doctor.pending.causes import Wait
from preflight.doctor.pending.creation_failures import Refused
from preflight.doctor.pending.unschedulable import Account

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis
    from preflight.doctor.coverage_gaps import Gap

Key = tuple[str, str]


class Pending:
    """The pods without a node of one cluster."""

    def __init__(self, facts: Diagnosis) -> None:
        """Of what is known of the cluster; nothing is worked out yet."""
        self._facts = facts
        self.accounts: dict[tuple[str, tuple[tuple[str, str], ...], bytes], Account] = {}

    @cached_property
    def waits(self) -> tuple[Wait, ...]:
        """What each of them waits for."""
        return causes.waits(self._facts)

    @cached_property
    def stalled(self) -> tuple[Stalled, ...]:
        """The Jobs of JobSets whose followers cannot come."""
        return jobsets.stalled(self._facts)

    @cached_property
    def of_job_sets(self) -> frozenset[Key]:
        """Those of which the rules on JobSets speak."""
        leaders = [each.leader.key for each in self.stalled if each.leader is not None]
        return frozenset((*leaders, *(pod.key for each in self.stalled for pod in each.pods)))

    @cached_property
    def refused(self) -> tuple[Refused, ...]:
        """The workloads whose pods cannot be created."""
        return creation_failures.refused(self._facts)

    @cached_property
    def unanswered(self) -> frozenset[str]:
        """The schedulers that they name and of which nothing is heard."""
        return schedulers.unanswered(self._facts)

    @cached_property
    def explained(self) -> frozenset[Key]:
        """Those that wait for something else than room, which is said of them elsewhere."""
        return frozenset(wait.pod.key for wait in self.waits if wait.is_special)

    def held_by(self, gap: Gap) -> str:
        """What the Pending pods of a gap wait for, where it is something else than room; else ""."""
        found = {wait.pod.key: wait for wait in self.waits if wait.is_special} if gap.pending else {}
        wait = next((found[each.pod.key] for each in gap.pending if each.pod.key in found), None)
        return text.because(wait) if wait is not None else ""

    @cached_property
    def sentences(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """A sentence on each that is of no DaemonSet, alike ones together, with the nodes that it is about."""
        return tuple(text.sentences(self._facts))
