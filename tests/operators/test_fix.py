"""Fixes of declared DaemonSets: edits of fields that are text, and patches of custom resources."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from preflight.operators.toleration_formats import parse_longhorn_tolerations, parse_yaml_text
from tests.cli.program import program

NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
TAINT = "taint nodes n1 dedicated=train:NoSchedule"
ADDED = {"key": "dedicated", "operator": "Equal", "value": "train", "effect": "NoSchedule"}
ROOK = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rook-ceph-operator-config, namespace: rook-ceph}\n"
LONGHORN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: longhorn-default-setting, namespace: longhorn-system}\n"
SETTING = "apiVersion: longhorn.io/v1beta2\nkind: Setting\nmetadata: {name: taint-toleration, namespace: longhorn-system}\n"
OFF = 'ROOK_USE_CSI_OPERATOR: "false"'


def _fix(folder: Path, text: str, *words: str) -> tuple[str, str]:
    """The file after `fix`, and what is printed; a second run has nothing to do."""
    (folder / "node.yaml").write_text(NODE)
    file = folder / "settings.yaml"
    file.write_text(text)
    first = program("fix", str(folder), "--for", TAINT, *(words or ("--write",)))
    after = file.read_text()
    if not words:
        again = program("fix", str(folder), "--for", TAINT)
        assert "nothing to fix" in again.out + again.err, again.out + again.err + after
    return after, first.out + first.err


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f'{SETTING}value: "a=b:NoSchedule" # ours\n', 'value: "a=b:NoSchedule;dedicated=train:NoSchedule" # ours'),
        (f"{SETTING}value: 'a=b:NoSchedule; c:NoExecute'\n", "value: 'a=b:NoSchedule; c:NoExecute; dedicated=train:NoSchedule'"),
        (f"{SETTING}value: a=b:NoSchedule;\n", 'value: "a=b:NoSchedule;dedicated=train:NoSchedule"'),
        (f'{SETTING}value: ""\n', 'value: "dedicated=train:NoSchedule"'),
        (
            f"{LONGHORN}data:\n  default-setting.yaml: |-\n    # ours\n    taint-toleration: a:NoSchedule\n    priority-class: x\n",
            '    taint-toleration: "a:NoSchedule;dedicated=train:NoSchedule"\n    priority-class: x',
        ),
        (
            f"{LONGHORN}data:\n  default-setting.yaml: |\n    priority-class: x\n",
            '    priority-class: x\n    taint-toleration: "dedicated=train:NoSchedule"',
        ),
    ],
    ids=["quoted", "semicolons with blanks", "plain", "empty", "a line of a ConfigMap", "a ConfigMap without the line"],
)
def test_longhorns_text_is_added_to(tmp_path: Path, text: str, line: str) -> None:
    after, said = _fix(tmp_path, text)

    assert line in after
    assert "Longhorn follows a change of this setting only while all volumes are detached" in said
    assert len(after.splitlines()) - len(text.splitlines()) in (0, 1)


@pytest.mark.parametrize(
    "data",
    [
        "  CSI_PLUGIN_TOLERATIONS: |\n    # ours\n    - key: a\n      operator: Exists\n  LAST: x\n",
        "  CSI_PLUGIN_TOLERATIONS: |-\n      - {key: a, operator: Exists}\n",
        "  CSI_PLUGIN_TOLERATIONS: |\n    [{key: a, operator: Exists}]\n",
        '  CSI_PLUGIN_TOLERATIONS: \'[{"key": "a", "operator": "Exists"}]\' # ours\n',
        '  CSI_PLUGIN_TOLERATIONS: ""\n',
        "  # nothing is tolerated\n  LAST: x\n",
    ],
    ids=["a list", "braces", "brackets", "JSON", "empty", "absent"],
)
def test_rooks_yaml_text_is_added_to(tmp_path: Path, data: str) -> None:
    text = f"{ROOK}data:\n  {OFF}\n{data}"
    before = yaml.safe_load(text)["data"]

    after, _ = _fix(tmp_path, text)

    now = yaml.safe_load(after)["data"]
    known = parse_yaml_text(before.get("CSI_PLUGIN_TOLERATIONS", "")) or []
    assert parse_yaml_text(now.pop("CSI_PLUGIN_TOLERATIONS")) == [*known, ADDED]
    before.pop("CSI_PLUGIN_TOLERATIONS", None)
    assert now == before
    assert ("# ours" in text) == ("# ours" in after)


@pytest.mark.parametrize(
    "data",
    [f"\n  {OFF}\n  CSI_PLUGIN_TOLERATIONS: >\n    - {{key: a, operator: Exists}}\n", " {ROOK_LOG_LEVEL: INFO}\n"],
    ids=["a folded text", "a map in braces"],
)
def test_what_is_written_oddly_is_left(tmp_path: Path, data: str) -> None:
    text = f"{ROOK}data:{data}"
    (tmp_path / "node.yaml").write_text(NODE)
    (tmp_path / "settings.yaml").write_text(text)

    result = program("fix", str(tmp_path), "--for", TAINT, "--write")

    assert (tmp_path / "settings.yaml").read_text() == text
    assert "edit it by hand" in result.out + result.err


def _read_patch(said: str) -> tuple[list[str], Any]:
    line = next(line for line in said.splitlines() if line.startswith("kubectl patch"))
    words = shlex.split(line)
    return words[2:-1], json.loads(words[-1])


def test_a_patch_of_a_text_is_a_merge_patch(tmp_path: Path) -> None:
    _, said = _fix(tmp_path, f'{SETTING}value: "a:NoSchedule"\n', "--patch")

    words, body = _read_patch(said)
    assert words == ["settings.longhorn.io", "taint-toleration", "-n", "longhorn-system", "--type=merge", "-p"]
    assert parse_longhorn_tolerations(body["value"])[1] == ADDED


POLICY = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\n"
GPU = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}


def test_a_patch_of_a_stated_list_tests_it(tmp_path: Path) -> None:
    _, said = _fix(tmp_path, f"{POLICY}spec: {{daemonsets: {{tolerations: [{{key: a, operator: Exists}}]}}}}\n", "--patch")

    words, body = _read_patch(said)
    assert words == ["clusterpolicies.nvidia.com", "cluster-policy", "--type=json", "-p"]
    assert body == [
        {"op": "test", "path": "/spec/daemonsets/tolerations", "value": [{"key": "a", "operator": "Exists"}]},
        {"op": "add", "path": "/spec/daemonsets/tolerations/-", "value": ADDED},
    ]
    assert said.count("kubectl patch clusterpolicies") == 1


def test_a_patch_of_an_absent_list_carries_the_defaults(tmp_path: Path) -> None:
    _, said = _fix(tmp_path, f"{POLICY}spec: {{}}\n", "--patch")

    words, body = _read_patch(said)
    assert words[-2] == "--type=merge"
    assert body == {"spec": {"daemonsets": {"tolerations": [GPU, ADDED]}}}


def test_a_patch_for_kustomize_names_the_resource(tmp_path: Path) -> None:
    nic = "apiVersion: mellanox.com/v1alpha1\nkind: NicClusterPolicy\nmetadata: {name: nic}\n"
    _, said = _fix(tmp_path, f"{nic}spec: {{nvIpam: {{}}, tolerations: [{{key: a, operator: Exists}}]}}\n", "--patch", "kustomize")

    patches = yaml.safe_load(said[said.index("patches:") : said.index("patches for") if "patches for" in said else None])["patches"]
    assert [patch["target"] for patch in patches] == [
        {"group": "mellanox.com", "version": "v1alpha1", "kind": "NicClusterPolicy", "name": "nic"}
    ]
    assert yaml.safe_load(patches[0]["patch"])[1]["value"] == ADDED


def test_a_json_file_gets_a_patch_of_the_resource(tmp_path: Path) -> None:
    (tmp_path / "node.yaml").write_text(NODE)
    (tmp_path / "policy.json").write_text(json.dumps(yaml.safe_load(f"{POLICY}spec: {{}}\n")))

    edits = program("fix", str(tmp_path), "--for", TAINT)
    patches = program("fix", str(tmp_path), "--for", TAINT, "--patch")

    assert "JSON files are not edited: print a patch with --patch" in edits.out + edits.err
    assert patches.out.startswith("kubectl patch clusterpolicies.nvidia.com cluster-policy --type=merge")


GPU_NODE = """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {nvidia.com/gpu.present: "true", nvidia.com/mig.capable: "false", nvidia.com/mps.capable: "false"}}
spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}
"""


@pytest.mark.parametrize(
    "spec",
    [
        "spec: {daemonsets: {tolerations: [{key: a, operator: Exists}]}}",
        "spec:\n  daemonsets:\n    tolerations:\n    - key: a\n      operator: Exists",
    ],
)
def test_the_resource_that_a_command_applies_is_fixed(tmp_path: Path, spec: str) -> None:
    world = tmp_path / "world"
    world.mkdir()
    (world / "all.yaml").write_text(f"{POLICY}spec: {{driver: {{enabled: false}}}}\n---\n{GPU_NODE}")
    new = tmp_path / "new.yaml"
    new.write_text(f"{POLICY}{spec}\n")

    result = program("fix", str(world), "--for", f"apply -f {new}", "--write")

    keys = [toleration["key"] for toleration in yaml.safe_load(new.read_text())["spec"]["daemonsets"]["tolerations"]]
    assert (result.code, keys) == (0, ["a", "nvidia.com/gpu"]), result.out + result.err
    assert "not fixed" not in result.err


def test_the_settings_that_a_command_applies_are_fixed(tmp_path: Path) -> None:
    (tmp_path / "node.yaml").write_text(GPU_NODE)
    old = f'{SETTING}value: "nvidia.com/gpu:NoSchedule"\n'
    (tmp_path / "old.yaml").write_text(old)
    new = tmp_path / "new"
    new.mkdir()
    (new / "setting.yaml").write_text(f'{SETTING}value: "a:NoSchedule"\n')

    result = program("fix", str(tmp_path / "node.yaml"), str(tmp_path / "old.yaml"), "--for", f"apply -f {new}", "--write")

    assert result.code == 0, result.out + result.err
    assert 'value: "a:NoSchedule;nvidia.com/gpu=present:NoSchedule"' in (new / "setting.yaml").read_text()


MADE = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {name}
  namespace: gpu-operator
  ownerReferences: [{{apiVersion: nvidia.com/v1, kind: ClusterPolicy, name: cluster-policy, controller: true, uid: u}}]
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      tolerations: [{{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}}]
      containers: [{{name: main, image: "main:1"}}]
"""


