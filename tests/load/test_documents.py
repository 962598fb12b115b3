"""Which documents are judged, and what is said of the others."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from preflight.load import load_world
from preflight.model.core import CSISource
from preflight.model.meta import Origin
from preflight.model.storage import ClaimReference
from tests.builders import Object, make_list
from tests.load.plain_objects import daemonset, loaded, node, pod, problems, skipped, workload, write

POD_KINDS = [
    ("Deployment", "apps/v1"),
    ("StatefulSet", "apps/v1"),
    ("ReplicaSet", "apps/v1"),
    ("Job", "batch/v1"),
    ("DaemonSet", "apps/v1"),
]


@pytest.mark.parametrize("text", ["", "\n", "---\n---\n", "# nothing\n", "\ufeff"])
def test_an_empty_file_is_fine(folder: Path, text: str) -> None:
    result = loaded(text, folder=folder)
    assert (result.problems, result.skipped, result.objects, result.files) == ((), (), 0, 1)


@pytest.mark.parametrize(("kind", "api_version"), POD_KINDS)
def test_a_workload_is_judged(folder: Path, kind: str, api_version: str) -> None:
    result = loaded(workload(kind, "a") | {"apiVersion": api_version}, folder=folder)
    assert [(type(each).__name__, each.metadata.name, each.origin) for each in result.world.workloads] == [
        (kind, "a", Origin("0.yaml", 0, 1))
    ]
    assert (result.problems, result.skipped, result.objects) == ((), (), 1)


def test_the_kinds_without_a_pod_template(folder: Path) -> None:
    text = """
apiVersion: v1
kind: Node
metadata: {name: n1}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: budget}
---
apiVersion: v1
kind: Namespace
metadata: {name: space}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: csi.example.com}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: web}
spec: {storageClassName: fast, volumeName: pv-1}
---
apiVersion: v1
kind: PersistentVolume
metadata: {name: pv-1}
spec: {csi: {driver: csi.example.com}, claimRef: {namespace: web, name: data}}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast}
provisioner: csi.example.com
---
apiVersion: v1
kind: ConfigMap
metadata: {name: plugin, namespace: kube-system}
data: {config.json: '{"resourceList": []}'}
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train, namespace: research}
spec:
  replicatedJobs:
    - name: workers
      template: {spec: {template: {spec: {nodeSelector: {pool: gpu}, containers: [{name: c}]}}}}
