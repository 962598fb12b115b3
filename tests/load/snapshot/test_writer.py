"""What a snapshot is, word for word, and how its file is written."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from preflight.change import node_pools
from preflight.dependents import csi_volumes
from preflight.load.kinds import CHECKED_KINDS
from preflight.load.kubectl_list_schema import RawItem
from preflight.model import snapshot_fields
from preflight.model.annotations import EXEMPTION_ANNOTATION
from preflight.model.apps import TEMPLATE_GENERATION
from preflight.rules.hygiene import namespace_selector, sibling_outlier
from preflight.scheduling.drain.pod_filters import MIRROR_ANNOTATION
from preflight.scheduling.jobs import lost_pods
from preflight.scheduling.jobs.exclusive_placement import EXCLUSIVE_TOPOLOGY, NODE_SELECTOR_STRATEGY
from tests.cli.program import program
from tests.load.snapshot.marked_cluster import cluster, item, node, plugin, pod, save, text, write

WORLD = """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {pool: a}, annotations: {example.com/x: foreign}}
spec: {taints: [{key: k, effect: NoSchedule}], podCIDR: 10.0.0.0/24}
status:
  allocatable: {cpu: "8"}
  conditions: [{type: Ready, status: "True", reason: KubeletReady}]
  nodeInfo: {osImage: x, kubeletVersion: v1.37.2}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: csi, namespace: storage, annotations: {preflight/exempt: "PF214: later"}}
spec:
  selector: {matchLabels: {app: csi}}
  template:
    metadata: {labels: {app: csi}}
    spec:
      tolerations: [{key: k, operator: Exists}]
      containers:
        - name: registrar
          image: registrar:1
          args: ["--kubelet-registration-path=/var/lib/kubelet/plugins/csi.example.com/csi.sock"]
          env: [{name: KUBERNETES_SERVICE_HOST, value: api.example.com}]
"""
PODS = """\
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Pod
    metadata: {name: csi-1, namespace: storage, uid: u1, ownerReferences: [{kind: DaemonSet, name: csi, controller: true}]}
    spec: {nodeName: n1, containers: [{name: registrar, image: "registrar:1", args: [x]}]}
    status: {phase: Running, conditions: [{type: Ready, status: "True"}], podIP: 10.0.0.1}
