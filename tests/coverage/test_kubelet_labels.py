"""Labels that the kubelet puts back within minutes."""

from __future__ import annotations

from tests.coverage.impacts import daemonset, node, outcomes, pods_after, run, world


def test_an_operating_system_that_the_kubelet_puts_back_ends_the_pods_that_select_on_it_and_they_come_back() -> None:
    start = world(
        [node("n1", labels={"kubernetes.io/os": "linux"})], [daemonset("d", nodeSelector={"kubernetes.io/os": "linux"}), daemonset("e")]
    )
    (impact,) = run(start, "label nodes n1 kubernetes.io/os-")
    assert outcomes(impact) == {("d", "n1"): "kept", ("e", "n1"): "kept"}
    assert pods_after(impact) == {("d", "n1"): "new", ("e", "n1"): "same"}


def test_nobody_puts_the_operating_system_back_on_a_node_that_is_down() -> None:
    down = node("n1", ready=False, labels={"kubernetes.io/os": "linux"})
    (impact,) = run(world([down], [daemonset("d", nodeSelector={"kubernetes.io/os": "linux"})]), "label nodes n1 kubernetes.io/os-")
    assert outcomes(impact) == {("d", "n1"): "lost-now"}


def test_a_pod_that_would_not_be_created_again_is_lost_while_the_operating_system_is_away() -> None:
    start = world([node("n1", labels={"kubernetes.io/os": "linux"})], [daemonset("d", nodeSelector={"kubernetes.io/os": "linux"})])
    _, impact = run(start, "taint nodes n1 t:NoSchedule", "label nodes n1 kubernetes.io/os-")
    assert outcomes(impact) == {("d", "n1"): "lost-now"}
