"""Second waves: labels that go with their producer, and who goes with the labels."""

from __future__ import annotations

from typing import Any

from preflight.coverage.model import CascadeLoss, Impact
from preflight.model.apps import DaemonSet
from preflight.model.core import Node
from preflight.model.meta import ObjectKey
from preflight.model.reasons import LostLabels
from preflight.model.world import ClusterState
from tests.coverage.impacts import daemonset, node, outcomes, pod, run, world

NFD = "feature.node.kubernetes.io/pci-10de.present"
COUNT = "nvidia.com/gpu.count"
TOLERATION = {"key": "dedicated", "operator": "Exists"}
LABELS = {NFD: "true", COUNT: "8"}


def nfd(name: str = "nfd", **spec: Any) -> DaemonSet:
    return daemonset(name, containers=[{"name": "w", "image": "registry.example/nfd:1", "command": ["nfd-worker"]}], **spec)


def gfd() -> DaemonSet:
    containers = [{"name": "w", "image": "registry.example/gfd:1", "command": ["gpu-feature-discovery"]}]
    return daemonset("gfd", TOLERATION, containers=containers, nodeSelector={NFD: "true"})


def plugin() -> DaemonSet:
    return daemonset("plugin", TOLERATION, nodeSelector={COUNT: "8"})


def gpu(name: str, *taints: str) -> Node:
    return node(name, *taints, labels=LABELS)


def chain() -> ClusterState:
    return world([gpu("n1"), gpu("n2"), node("n3")], [nfd(), gfd(), plugin()])


def falls(impact: Impact) -> list[tuple[str, str, tuple[str, ...], tuple[str, ...], bool]]:
    return [(fall.producer.name, fall.consumer.name, fall.labels, fall.nodes, fall.is_immediate) for fall in impact.cascade_losses]


def test_a_producer_that_keeps_its_node_takes_nothing() -> None:
    (impact,) = run(chain(), "taint nodes n1 dedicated=x:PreferNoSchedule")
    assert set(outcomes(impact).values()) == {"kept"}
    assert impact.cascade_losses == ()


def test_a_producer_whose_labels_nobody_selects_on_takes_nobody() -> None:
    (impact,) = run(world([gpu("n1")], [nfd(), daemonset("other", TOLERATION)]), "taint nodes n1 dedicated=x:NoExecute")
    assert outcomes(impact) == {("nfd", "n1"): "lost-now", ("other", "n1"): "kept"}
    assert impact.cascade_losses == ()


def test_what_selects_on_the_labels_of_a_lost_producer_goes_at_once_and_so_on() -> None:
    (impact,) = run(chain(), "taint nodes n1 dedicated=x:NoExecute")
    assert outcomes(impact) == {("nfd", "n1"): "lost-now", ("gfd", "n1"): "lost-now", ("plugin", "n1"): "lost-now"}
    assert falls(impact) == [("nfd", "gfd", (NFD,), ("n1",), True), ("gfd", "plugin", (COUNT,), ("n1",), True)]


def test_a_consumer_says_which_labels_it_loses_and_whose() -> None:
    (impact,) = run(
        world([gpu("n1")], [daemonset("another"), nfd(), gfd(), daemonset("still-another")]), "taint nodes n1 dedicated=x:NoExecute"
    )
    assert {group.key.name: group.lost_labels for group in impact.groups} == {
        "another": (),
        "nfd": (),
        "gfd": (LostLabels((NFD,), ObjectKey("truth", "nfd")),),
        "still-another": (),
    }


def test_a_producer_that_is_a_time_bomb_makes_its_consumers_time_bombs() -> None:
    (impact,) = run(chain(), "taint nodes n1 dedicated=x:NoSchedule")
    assert set(outcomes(impact).values()) == {"lost-on-recreation"}
    assert all(group.forecast.has_pod for group in impact.groups)
    assert falls(impact) == [("nfd", "gfd", (NFD,), ("n1",), False), ("gfd", "plugin", (COUNT,), ("n1",), False)]


def test_the_update_that_sets_the_bomb_off_takes_the_consumers_with_it() -> None:
    _, impact = run(chain(), "taint nodes n1 dedicated=x:NoSchedule", "rollout restart ds/nfd -n truth")
    assert outcomes(impact)["gfd", "n1"] == "lost-now"
    assert outcomes(impact)["plugin", "n1"] == "lost-now"
    assert outcomes(impact)["nfd", "n2"] == "kept"
    assert ("gfd", "n2") not in outcomes(impact)


def test_the_next_step_of_a_plan_meets_a_node_without_the_labels() -> None:
    _, impact = run(chain(), "taint nodes n1 dedicated=x:NoExecute", "reboot n1")
    assert NFD not in impact.change.before.nodes["n1"].metadata.labels
    assert outcomes(impact)["gfd", "n1"] == "excluded"


