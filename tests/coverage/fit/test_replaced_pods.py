"""A pod that takes the place of another one must fit once that one is gone: updates by strategy, deletions, reboots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.builders import Object
from tests.coverage.fit.situations import ask, container, daemonset, node, running, web

AGENT = daemonset(cpu="500m")
NAMES = ("n1", "n2", "n3", "n4")
NODES = [node(name) for name in NAMES]
FILLED = [web(f"web-{name}", name, cpu="1400m") for name in NAMES]
"""600m are left on each of four nodes once its agent is gone."""
CLUSTER = [*NODES, AGENT, *running(AGENT, *NAMES)]
CAUSE = "requests 1 cpu, but 600m of 2 are free"


def limits(**rolling: int | str) -> dict[str, Any]:
    return {"updateStrategy": {"rollingUpdate": rolling}}


@pytest.mark.parametrize("cpu", ["600m", "500m", "100m"])
def test_an_update_that_fits_keeps_its_node(cpu: str, tmp_path: Path) -> None:
    cluster = [node(), AGENT, *running(AGENT, "n1"), web(cpu="1400m")]
    answer = ask(tmp_path, cluster, "apply -f new", new=daemonset(cpu=cpu))
    assert (answer.outcomes, answer.counts, answer.exit) == ({"ops/agent": {"n1": "kept"}}, {"ops/agent": (1, 1, 1)}, 0)
    assert answer.find("PF101") == ""


EXPORTER = daemonset("exporter", port=9100)
HUNGRY = web(containers=[container(memory="1Gi")])
UNFIT = [
    pytest.param(daemonset(cpu="1"), [web(cpu="1400m")], CAUSE, id="more cpu"),
    pytest.param(daemonset(cpu="500m", memory="8Gi"), [HUNGRY], "requests 8Gi memory, but 7Gi of 8Gi are free", id="memory as well"),
    pytest.param(
        daemonset(cpu="500m", port=9100),
        [EXPORTER, *running(EXPORTER, "n1")],
        "port 9100 (TCP) of the node is used by pod ops/exporter-n1 (DaemonSet ops/exporter)",
        id="a port of the node that is taken",
    ),
    pytest.param(
        daemonset(cpu="500m", initContainers=[{"name": "init", "resources": {"requests": {"cpu": "1"}}}]),
        [web(cpu="1400m")],
        CAUSE,
        id="an init container that asks for more",
    ),
    pytest.param(
        daemonset(cpu="500m", vendor_example__nic="1"), [], "requests 1 vendor.example/nic, but the node offers none", id="a device"
    ),
]


@pytest.mark.parametrize(("new", "others", "cause"), UNFIT)
def test_an_update_that_does_not_fit_loses_a_running_pod(new: Object, others: list[Object], cause: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, [node(), AGENT, *running(AGENT, "n1"), *others], "apply -f new", new=new)
    assert answer.outcomes["ops/agent"] == {"n1": "lost-now"}
    expected = f"error: ops/agent loses n1 now: its update deletes the pod, and the new one stays Pending: {cause}"
    assert answer.find("PF101") == expected
    assert (answer.counts["ops/agent"], answer.exit) == ((1, 0, 0), 1)


@pytest.mark.parametrize(
    ("rolling", "lost"),
    [
        pytest.param({}, 1, id="maxUnavailable 1 is the default"),
        pytest.param({"maxUnavailable": 3}, 3, id="a number"),
        pytest.param({"maxUnavailable": "50%"}, 2, id="a percentage"),
        pytest.param({"maxUnavailable": "30%"}, 2, id="a percentage that rounds up"),
    ],
)
def test_an_update_stops_once_max_unavailable_nodes_have_lost_their_pod(rolling: dict[str, Any], lost: int, tmp_path: Path) -> None:
    answer = ask(tmp_path, [*CLUSTER, *FILLED], "apply -f new", new=daemonset(cpu="1", fields=limits(**rolling)))
    assert answer.outcomes == {"ops/agent": dict.fromkeys(NAMES, "lost-on-recreation")}
    assert answer.counts == {"ops/agent": (4, 4 - lost, 0)}
    assert answer.find("PF101").startswith(
        f"error: ops/agent loses {lost} of n1, n2, n3, n4 now, unknown which: its update deletes the pod"
    )
    assert answer.find("PF105").startswith("error: ops/agent stops in the middle of its update")
    assert answer.find("PF102") == ""
    assert answer.exit == 1


def test_an_update_that_may_take_all_loses_all(tmp_path: Path) -> None:
    answer = ask(tmp_path, [*CLUSTER, *FILLED], "apply -f new", new=daemonset(cpu="1", fields=limits(maxUnavailable="100%")))
    assert answer.outcomes == {"ops/agent": dict.fromkeys(NAMES, "lost-now")}
    assert answer.counts == {"ops/agent": (4, 0, 0)}


def test_only_the_nodes_that_are_full_lose_their_pod(tmp_path: Path) -> None:
    answer = ask(tmp_path, [*CLUSTER, *FILLED[:2]], "apply -f new", new=daemonset(cpu="1"))
    assert answer.outcomes == {"ops/agent": {"n1": "lost-on-recreation", "n2": "lost-on-recreation", "n3": "kept", "n4": "kept"}}
    assert answer.counts == {"ops/agent": (4, 3, 2)}
    assert answer.find("PF101").startswith("error: ops/agent loses 1 of n1, n2 now")


def test_on_delete_loses_it_on_recreation(tmp_path: Path) -> None:
    new = daemonset(cpu="1", fields={"updateStrategy": {"type": "OnDelete"}})
    answer = ask(tmp_path, [*CLUSTER, *FILLED[:1]], "apply -f new", new=new)
    assert answer.outcomes == {"ops/agent": {"n1": "lost-on-recreation", "n2": "kept", "n3": "kept", "n4": "kept"}}
    assert answer.find("PF102").startswith(
        "error: ops/agent will not come back on n1 when its pods are re-created: the new pod stays Pending (requests 1 cpu"
    )
    assert answer.counts == {"ops/agent": (4, 4, 3)}


SURGING = limits(maxUnavailable=0, maxSurge=1)


def test_a_surge_keeps_the_old_pod_where_the_new_one_does_not_fit(tmp_path: Path) -> None:
    answer = ask(tmp_path, [*CLUSTER, *FILLED[:1]], "apply -f new", new=daemonset(cpu="1", fields=SURGING))
    assert answer.outcomes == {"ops/agent": {"n1": "lost-on-recreation", "n2": "kept", "n3": "kept", "n4": "kept"}}
    assert answer.find("PF101") == ""
    assert answer.find("PF105").startswith("error: ops/agent stops in the middle of its update: n1 has no available new pod")


@pytest.mark.parametrize(
    ("cpu", "nodes"),
    [pytest.param("1400m", "n1", id="100m are left beside the old pod"), pytest.param("1", "", id="as much as it asks for is left")],
)
def test_a_surge_needs_room_for_both_pods(cpu: str, nodes: str, tmp_path: Path) -> None:
    owner = daemonset(cpu="500m", fields=SURGING)
    answer = ask(tmp_path, [*NODES, owner, *running(owner, *NAMES), web(cpu=cpu)], "set image ds/agent c=c:2 -n ops")
    assert answer.outcomes == {"ops/agent": dict.fromkeys(NAMES, "kept")}
    said = f"error: ops/agent cannot finish its update on {nodes}: maxSurge 1 starts each new pod next to the old one, and the node has too"
    assert answer.find("PF105").startswith(said) if nodes else not answer.find("PF105")


OVERCOMMITTED = [node(), AGENT, *running(AGENT, "n1"), web(cpu="1800m")]
RECREATIONS = [
    pytest.param("rollout restart ds/agent -n ops", "its update deletes the pod", id="a restart"),
    pytest.param("set image ds/agent c=c:2 -n ops", "its update deletes the pod", id="a new image"),
    pytest.param("delete pod agent-n1 -n ops", "the pod ends", id="a deletion"),
]


@pytest.mark.parametrize(("command", "ending"), RECREATIONS)
def test_of_an_overcommitted_node_a_pod_does_not_come_back(command: str, ending: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, OVERCOMMITTED, command)
    cause = "and the new one stays Pending: requests 500m cpu, but 200m of 2 are free"
    assert answer.find("PF101") == f"error: ops/agent loses n1 now: {ending}, {cause}"
    assert answer.exit == 1


@pytest.mark.parametrize(("command", "ending"), RECREATIONS)
def test_a_pod_whose_own_room_is_enough_comes_back(command: str, ending: str, tmp_path: Path) -> None:
    answer = ask(tmp_path, [*OVERCOMMITTED[:-1], web(cpu="1500m")], command)
    assert (answer.outcomes["ops/agent"], answer.exit) == ({"n1": "kept"}, 0), ending


def test_what_touches_no_pod_of_an_overcommitted_node_loses_none(tmp_path: Path) -> None:
    answer = ask(tmp_path, OVERCOMMITTED, "label node n1 a=b")
    assert (answer.outcomes["ops/agent"], answer.exit) == ({"n1": "kept"}, 0)


def test_a_graceful_reboot_ends_the_other_pods_too(tmp_path: Path) -> None:
    answer = ask(tmp_path, OVERCOMMITTED, "reboot n1 --graceful")
    assert answer.outcomes["ops/agent"] == {"n1": "kept"}


def test_pod_affinity_that_an_update_leaves_alone_is_no_doubt(tmp_path: Path) -> None:
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    owner = daemonset(affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}})
    cluster = [node(), owner, *running(owner, "n1")]
    assert ask(tmp_path, cluster, "set image ds/agent c=c:2 -n ops").outcomes == {"ops/agent": {"n1": "kept"}}


def test_pod_affinity_that_an_update_brings_is_a_doubt(tmp_path: Path) -> None:
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    new = daemonset(affinity={"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}})
    old = daemonset()
    answer = ask(tmp_path, [node(), old, *running(old, "n1")], "apply -f new", new=new)
    assert (answer.outcomes, answer.exit) == ({"ops/agent": {"n1": "unknown"}}, 3)
    assert answer.find("PF109").startswith("warning: ops/agent may lose n1: unknown whether the new pod is bound")


@pytest.mark.parametrize(
    ("priority", "outcome"), [pytest.param("system-node-critical", "kept", id="higher"), pytest.param("", "lost-now", id="the same")]
)
def test_a_replaced_pod_may_preempt_too(priority: str, outcome: str, tmp_path: Path) -> None:
    more = {"priorityClassName": priority} if priority else {}
    answer = ask(tmp_path, [node(), AGENT, *running(AGENT, "n1"), web(cpu="1400m")], "apply -f new", new=daemonset(cpu="1", **more))
    assert answer.outcomes["ops/agent"] == {"n1": outcome}
    assert bool(answer.find("PF123")) is bool(priority)


def test_two_updates_that_do_not_both_fit(tmp_path: Path) -> None:
    other = daemonset("other", cpu="500m")
    cluster = [node(), AGENT, other, *running(AGENT, "n1"), *running(other, "n1"), web(cpu="800m")]
    answer = ask(tmp_path, cluster, "apply -f new", new=[daemonset(cpu="700m"), daemonset("other", cpu="700m")])
    assert answer.outcomes == {"ops/agent": {"n1": "unknown"}, "ops/other": {"n1": "unknown"}}


def test_two_updates_that_both_fit(tmp_path: Path) -> None:
    other = daemonset("other", cpu="500m")
    cluster = [node(), AGENT, other, *running(AGENT, "n1"), *running(other, "n1"), web(cpu="800m")]
    answer = ask(tmp_path, cluster, "apply -f new", new=[daemonset(cpu="600m"), daemonset("other", cpu="600m")])
    assert answer.outcomes == {"ops/agent": {"n1": "kept"}, "ops/other": {"n1": "kept"}}


def test_two_nodes_full_of_different_things_share_one_budget(tmp_path: Path) -> None:
    new = daemonset(cpu="1", memory="4Gi")
    cluster = [*CLUSTER, FILLED[0], web("big", "n2", containers=[{"name": "c", "resources": {"requests": {"memory": "6Gi"}}}])]
    answer = ask(tmp_path, cluster, "apply -f new", new=new)
    assert answer.counts == {"ops/agent": (4, 3, 2)}
    assert answer.find("PF101").startswith("error: ops/agent loses 1 of n1, n2 now, unknown which")


@pytest.mark.parametrize(
    ("new", "outcome"),
    [
        pytest.param({"port": 9100}, "lost-on-recreation", id="one whose port is taken"),
        pytest.param({"cpu": "4"}, "lost-on-recreation", id="one that is too large"),
        pytest.param({"port": 9200}, "kept", id="one that fits"),
    ],
)
def test_pods_that_are_old_already_are_succeeded_by_those_of_the_third_template(new: dict[str, Any], outcome: str, tmp_path: Path) -> None:
    """Under OnDelete nothing is replaced, and once the pod ends its successor finds no room."""
    holder, there = daemonset("holder", port=9100), daemonset("agent", fields={"updateStrategy": {"type": "OnDelete"}})
    there["metadata"]["annotations"] = {"deprecated.daemonset.template.generation": "2"}
    (pod,) = running(there, "n1")
    pod["metadata"]["labels"] = {**pod["metadata"].get("labels", {}), "pod-template-generation": "1"}
    applied = daemonset("agent", fields={"updateStrategy": {"type": "OnDelete"}}, **new)
    answer = ask(tmp_path, [node(), holder, *running(holder, "n1"), there, pod], "apply -f new", new=applied)
    assert answer.outcomes["ops/agent"] == {"n1": outcome}


@pytest.mark.parametrize("command", ["label node n1 color=red", "label node n1 disk-"])
@pytest.mark.parametrize(
    ("requests", "outcome"),
    [
        pytest.param({"cpu": "4"}, "already-fragile", id="it is too large"),
        pytest.param({"port": 9100}, "already-fragile", id="its port is taken"),
        pytest.param({"cpu": "1"}, "kept", id="it fits"),
    ],
)
def test_the_successor_of_an_old_pod_has_to_fit_whatever_changes(
    command: str, requests: dict[str, Any], outcome: str, tmp_path: Path
) -> None:
    """Under OnDelete the old pod stays, and the template of its successor came before the change."""
    holder, there = daemonset("holder", port=9100), daemonset("agent", fields={"updateStrategy": {"type": "OnDelete"}}, **requests)
    there["metadata"]["annotations"] = {"deprecated.daemonset.template.generation": "2"}
    (pod,) = running(daemonset("agent"), "n1")
    pod["metadata"]["labels"] = {**pod["metadata"].get("labels", {}), "pod-template-generation": "1"}
    answer = ask(tmp_path, [node(labels={"disk": "ssd"}), holder, *running(holder, "n1"), there, pod], command)
    assert (answer.outcomes["ops/agent"], answer.exit) == ({"n1": outcome}, 0)
    assert answer.find("PF106").startswith("note: ops/agent has a pod on n1 that will not come back") is (outcome == "already-fragile")
    assert "the new pod stays Pending" in answer.find("PF106") or outcome == "kept"
