"""What kube-scheduler does that older ones do not."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from preflight.model.releases import Behavior, VersionRange
from preflight.model.versions import ClusterVersions


class SchedulerBehavior(NamedTuple):
    """What the scheduler of a cluster does; None where the version is not known and only some do it: see `versions.Behavior`."""

    counts_sidecar_ports: bool | None = True
    skips_zero_requests: bool | None = True
    skips_empty_name_terms: bool | None = True


NEWEST_SCHEDULER = SchedulerBehavior()


def find_scheduler_behavior(versions: ClusterVersions) -> SchedulerBehavior:
    """What the scheduler of a cluster does."""
    return _find_behavior(versions.server) if versions.server is not None else NEWEST_SCHEDULER


@lru_cache(maxsize=16)
def _find_behavior(server: VersionRange) -> SchedulerBehavior:
    versions = ClusterVersions(server)
    return SchedulerBehavior(
        versions.has(Behavior.SIDECAR_PORTS), versions.has(Behavior.SKIPS_ZERO_REQUESTS), versions.has(Behavior.SKIPS_EMPTY_NAME_TERMS)
    )
