"""The incident in custom resources alone: a repository without a DaemonSet is judged, mended in the resources, and clean afterwards."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from tests.cli.program import program
from tests.paths import ROOT

CLUSTER = ROOT / "examples" / "operators" / "cluster"
TAINT = ("taint", "nodes", "gpu-1", "dedicated=train:NoSchedule")
LOST = {
    "calico-system/calico-node",
    "gpu-operator/gpu-feature-discovery",
    "gpu-operator/nvidia-device-plugin-daemonset",
    "gpu-operator/nvidia-operator-validator",
    "nvidia-network-operator/rdma-shared-dp-ds",
}


def _judge(folder: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(program(*TAINT, "--from", str(folder), "--no-policy", "-o", "json").out)
    return report


def _list_comments(folder: Path) -> list[str]:
    return [line for file in sorted(folder.glob("*.yaml")) for line in file.read_text().splitlines() if "#" in line]


def test_the_incident_is_told_and_mended_in_the_custom_resources(tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    shutil.copytree(CLUSTER, folder)
    assert not [file for file in folder.glob("*.yaml") if "kind: DaemonSet" in file.read_text()]

    before = _judge(folder)
    assert before["exit"] == 1
    assert {row["daemonset"] for row in before["coverage"] if row["outcome"] == "lost-on-recreation"} == LOST
    consequences = {(finding["rule"], finding["subject"]["name"]) for finding in before["findings"]}
    assert {("PF110", "nvidia-device-plugin-daemonset"), ("PF110", "rdma-shared-dp-ds"), ("PF112", "calico-node")} <= consequences
    assert all("Job research/train" in finding["message"] for finding in before["findings"] if finding["rule"] in ("PF110", "PF112"))

    comments = _list_comments(folder)
    untouched = {file.name: file.read_text() for file in folder.glob("*.yaml") if file.name in ("nodes.yaml", "training.yaml")}
    fixed = program("fix", str(folder), "--for", " ".join(TAINT), "--write")
    assert fixed.code == 0, fixed.err
    assert _list_comments(folder) == comments
    assert {name: (folder / name).read_text() for name in untouched} == untouched

    after = _judge(folder)
    assert (after["exit"], {row["outcome"] for row in after["coverage"]}) == (0, {"kept", "excluded"})
    again = program("fix", str(folder), "--for", " ".join(TAINT))
    assert "nothing to fix" in again.out + again.err


def test_the_policy_keeps_the_taint_of_the_gpu(tmp_path: Path) -> None:
    """The list that the fix writes replaces the default, so it has the default, too."""
    folder = tmp_path / "cluster"
    shutil.copytree(CLUSTER, folder)
    program("fix", str(folder), "--for", " ".join(TAINT), "--write")

    policy = yaml.safe_load((folder / "gpu.yaml").read_text())

    assert [toleration["key"] for toleration in policy["spec"]["daemonsets"]["tolerations"]] == ["nvidia.com/gpu", "dedicated"]


def test_two_revisions_are_compared(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    shutil.copytree(CLUSTER, old)
    shutil.copytree(CLUSTER, new)
    policy = (new / "gpu.yaml").read_text()
    (new / "gpu.yaml").write_text(
        policy.replace("  driver: {enabled: false}", "  daemonsets: {tolerations: []}\n  driver: {enabled: false}")
    )
    assert program("diff", str(old), str(new), "--no-policy", "-o", "concise").code == 0  # an empty list is the default

    replaced = "  daemonsets: {tolerations: [{key: other, operator: Exists}]}\n  driver: {enabled: false}"
    (new / "gpu.yaml").write_text(policy.replace("  driver: {enabled: false}", replaced))
    result = program("diff", str(old), str(new), "--no-policy", "-o", "concise")

    assert result.code == 1, result.out
    assert "gpu-operator/nvidia-device-plugin-daemonset" in result.out
    assert "nvidia.com/gpu=present:NoSchedule" in result.out


def test_a_list_of_resources_and_several_instances(tmp_path: Path) -> None:
    drivers = [
        {"apiVersion": "csi.ceph.io/v1", "kind": "Driver", "metadata": {"name": "rbd", "namespace": space}, "spec": {"nodePlugin": plugin}}
        for space, plugin in (("one", {}), ("two", {"tolerations": [{"operator": "Exists"}]}))
    ]
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1"}}
    (tmp_path / "all.yaml").write_text(yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [*drivers, node]}))

    rows = {row["daemonset"]: row["outcome"] for row in _judge(tmp_path)["coverage"]}

    assert rows == {"one/rbd-nodeplugin": "lost-on-recreation", "two/rbd-nodeplugin": "kept"}
    deleted = program("delete", "driver", "rbd", "-n", "one", "--from", str(tmp_path), "--no-policy", "-o", "concise")
    assert "one/rbd-nodeplugin" in deleted.out
    assert "two/rbd-nodeplugin" not in deleted.out
