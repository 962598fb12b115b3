"""An update that is held up goes on with a change only where that makes room, or takes what holds it up."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.model import Impact
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from preflight.model.core import CoveragePod, Node
from preflight.model.meta import ObjectKey
from tests.builders import make_node, make_owner, make_pod, read_object
from tests.coverage.impacts import NAMESPACE, daemonset, node, outcomes, pod, pods_after, rolling, run, world

NODES = ("n1", "n2", "n3", "n4")
ONE = rolling(maxUnavailable=1)
KEY = ObjectKey(NAMESPACE, "d")
EXISTS = {"operator": "Exists"}


def owner(strategy: dict[str, Any], *tolerations: dict[str, Any], **spec: Any) -> DaemonSet:
    """A DaemonSet of the second template, with no pod that is misscheduled."""
    data = copy.deepcopy(daemonset("d", *tolerations, strategy=strategy, **spec).data)
    data["metadata"]["annotations"] = {TEMPLATE_GENERATION: "2"}
    data["status"] = {"desiredNumberScheduled": len(NODES), "numberMisscheduled": 0}
    return read_object(data, DaemonSet)


def live(on: str, generation: int) -> CoveragePod:
    return made(f"{on}-{generation}", generation, {"nodeName": on}, "Running", {"type": "Ready", "status": "True"})


def waiting(on: str, generation: int = 2) -> CoveragePod:
    """A pod for a node that the scheduler finds no room for."""
    fields = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [on]}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": fields}}}
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    return made(f"{on}-waiting", generation, {"affinity": affinity}, "Pending", condition)


def made(name: str, generation: int, spec: dict[str, Any], phase: str, condition: dict[str, str]) -> CoveragePod:
    labels = {"app": "d", "pod-template-generation": f"{generation}", "controller-revision-hash": f"h{generation}"}
    status = {"conditions": [condition]}
    data = make_pod(f"d-{name}", NAMESPACE, owner=make_owner("DaemonSet", "d"), labels=labels, phase=phase, status=status)
    data["spec"] |= spec
    return msgspec.json.decode(msgspec.json.encode(data), type=CoveragePod)


OLD = [live("n1", 1), live("n2", 1)]
HELD = [*OLD, waiting("n3")]
SURGING = [*OLD, live("n3", 1), waiting("n3"), live("n4", 2)]


def change(lines: str | list[str], pods: list[CoveragePod], strategy: dict[str, Any] | None = None, taint: str = "") -> Impact:
    """The last of some command lines over four nodes; `taint` is one of the fourth."""
    nodes = [node(name, *([taint] if name == "n4" and taint else []), ready=True) for name in NODES]
    return run(world(nodes, [owner(strategy or ONE)], pods), *([lines] if isinstance(lines, str) else lines))[-1]


def of_d(impact: Impact) -> dict[str, str]:
    return {name: state for (daemonset_name, name), state in pods_after(impact).items() if daemonset_name == "d"}


def test_the_nodes_where_a_pod_waits_alone_are_known() -> None:
    start = world([node(name) for name in NODES], [owner(ONE)], [*HELD, waiting("n1")])
    found = collect_listed_pods(start)[KEY]
    assert found.waiting_nodes == {"n3"}
    assert found.surging_nodes == {"n1"}


@pytest.mark.parametrize(
    "line",
    [
        "reboot n4",
        "cordon n4",
        "taint nodes n3 x=y:PreferNoSchedule",
        "label nodes n3 a=b",
        "taint nodes n4 x=y:NoExecute",
    ],
)
def test_a_pod_that_waits_holds_the_update_up_still(line: str) -> None:
    found = of_d(change(line, [*HELD, live("n4", 2)]))
    assert {name: found[name] for name in ("n1", "n2", "n3")} == {"n1": "same", "n2": "same", "n3": "none"}


@pytest.mark.parametrize(
    ("line", "n1"), [("reboot n1", "new"), ("cordon n1", "same"), ("drain n1 --ignore-daemonsets", "same"), ("reboot n4", "same")]
)
def test_an_old_pod_that_restarts_is_not_ready_and_replaced_at_once(line: str, n1: str) -> None:
    found = of_d(change(line, [*HELD, live("n4", 2)]))
    assert (found.get("n1", "same"), found["n2"]) == (n1, "same")


@pytest.mark.parametrize(
    ("line", "state"),
    [
        pytest.param("taint nodes n3 node.kubernetes.io/out-of-service=x:NoExecute", "new", id="the pod that hangs is removed"),
        pytest.param("taint nodes n3 other=x:NoExecute", "same", id="it hangs still"),
        pytest.param("reboot n4", "same", id="nothing happens to it"),
    ],
)
def test_a_pod_that_hangs_holds_an_update_up_until_its_node_is_out_of_service(line: str, state: str) -> None:
    nodes = [node(name, ready=True) for name in NODES if name != "n3"]
    silent = read_object({**make_node("n3"), "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}, Node)
    hanging = live("n3", 1)
    hanging = replace(hanging, metadata=replace(hanging.metadata, deletionTimestamp="2026-01-01T00:00:00Z"))
    (impact,) = run(world([*nodes, silent], [owner(ONE)], [*OLD, hanging, live("n4", 2)]), line)
    found = of_d(impact)
    assert (found["n1"], found["n2"]) == (state, state)


@pytest.mark.parametrize(
    ("line", "strategy"),
    [
        pytest.param("taint nodes n3 x=y:NoExecute", ONE, id="the pod that waits goes"),
        pytest.param("reboot n4", rolling(maxUnavailable=2), id="two may lack one"),
        pytest.param("delete pod e-n3 -n truth", ONE, id="a pod of the node ends"),
        pytest.param("delete ds e -n truth", ONE, id="those of another DaemonSet go"),
        pytest.param("label nodes n3 e-", ONE, id="another DaemonSet loses the node"),
        pytest.param("drain n3 --ignore-daemonsets", ONE, id="a drain"),
    ],
)
def test_it_goes_on_where_room_may_come_free(line: str, strategy: dict[str, Any]) -> None:
    other = daemonset("e", nodeSelector={"e": "1"})
    nodes = [node(name, ready=True, labels={"e": "1"} if name == "n3" else {}) for name in NODES]
    start = world(nodes, [owner(strategy), other], [*HELD, live("n4", 2), pod("e", "n3")])
    (impact,) = run(start, line)
    found = of_d(impact)
    assert (found["n1"], found["n2"]) == ("new", "new")


@pytest.mark.parametrize("strategy", [ONE, rolling(maxUnavailable="25%")])
@pytest.mark.parametrize("line", ["label nodes n2 b=c", "cordon n4"])
def test_a_pod_that_waits_where_it_should_no_longer_run_counts_too(line: str, strategy: dict[str, Any]) -> None:
    """The controller counts every node that has a pod for it, whether it should run there or not."""
    lines = ["taint nodes n3 n2 x=y:NoSchedule", line]
    impact = change(lines, [*HELD, live("n4", 2)], strategy)
    found = of_d(impact)
    assert (found.get("n1", "same"), found["n2"]) == ("same", "same")
    assert impact.pods_after[KEY].waiting_nodes == {"n3"}


def test_a_new_template_creates_the_pod_anew() -> None:
    assert of_d(change("set image ds/d c=c:9 -n truth", HELD))["n1"] == "new"


@pytest.mark.parametrize("line", ["reboot n4", "cordon n1 n4", "uncordon n3", "taint nodes n3 x=y:PreferNoSchedule"])
def test_a_surge_that_waits_for_room_waits_still(line: str) -> None:
    assert of_d(change(line, SURGING, rolling(maxSurge=3, maxUnavailable=0)))["n3"] == "same"


@pytest.mark.parametrize(("line", "looks"), [("reboot n4", False), ("reboot n1", True)])
def test_a_reboot_makes_the_controller_look_only_where_a_pod_is_or_should_be(line: str, looks: bool) -> None:
    pods = [*OLD, live("n3", 1), waiting("n3")]
    found = of_d(change(line, pods, rolling(maxSurge=2, maxUnavailable=0), taint="x=y:NoSchedule"))
    assert (found["n1"], found["n3"]) == ("new" if looks else "same", "same")


def test_pods_that_wait_under_on_delete_may_be_of_any_template() -> None:
    patch = '{"spec":{"updateStrategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":1}}}}'
    nodes = [node(name, ready=True) for name in NODES]
    start = world(nodes, [owner({"type": "OnDelete"})], [*OLD, waiting("n3", 1), live("n4", 2)])
    (impact,) = run(start, f"patch ds d -n {NAMESPACE} -p {patch}")
    assert of_d(impact)["n1"] == "new"


def silent(name: str, **labels: str) -> Node:
    condition = {"conditions": [{"type": "Ready", "status": "Unknown"}]}
    return read_object({**make_node(name, labels=labels), "status": condition}, Node)


@pytest.mark.parametrize(
    ("lines", "state"),
    [
        pytest.param(["label nodes n3 a-", "set image ds/d c=c:9 -n truth"], "same", id="another step"),
        pytest.param(["label nodes n3 a-", "cordon n3", "set image ds/d c=c:9 -n truth"], "same", id="two steps later"),
        pytest.param(["label nodes n3 a-", "delete node n3", "set image ds/d c=c:9 -n truth"], "new", id="the node is gone"),
    ],
)
def test_a_pod_that_hangs_where_it_may_not_stay_holds_the_next_update_up(lines: list[str], state: str) -> None:
    nodes = [node("n1", ready=True, a="1"), node("n2", ready=True, a="1"), silent("n3", a="1")]
    start = world(nodes, [owner(ONE, EXISTS, nodeSelector={"a": "1"})], [live("n1", 2), live("n2", 2), live("n3", 2)])
    last = run(start, *lines)[-1]
    assert (of_d(last)["n1"], of_d(last)["n2"]) == (state, state)


def test_what_is_known_holds_an_update_up_where_other_nodes_are_not_known() -> None:
    nodes = [*(node(name, ready=True, a="1") for name in NODES), replace(node("n5"), is_partial=True)]
    start = world(nodes, [owner(ONE, nodeSelector={"a": "1"})], [*HELD, live("n4", 2)])
    (impact,) = run(start, "cordon n4")
    assert outcomes(impact)["d", "n1"] == "kept"
    assert of_d(impact)["n1"] == "same"


def find_sunset(line: str, tainted: tuple[str, ...], lacking: tuple[str, ...]) -> set[str]:
    """What becomes of old pods on tainted nodes under a surge; on some wanted nodes a pod waits, and on n8 and n9 one runs."""
    nodes = [*(node(name, ready=True) for name in (*lacking, "n8", "n9")), *(node(name, "t:NoSchedule", ready=True) for name in tainted)]
    pods = [*(live(name, 1) for name in tainted), *map(waiting, lacking), live("n8", 2), live("n9", 2)]
    (impact,) = run(world(nodes, [owner(rolling(maxSurge=2, maxUnavailable=0))], pods), line)
    return {outcomes(impact)["d", name] for name in tainted}


@pytest.mark.parametrize(
    ("line", "outcome"),
    [
        pytest.param("delete node n9", "unknown", id="its pod counts while its Node object is missing"),
        pytest.param("replace n9", "unknown", id="so it does where another machine takes its name"),
        pytest.param("reboot n9 --graceful", "already-fragile", id="it stays registered"),
    ],
)
def test_while_a_node_object_is_missing_a_surge_may_take_one_pod_more(line: str, outcome: str) -> None:
    assert find_sunset(line, ("n2",), ("n1",)) == {outcome}


@pytest.mark.parametrize(
    ("line", "tainted", "outcome"),
    [
        pytest.param("delete node n9", ("n2", "n3"), "unknown", id="one of two"),
        pytest.param("delete node n8 n9", ("n2", "n3"), "unknown", id="two of two"),
        pytest.param("delete node n9", ("n2",), "already-fragile", id="more nodes lack a pod"),
    ],
)
def test_as_many_more_may_go_as_nodes_are_deleted(line: str, tainted: tuple[str, ...], outcome: str) -> None:
    assert find_sunset(line, tainted, ("n1", "n4")) == {outcome}


@pytest.mark.parametrize(
    ("lacking", "outcome"),
    [
        pytest.param((), "lost-now", id="all have a pod"),
        pytest.param(("n1",), "unknown", id="one lacks it"),
        pytest.param(("n1", "n4"), "already-fragile", id="two do"),
    ],
)
def test_nodes_that_lack_a_pod_keep_others_in_place_where_more_nodes_are_not_known(lacking: tuple[str, ...], outcome: str) -> None:
    unknown = replace(node("n9"), is_partial=True)
    tainted = [node(name, "t:NoSchedule", ready=True, a="1") for name in ("n2", "n3")]
    nodes = [*(node(name, ready=True, a="1") for name in (*lacking, "n8")), *tainted]
    held = owner(rolling(maxSurge=2, maxUnavailable=0), nodeSelector={"a": "1"})
    pods = [live("n2", 1), live("n3", 1), live("n8", 2), *map(waiting, lacking)]
    (impact,) = run(world([*nodes, unknown], [held], pods), "label node n2 b=1")
    assert {outcomes(impact)["d", name] for name in ("n2", "n3")} == {outcome}
