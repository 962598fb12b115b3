"""Nodes that a DaemonSet cannot tell apart are judged once: the calls of the matcher are counted."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from preflight.coverage import daemonset_evaluator as judging
from preflight.model.apps import DaemonSet
from preflight.model.core import Node, PodSpec, Toleration
from preflight.scheduling import placement
from preflight.scheduling.placement import Placement
from tests.coverage.impacts import daemonset, node, outcomes, run, world

MANY = 5000


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The calls of the matcher, by the DaemonSet's image."""
    counted: Counter[str] = Counter()
    real = placement.evaluate_placement

    def count(template: PodSpec, tolerations: tuple[Toleration, ...], on: Node, gate: bool | None) -> Placement:
        counted[template.containers[0].name] += 1
        return real(template, tolerations, on, gate)

    monkeypatch.setattr(judging, "evaluate_placement", count)
    return counted


def named(name: str, **spec: Any) -> DaemonSet:
    """A DaemonSet that can be told by its container's name."""
    return daemonset(name, containers=[{"name": name, "image": "registry.example/c:1"}], **spec)


def many_nodes() -> list[Node]:
    return [node(f"n{number:04}", pool="ab"[number % 2], hostname=f"n{number:04}") for number in range(MANY)]


def test_five_thousand_nodes_cost_one_call_for_each_class_before_and_after(calls: Counter[str]) -> None:
    (impact,) = run(world(many_nodes(), [named("plain"), named("pool", nodeSelector={"pool": "a"})]), "taint nodes --all t:NoSchedule")
    assert calls == {"plain": 2, "pool": 4}
    assert len(outcomes(impact)) == 2 * MANY


def test_a_daemonset_that_selects_by_host_name_changes_only_its_own_count(calls: Counter[str]) -> None:
    sets = [named("plain"), named("pool", nodeSelector={"pool": "a"}), named("host", nodeSelector={"hostname": "n0001"})]
    run(world(many_nodes(), sets), "taint nodes --all t:NoSchedule")
    assert calls == {"plain": 2, "pool": 4, "host": 2 * MANY}


def test_a_change_of_three_nodes_judges_three_nodes(calls: Counter[str]) -> None:
    (impact,) = run(world(many_nodes(), [named("host", nodeSelector={"hostname": "n0001"})]), "taint nodes n0001 n0002 n0003 t:NoSchedule")
    assert calls == {"host": 6}
    assert impact.pair_count == 3


def test_nodes_that_do_not_change_are_matched_once(calls: Counter[str]) -> None:
    run(world(many_nodes(), [named("plain")]), "rollout restart ds/plain -n truth")
    assert calls == {"plain": 1}
