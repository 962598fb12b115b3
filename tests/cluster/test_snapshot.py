"""A cluster saved, changed by kubectl and verified: what `taint` says will be lost is what `verify` then misses."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import program
from tests.cluster.bed import Bed
from tests.load.live.listed_objects import daemonset, node

pytestmark = pytest.mark.cluster

_SECRET = "not-for-anybody"
_NODES = ("gpu-1", "gpu-2", "cpu-1")


@pytest.fixture(scope="module")
def bed() -> Iterator[Bed]:
    with Bed(rbac=True, audit=True, users={"sre": []}) as started:
        plugin = daemonset("devices", "plugin", image="registry.example/c:1", nodeSelector={"pool": "gpu"})
        agent = daemonset("logging", "agent", image="registry.example/c:1", tolerations=[{"operator": "Exists"}])
        main = plugin["spec"]["template"]["spec"]["containers"][0]
        main |= {"args": [f"--token={_SECRET}"], "env": [{"name": "PASSWORD", "value": _SECRET}]}
        started.create([*(_ready(name) for name in _NODES), agent])
        started.kubectl("create", "namespace", "devices", check=False)
        started.kubectl("apply", "-f", "-", stdin=json.dumps(plugin))
        started.kubectl("create", "secret", "generic", "s", "-n", "devices", f"--from-literal=k={_SECRET}")
        started.kubectl("apply", "-f", "-", stdin=program("rbac").out)
        started.kubectl("create", "clusterrolebinding", "preflight", "--clusterrole=preflight", "--user=sre")
        started.wait(lambda: _ready_pods(started) == 5, 60, "five pods that are Ready")
        yield started


def _ready(name: str) -> dict[str, Any]:
    made = node(name, pool=name.partition("-")[0])
    made["status"]["allocatable"] = made["status"]["capacity"] = {"cpu": "4", "memory": "8Gi", "pods": "50"}
    return made


def _ready_pods(bed: Bed) -> int:
    conditions = [each for pod in bed.list("pods") for each in pod["status"].get("conditions", [])]
    return sum(condition["type"] == "Ready" and condition["status"] == "True" for condition in conditions)


def _verify(bed: Bed, saved: Path) -> Any:
    return json.loads(program("verify", str(saved), "--kubeconfig", str(bed.kubeconfig_of("sre")), "-o", "json").out)


def _pairs(report: Any, outcome: str) -> set[tuple[str, str]]:
    return {(row["daemonset"], name) for row in report["coverage"] if row["outcome"] == outcome for name in row["nodes"]}


def test_a_maintenance(bed: Bed, tmp_path: Path) -> None:
    saved = tmp_path / "before.json.gz"
    result = program("snapshot", "-o", str(saved), "--kubeconfig", str(bed.kubeconfig_of("sre")))
    assert result.code == 0, result.err
    kept = gzip.decompress(saved.read_bytes()).decode()
    assert _SECRET not in kept
    assert bed.token_of("sre") not in kept
    same = _verify(bed, saved)
    assert (same["exit"], [finding["rule"] for finding in same["findings"]]) == (0, [])
    assert _pairs(same, "kept") == {("devices/plugin", "gpu-1"), ("devices/plugin", "gpu-2"), *(("logging/agent", each) for each in _NODES)}

    line = ["taint", "nodes", "gpu-1", "team=x:NoSchedule"]
    foreseen = json.loads(program(*line, "--from", str(saved), "-o", "json").out)
    assert _pairs(foreseen, "lost-on-recreation") == {("devices/plugin", "gpu-1")}
    bed.kubectl(*line)
    bed.kubectl("rollout", "restart", "-n", "devices", "ds/plugin")
    bed.kubectl("cordon", "cpu-1")
    bed.wait(lambda: _settled(bed, saved), 60, "the update")

    after = _verify(bed, saved)
    assert _pairs(after, "lost-now") == _pairs(foreseen, "lost-on-recreation")
    assert [(each["rule"], each["severity"], each["nodes"]) for each in after["findings"]] == [
        ("PF401", "error", ["gpu-1"]),
        ("PF404", "warning", ["cpu-1"]),
        ("PF404", "note", ["gpu-1"]),
    ]
    assert after["change"]["steps"][0]["notes"] == ["re-created since then: 1 of 4 DaemonSet pods that still exist"]
    assert after["exit"] == 1
    asked = {each["verb"] for each in bed.audit() if each["user"]["username"] == "sre"}
    assert asked <= {"get", "list"}


def _settled(bed: Bed, saved: Path) -> bool:
    pods = bed.list("pods", "devices")
    old = gzip.decompress(saved.read_bytes()).decode()
    return len(pods) == 1 and pods[0]["metadata"]["uid"] not in old and _ready_pods(bed) == 4