def test_a_second_producer_of_the_same_label_that_stays_keeps_it() -> None:
    start = world([gpu("n1")], [nfd(), nfd("nfd-too", tolerations=[TOLERATION]), gfd()])
    (impact,) = run(start, "taint nodes n1 dedicated=x:NoExecute")
    assert outcomes(impact) == {("gfd", "n1"): "kept", ("nfd", "n1"): "lost-now", ("nfd-too", "n1"): "kept"}


def test_a_selector_that_excludes_the_label_gains_nothing_of_a_later_fall() -> None:
    expression = {"key": NFD, "operator": "DoesNotExist"}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    (impact,) = run(world([gpu("n1")], [nfd(), daemonset("plain", TOLERATION, affinity=affinity)]), "taint nodes n1 dedicated=x:NoSchedule")
    assert outcomes(impact) == {("nfd", "n1"): "lost-on-recreation", ("plain", "n1"): "excluded"}


def test_a_partly_known_node_loses_labels_that_it_does_not_state() -> None:
    (impact,) = run(world([], [nfd(), gfd()]), "taint nodes -l pool=gpu dedicated=x:NoExecute")
    assert outcomes(impact) == {("nfd", "(pool=gpu)"): "lost-now", ("gfd", "(pool=gpu)"): "unknown"}


def test_producers_that_wait_for_one_another_fall_once() -> None:
    one = nfd("one", nodeSelector={COUNT: "8"})
    other = daemonset(
        "other", containers=[{"name": "w", "image": "gfd:1", "command": ["gpu-feature-discovery"]}], nodeSelector={NFD: "true"}
    )
    (impact,) = run(world([gpu("n1")], [one, other]), "taint nodes n1 dedicated=x:NoExecute")
    assert outcomes(impact) == {("one", "n1"): "lost-now", ("other", "n1"): "lost-now"}


def test_a_deleted_producer_takes_its_labels_everywhere() -> None:
    (impact,) = run(chain(), "delete ds nfd -n truth")
    assert {pair: outcome for pair, outcome in outcomes(impact).items() if outcome != "excluded"} == {
        (name, on): "lost-now" for name in ("nfd", "gfd", "plugin") for on in ("n1", "n2")
    } | {("nfd", "n3"): "lost-now"}


def test_a_fall_names_its_producer_and_its_labels() -> None:
    (impact,) = run(chain(), "taint nodes n1 dedicated=x:NoExecute")
    (group,) = (group for group in impact.groups if group.key.name == "plugin")
    assert group.cascade_losses == (CascadeLoss(ObjectKey("truth", "gfd"), (COUNT,), ObjectKey("truth", "plugin"), ("n1",), True),)


def test_a_consumer_that_is_missing_has_nothing_to_lose_later() -> None:
    """Its pod is not listed: when the producer is re-created, and the label goes, no pod of it goes."""
    state = world([gpu("n1")], [nfd(), gfd()], [pod("nfd", "n1")])
    (impact,) = run(state, "taint nodes n1 dedicated=x:NoSchedule")
    assert outcomes(impact) == {("nfd", "n1"): "lost-on-recreation", ("gfd", "n1"): "missing"}
    assert falls(impact) == []


def test_a_consumer_that_the_taint_takes_as_well_is_a_time_bomb_by_itself() -> None:
    """Neither comes back; that of the consumer is told by its own toleration."""
    consumer = daemonset("consumer", nodeSelector={NFD: "true"})
    (impact,) = run(world([gpu("n1")], [nfd(), consumer]), "taint nodes n1 dedicated=x:NoSchedule")
    assert outcomes(impact) == {("nfd", "n1"): "lost-on-recreation", ("consumer", "n1"): "lost-on-recreation"}
    (group,) = [group for group in impact.groups if group.key.name == "consumer"]
    assert group.placement_after is not None
    assert [str(taint) for taint in group.placement_after.untolerated_taints] == ["dedicated=x:NoSchedule"]


def test_a_consumer_that_loops_goes_on_until_the_producer_is_re_created() -> None:
    """Both are evicted by no taint now; the pod of the consumer comes and goes, and has had its label removed once the producer ends."""
    consumer = daemonset("consumer", TOLERATION, {"key": "a", "operator": "Exists", "tolerationSeconds": 60}, nodeSelector={NFD: "true"})
    producer = nfd(tolerations=[{"key": "a", "operator": "Exists"}])
    state = world([node("n1", "a:NoExecute", labels=LABELS)], [producer, consumer])
    (impact,) = run(state, "taint nodes n1 dedicated=x:NoSchedule")
    (group,) = [group for group in impact.groups if group.key.name == "consumer"]
    assert (group.outcome.value, group.forecast.loop_seconds) == ("lost-on-recreation", 60)
