"""JSON patches: they append, they test first, and the real kubectl takes them."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from preflight.fix.edit_model import AddToleration, DropField, Operation, ReplaceToleration, SetFields
from preflight.fix.kubectl_patch import TOLERATIONS_PATH, make_json_patch
from tests.builders import write_list
from tests.cli.program import program
from tests.fix.example_folder import AGENT, CONTAINERS, TAINT, fix, world
from tests.fix.manifests import RDMA

needs_kubectl = pytest.mark.skipif(shutil.which("kubectl") is None, reason="there is no kubectl here")

OLD = [{"key": "a", "effect": "NoExecute", "tolerationSeconds": 9}]
TEST = {"op": "test", "path": TOLERATIONS_PATH, "value": OLD}


@pytest.mark.parametrize(
    ("current", "operation", "patch"),
    [
        pytest.param(OLD, AddToleration(RDMA), [TEST, {"op": "add", "path": f"{TOLERATIONS_PATH}/-", "value": RDMA}], id="appended"),
        pytest.param(
            None,
            AddToleration(RDMA),
            [{"op": "test", "path": TOLERATIONS_PATH, "value": None}, {"op": "add", "path": TOLERATIONS_PATH, "value": [RDMA]}],
            id="a new list, where there is none",
        ),
        pytest.param(
            OLD,
            SetFields(0, {"operator": "Equal", "value": "b"}),
            [
                TEST,
                {"op": "add", "path": f"{TOLERATIONS_PATH}/0/operator", "value": "Equal"},
                {"op": "add", "path": f"{TOLERATIONS_PATH}/0/value", "value": "b"},
            ],
            id="fields",
        ),
        pytest.param(
            OLD,
            DropField(0, "tolerationSeconds"),
            [TEST, {"op": "remove", "path": f"{TOLERATIONS_PATH}/0/tolerationSeconds"}],
            id="a field goes",
        ),
        pytest.param(
            OLD,
            ReplaceToleration(0, (RDMA, {"key": "b"})),
            [
                TEST,
                {"op": "replace", "path": f"{TOLERATIONS_PATH}/0", "value": RDMA},
                {"op": "add", "path": f"{TOLERATIONS_PATH}/-", "value": {"key": "b"}},
            ],
            id="two in the place of one",
        ),
    ],
)
def test_operations(current: list[dict[str, Any]] | None, operation: Operation, patch: list[dict[str, Any]]) -> None:
    assert make_json_patch(current, [operation]) == patch


def patched(line: str, file: str) -> subprocess.CompletedProcess[str]:
    """What the real kubectl makes of a file by the patch of a line, without a cluster."""
    words = shlex.split(line)
    assert words[:3] == ["kubectl", "patch", "daemonset"]
    argv = ["kubectl", "patch", "--local", "-o", "yaml", "-f", file, "--type=json", "-p", words[words.index("-p") + 1]]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


@needs_kubectl
@pytest.mark.parametrize(
    ("tolerations", "after"),
    [
        pytest.param("", [RDMA], id="no list"),
        pytest.param("      tolerations: []\n", [RDMA], id="an empty list, which the server does not store"),
        pytest.param("      tolerations:\n", [RDMA], id="null"),
        pytest.param(
            '      tolerations: [{key: "it\'s", operator: Exists, value: }]\n', [{"key": "it's", "operator": "Exists"}, RDMA], id="a quote"
        ),
        pytest.param(
            "      tolerations: [{key: dedicated}]\n", [{"key": "dedicated", "operator": "Equal", "value": "rdma"}], id="a near miss"
        ),
    ],
)
def test_kubectl_takes_the_line(tolerations: str, after: list[dict[str, Any]]) -> None:
    world(tolerations)
    result = fix("--for", TAINT, "--patch")
    assert result.code == 0
    data = yaml.safe_load(Path("m/agent.yaml").read_text(encoding="utf-8"))
    spec = data["spec"]["template"]["spec"]
    stored = [
        {name: value for name, value in toleration.items() if value is not None} for toleration in spec.pop("tolerations", None) or []
    ]
    Path("live.json").write_text(
        json.dumps(
            {
                **data,
                "spec": {
                    **data["spec"],
                    "template": {**data["spec"]["template"], "spec": {**spec, **({"tolerations": stored} if stored else {})}},
                },
            }
        ),
        encoding="utf-8",
    )
    done = patched(result.out, "live.json")
    assert done.returncode == 0, done.stderr
    assert yaml.safe_load(done.stdout)["spec"]["template"]["spec"]["tolerations"] == after


@needs_kubectl
def test_the_test_stops_a_patch_of_what_has_changed() -> None:
    world("      tolerations: [{key: a, operator: Exists}]\n")
    line = fix("--for", TAINT, "--patch").out
    for changed in ("      tolerations: [{key: b, operator: Exists}]\n", ""):
        Path("changed.yaml").write_text(AGENT + changed + CONTAINERS, encoding="utf-8")
        assert patched(line, "changed.yaml").returncode != 0
    world("")
    line = fix("--for", TAINT, "--patch").out
    Path("changed.yaml").write_text(AGENT + "      tolerations: [{key: b, operator: Exists}]\n" + CONTAINERS, encoding="utf-8")
    assert patched(line, "changed.yaml").returncode != 0


@needs_kubectl
@pytest.mark.parametrize("tolerations", ["", "      tolerations: []\n", "      tolerations: [{key: a, operator: Exists}]\n"])
def test_kustomize_takes_the_part_of_a_kustomization(tolerations: str) -> None:
    world(tolerations)
    result = fix("--for", TAINT, "--patch", "kustomize")
    assert result.code == 0
    Path("m/kustomization.yaml").write_text("resources: [agent.yaml]\n" + result.out, encoding="utf-8")
    built = subprocess.run(["kubectl", "kustomize", "m"], capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    old = [{"key": "a", "operator": "Exists"}] if "key" in tolerations else []
    assert yaml.safe_load(built.stdout)["spec"]["template"]["spec"]["tolerations"] == [*old, RDMA]


def test_a_name_that_no_server_takes_is_not_put_into_a_shell() -> None:
    world()
    text = (AGENT + CONTAINERS).replace("name: agent\n", 'name: "$(id); x"\n')
    Path("m/agent.yaml").write_text(text, encoding="utf-8")
    result = fix("--for", TAINT, "--patch")
    assert (result.code, result.out) == (1, "")
    assert "the API server does not accept its name or namespace" in result.err


def test_live_objects_are_patched_one_by_one_and_what_an_operator_controls_is_not() -> None:
    world()
    items = []
    for name, owner in (
        ("plain", None),
        ("owned", {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "name": "gpu", "controller": True}),
    ):
        data = yaml.safe_load((AGENT + CONTAINERS).replace("name: agent\n", f"name: {name}\n"))
        data["metadata"] |= {"uid": name} | ({"ownerReferences": [owner]} if owner else {})
        items.append(data)
    listed = write_list(items).encode()
    result = program("fix", "-", "--from", "nodes.yaml", "--for", TAINT, "--patch", stdin=listed)
    assert [line.split()[3] for line in result.out.splitlines()] == ["plain"]
    assert result.code == 1
    assert (
        "    ClusterPolicy gpu controls it and would revert a patch: set spec.daemonsets.tolerations of the ClusterPolicy gpu"
        in result.err.splitlines()
    )
