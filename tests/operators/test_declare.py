"""Custom resources of any shape are read without a crash, and what they state wrongly is said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from preflight import Files, Session, analyze
from preflight.model.apps import DaemonSet
from preflight.model.declaration import OperatorResource
from preflight.model.meta import Origin
from preflight.operators.declare import declare_daemonsets
from preflight.operators.facts import FieldFact, load_operators
from tests.cli.program import program
from tests.paths import ROOT

SCHEMA = ROOT / "preflight" / "report" / "schema.v1.json"
ODD: tuple[Any, ...] = (None, [], {}, "", "x", 7, True, [1], [None], [{"key": 1}], {"a": 1}, {"nodeAffinity": []}, [[]])


def _iter_fields() -> Iterator[tuple[str, str, str]]:
    for operator in load_operators():
        for resource in operator.resources:
            shared = resource.shared
            facts: list[FieldFact | None] = [getattr(shared, name) for name in shared.__struct_fields__]
            for made in resource.daemonsets:
                facts += [made.tolerations, made.node_selector, made.affinity, made.priority_class, made.update_strategy]
                for condition in made.when:
                    yield resource.kind, resource.group, condition.field
            for fact in facts:
                for field in fact.fields if fact is not None else ():
                    yield resource.kind, resource.group, field


@pytest.mark.parametrize(("kind", "group", "field"), sorted(set(_iter_fields())))
def test_values_of_a_wrong_type_never_crash(kind: str, group: str, field: str) -> None:
    if kind == "LonghornSettings":  # its data are texts, put together from several objects
        return
    names = [name for operator in load_operators() for fact in operator.resources if fact.kind == kind for name in fact.names] or ["x"]
    for depth in range(1, len(field.split(".")) + 1):
        for odd in ODD:
            data: dict[str, Any] = {"metadata": {"name": names[0]}}
            place = data
            keys = field.split(".")[:depth]
            for key in keys[:-1]:
                place = place.setdefault(key, {})
            place[keys[-1]] = odd
            resource = OperatorResource(kind, group, names[0], "ns", Origin("file"), data)
            assert all(isinstance(daemonset, DaemonSet) for daemonset in declare_daemonsets([resource]))


def _write(folder: Path, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)
    return str(folder)


NODE = """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {nvidia.com/gpu.present: "true", nvidia.com/mig.capable: "false", nvidia.com/mps.capable: "false"}}
"""
POLICY = """\
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec:
  # installed with the image
  driver: {enabled: false}