"""
    world = loaded(text, folder=folder).world
    assert list(world.nodes) == ["n1"]
    assert [budget.metadata.name for budget in world.budgets] == ["budget"]
    assert [namespace.metadata.name for namespace in world.namespaces] == ["space"]
    assert [csi_driver.metadata.name for csi_driver in world.csi_drivers] == ["csi.example.com"]
    assert [(node_class.metadata.name, node_class.value) for node_class in world.priority_classes] == [("high", 1000)]
    assert [(claim.metadata.name, claim.spec.storageClassName, claim.spec.volumeName) for claim in world.claims] == [
        ("data", "fast", "pv-1")
    ]
    assert [(volume.spec.csi, volume.spec.claimRef) for volume in world.volumes] == [
        (CSISource("csi.example.com"), ClaimReference("web", "data"))
    ]
    assert [(storage_class.metadata.name, storage_class.provisioner) for storage_class in world.storage_classes] == [
        ("fast", "csi.example.com")
    ]
    assert world.config_maps == {("kube-system", "plugin"): {"config.json": '{"resourceList": []}'}}
    assert [job.template.spec.template.spec.nodeSelector for job_set in world.job_sets for job in job_set.spec.replicatedJobs] == [
        {"pool": "gpu"}
    ]
    assert world.workloads == ()


def test_a_cron_job_and_a_pod_are_workloads(folder: Path) -> None:
    job = {"spec": {"template": {"spec": {"containers": [{"name": "a"}]}}}}
    cron = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"}, "spec": {"jobTemplate": job}}
    result = loaded(cron, pod("p", node="n1", phase="Running"), folder=folder)
    assert [workload.metadata.name for workload in result.world.workloads] == ["c", "p"]
    assert result.world.pods == ()  # a pod that no list shows is a manifest


@pytest.mark.parametrize("api_version", ["extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"])
def test_a_version_that_is_gone_is_judged_as_what_it_is(folder: Path, api_version: str) -> None:
    result = loaded(daemonset() | {"apiVersion": api_version}, folder=folder)
    assert [str(key) for key in result.world.daemonsets] == ["kube-system/ds"]


def test_the_first_version_selects_by_the_labels_of_the_template(folder: Path) -> None:
    data = daemonset() | {"apiVersion": "extensions/v1beta1"}
    del data["spec"]["selector"]
    (value,) = loaded(data, folder=folder).world.daemonsets.values()
    assert value.spec.selector is not None
    assert value.spec.selector.matchLabels == {"app": "ds"}


def test_a_missing_api_version_is_refused_and_the_object_judged(folder: Path) -> None:
    data = daemonset()
    del data["apiVersion"]
    (value,) = loaded(data, folder=folder).world.daemonsets.values()
    assert [(refusal.path, refusal.reason) for refusal in value.refusals] == [(("apiVersion",), "apiVersion is missing")]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"kind": "Node", "apiVersion": "longhorn.io/v1beta2", "metadata": {"name": "n"}}, "kind Node of longhorn.io is not checked"),
        ({"kind": "DaemonSet", "apiVersion": "v1", "metadata": {"name": "n"}}, "kind DaemonSet of the core API is not checked"),
        ({"kind": "DaemonSet", "image": {}}, "not Kubernetes objects"),
        ({"kind": "Node", "apiVersion": 5}, "not Kubernetes objects"),
        ({"kind": "Node", "apiVersion": "v1"}, "Node without a name: not a complete object"),
        ({"kind": "Node", "apiVersion": "v1", "metadata": {"name": ""}}, "Node without a name: not a complete object"),
        (
            {"kind": "DaemonSet", "apiVersion": "apps/v1", "metadata": {"name": "n"}, "spec": {"template": {}}},
            "DaemonSet without a selector: not a complete object (a patch?)",
        ),
        (
            {"kind": "DaemonSet", "apiVersion": "apps/v1", "metadata": {"name": "n"}, "spec": {"selector": {}, "template": None}},
            "DaemonSet without containers: not a complete object (a patch?)",
        ),
        (
            {"kind": "Job", "apiVersion": "batch/v1", "metadata": {"name": "n"}, "spec": {"template": {"spec": {"containers": []}}}},
            "Job without containers: not a complete object (a patch?)",
        ),
        ({"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "n"}}, "Pod without containers: not a complete object (a patch?)"),
    ],
)
def test_what_is_not_ours_is_counted(folder: Path, data: Object, why: str) -> None:
    in_yaml = loaded("\n".join(f"{key}: {json.dumps(value)}" for key, value in data.items()), folder=folder)
    in_json = loaded(data, folder=folder)
    assert skipped(in_yaml) == skipped(in_json) == [f"1 document: {why}"]
    assert (in_json.objects, in_json.problems) == (0, ())
    assert skipped(loaded(make_list(data, data), folder=folder)) == [f"2 objects: {why}"]


def test_documents_of_other_kinds_are_not_even_parsed(folder: Path) -> None:
    other = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    result = loaded(f"{other}---\n{other}---\nimage: values.yaml\n---\n{json.dumps(daemonset())}\n", folder=folder)
    assert skipped(result) == ["3 documents: not a Kubernetes object that preflight checks"]
    assert len(result.world.daemonsets) == 1


def test_a_name_that_the_server_makes(folder: Path) -> None:
    job = workload("Job")
    job["metadata"] = {"generateName": "train-"}
    result = loaded(make_list(job, {**job, "spec": {**job["spec"], "completions": 2}}), folder=folder)
    assert [each.metadata.name for each in result.world.workloads] == ["train-*", "train-*"]
    assert result.problems == ()


def test_broken_syntax_is_a_problem_with_its_place_and_the_rest_is_judged(folder: Path) -> None:
    result = loaded(f"kind: Node\nmetadata: [\n---\n{json.dumps(node())}\n", folder=folder)
    assert [(problem.location.file, problem.location.line > 0) for problem in result.problems if problem.location] == [("0.yaml", True)]
    assert list(result.world.nodes) == ["n1"]


def test_an_object_without_sense_is_a_problem(folder: Path) -> None:
    result = loaded("apiVersion: v1\nkind: Node\nmetadata: []\n", "kind: List\nitems: 5\n", folder=folder)
    assert problems(result) == [
        "0.yaml:1:0: Node cannot be checked: metadata must be a map: it is a list",
        "1.yaml:1:0: items of List must be a list",
    ]


def test_a_repeated_key_is_noted_where_the_object_is_ours(folder: Path) -> None:
    text = "kind: ConfigMap\na: 1\na: 2\n---\nkind: Node\napiVersion: v1\nmetadata:\n  name: a\n  name: b\n"
    result = loaded(text, folder=folder)
    assert [(origin, key.path, key.first_line, key.line) for origin, key in result.repeated_keys] == [
        (Origin("0.yaml", 1, 5), ("metadata", "name"), 8, 9)
    ]
    assert list(result.world.nodes) == ["b"]


RENDER = "unrendered chart template: render it first: helm template {} | preflight lint - (other commands: --from -)"
BROKEN_TEMPLATE = """apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {{ include "x" . }}
  {{- if .Values.a }}
