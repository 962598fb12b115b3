"""Custom resources of known operators in a live cluster: what is asked for, and what is said where it cannot be had."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import Object, make_node, make_object
from tests.cli.program import program
from tests.load.live.api_server import ApiServer, Asked, serving, status
from tests.load.live.listed_objects import daemonset, pod

CUSTOM = {
    "clusterpolicies": ("nvidia.com/v1", "ClusterPolicy"),
    "nvidiadrivers": ("nvidia.com/v1alpha1", "NVIDIADriver"),
    "settings": ("longhorn.io/v1beta2", "Setting"),
    "volumes": ("longhorn.io/v1beta2", "Volume"),
    "cephclusters": ("ceph.rook.io/v1", "CephCluster"),
}
GPU: Object = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
PLUGIN = "nvidia-device-plugin-daemonset"


def _make_cluster(tolerations: list[Object], spec: Object, *taints: Object) -> list[Object]:
    nodes = [make_node("gpu-1", *taints, labels={"nvidia.com/gpu.present": "true"})]
    plugin = daemonset("gpu-operator", PLUGIN, tolerations=tolerations)
    other = daemonset("storage", "csi", tolerations=[{"operator": "Exists"}])
    policy = make_object("ClusterPolicy", "cluster-policy", metadata={"uid": "uid-policy"}, spec=spec)
    return [*nodes, plugin, other, pod(plugin, "gpu-1"), pod(other, "gpu-1"), policy]


def _serve(objects: list[Object], custom: tuple[str, ...] = tuple(CUSTOM)) -> ApiServer:
    server = ApiServer(objects)
    server.kinds |= {name: CUSTOM[name] for name in custom}
    return server


def _forbid(*resources: str) -> Any:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        return status(403, "forbidden") if asked.resource in resources else None

    return fault


def _list_custom_questions(server: ApiServer) -> list[str]:
    return [question for question in server.questions() if question.split()[0] in (*CUSTOM, "configmaps")]


def test_lint_of_a_cluster_compares_daemonsets_with_the_custom_resource(tmp_path: Path) -> None:
    server = _serve(_make_cluster([GPU, {"key": "dedicated", "operator": "Exists"}], {}))
    with serving(server, tmp_path) as config:
        result = program("lint", "--kubeconfig", str(config), "-o", "concise", "--no-policy")

    assert f"PF222] operator-drift: gpu-operator/{PLUGIN} differs from its declaration in ClusterPolicy cluster-policy" in result.out
    assert _list_custom_questions(server) == [
        "clusterpolicies",
        "configmaps fieldSelector=metadata.name=rook-ceph-operator-config",
        "nvidiadrivers",
        "settings",
    ]


@pytest.mark.parametrize("aggregated", [True, False])
def test_nothing_is_asked_for_operators_that_are_not_installed(tmp_path: Path, aggregated: bool) -> None:
    server = _serve(_make_cluster([GPU], {}), ())
    server.is_discovery_aggregated = aggregated
    with serving(server, tmp_path) as config:
        result = program("lint", "--kubeconfig", str(config), "--no-policy")

    assert _list_custom_questions(server) == []
    assert "PF222" not in result.out


def test_without_the_right_this_is_said_and_nothing_else_suffers(tmp_path: Path) -> None:
    server = _serve(_make_cluster([GPU], {}), ("clusterpolicies", "nvidiadrivers"))
    server.fault = _forbid("clusterpolicies", "nvidiadrivers")
    with serving(server, tmp_path) as config:
        result = program("lint", "--kubeconfig", str(config), "--no-policy")

    assert result.code == 0, result.out
    assert result.out.splitlines()[-1].endswith(
        "custom resources of operators such as clusterpolicies.nvidia.com and nvidiadrivers.nvidia.com "
        "(no permission to list clusterpolicies.nvidia.com: `preflight rbac --operators` prints the role)."
    ), result.out.splitlines()[-1]


def test_a_snapshot_has_the_resources_and_the_drift(tmp_path: Path) -> None:
    server = _serve(_make_cluster([GPU, {"key": "dedicated", "operator": "Exists"}], {"daemonsets": {"labels": {"secret": "x"}}}))
    saved = tmp_path / "saved.json"
    with serving(server, tmp_path) as config:
        result = program("snapshot", "--kubeconfig", str(config), "-o", str(saved))

    assert result.code == 0, result.err
    items = json.loads(saved.read_text())["items"]
    policies = [item for item in items if item["kind"] == "ClusterPolicy"]
    assert [(item["apiVersion"], item["metadata"], item.get("spec")) for item in policies] == [
        ("nvidia.com/v1", {"name": "cluster-policy"}, None)
    ]
    assert "PF222" in program("lint", str(saved), "--no-policy", "-o", "concise").out


def test_a_snapshot_without_the_right_says_so_and_is_whole(tmp_path: Path) -> None:
    server = _serve(_make_cluster([GPU], {}))
    server.fault = _forbid("clusterpolicies", "nvidiadrivers", "settings")
    with serving(server, tmp_path) as config:
        result = program("snapshot", "--kubeconfig", str(config), "-o", str(tmp_path / "saved.json"))

    assert result.code == 0, result.err
    assert "without clusterpolicies.nvidia.com: no permission to list clusterpolicies.nvidia.com" in result.err


def test_a_taint_asks_for_no_custom_resource(tmp_path: Path) -> None:
    server = _serve(_make_cluster([GPU], {}))
    with serving(server, tmp_path) as config:
        program("taint", "nodes", "gpu-1", "dedicated=x:NoSchedule", "--kubeconfig", str(config))

    assert not [question for question in _list_custom_questions(server) if not question.startswith("configmaps")]


def test_a_patch_of_a_custom_resource_asks_for_those_of_its_operator(tmp_path: Path) -> None:
    server = _serve(_make_cluster([GPU], {}, {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}))
    patch = '{"spec": {"daemonsets": {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}}}'
    line = ("patch", "clusterpolicy", "cluster-policy", "--type", "merge", "-p", patch)
    with serving(server, tmp_path) as config:
        result = program(*line, "--kubeconfig", str(config), "-o", "concise", "--no-policy")

    assert _list_custom_questions(server) == ["clusterpolicies", "nvidiadrivers"]
    assert result.code == 1, result.out + result.err
    assert f"gpu-operator/{PLUGIN}" in result.out


def test_a_patch_without_the_right_says_what_is_missing(tmp_path: Path) -> None:
    server = _serve(_make_cluster([GPU], {}))
    server.fault = _forbid("clusterpolicies")
    with serving(server, tmp_path) as config:
        result = program("patch", "clusterpolicy", "x", "--type", "merge", "-p", "{}", "--kubeconfig", str(config))

    assert result.code == 3
    assert "clusterpolicies.nvidia.com are not known: no permission to list" in result.err


def test_an_applied_resource_is_merged_with_the_one_of_the_cluster(tmp_path: Path) -> None:
    """What another hand has set stays; what the last applied manifest had, and this one has not, goes."""
    objects = _make_cluster(
        [GPU, {"key": "dedicated", "operator": "Exists"}], {"daemonsets": {"tolerations": [GPU], "priorityClassName": "mine"}}
    )
    last = {"spec": {"daemonsets": {"tolerations": [GPU]}}}
    objects[-1]["metadata"]["annotations"] = {"kubectl.kubernetes.io/last-applied-configuration": json.dumps(last)}
    objects[-1]["spec"]["gfd"] = {"enabled": False}
    manifest = tmp_path / "policy.yaml"
    manifest.write_text("apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\nspec: {daemonsets: {}}\n")
    server = _serve(objects)
    with serving(server, tmp_path) as config:
        result = program("apply", "-f", str(manifest), "--kubeconfig", str(config), "-o", "json", "--no-policy")

    rows = {row["daemonset"]: row["outcome"] for row in json.loads(result.out)["coverage"]}
    assert rows[f"gpu-operator/{PLUGIN}"] == "kept"
    assert "gpu-operator/gpu-feature-discovery" not in rows  # what is switched off in the cluster stays so


def test_rbac_names_the_groups_as_an_option() -> None:
    plain, whole = program("rbac").out, program("rbac", "--operators").out

    assert "nvidia.com" not in plain
    assert whole.startswith(plain.split("  - nonResourceURLs")[0])
    assert '  - apiGroups: ["nvidia.com"]\n    resources: [clusterpolicies, gpuclusters, nvidiadrivers]\n    verbs: [list]\n' in whole
    assert "longhornsettings" not in whole
