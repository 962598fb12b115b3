"""Commands about a DaemonSet that an operator makes say that the operator reverts them, and which field to set."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import program

NODE = 'apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {nvidia.com/gpu.present: "true"}}\n'
POLICY = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec: {driver: {enabled: false}}\n"
OWNER = "ownerReferences: [{apiVersion: nvidia.com/v1, kind: ClusterPolicy, name: cluster-policy, controller: true, uid: u}]"
MADE = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: nvidia-device-plugin-daemonset
  namespace: gpu-operator
  {owner}
spec:
  selector: {{matchLabels: {{app: x}}}}
  template:
    metadata: {{labels: {{app: x}}}}
    spec:
      tolerations: [{{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}}]
      containers: [{{name: main, image: "main:1"}}]
"""
PLUGIN = ("ds", "nvidia-device-plugin-daemonset", "-n", "gpu-operator")
TOLERATE = '{"spec":{"template":{"spec":{"tolerations":[{"operator":"Exists"}]}}}}'
SELECT = '{"spec":{"template":{"spec":{"nodeSelector":{"a":"b"}}}}}'
WORLDS = {
    "only declared": POLICY,
    "with an owner": MADE.format(owner=OWNER),
    "declared and made": f"{POLICY}---\n{MADE.format(owner='labels: {}')}",
}


def _run(folder: Path, world: str, *words: str) -> str:
    (folder / "world.yaml").write_text(f"{NODE}---\n{WORLDS[world]}")
    result = program(*words, "--from", str(folder), "--no-policy")
    return result.out + result.err


@pytest.mark.parametrize("world", WORLDS)
def test_a_patch_of_tolerations_names_the_field(tmp_path: Path, world: str) -> None:
    said = _run(tmp_path, world, "patch", *PLUGIN, "-p", TOLERATE)

    assert "the operator of ClusterPolicy cluster-policy reverts this patch: set spec.daemonsets.tolerations of ClusterPolicy" in said


@pytest.mark.parametrize("world", WORLDS)
def test_a_patch_of_what_no_field_sets_names_the_resource(tmp_path: Path, world: str) -> None:
    said = _run(tmp_path, world, "patch", *PLUGIN, "-p", SELECT)

    assert "the operator of ClusterPolicy cluster-policy reverts this patch: change ClusterPolicy cluster-policy instead" in said


@pytest.mark.parametrize("world", [world for world in WORLDS if world != "only declared"])
def test_another_image_is_reverted(tmp_path: Path, world: str) -> None:
    said = _run(tmp_path, world, "set", "image", "ds/nvidia-device-plugin-daemonset", "main=main:2", "-n", "gpu-operator")

    assert "the operator of ClusterPolicy cluster-policy reverts this: change the image in ClusterPolicy cluster-policy instead" in said


def test_the_containers_of_a_declared_daemonset_are_not_known(tmp_path: Path) -> None:
    said = _run(tmp_path, "only declared", "set", "image", "ds/nvidia-device-plugin-daemonset", "main=main:2", "-n", "gpu-operator")

    assert "the containers of gpu-operator/nvidia-device-plugin-daemonset are not known" in said


@pytest.mark.parametrize("world", WORLDS)
def test_a_deleted_daemonset_comes_back(tmp_path: Path, world: str) -> None:
    said = _run(tmp_path, world, "delete", *PLUGIN)

    assert "the operator of ClusterPolicy cluster-policy creates it again" in said


def test_a_daemonset_without_an_operator_is_not_reverted(tmp_path: Path) -> None:
    (tmp_path / "made.yaml").write_text(f"{NODE}---\n{MADE.format(owner='labels: {}')}")

    said = program("patch", *PLUGIN, "-p", TOLERATE, "--from", str(tmp_path), "--no-policy").out

    assert "reverts" not in said


@pytest.mark.parametrize("world", ["with an owner"])
def test_fix_names_the_field(tmp_path: Path, world: str) -> None:
    (tmp_path / "world.yaml").write_text(f"{NODE}---\n{WORLDS[world]}")

    result = program("fix", str(tmp_path), "--for", "taint nodes n1 dedicated=train:NoSchedule")

    assert "set spec.daemonsets.tolerations of the ClusterPolicy cluster-policy" in result.out + result.err
