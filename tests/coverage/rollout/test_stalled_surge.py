"""A surge that waits for room: what it leaves on nodes that the DaemonSet must not run on any more."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest

from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.model import Impact
from preflight.coverage.reasons import list_outcome_reasons
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from preflight.model.core import CoveragePod
from preflight.model.meta import ObjectKey
from preflight.model.reasons import PlainReason
from preflight.model.releases import Version, VersionRange, parse_version
from preflight.model.versions import ClusterVersions
from tests.builders import make_owner, make_pod, read_object
from tests.coverage.impacts import NAMESPACE, daemonset, node, outcomes, pods_after, rolling, run, world

NODES = ("n1", "n2", "n3", "n4")
PORTS = [{"name": "c", "image": "c:1", "ports": [{"containerPort": 80, "hostPort": 80}]}]
UNSCHEDULABLE = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
KEY = ObjectKey(NAMESPACE, "d")


def surging(misscheduled: int | None = 0, maxSurge: int | str = 1) -> DaemonSet:
    """A DaemonSet of the second template whose pods take a port of the host; `misscheduled` is what its status says."""
    data = copy.deepcopy(daemonset("d", strategy=rolling(maxSurge=maxSurge, maxUnavailable=0), containers=PORTS).data)
    data["metadata"]["annotations"] = {TEMPLATE_GENERATION: "2"}
    if misscheduled is not None:
        data["status"] = {"desiredNumberScheduled": len(NODES), "numberMisscheduled": misscheduled}
    return read_object(data, DaemonSet)


def old(on: str) -> CoveragePod:
    return listed(on, "1", {"nodeName": on}, "Running", [{"type": "Ready", "status": "True"}])


def listed_new(on: str) -> CoveragePod:
    """A pod of the template that the DaemonSet has."""
    return listed(on, "2", {"nodeName": on}, "Running", [{"type": "Ready", "status": "True"}])


def waiting(target: str, *, tells: bool = True, condition: dict[str, str] | None = None) -> CoveragePod:
    """A pod of the new template that no node has yet."""
    fields = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [target]}]}]
    terms = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": fields}}}
    return listed(f"new-{target}", "2", {"affinity": terms} if tells else {}, "Pending", [condition or UNSCHEDULABLE])


def listed(name: str, generation: str, spec: dict[str, Any], phase: str, conditions: list[dict[str, str]]) -> CoveragePod:
    labels = {"app": "d", "pod-template-generation": generation, "controller-revision-hash": f"h{generation}"}
    data = make_pod(
        f"d-{name}", NAMESPACE, owner=make_owner("DaemonSet", "d"), labels=labels, phase=phase, status={"conditions": conditions}
    )
    data["spec"] |= spec
    return msgspec.json.decode(msgspec.json.encode(data), type=CoveragePod)


def change(*lines: str, owner: DaemonSet | None = None, pods: tuple[CoveragePod, ...] = (waiting("n3"),), taint: str = "") -> list[Impact]:
    nodes = [node(name, *([taint] if name == "n4" and taint else []), ready=True) for name in NODES]
    return run(world(nodes, [owner or surging()], [*map(old, NODES), *pods]), *lines)


def on_tainted(impact: Impact) -> dict[str, str]:
    return {name: state for (_, name), state in pods_after(impact).items() if name in ("n2", "n3")}


def test_the_node_that_a_new_pod_waits_for_is_known() -> None:
    start = world([node(name) for name in NODES], [surging()], [*map(old, NODES), waiting("n3"), waiting("n9")])
    assert collect_listed_pods(start)[KEY].surging_nodes == {"n3"}
    assert collect_listed_pods(world([], [surging()], [*map(old, NODES), waiting("n3", tells=False)]))[KEY].surging_nodes == {""}


@pytest.mark.parametrize(
    "pods",
    [
        pytest.param((waiting("n3", condition={"type": "PodScheduled", "status": "True"}),), id="it was scheduled"),
        pytest.param((waiting("n3", condition={"type": "Ready", "status": "False"}),), id="the scheduler said nothing yet"),
    ],
)
def test_an_update_that_goes_on_takes_the_pods_of_tainted_nodes(pods: tuple[CoveragePod, ...]) -> None:
    (impact,) = change("taint nodes n2 n3 x=y:NoSchedule", pods=pods)
    assert on_tainted(impact) == {"n2": "none", "n3": "none"}


def test_a_taint_alone_leaves_all_of_them() -> None:
    (impact,) = change("taint nodes n2 n4 x=y:NoSchedule")
    assert outcomes(impact) == {
        ("d", "n1"): "kept",
        ("d", "n2"): "lost-on-recreation",
        ("d", "n3"): "kept",
        ("d", "n4"): "lost-on-recreation",
    }
    assert set(pods_after(impact).values()) == {"same"}
    assert impact.rollouts.keys() == {KEY}


@pytest.mark.parametrize(("horizon", "state"), [(60, "same"), (float("inf"), "none")])
def test_the_scheduler_tries_the_waiting_pod_again_after_five_minutes(horizon: float, state: str) -> None:
    """As a control plane did: 40 s after the taint both ran, and after 323 s the one without a waiting pod was gone."""
    nodes = [node(name, ready=True) for name in NODES]
    start = world(nodes, [surging()], [*map(old, NODES), waiting("n3")])
    (impact,) = run(start, "taint nodes n2 n3 x=y:NoSchedule", horizon=horizon)
    assert on_tainted(impact) == {"n2": state, "n3": "same"}


@pytest.mark.parametrize(
    ("owner", "lines", "taint"),
    [
        pytest.param(surging(1), ["taint nodes n2 n3 x=y:NoSchedule"], "", id="the status counts a misscheduled pod"),
        pytest.param(surging(None), ["taint nodes n2 n3 x=y:NoSchedule"], "", id="the status is not known"),
        pytest.param(surging(), ["taint nodes n2 n3 x=y:NoSchedule", "delete pod d-n1"], "", id="a pod of it is deleted then"),
        pytest.param(surging(), ["taint nodes n2 n3 x=y:NoSchedule", "taint nodes n1 x=y:NoExecute"], "", id="a pod may not stay then"),
        pytest.param(surging(), ["taint nodes n2 x=y:NoSchedule", "label nodes n1 a=b"], "kept", id="a label that nobody asks for"),
    ],
)
def test_once_the_controller_looks_the_surging_node_alone_keeps_its_pod(owner: DaemonSet, lines: list[str], taint: str) -> None:
    lines = [f"{line} -n {NAMESPACE}" if line.startswith("delete") else line for line in lines]
    last = change(*lines, owner=owner)[-1]
    after = {pair[1]: state for pair, state in pods_after(last).items()}
    there = {name: after[name] for name in ("n2", "n3") if name in after}
    assert there.get("n3", "same") == "same"
    assert there.get("n2", "same") == ("same" if taint == "kept" else "none")


@pytest.mark.parametrize(
    ("version", "state"), [("v1.32.4", "none"), ("v1.33.0", "same"), ("v1.37.2-gke.1", "same"), ("", "same"), ("1.32", "none")]
)
def test_up_to_1_32_the_controller_looks_at_a_taint(version: str, state: str) -> None:
    start = world([node(name, ready=True) for name in NODES], [surging()], [*map(old, NODES), waiting("n3")])
    start = msgspec.structs.replace(start, versions=ClusterVersions(parse_version(version)))
    (impact,) = run(start, "taint nodes n2 x=y:NoSchedule")
    assert pods_after(impact)["d", "n2"] == state


def test_where_the_version_is_not_known_it_may_look_or_not() -> None:
    start = world([node(name, ready=True) for name in NODES], [surging()], [*map(old, NODES), waiting("n3")])
    start = msgspec.structs.replace(start, versions=ClusterVersions(VersionRange(Version(32, 0), Version(35, 0))))
    (impact,) = run(start, "taint nodes n2 x=y:NoSchedule")
    assert outcomes(impact)["d", "n2"] == "unknown"


def test_a_pod_that_does_not_tell_its_node_leaves_it_unknown() -> None:
    (impact,) = change("taint nodes n2 n3 x=y:NoSchedule", owner=surging(1), pods=(waiting("n3", tells=False),))
    assert outcomes(impact) == {("d", "n1"): "kept", ("d", "n2"): "unknown", ("d", "n3"): "unknown", ("d", "n4"): "kept"}
    assert {list_outcome_reasons(group) for group in impact.groups} == {(), (PlainReason.UNKNOWN_SURGE,)}


@pytest.mark.parametrize(
    ("taints", "horizon", "states"),
    [
        pytest.param("n2 n3", 60, {"same"}, id="nothing looks at a taint"),
        pytest.param("n1 n2 n3 n4", float("inf"), {"unknown"}, id="whichever it waits for, it is tried again"),
    ],
)
def test_a_surge_that_an_earlier_step_stalls(taints: str, horizon: float, states: set[str]) -> None:
    """On which node the new pod waits is chance then."""
    start = world([node(name, ready=True) for name in NODES], [surging()], [listed_new(name) for name in NODES])
    lines = [f"set image ds/d c=c:3 -n {NAMESPACE}", f"taint nodes {taints} x=y:NoSchedule"]
    update, impact = run(start, *lines, horizon=horizon)
    assert update.pods_after[KEY].surging_nodes == {""}
    tainted = [("d", name) for name in taints.split()]
    (*_, later) = run(start, *lines, "label nodes n1 a=b", horizon=horizon)
    assert "lost-now" not in outcomes(later).values()
    found = pods_after(impact) if states == {"same"} else outcomes(impact)
    assert {found[pair] for pair in tainted} == states


def test_the_next_template_begins_a_new_surge() -> None:
    _, impact = change("taint nodes n2 n3 x=y:NoSchedule", f"set image ds/d c=c:3 -n {NAMESPACE}")
    assert pods_after(impact) == {("d", "n1"): "same", ("d", "n2"): "none", ("d", "n3"): "none", ("d", "n4"): "same"}


def test_a_surge_beside_which_there_is_room_elsewhere_is_used_up_by_the_tainted_node() -> None:
    (impact,) = change("taint nodes n3 x=y:NoSchedule", owner=surging(1))
    assert pods_after(impact)["d", "n3"] == "same"
    assert impact.rollouts[KEY].likely_course.blocked_nodes == 1
