"""Pools whose change reaches only new nodes: what it takes from them is lost once the nodes that are there are replaced, and not before."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.evaluate import evaluate_change
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.outcome import PodAfter, PodForecast
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome


def apply_delayed_pools(impact: Impact, pods: Mapping[ObjectKey, DaemonSetPods], horizon: float) -> Impact:
    """The impact with the template of each pool in `Change.delayed` told apart from its nodes that are there.

    1. A pod that these keep and that a new one does not get is lost on re-creation: with the node, not with the pod.
    2. What is there once the change has settled stays that of the new template: the next step of a plan goes on from it.
    """
    change = impact.change
    if not change.delayed_pools:
        return impact
    there = replace(change.after, nodes={**change.after.nodes, **change.delayed_pools})
    now = evaluate_change(
        replace(change, after=there, recreation_nodes=change.recreation_nodes - change.delayed_pools.keys()),
        pods,
        horizon,
        impact.shared_analysis,
    )
    keeps = {(group.key, name) for group in now.groups if group.forecast.pod_after is not PodAfter.NONE for name in group.nodes}
    groups = [
        _delay_group(group) if all(name in change.delayed_pools and (group.key, name) in keeps for name in group.nodes) else group
        for group in impact.groups
    ]
    return replace(impact, groups=tuple(sorted(groups, key=lambda group: group.sort_key)))


def _delay_group(group: CoverageGroup) -> CoverageGroup:
    possible = tuple(replace(possible, forecast=_delay_forecast(possible.forecast)) for possible in group.possible_forecasts)
    return replace(group, forecast=_delay_forecast(group.forecast), possible_forecasts=possible)


def _delay_forecast(forecast: PodForecast) -> PodForecast:
    if forecast.outcome is not Outcome.LOST_NOW:
        return forecast
    return PodForecast(Outcome.LOST_ON_RECREATION, forecast.had_pod, PodAfter.SAME, False)