"""


def test_a_wrong_toleration_is_a_finding_at_its_place_in_the_resource(tmp_path: Path) -> None:
    folder = _write(tmp_path, policy=f"{POLICY}  daemonsets:\n    tolerations:\n      - {{key: dedicated, operator: exists}}\n")

    result = program("lint", folder, "-o", "concise", "--no-policy")

    assert result.code == 1
    assert f"{folder}/policy.yaml:9:" in result.out
    assert "PF205" in result.out


def test_a_list_that_is_no_list_is_a_finding(tmp_path: Path) -> None:
    folder = _write(tmp_path, policy=f"{POLICY}  daemonsets: {{tolerations: {{key: dedicated}}}}\n", node=NODE)

    result = program("lint", folder, "--no-policy")

    assert result.code == 1, result.out
    assert "tolerations" in result.out


def test_apply_of_a_resource_updates_its_daemonsets(tmp_path: Path) -> None:
    folder = _write(tmp_path, policy=POLICY, node=NODE + "spec: {taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}\n")
    new = tmp_path / "new"
    new.mkdir()
    _write(new, policy=f"{POLICY}  daemonsets: {{tolerations: [{{key: dedicated, operator: Exists}}]}}\n  gfd: {{enabled: false}}\n")

    result = program("apply", "-f", str(new), "--from", folder + "/policy.yaml", "--from", folder + "/node.yaml", "-o", "concise")

    assert "PF101" in result.out
    assert "gpu-operator/nvidia-device-plugin-daemonset" in result.out
    assert "gpu-operator/gpu-feature-discovery" in result.out  # switched off, so it is deleted
    assert result.code == 1


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--type", "merge", "-p", '{"spec": {"daemonsets": {"tolerations": [{"key": "a", "operator": "Exists"}]}}}'), 1, "PF101"),
        (("--type", "json", "-p", '[{"op": "add", "path": "/spec/devicePlugin", "value": {"enabled": false}}]'), 1, "PF101"),
        (("-p", '{"spec": {}}'), 2, "--type merge"),
        (("--type", "json", "-p", '[{"op": "remove", "path": "/spec/nothing"}]'), 2, "remove"),
    ],
)
def test_patch_of_a_resource(tmp_path: Path, arguments: tuple[str, ...], code: int, said: str) -> None:
    folder = _write(tmp_path, policy=POLICY, node=NODE + "spec: {taints: [{key: nvidia.com/gpu, effect: NoSchedule}]}\n")

    result = program("patch", "clusterpolicy", "cluster-policy", *arguments, "--from", folder, "-o", "concise")

    assert result.code == code, result.out + result.err
    assert said in result.out + result.err


def test_patch_of_a_resource_that_was_not_given(tmp_path: Path) -> None:
    folder = _write(tmp_path, node=NODE)

    result = program("patch", "clusterpolicies.nvidia.com/nope", "--type", "merge", "-p", "{}", "--from", folder)

    assert result.code == 2
    assert 'clusterpolicies.nvidia.com "nope" not found' in result.err


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("spec: {}\n", ["nvidia.com/gpu", "dedicated"]),
        ("spec:\n  daemonsets:\n    # ours\n    tolerations:\n    - key: other\n      operator: Exists # all\n", ["other", "dedicated"]),
        ("spec:\n  daemonsets: {updateStrategy: RollingUpdate}\n  gfd: {enabled: true}\n", ["nvidia.com/gpu", "dedicated"]),
        ("spec:\n  daemonsets:\n    tolerations: []\n", ["nvidia.com/gpu", "dedicated"]),
    ],
    ids=["nothing stated", "a list with comments", "a map in braces", "an empty list"],
)
def test_fix_edits_the_resource_and_keeps_the_defaults(tmp_path: Path, spec: str, expected: list[str]) -> None:
    head = "apiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: cluster-policy}\n"
    folder = _write(tmp_path, policy=head + spec, node=NODE)
    command = "taint nodes n1 dedicated=train:NoSchedule"

    first = program("fix", folder, "--for", command, "--write")
    again = program("fix", folder, "--for", command, "--write")

    text = (tmp_path / "policy.yaml").read_text()
    tolerations = yaml.safe_load(text)["spec"]["daemonsets"]["tolerations"]
    assert [toleration["key"] for toleration in tolerations] == expected, text
    assert all(part in text for part in ("# ours", "# all")) or "# ours" not in spec
    assert first.code in (0, 3), first.out + first.err
    assert (tmp_path / "policy.yaml").read_text() == text
    assert "nothing to fix" in again.out + again.err


def test_a_strategy_may_be_its_type_alone() -> None:
    data = {"spec": {"daemonsets": {"updateStrategy": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "100%"}}}}
    resource = OperatorResource("ClusterPolicy", "nvidia.com", "x", "", Origin("file"), data)

    made = {daemonset.metadata.name: daemonset for daemonset in declare_daemonsets([resource])}

    strategy = made["nvidia-device-plugin-daemonset"].spec.updateStrategy
    assert (strategy.type, strategy.rollingUpdate.maxUnavailable) == ("RollingUpdate", "100%")
    assert made["nvidia-driver-daemonset*"].spec.updateStrategy.type == "OnDelete"


def test_the_daemonset_that_the_operator_made_counts(tmp_path: Path) -> None:
    made = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-device-plugin-daemonset, namespace: gpus}
spec:
  selector: {matchLabels: {app: x}}
  template:
    metadata: {labels: {app: x}}
    spec:
      tolerations: [{operator: Exists}]
      containers: [{name: x, image: x}]
"""
    folder = _write(tmp_path, policy=POLICY, node=NODE, made=made)

    result = program("taint", "nodes", "n1", "dedicated=train:NoSchedule", "--from", folder, "-o", "json")

    outcomes = {row["daemonset"]: row["outcome"] for row in json.loads(result.out)["coverage"]}
    assert outcomes["gpus/nvidia-device-plugin-daemonset"] == "kept"
    assert "gpu-operator/nvidia-device-plugin-daemonset" not in outcomes
    assert outcomes["gpu-operator/nvidia-operator-validator"] == "lost-on-recreation"


UNKNOWN = """\
apiVersion: storage.example.com/v1
kind: FastDisk
metadata: {name: x}
spec: {node: {tolerations: [{key: a, operator: Exists}]}}
"""


def test_a_resource_of_an_unknown_operator_is_counted(tmp_path: Path) -> None:
    listed = f"apiVersion: v1\nkind: List\nitems:\n- {UNKNOWN.replace(chr(10), chr(10) + '  ').strip()}\n"
    definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\nspec: {tolerations: {}}\n"
    folder = _write(tmp_path, single=UNKNOWN, listed=listed, definition=definition, policy=POLICY)

    result = program("lint", folder, "--no-policy")
    strict = program("lint", folder, "--no-policy", "--strict")

    assert "2 custom resources with tolerations or node selection (not understood: 2 FastDisk (storage.example.com))" in result.out
    assert (result.code, strict.code) == (0, 3)