@pytest.mark.parametrize(
    "spec",
    ["spec: {}\n", "spec:\n  daemonsets:\n    tolerations: # ours\n      - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}\n"],
)
def test_the_resource_of_the_repository_is_edited_for_what_the_operator_made_in_the_cluster(tmp_path: Path, spec: str) -> None:
    names = ("nvidia-device-plugin-daemonset", "nvidia-operator-validator")
    (tmp_path / "policy.yaml").write_text(f"{POLICY}{spec}")
    dump = tmp_path / "dump.yaml"
    dump.write_text("---\n".join((NODE, *(MADE.format(name=name) for name in names))))
    line = ("fix", str(tmp_path / "policy.yaml"), "--from", str(dump), "--for", TAINT)

    patches = program(*line, "--patch")
    result = program(*line, "--write")

    assert result.code == 0, result.out + result.err
    assert "ClusterPolicy cluster-policy, for " in result.out
    assert yaml.safe_load((tmp_path / "policy.yaml").read_text())["spec"]["daemonsets"]["tolerations"] == [GPU, ADDED]
    assert patches.out.count("kubectl patch") == patches.out.count("kubectl patch clusterpolicies.nvidia.com") == 1


def test_a_daemonset_of_the_operator_without_its_resource_is_left(tmp_path: Path) -> None:
    (tmp_path / "made.yaml").write_text(f"{NODE}---\n{MADE.format(name='nvidia-device-plugin-daemonset')}")

    result = program("fix", str(tmp_path), "--for", TAINT, "--write")

    assert "set spec.daemonsets.tolerations of the ClusterPolicy cluster-policy" in result.out + result.err
