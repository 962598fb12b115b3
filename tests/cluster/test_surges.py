"""A surge that waits for a host port, and adopted orphans, on a real control plane: what happens is what is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import program
from tests.cluster.bed import Bed
from tests.cluster.objects import daemonset, node

pytestmark = pytest.mark.cluster

NAMES = [f"n{number}" for number in range(1, 6)]
PORTS = [{"name": "c", "image": "c:1", "ports": [{"containerPort": 80, "hostPort": 80}]}]
SURGE = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
TAINT = "x=y:NoSchedule"


def say(bed: Bed, folder: Path, *line: str) -> dict[str, str]:
    """What is said of each node, by a dump of the cluster as it is."""
    dump = folder / "dump.json"
    dump.write_text(bed.kubectl("get", "nodes,ds,pods", "-A", "-o", "json").out)
    rows = json.loads(program(*line, "--from", str(dump), "-o", "json", "--no-policy").out)["coverage"]
    return {name: row["outcome"] for row in rows for name in row["nodes"] if row["daemonset"] == "default/d"}


def running(bed: Bed) -> dict[str, str]:
    """The uid of the running pod of each node."""
    return {pod["spec"]["nodeName"]: pod["metadata"]["uid"] for pod in bed.list("pods") if pod["status"]["phase"] == "Running"}


def find_surging(bed: Bed) -> str:
    """The node that the one waiting pod is for."""
    (waiting,) = [pod for pod in bed.list("pods") if not pod["spec"].get("nodeName")]
    required = waiting["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    name: str = required["nodeSelectorTerms"][0]["matchFields"][0]["values"][0]
    return name


@pytest.fixture
def stalled(bed: Bed) -> Bed:
    """A surge on five nodes whose new pod waits for the port of the old one."""
    bed.create([*map(node, NAMES), daemonset("d", strategy=SURGE, containers=PORTS)])
    bed.settle(quiet=2)
    bed.kubectl("set", "image", "ds/d", "c=c:2")
    bed.settle(quiet=3)
    return bed


def test_a_taint_on_nodes_of_a_stalled_surge(stalled: Bed, tmp_path: Path) -> None:
    surging, before = find_surging(stalled), running(stalled)
    others = [name for name in NAMES if name != surging][:2]
    said = say(stalled, tmp_path, "taint", "nodes", *others, TAINT)
    assert {said[name] for name in others} == {"lost-on-recreation"}
    stalled.kubectl("taint", "nodes", *others, TAINT)
    stalled.settle(quiet=6)
    assert running(stalled) == before
    stalled.kubectl("annotate", "ds", "d", "looked=at")
    stalled.settle(quiet=3)
    left = {name: uid for name, uid in before.items() if name not in others}
    assert running(stalled) == left
    assert say(stalled, tmp_path, "taint", "nodes", surging, TAINT)[surging] == "lost-on-recreation"
    stalled.kubectl("taint", "nodes", surging, TAINT)
    stalled.kubectl("annotate", "ds", "d", "looked=again", "--overwrite")
    stalled.settle(quiet=3)
    assert running(stalled) == left
    fourth = next(name for name in left if name != surging)
    said = say(stalled, tmp_path, "taint", "nodes", fourth, TAINT)
    assert said[fourth] == "lost-now"
    stalled.kubectl("taint", "nodes", fourth, TAINT)
    stalled.settle(quiet=3)
    assert running(stalled) == {name: uid for name, uid in left.items() if name != fourth}


@pytest.mark.parametrize(("image", "updated", "outcome"), [("c:2", True, "lost-on-recreation"), ("c:3", False, "lost-now")])
def test_adopted_orphans(bed: Bed, tmp_path: Path, image: str, updated: bool, outcome: str) -> None:
    bed.create([*map(node, NAMES), daemonset("d", containers=[{"name": "c", "image": "c:1"}])])
    bed.settle(quiet=2)
    bed.kubectl("set", "image", "ds/d", "c=c:2")
    bed.settle(quiet=3)
    bed.kubectl("delete", "ds", "d", "--cascade=orphan")
    bed.kubectl("taint", "nodes", "n1", TAINT)
    before = running(bed)
    new = tmp_path / "new.json"
    new.write_text(json.dumps(daemonset("d", containers=[{"name": "c", "image": image}])))
    assert say(bed, tmp_path, "apply", "-f", str(new)) == {"n1": outcome, **dict.fromkeys(NAMES[1:], "kept")}
    bed.kubectl("apply", "-f", str(new))
    bed.settle(quiet=3)
    after = running(bed)
    assert ("n1" in after) is updated
    assert {name: after[name] == before[name] for name in NAMES[1:]} == dict.fromkeys(NAMES[1:], updated)