def test_a_snapshot_keeps_what_decides_and_no_secret(tmp_path: Path) -> None:
    secret = "hunter2"
    text = f"""\
apiVersion: mellanox.com/v1alpha1
kind: NicClusterPolicy
metadata: {{name: nic-cluster-policy, annotations: {{a: {secret}}}}}
spec:
  tolerations: [{{key: team, operator: Exists}}]
  rdmaSharedDevicePlugin: {{env: [{{name: TOKEN, value: {secret}}}]}}
---
apiVersion: beat.k8s.elastic.co/v1beta1
kind: Beat
metadata: {{name: logs, namespace: elastic}}
spec:
  type: filebeat
  config: {{password: {secret}}}
  daemonSet:
    podTemplate: {{spec: {{tolerations: [{{operator: Exists}}], containers: [{{name: a, env: [{{name: B, value: {secret}}}]}}]}}}}
"""
    folder = _write(tmp_path, resources=text, node=NODE)
    saved = str(tmp_path / "saved.json")

    assert program("snapshot", "--from", folder, "-o", saved).code == 0
    assert secret not in Path(saved).read_text()

    line = ("taint", "nodes", "n1", "dedicated=train:NoSchedule", "-o", "json")
    rows = [json.loads(program(*line, "--from", source).out)["coverage"] for source in (folder + "/resources.yaml", saved)]
    outcomes = [{row["daemonset"]: row["outcome"] for row in table} for table in rows]
    assert outcomes[1] == {"elastic/logs-beat-filebeat": "kept", "nvidia-network-operator/rdma-shared-dp-ds": "unknown"}
    assert outcomes[0].keys() == outcomes[1].keys()


def test_what_the_operator_adds_itself_is_not_judged(tmp_path: Path) -> None:
    policy = "apiVersion: mellanox.com/v1alpha1\nkind: NicClusterPolicy\nmetadata: {name: nic}\nspec:\n  nvIpam: {image: x}\n"
    tainted = NODE + "spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}\n"
    folder = _write(tmp_path, policy=policy + "  tolerations: [{key: other, operator: Equal, value: x}]\n", node=tainted)

    assert "PF202" not in program("lint", folder, "--no-policy", "-o", "concise").out
    _write(tmp_path, policy=policy + "  tolerations: [{operator: Exists}]\n")
    assert f"{folder}/policy.yaml:6:" in program("lint", folder, "--no-policy", "-o", "concise").out


def test_a_label_that_is_removed_is_not_unknown(tmp_path: Path) -> None:
    folder = _write(tmp_path, policy=POLICY, node=NODE)

    result = program("label", "nodes", "n1", "nvidia.com/gpu.present-", "--from", folder, "-o", "json")

    outcomes = {row["daemonset"]: row["outcome"] for row in json.loads(result.out)["coverage"]}
    assert outcomes["gpu-operator/nvidia-device-plugin-daemonset"] == "lost-now"


WRONG_LISTS = """\
apiVersion: storage.example.com/v1
kind: FastDisk
metadata: {name: fast, namespace: disks}
spec:
  node:
    tolerations:
      - key: dedicated
        operator: exists
      - operator: Exists
    pods:
      - nodeTolerations: [{key: a, value: true}]
      - {names: [a], tolerations: [tolerant]}
  other: {tolerations: [{key: x, seconds: 3}]}
"""


@pytest.mark.parametrize("form", ["a document", "a List", "a list of its kind", "JSON", "a List in JSON"])
def test_tolerations_of_an_unknown_resource_are_checked_where_they_are_written(tmp_path: Path, form: str) -> None:
    data = yaml.safe_load(WRONG_LISTS)
    indented = WRONG_LISTS.replace("\n", "\n  ").strip()
    texts = {
        "a document": WRONG_LISTS,
        "a List": f"apiVersion: v1\nkind: List\nitems:\n- {indented}\n",
        "a list of its kind": f"apiVersion: v1\nkind: List\nitems:\n- {indented}\n---\n{NODE}",
        "JSON": json.dumps(data, indent=1),
        "a List in JSON": json.dumps({"apiVersion": "v1", "kind": "List", "items": [yaml.safe_load(NODE), data]}, indent=1),
    }
    (tmp_path / "disks.yaml").write_text(texts[form])
    _write(tmp_path, node=NODE)

    result = program("lint", str(tmp_path), "--no-policy", "-o", "json")

    found = {(item["rule"], item["location"]["path"]) for item in json.loads(result.out)["findings"]}
    prefix = {"a document": "", "JSON": "", "a List in JSON": "items[1]."}.get(form, "items[0].")
    assert found == {
        ("PF205", f"{prefix}spec.node.tolerations[0].operator"),
        ("PF201", f"{prefix}spec.node.tolerations[1]"),
        ("PF205", f"{prefix}spec.node.pods[0].nodeTolerations[0].value"),
    }
    assert {item["subject"]["kind"] for item in json.loads(result.out)["findings"]} == {"FastDisk"}
    assert all(item["location"]["line"] > 1 and item["location"]["column"] for item in json.loads(result.out)["findings"])
    assert result.code == 1
    assert program("lint", str(tmp_path), "--no-policy", "--strict").code == 3