"""
SAVED = """\
{"apiVersion":"preflight/v1","kind":"Snapshot","metadata":{"preflight":"VERSION","listed":["storage"],"complete":[],"nodes":true},"items":[
 {"apiVersion":"v1","kind":"Node","metadata":{"name":"n1","labels":{"pool":"a"}},"spec":{"taints":[{"key":"k","effect":"NoSchedule"}]},\
"status":{"conditions":[{"type":"Ready","status":"True"}],"allocatable":{"cpu":"8"},"nodeInfo":{"kubeletVersion":"v1.37.2"}}},
 {"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"csi","namespace":"storage",\
"annotations":{"preflight/exempt":"PF214: later"}},"spec":{"selector":{"matchLabels":{"app":"csi"}},\
"template":{"metadata":{"labels":{"app":"csi"}},"spec":{"tolerations":[{"key":"k","operator":"Exists"}],\
"containers":[{"name":"registrar","image":"registrar:1","env":[{"name":"KUBERNETES_SERVICE_HOST"}]}]}}},\
"preflight":{"components":[{"kind":"csi-node-driver","evidence":[{"path":["spec","template","spec","containers",0,"args",0],\
"words":"registers a CSI driver (--kubelet-registration-path)"}],"drivers":["csi.example.com"]}]}},
 {"apiVersion":"v1","kind":"Pod","metadata":{"name":"csi-1","namespace":"storage","uid":"u1",\
"ownerReferences":[{"kind":"DaemonSet","name":"csi","controller":true}]},\
"spec":{"nodeName":"n1","containers":[{"name":"registrar","image":"registrar:1"}]},\
"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}}
]}
"""


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("world").mkdir()
    Path("world/world.yaml").write_text(WORLD, encoding="utf-8")
    Path("world/pods.yaml").write_text(PODS, encoding="utf-8")


@pytest.mark.usefixtures("world")
def test_a_snapshot_word_for_word() -> None:
    import preflight

    result = program("snapshot", "-o", "w.json", "--from", "world")
    assert text(Path("w.json")) == SAVED.replace("VERSION", preflight.__version__)
    assert (result.code, result.out) == (0, "")
    size = Path("w.json").stat().st_size / 1e3
    assert result.err == f"wrote w.json: 1 node, 1 DaemonSet, 1 pod (of storage), {size:.1f} kB\n"


@pytest.mark.usefixtures("world")
def test_it_is_packed_by_the_name_and_the_same_bytes_every_time() -> None:
    save(Path("a.json.gz"), "world")
    save(Path("b.json.gz"), "world/pods.yaml", "world/world.yaml")
    assert Path("a.json.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert Path("a.json.gz").read_bytes() == Path("b.json.gz").read_bytes()
    save(Path("c.json"), "world")
    assert gzip.decompress(Path("a.json.gz").read_bytes()) == Path("c.json").read_bytes()


@pytest.mark.usefixtures("world")
def test_to_standard_output_it_is_not_packed_and_can_be_piped_on() -> None:
    result = program("snapshot", "-o", "-", "--from", "world")
    save(Path("w.json"), "world")
    assert result.out == text(Path("w.json"))
    assert result.err == "wrote a snapshot: 1 node, 1 DaemonSet, 1 pod (of storage)\n"
    judged = program("cordon", "n1", "--from", "-", stdin=result.out.encode())
    assert (judged.code, "storage/csi" in judged.out) == (0, True)


@pytest.mark.usefixtures("world")
def test_what_is_there_is_replaced_and_no_part_is_ever_left() -> None:
    Path("w.json").write_text("before", encoding="utf-8")
    save(Path("w.json"), "world")
    whole = Path("w.json").read_text(encoding="utf-8")
    assert whole.endswith("]}\n")
    Path("broken.yaml").write_text("kind: DaemonSet\na: b: c\n", encoding="utf-8")
    result = program("snapshot", "-o", "w.json", "--from", "world", "--from", "broken.yaml")
    assert result.code == 3
    assert result.err.splitlines()[-1] == "error: no snapshot was saved, because it would be incomplete"
    assert Path("w.json").read_text(encoding="utf-8") == whole
    assert sorted(path.name for path in Path().iterdir()) == ["broken.yaml", "w.json", "world"]


@pytest.mark.usefixtures("world")
def test_a_file_that_cannot_be_written_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    result = program("snapshot", "-o", "none/w.json", "--from", "world")
    assert (result.code, result.err) == (3, "error: cannot write none/w.json: No such file or directory\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    result = program("snapshot", "-o", "w.json", "--from", "world")
    assert (result.code, result.err) == (3, "error: cannot write w.json: No space left on device\n")
    assert [path.name for path in Path().iterdir()] == ["world"]


@pytest.mark.usefixtures("world")
def test_what_somebody_put_in_the_place_of_the_unfinished_file_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getpid", lambda: 7)
    Path("theirs").write_text("theirs", encoding="utf-8")
    Path(".preflight-7-w.json").symlink_to("theirs")
    result = program("snapshot", "-o", "w.json", "--from", "world")
    assert (result.code, result.err) == (3, "error: cannot write w.json: File exists\n")
    assert Path(".preflight-7-w.json").is_symlink()
    assert Path("theirs").read_text(encoding="utf-8") == "theirs"


@pytest.mark.usefixtures("world")
def test_a_pipe_is_written_to_as_it_is() -> None:
    assert program("snapshot", "-o", "/dev/null", "--from", "world").code == 0


def test_every_kind_that_is_judged_is_in_it(tmp_path: Path) -> None:
    save(tmp_path / "w.json", write(tmp_path / "world.json", cluster()))
    items = json.loads(text(tmp_path / "w.json"))["items"]
    assert {item["kind"] for item in items} == CHECKED_KINDS.keys()
    assert len(items) == len([each for each in cluster() if each["kind"] in CHECKED_KINDS]) - 1  # a ConfigMap that says nothing


def test_it_can_be_read_back_the_fast_way() -> None:
    """A list is decoded field by field: a field of an object that the decoder does not know would be lost."""
    known = {*RawItem.__struct_fields__}
    for name, kind in CHECKED_KINDS.items():
        if name not in ("Node", "Pod"):
            assert {field for field in kind.type.__struct_encode_fields__ if not field.startswith("\ue000")} <= known, name


def test_annotations_that_somebody_reads_are_kept() -> None:
    read = {
        EXEMPTION_ANNOTATION,
        TEMPLATE_GENERATION,
        MIRROR_ANNOTATION,
        EXCLUSIVE_TOPOLOGY,
        NODE_SELECTOR_STRATEGY,
        lost_pods.COMPLETION_INDEX,
        lost_pods._FAILURES,
        lost_pods._IGNORED,
    }
    read |= {
        *csi_volumes._DEFAULT_CLASS_ANNOTATIONS,
        *csi_volumes._PROVISIONER_ANNOTATIONS,
        csi_volumes._CLASS_ANNOTATION,
        sibling_outlier._RELEASE_ANNOTATION,
    }
    read |= {
        namespace_selector._UPSTREAM_ANNOTATION,
        namespace_selector._OPENSHIFT_ANNOTATION,
        node_pools._OWNER_KIND,
        node_pools._OWNER_NAME,
    }
    assert read <= snapshot_fields.SNAPSHOT_ANNOTATIONS


def test_what_of_the_input_is_in_no_snapshot_is_said(tmp_path: Path) -> None:
    pool = {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "gpu"},
        "spec": {"template": {"metadata": {"labels": {"pool": "gpu"}}, "spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]}}},
    }
    alone = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": "ops"}}
    alone["spec"] = {"nodeName": "n", "containers": [{"name": "c", "image": "c:1"}]}
    wrong = node("n1")
    wrong["spec"]["taints"] = [{"key": "a", "effect": "NoSchedule", "value": True}]
    (tmp_path / "pool.json").write_text(json.dumps(pool), encoding="utf-8")
    (tmp_path / "pod.json").write_text(json.dumps(alone), encoding="utf-8")
    (tmp_path / "node.json").write_text(json.dumps(wrong), encoding="utf-8")
    result = save(tmp_path / "w.json", str(tmp_path / "pool.json"), str(tmp_path / "pod.json"), str(tmp_path / "node.json"))
    assert result.err.splitlines()[1:] == [
        "  without 1 node pool: give its manifest with --from, next to the snapshot",
        "  without 1 Pod manifest with a nodeName: in a snapshot it would look like a running pod",
        "  1 object with values that the API server would refuse: saved in part",
    ]
    assert [load["metadata"]["name"] for load in json.loads(text(tmp_path / "w.json"))["items"]] == ["n1"]


def test_a_pool_beside_a_snapshot_finds_its_nodes(tmp_path: Path) -> None:
    """The annotations by which Cluster API tells whose a node is are kept."""
    made = node("n1")
    made["metadata"]["annotations"] |= {"cluster.x-k8s.io/owner-kind": "MachineSet", "cluster.x-k8s.io/owner-name": "md-1-x"}
    save(tmp_path / "w.json", write(tmp_path / "world.json", [made]))
    (saved,) = json.loads(text(tmp_path / "w.json"))["items"]
    assert saved["metadata"]["annotations"] == {"cluster.x-k8s.io/owner-kind": "MachineSet", "cluster.x-k8s.io/owner-name": "md-1-x"}


def test_two_objects_without_a_namespace_and_with_one_name_are_of_two_clusters(tmp_path: Path) -> None:
    one = plugin()
    del one["metadata"]["namespace"]
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text(json.dumps(one), encoding="utf-8")
    result = program("snapshot", "-o", str(tmp_path / "w.json"), "--from", str(tmp_path / "a.json"), "--from", str(tmp_path / "b.json"))
    assert result.code == 3
    assert "DaemonSet -/rdma-plugin is in " in result.err
    assert "a snapshot holds one cluster, so set the namespace of each" in result.err
    assert not (tmp_path / "w.json").exists()


def test_the_gate_is_saved_with_it(tmp_path: Path) -> None:
    gate = "TaintTolerationComparisonOperators"
    each = plugin()
    each["spec"]["template"]["spec"]["tolerations"] = [{"key": "sla", "operator": "Gt", "value": "5", "effect": "NoSchedule"}]
    source = write(tmp_path / "world.json", [node("rdma-1", pool="rdma"), each])
    line = ["taint", "nodes", "rdma-1", "sla=9:NoSchedule", "-o", "concise", "--from"]
    codes = {}
    for given in ("", f"{gate}=true", f"{gate}=false"):
        saved = str(tmp_path / f"w{given[-4:]}.json")
        assert program("snapshot", "-o", saved, "--from", source, *(["--feature-gates", given] if given else [])).code == 0
        codes[given] = program(*line, saved).code
    assert codes == {"": 3, f"{gate}=true": 0, f"{gate}=false": 1}


def test_pods_are_saved_as_far_as_anybody_reads_them(tmp_path: Path) -> None:
    """More than coverage asks: requests, volumes, owners, grace, conditions with their reasons."""
    live = pod(plugin(), "rdma-1")
    live["metadata"]["annotations"]["kubernetes.io/config.mirror"] = "hash"
    live["metadata"] |= {"deletionTimestamp": "2026-01-02T00:00:00Z", "deletionGracePeriodSeconds": 30}
    csi_volumes = [{"name": "v", "emptyDir": {}}, {"name": "w", "persistentVolumeClaim": {"claimName": "data"}}]
    live["spec"] |= {"priority": 5, "terminationGracePeriodSeconds": 9, "overhead": {"cpu": "1"}, "volumes": csi_volumes}
    live["status"]["conditions"] += [{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI", "message": "m"}]
    save(tmp_path / "w.json", write(tmp_path / "world.json", [live]))
    (saved,) = json.loads(text(tmp_path / "w.json"))["items"]
    assert saved["metadata"]["annotations"] == {"kubernetes.io/config.mirror": "hash"}
    assert (saved["metadata"]["deletionGracePeriodSeconds"], saved["metadata"]["labels"]) == (30, {"app": "rdma-plugin"})
    assert saved["spec"]["volumes"] == csi_volumes
    assert [saved["spec"][name] for name in ("priority", "terminationGracePeriodSeconds", "overhead")] == [5, 9, {"cpu": "1"}]
    assert saved["spec"]["containers"][0]["resources"] == {"requests": {"cpu": "100m"}}
    assert saved["status"]["conditions"][-1]["reason"] == "EvictionByEvictionAPI"


def test_of_what_may_hold_anything_only_that_it_is_there_is_saved(tmp_path: Path) -> None:
    """A volume of a storage cluster has addresses and users, and all that is read of it is that it is one."""
    save(tmp_path / "w.json", write(tmp_path / "world.json", cluster()))
    items = {load["metadata"]["name"]: load for load in json.loads(text(tmp_path / "w.json"))["items"] if load["kind"] == "Pod"}
    assert items["web-1-cpu-1"]["spec"]["volumes"] == [
        {"name": "a", "ephemeral": {"volumeClaimTemplate": {"metadata": {}, "spec": {"storageClassName": "rdma"}}}},
        {"name": "b", "rbd": {"monitors": None, "user": None, "keyring": None}},
    ]
    assert items["web-1-pending"]["spec"]["schedulingGroup"] == {"name": None}
    assert items["web-1-pending"]["spec"]["volumes"] == [{"name": "c", "iscsi": {"targetPortal": None}}]


def test_what_components_need_of_a_config_map_is_kept(tmp_path: Path) -> None:
    """After `apply` a DaemonSet is recognised anew, and reads its ConfigMap again."""
    yaml = "sharing:\n  timeSlicing:\n    renameByDefault: true\n    resources:\n    - name: x\n      rename: example.com/shared\n"
    data = {"config": yaml, "kube-proxy-replacement": " true ", "cilium": "Secret: x\nkube-proxy-replacement: 'true'\npassword: y\n"}
    data["list"] = json.dumps(
        {"resourceList": [{"resourceName": "vf", "resourcePrefix": "example.com", "selectors": {"x": 1}}], "z": "secret"}
    )
    save(tmp_path / "w.json", write(tmp_path / "world.json", [item("ConfigMap", "c", "ops", data=data)]))
    (saved,) = json.loads(text(tmp_path / "w.json"))["items"]
    assert saved == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c", "namespace": "ops"},
        "data": {
            "config": "rename: example.com/shared\nrenameByDefault: true",
            "kube-proxy-replacement": "true",
            "cilium": "kube-proxy-replacement: 'true'",
            "list": '{"resourceList": [{"resourceName": "vf", "resourcePrefix": "example.com"}]}',
        },
    }