"""
QUOTED_TEMPLATE = json.dumps(daemonset("{{ .Release.Name }}"))


@pytest.mark.parametrize("text", [BROKEN_TEMPLATE, QUOTED_TEMPLATE, "{{- if .Values.a }}\n" + BROKEN_TEMPLATE])
def test_a_template_is_left_out_of_a_folder_and_a_problem_where_it_is_named(folder: Path, text: str) -> None:
    write(folder, a_yaml=text)
    walked = load_world(["."], one_cluster=True)
    named = load_world(["a.yaml"], one_cluster=True)
    assert [check.why for check in walked.skipped] == [RENDER.format("CHARTDIR")]
    assert walked.problems == ()
    assert [problem.message for problem in named.problems] == [RENDER.format("CHARTDIR")]
    assert named.skipped == ()
    assert (walked.objects, named.objects) == (0, 0)


@pytest.mark.parametrize("text", [BROKEN_TEMPLATE, QUOTED_TEMPLATE])
def test_a_template_that_is_named_can_be_left_out_and_what_is_broken_stays_a_problem(folder: Path, text: str) -> None:
    write(folder, a_yaml=text, b_yaml="kind: DaemonSet\napiVersion: apps/v1\nmetadata: {name: [}\n")
    result = load_world(["a.yaml", "b.yaml"], one_cluster=False, leaves_templates=True)
    assert [check.why for check in result.skipped] == [RENDER.format("CHARTDIR")]
    assert [problem.location.file for problem in result.problems if problem.location] == ["b.yaml"]


def test_the_templates_of_a_chart_are_counted_and_not_read(folder: Path) -> None:
    write(
        folder,
        charts__a__Chart_yaml="name: a",
        charts__a__templates__ds_yaml=daemonset(),
        charts__a__templates__sub__b_yaml="{{",
        charts__a__crds__node_yaml=node(),
        templates__node_yaml=node("n2"),
    )
    result = load_world(["."], one_cluster=True)
    assert skipped(result)[-1] == f"2 files of the chart charts/a: {RENDER.format('charts/a')}"
    assert list(result.world.nodes) == ["n1", "n2"]
    assert result.world.daemonsets == {}
    below = load_world(["charts/a/templates/sub"], one_cluster=True)
    assert skipped(below) == [f"1 file of the chart charts/a: {RENDER.format('charts/a')}"]


def test_braces_where_they_decide_nothing_are_no_template(folder: Path) -> None:
    data = daemonset(containers=[{"name": "a", "args": ["--format={{.Name}}"]}])
    assert len(loaded(data, folder=folder).world.daemonsets) == 1


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("name", ["a.yaml", "a.yml", "a.json", "a.jsonl", "a.ndjson", "a.json.gz", "a"])
def test_the_content_tells_what_a_named_file_is(folder: Path, name: str, packed: bool) -> None:
    for text in (
        json.dumps(node()),
        "kind: Node\napiVersion: v1\nmetadata: {name: n1}\n",
        "\ufeff" + json.dumps(node()),
        "\n {}\n" + json.dumps(node()),
    ):
        (folder / name).write_bytes(gzip.compress(text.encode()) if packed else text.encode())
        assert list(load_world([name], one_cluster=True).world.nodes) == ["n1"]