def test_templates_and_definitions_are_no_unknown_resources(tmp_path: Path) -> None:
    template = WRONG_LISTS.replace("value: true", 'value: "{{ .Values.x }}"')
    _write(tmp_path, disks=template, node=NODE)

    result = program("lint", str(tmp_path), "--no-policy", "-o", "concise")

    assert "PF205" not in result.out


def test_the_report_says_what_declares_a_daemonset(tmp_path: Path) -> None:
    made = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: own, namespace: ns}
spec:
  selector: {matchLabels: {app: x}}
  template: {metadata: {labels: {app: x}}, spec: {containers: [{name: x, image: x}]}}
"""
    driver = "apiVersion: csi.ceph.io/v1\nkind: Driver\nmetadata: {name: rbd, namespace: rook}\nspec: {}\n"
    folder = _write(tmp_path, driver=driver, node=NODE, made=made)

    changed = json.loads(program("taint", "nodes", "n1", "a=b:NoSchedule", "--from", folder, "-o", "json").out)
    linted = json.loads(program("lint", folder, "-o", "json").out)

    expected = {"operator": "Ceph CSI operator", "kind": "Driver", "namespace": "rook", "name": "rbd"}
    for report in (changed, linted):
        declared = {row["daemonset"]: row.get("declaredBy") for row in (*report["coverage"], *report["tolerations"])}
        assert declared == {"ns/own": None, "rook/rbd-nodeplugin": expected}
        jsonschema.validate(report, json.loads(SCHEMA.read_text()))


GPU = """\
apiVersion: amd.com/v1alpha1
kind: DeviceConfig
metadata: {name: gpus, namespace: kube-amd-gpu}
spec: {devicePlugin: {devicePluginTolerations: [{key: dedicated, operator: Exists}]}}
"""
SAME = ["kube-amd-gpu/gpus-device-plugin", "kube-amd-gpu/gpus-node-labeller"]
NO_CHANGE = """'{"metadata":{"labels":{"a":"b"}}}'"""
FEWER = """'{"spec":{"devicePlugin":{"devicePluginTolerations":[]}}}'"""


def _notes(folder: Path, *lines: str) -> list[str]:
    """The notes of the last command."""
    (folder / "same.yaml").write_text(GPU)
    (folder / "world").mkdir(exist_ok=True)
    report = analyze(Session(Files((_write(folder / "world", world=GPU, node=NODE),))), list(lines)).report
    return list(report.steps[-1].notes)


def test_a_resource_that_is_applied_as_it_is_changes_no_daemonset(tmp_path: Path) -> None:
    notes = _notes(tmp_path, f"apply -f {tmp_path}/same.yaml")
    assert [note for note in notes if "unchanged" in note] == [f"unchanged: {', '.join(SAME)}"]


def test_a_patch_of_a_resource_says_which_daemonsets_stay_as_they_are(tmp_path: Path) -> None:
    patch = "patch deviceconfigs.amd.com gpus -n kube-amd-gpu --type=merge -p "
    assert _notes(tmp_path, patch + NO_CHANGE) == [f"nothing changes: {', '.join(SAME)}"]
    assert _notes(tmp_path, patch + FEWER) == [f"nothing changes: {SAME[1]}"]


def test_each_declared_daemonset_is_counted_and_listed(tmp_path: Path) -> None:
    folder = _write(tmp_path, policy=f"{POLICY}  daemonsets: {{tolerations: [{{key: a, operator: Exists}}]}}\n", node=NODE)

    linted = json.loads(program("lint", folder, "-o", "json").out)
    components = json.loads(program("components", folder, "-o", "json").out)

    names = {row["daemonset"] for row in linted["tolerations"]}
    assert len(names) == linted["judged"]["daemonsets"] == 8
    assert "gpu-operator/nvidia-device-plugin-daemonset" in names
    assert len(components["daemonsets"]) == 8
