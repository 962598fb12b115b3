"""The rules, in a real promtool: each fires at what it is for, all are silent where nothing is lost, and the popular ones see nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import yaml

from tests.alerting.kube_state_metrics import CONTROL, GPU_POOL, NODES, RDMA, Pod, State
from tests.alerting.promtool import EVER, check, differs
from tests.builders import Object, make_node, write_list
from tests.cli.program import program
from tests.paths import ROOT

MANIFESTS = ROOT / "examples/rdma-incident/cluster"
DAEMONSETS = ("rdma-device-plugin", "csi-rdma-node", "log-agent", "node-exporter")
BEFORE = 400
"""So many minutes pass before anything happens: more than the 6 hours that PreflightDaemonSetPodGone looks back."""

POPULAR = """\
groups:
  - name: popular
    rules:
      - alert: PopularAtOnce
        expr: >-
          kube_daemonset_status_desired_number_scheduled{daemonset=~"rdma-device-plugin|csi-rdma-node"}
          - kube_daemonset_status_number_ready > 0
      - alert: PopularAfterAWhile
        expr: kube_daemonset_status_desired_number_scheduled - kube_daemonset_status_number_ready > 0
        for: 15m
"""


def node(name: str) -> Object:
    taints = [dict(zip(("key", "value", "effect"), CONTROL, strict=True))] if name == "control-1" else []
    allocatable = {"cpu": "8", "pods": "110", **({"rdma/hca": "8"} if name in GPU_POOL else {})}
    return make_node(name, *taints, labels={"kubernetes.io/hostname": name, "pool": name.partition("-")[0]}, allocatable=allocatable)


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rules of the cluster as it is before anything happens."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "nodes.json").write_text(write_list(node(name) for name in NODES))
    sources = [folder / "nodes.json", *(MANIFESTS / f"{name}.yaml" for name in DAEMONSETS)]
    words = [word for source in sources for word in ("--from", str(source))]
    made = program("alerts", *words, "-o", str(folder / "rules.yaml"))
    assert (made.code, made.err) == (0, f"wrote {folder}/rules.yaml: 14 rules, from 4 DaemonSets on 5 nodes, 1 extended resource\n")
    return folder / "rules.yaml"


def on(alert: str, daemonset: str = "", nodes: Sequence[str] = GPU_POOL, **more: str) -> list[str]:
    """An alert on each of some nodes."""
    labels = [{**({"daemonset": daemonset} if daemonset else {}), "node": name, **more} for name in nodes]
    return [f"{alert}{{{', '.join(f'{key}={json.dumps(value)}' for key, value in label.items())}}}" for label in labels]


LOST = ("rdma-device-plugin", "csi-rdma-node", "log-agent")
THREATS = [each for name in LOST for each in on("PreflightTaintNotTolerated", name)]


def incident() -> tuple[State, int, int]:
    """A taint, and half an hour later an update of the three that do not tolerate it; the answer has the minutes of both.

    DESIRED is what the controller sees at its first look after the taint, which is the update itself: it falls together with READY.
    """
    state = State()
    state.wait(BEFORE)
    for name in GPU_POOL:
        state.taints[name].add(RDMA)
    taint = state.wait(30) - 30
    update = len(state.minutes)
    for number, name in enumerate(GPU_POOL, 1):
        for daemonset in LOST:
            state.lose(daemonset, name)
        state.counts["kube-system", "rdma-device-plugin"] = [0, 0, 0, 2 - number]
        state.counts["storage", "csi-rdma-node"] = [0, 0, 0, 2 - number]
        state.counts["logging", "log-agent"] = [2, 2, 0, 2 - number]
        state.resources[name, "rdma_hca"] = 0
        state.wait(1)
    for number, name in enumerate(("cpu-1", "cpu-2"), 1):
        state.put(Pod("logging", "log-agent", f"log-agent-new-{name}", name, ready=False))
        state.counts["logging", "log-agent"] = [2, 1, number - 1, 0]
        state.wait(2)
        state.put(Pod("logging", "log-agent", f"log-agent-new-{name}", name))
        state.counts["logging", "log-agent"] = [2, 2, number, 0]
        state.wait(2)
    state.wait(60)
    return state, taint, update


def test_prometheus_takes_the_rules(rules: Path, tmp_path: Path) -> None:
    check(rules)
    (tmp_path / "popular.yaml").write_text(POPULAR)
    check(tmp_path / "popular.yaml")


def test_the_incident_is_heard_of_from_the_taint_on(rules: Path, tmp_path: Path) -> None:
    state, taint, update = incident()
    gone = [each for name in LOST for each in (*on("PreflightDaemonSetNotCovering", name), *on("PreflightDaemonSetPodGone", name))]
    alerts = {
        taint - 1: [],
        taint + 14: [],
        taint + 16: THREATS,
        update: THREATS,
        update + 18: [*THREATS, *gone, *on("PreflightResourceGone", resource="rdma/hca")],
        len(state.minutes) - 1: [*THREATS, *gone, *on("PreflightResourceGone", resource="rdma/hca")],
    }
    assert differs(tmp_path, [rules], state.series(), len(state.minutes), alerts) == ""


def test_two_exporters_that_say_the_same_change_nothing(rules: Path, tmp_path: Path) -> None:
    state, taint, update = incident()
    series = {
        name.replace("{", f'{{instance="{instance}",', 1): values for name, values in state.series().items() for instance in ("a", "b")
    }
    gone = [each for name in LOST for each in (*on("PreflightDaemonSetNotCovering", name), *on("PreflightDaemonSetPodGone", name))]
    alerts = {taint - 1: [], update + 18: [*THREATS, *gone, *on("PreflightResourceGone", resource="rdma/hca")]}
    assert differs(tmp_path, [rules], series, len(state.minutes), alerts) == ""


def test_desired_minus_ready_stays_silent_through_the_whole_incident(tmp_path: Path) -> None:
    (tmp_path / "popular.yaml").write_text(POPULAR)
    state, _, _ = incident()
    assert differs(tmp_path, [tmp_path / "popular.yaml"], state.series(), len(state.minutes), {EVER: []}) == ""


def test_desired_minus_ready_is_a_rule_that_can_fire(tmp_path: Path) -> None:
    (tmp_path / "popular.yaml").write_text(POPULAR)
    state = State()
    state.counts["kube-system", "rdma-device-plugin"] = [2, 1, 2, 0]
    state.wait(20)
    both = [f'{name}{{daemonset="rdma-device-plugin"}}' for name in ("PopularAtOnce", "PopularAfterAWhile")]
    assert differs(tmp_path, [tmp_path / "popular.yaml"], state.series(), 20, {18: both}) == ""


# Where nothing is lost.


def healthy_rollout(state: State) -> None:
    """Each node in turn is without a Ready pod for six minutes, an image that is large."""
    nodes = NODES[1:]
    for number, name in enumerate(nodes, 1):
        state.lose("node-exporter", name)
        state.counts["monitoring", "node-exporter"] = [4, 3, number - 1, 0]
        state.wait(1)
        state.put(Pod("monitoring", "node-exporter", f"node-exporter-new-{name}", name, "Pending", ready=False))
        state.counts["monitoring", "node-exporter"] = [4, 3, number, 0]
        state.wait(5)
        state.put(Pod("monitoring", "node-exporter", f"node-exporter-new-{name}", name))
        state.counts["monitoring", "node-exporter"] = [4, 4, number, 0]
        state.wait(1)


def drain_and_reboot(state: State) -> None:
    """A planned drain: the node is cordoned, down for 45 minutes, and its plugin takes a while to register."""
    cordon = ("node.kubernetes.io/unschedulable", "", "NoSchedule")
    silent = [("node.kubernetes.io/unreachable", "", effect) for effect in ("NoSchedule", "NoExecute")]
    state.taints["rdma-1"].add(cordon)
    state.wait(20)
    state.down.add("rdma-1")
    state.taints["rdma-1"].update(silent)
    mine = [pod for pod in state.pods.values() if pod.node == "rdma-1"]
    for pod in mine:
        state.put(pod._replace(ready=False))
    for namespace, name in {(pod.namespace, pod.daemonset) for pod in mine}:
        desired = state.counts[namespace, name][0]
        state.counts[namespace, name] = [desired - 1, desired - 1, desired - 1, 1]
    state.resources["rdma-1", "rdma_hca"] = 0
    state.wait(45)
    for namespace, name in {(pod.namespace, pod.daemonset) for pod in mine}:
        desired = state.counts[namespace, name][0] + 1
        state.counts[namespace, name] = [desired, desired - 1, desired, 0]
    state.down.remove("rdma-1")
    state.taints["rdma-1"].difference_update(silent)
    state.wait(5)
    for pod in mine:
        state.put(pod)
        desired = state.counts[pod.namespace, pod.daemonset][0]
        state.counts[pod.namespace, pod.daemonset] = [desired, desired, desired, 0]
    state.resources["rdma-1", "rdma_hca"] = 8
    state.wait(20)
    state.taints["rdma-1"].discard(cordon)


def node_is_replaced(state: State) -> None:
    """A node object goes with its pods, and registers again ten minutes later."""
    mine = [pod for pod in state.pods.values() if pod.node == "rdma-2"]
    state.leave("rdma-2")
    state.wait(10)
    state.join("rdma-2", ("node.kubernetes.io/not-ready", "", "NoSchedule"))
    state.down.add("rdma-2")
    state.wait(5)
    state.down.discard("rdma-2")
    state.taints["rdma-2"].clear()
    state.wait(3)
    for pod in mine:
        state.put(pod._replace(name=f"{pod.name}-again"))
    state.resources["rdma-2", "rdma_hca"] = 8


def node_leaves(state: State) -> None:
    """A node is scaled away."""
    state.leave("cpu-2")


def an_autoscaler_drains_a_node(state: State) -> None:
    """A node is drained by an autoscaler, which takes an hour, and then deleted."""
    state.taints["rdma-1"].add(("karpenter.sh/disrupted", "", "NoSchedule"))
    mine = [pod for pod in state.pods.values() if pod.node == "rdma-1"]
    for number, pod in enumerate(mine):
        desired = state.counts[pod.namespace, pod.daemonset][0] - 1
        state.counts[pod.namespace, pod.daemonset] = [desired, desired, desired, number % 2]
        if number % 2 == 0:
            state.lose(pod.daemonset, "rdma-1")
    state.resources["rdma-1", "rdma_hca"] = 0
    state.wait(60)
    state.leave("rdma-1")
    for pod in mine:
        state.counts[pod.namespace, pod.daemonset][3] = 0


def control_plane_grows(state: State) -> None:
    """A node joins with the taint that keeps all but some away today."""
    state.join("control-2", CONTROL)


def a_soft_taint(state: State) -> None:
    """PreferNoSchedule keeps nothing away."""
    state.taints["cpu-1"].add(("busy", "", "PreferNoSchedule"))


QUIET: list[Callable[[State], None]] = [
    healthy_rollout,
    drain_and_reboot,
    node_is_replaced,
    node_leaves,
    an_autoscaler_drains_a_node,
    control_plane_grows,
    a_soft_taint,
]


@pytest.mark.parametrize("story", QUIET, ids=lambda story: str(story.__doc__))
def test_nothing_fires_where_nothing_is_lost(rules: Path, tmp_path: Path, story: Callable[[State], None]) -> None:
    state = State()
    state.wait(BEFORE)
    story(state)
    state.wait(60)
    assert differs(tmp_path, [rules], state.series(), len(state.minutes), {EVER: []}) == ""


def test_a_loss_is_no_quiet_story(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.wait(10)
    state.lose("node-exporter", "cpu-1")
    state.wait(20)
    said = differs(tmp_path, [rules], state.series(), 30, {EVER: []})
    assert 'alertname="PreflightDaemonSetNotCovering", daemonset="node-exporter", node="cpu-1"' in said


# Each fires at what it is for.


def test_a_resource_that_is_0_and_one_that_has_vanished(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.wait(30)
    state.resources["rdma-1", "rdma_hca"] = 0
    del state.resources["rdma-2", "rdma_hca"]
    state.wait(20)
    assert differs(tmp_path, [rules], state.series(), 50, {44: [], 46: on("PreflightResourceGone", resource="rdma/hca")}) == ""


def test_a_pod_that_is_there_and_not_ready_covers_nothing(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.wait(30)
    state.put(Pod("logging", "log-agent", "log-agent-cpu-1", "cpu-1", ready=False))
    state.wait(20)
    assert differs(tmp_path, [rules], state.series(), 50, {46: on("PreflightDaemonSetNotCovering", "log-agent", ["cpu-1"])}) == ""


def test_a_time_bomb_that_the_controller_has_seen(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.counts["storage", "csi-rdma-node"] = [1, 1, 1, 1]
    state.wait(20)
    assert differs(tmp_path, [rules], state.series(), 20, {16: ['PreflightDaemonSetMisscheduled{daemonset="csi-rdma-node"}']}) == ""


def test_a_time_bomb_beside_one_on_a_node_that_is_down(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.down.add("rdma-2")
    state.counts["storage", "csi-rdma-node"] = [0, 0, 0, 2]
    state.wait(20)
    assert differs(tmp_path, [rules], state.series(), 20, {16: ['PreflightDaemonSetMisscheduled{daemonset="csi-rdma-node"}']}) == ""


def test_an_update_that_makes_no_progress(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.wait(30)
    state.counts["logging", "log-agent"] = [4, 3, 1, 0]
    state.put(Pod("logging", "log-agent", "log-agent-new", "cpu-1", "Pending", ready=False))
    state.wait(40)
    alerts = [
        'PreflightUpdateStalled{daemonset="log-agent"}',
        *on("PreflightNodePodPending", "log-agent", ["cpu-1"]),
        *on("PreflightDaemonSetNotCovering", "log-agent", ["cpu-1"]),
    ]
    assert differs(tmp_path, [rules], state.series(), 70, {62: alerts}) == ""


def test_a_pod_of_a_component_that_no_node_takes(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.lose("csi-rdma-node", "rdma-1")
    state.put(Pod("storage", "csi-rdma-node", "csi-new", "", "Pending", ready=False))
    state.wait(20)
    alerts = ['PreflightNodePodPending{daemonset="csi-rdma-node"}', *on("PreflightDaemonSetNotCovering", "csi-rdma-node", ["rdma-1"])]
    assert differs(tmp_path, [rules], state.series(), 20, {16: alerts}) == ""


def test_a_later_node_must_be_covered_by_what_selects_none(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.wait(10)
    state.join("cpu-3")
    state.wait(20)
    alerts = [each for name in ("log-agent", "node-exporter") for each in on("PreflightDaemonSetNotCovering", name, ["cpu-3"])]
    assert differs(tmp_path, [rules], state.series(), 30, {26: alerts}) == ""


def test_a_taint_that_keeps_it_from_others_today_does_not_hide_a_loss(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.wait(BEFORE)
    state.taints["cpu-1"].add(CONTROL)
    state.lose("log-agent", "cpu-1")
    state.counts["logging", "log-agent"] = [3, 3, 3, 0]
    state.wait(20)
    assert (
        differs(tmp_path, [rules], state.series(), BEFORE + 20, {BEFORE + 16: on("PreflightDaemonSetPodGone", "log-agent", ["cpu-1"])})
        == ""
    )


def test_a_daemonset_that_was_deleted_is_missed_where_it_must_be(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.wait(BEFORE)
    state.delete("storage", "csi-rdma-node")
    state.wait(20)
    assert (
        differs(tmp_path, [rules], state.series(), BEFORE + 20, {BEFORE + 16: on("PreflightDaemonSetNotCovering", "csi-rdma-node")}) == ""
    )


def test_no_metrics_at_all_are_an_alert(rules: Path, tmp_path: Path) -> None:
    state = State()
    state.wait(10)
    state.silence(20)
    assert differs(tmp_path, [rules], state.series(), 30, {24: [], 26: ["PreflightMetricsAbsent"]}) == ""


def test_what_is_said_of_a_loss(rules: Path) -> None:
    groups = yaml.safe_load(rules.read_text())["groups"]
    (rule,) = [each for group in groups for each in group["rules"] if each["labels"].get("daemonset") == "csi-rdma-node"
               and each["alert"] == "PreflightDaemonSetNotCovering"]  # fmt: skip
    assert rule["labels"] == {"severity": "critical", "namespace": "storage", "daemonset": "csi-rdma-node"}
    assert rule["annotations"] == {
        "summary": "storage/csi-rdma-node has no Ready pod on {{ $labels.node }}",
        "description": "impact: mounts on the node time out and unmounts hang, so pods stay in ContainerCreating or Terminating",
    }


def test_the_alerts_that_fire_above_are_all_there_are(rules: Path) -> None:
    assert {rule["alert"] for group in yaml.safe_load(rules.read_text())["groups"] for rule in group["rules"]} == {
        "PreflightMetricsAbsent",
        "PreflightDaemonSetPodGone",
        "PreflightDaemonSetMisscheduled",
        "PreflightUpdateStalled",
        "PreflightNodePodPending",
        "PreflightDaemonSetNotCovering",
        "PreflightTaintNotTolerated",
        "PreflightResourceGone",
    }
