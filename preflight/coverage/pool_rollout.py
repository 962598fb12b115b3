"""Pools whose change reaches only new nodes: what it takes from them is lost once the nodes that are there are replaced, and not before."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from preflight.coverage.daemonset_pods import PodsOf
from preflight.coverage.evaluate import judge
from preflight.coverage.model import Group, Impact
from preflight.coverage.outcome import PodAfter, Verdict
from preflight.model.objects import ObjectKey
from preflight.model.report import Outcome


def renewed(impact: Impact, pods: Mapping[ObjectKey, PodsOf], horizon: float) -> Impact:
    """The impact with the template of each pool in `Change.delayed` told apart from its nodes that are there.

    1. A pod that these keep and that a new one does not get is lost on re-creation: with the node, not with the pod.
    2. What is there once the change has settled stays that of the new template: the next step of a plan goes on from it.
    """
    change = impact.change
    if not change.delayed:
        return impact
    there = replace(change.after, nodes={**change.after.nodes, **change.delayed})
    now = judge(replace(change, after=there, reborn=change.reborn - change.delayed.keys()), pods, horizon, impact.known)
    keeps = {(group.key, name) for group in now.groups if group.verdict.pod is not PodAfter.NONE for name in group.nodes}
    groups = [
        _later(group) if all(name in change.delayed and (group.key, name) in keeps for name in group.nodes) else group
        for group in impact.groups
    ]
    return replace(impact, groups=tuple(sorted(groups, key=lambda group: group.order)))


def _later(group: Group) -> Group:
    possible = tuple((match, _delayed(verdict)) for match, verdict in group.possible)
    return replace(group, verdict=_delayed(group.verdict), possible=possible)


def _delayed(verdict: Verdict) -> Verdict:
    if verdict.outcome is not Outcome.LOST_NOW:
        return verdict
    return Verdict(Outcome.LOST_ON_RECREATION, verdict.before, PodAfter.SAME, False)
