"""Whether a node is left for the next pods of pods that stay is asked of a live cluster, a few nodes at first."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import Object, make_node, make_owner, make_pod
from tests.cli.program import program
from tests.load.live.api_server import ApiServer, serving

FULL, SPOT, FREE = make_node("n1"), make_node("n2", "spot=y:NoSchedule"), make_node("n3")
POD = make_pod("web-5d4f-a", "shop", node="n1", owner=make_owner("ReplicaSet", "web-5d4f"))
OTHERS = [make_node(f"spare-{number:03}", "spare=y:NoSchedule") for number in range(40)]


def ask(objects: list[Object], line: str, folder: Path) -> tuple[list[str], list[str]]:
    """The subjects of PF313, and how many nodes the cluster was asked for at a time, beside named ones."""
    server = ApiServer(objects)
    with serving(server, folder) as config:
        result = program(*line.split(), "-o", "json", "--kubeconfig", str(config))
    findings = json.loads(result.out)["findings"]
    subjects = [finding["subject"]["name"] for finding in findings if finding["rule"] == "PF313"]
    return subjects, [asked.query["limit"] for asked in server.asked if asked.resource == "nodes" and "fieldSelector" not in asked.query]


@pytest.mark.parametrize("line", ["cordon n1", "taint nodes n1 a=b:NoSchedule"])
def test_another_node_takes_the_next_pod(line: str, tmp_path: Path) -> None:
    subjects, limits = ask([FULL, SPOT, FREE, *OTHERS, POD], line, tmp_path)
    assert subjects == []
    assert limits == ["32"]


@pytest.mark.parametrize("line", ["cordon n1", "taint nodes n1 a=b:NoSchedule", "label nodes n1 pool-"])
def test_all_nodes_are_asked_for_before_none_is_left(line: str, tmp_path: Path) -> None:
    labelled = make_node("n1", labels={"pool": "gpu"})
    pod = make_pod("web-5d4f-a", "shop", node="n1", owner=make_owner("ReplicaSet", "web-5d4f"), nodeSelector={"pool": "gpu"})
    subjects, limits = ask([labelled, SPOT, FREE, *OTHERS, pod], line, tmp_path)
    assert subjects == ["web-5d4f"]
    assert limits == ["32", "256", "500"]


def test_nobody_asks_where_no_pod_loses_its_node(tmp_path: Path) -> None:
    tolerating = make_pod("a", "shop", node="n1", owner=make_owner("ReplicaSet", "web-5d4f"), tolerations=[{"operator": "Exists"}])
    subjects, limits = ask([FULL, SPOT, tolerating], "taint nodes n1 a=b:NoSchedule", tmp_path)
    assert subjects == []
    assert limits == []
