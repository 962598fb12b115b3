"""`preflight capacity`: which pod, which clusters, how many fit, and what the exit code is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import make_container, make_node, make_pod, write_list
from tests.capacity import report_schema as schema
from tests.capacity.snapshots import GPU, asked, deployment, node, pod, room, snapshot, spec
from tests.cli.program import program

PROD = {"node_env": "prod"}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def thirteen_free() -> list[dict[str, Any]]:
    """15 nodes with 120 GPUs, of which 13 are free and none can be had by a pod that requests one on node_env=prod."""
    full = [f"gpu-{number:02}" for number in range(1, 12)]
    nodes = [node(name, labels=PROD) for name in full]
    nodes += [
        node("gpu-12"),
        node("gpu-13", "dedicated=research:NoSchedule", labels=PROD),
        node("gpu-14", labels=PROD, state="dead"),
        node("gpu-15", labels=PROD, state="cordoned"),
    ]
    pods = [pod(f"on-{name}", name, 8) for name in full[:-1]]
    pods += [
        pod("on-11", "gpu-11", 7),
        pod("stuck", "gpu-11", 1, "Pending"),
        pod("on-12", "gpu-12", 3),
        pod("on-13", "gpu-13", 4),
        pod("on-14", "gpu-14", 4, deletionTimestamp="2026-01-01T00:00:00Z"),
        pod("on-15", "gpu-15", 8),
        pod("waits", "", 1, "Pending"),
        pod("over", "gpu-11", 8, "Succeeded"),
    ]
    return [*nodes, *pods]


def write(name: str, items: list[dict[str, Any]], **survey: Any) -> str:
    Path(name).write_text(snapshot(items, **survey), encoding="utf-8")
    return name


ASKS = ("--request", f"{GPU}=1", "-l", "node_env=prod")


# How many.


def test_nothing_takes_room_in_an_empty_cluster() -> None:
    found = room("--request", f"{GPU}=2", "--from", write("w.json", [node("a"), node("b", gpus=4)]))
    assert (found["allocatable"], found["free"], found["copies"], found["atMost"], found["steps"], found["unknown"]) == (
        12,
        12,
        6,
        6,
        [],
        [],
    )
    assert (found["largest"], found["largestOn"]) == (8, ["a"])


def test_nodes_that_take_most_come_first_then_those_with_most_free() -> None:
    nodes = [node("d", gpus=4), node("b", gpus=5), node("a", gpus=4), node("c", gpus=8), node("e", gpus=1)]
    found = room("--request", f"{GPU}=2", "--from", write("w.json", nodes))
    assert [(each["node"], each["copies"], each["free"]) for each in found["nodes"]] == [
        ("c", 4, 8),
        ("b", 2, 5),
        ("a", 2, 4),
        ("d", 2, 4),
        ("e", 0, 1),
    ]


@pytest.mark.parametrize(
    ("requests", "node_has", "used", "details"),
    [
        pytest.param("cpu=1,memory=1Gi", {"cpu": "2", "memory": "512Gi"}, {}, ["cpu"], id="the one that runs out first"),
        pytest.param("cpu=1,memory=1Gi", {"cpu": "2", "memory": "2Gi"}, {}, ["cpu", "memory"], id="both, where both do"),
        pytest.param("cpu=1,memory=1Gi", {"cpu": "4", "memory": "512Gi"}, {"cpu": "2"}, ["cpu"], id="what pods use is not left"),
        pytest.param("cpu=1,memory=1Gi", {"cpu": "8", "memory": "4Gi"}, {"memory": "2Gi"}, ["memory"], id="of memory as well"),
        pytest.param("cpu=1", {"cpu": "2"}, {"cpu": "3"}, ["cpu"], id="more is used than there is"),
    ],
)
def test_what_runs_out_before_the_resource_is_named(
    requests: str, node_has: dict[str, str], used: dict[str, str], details: list[str]
) -> None:
    there = make_pod("x", "team", node="n", containers=[make_container("c", "c", resources={"requests": used})])
    world = write(
        "w.json", [make_node("n", labels={"kubernetes.io/hostname": "n"}, allocatable={"pods": "110", GPU: "8", **node_has}), there]
    )
    found = room("--request", f"{GPU}=1,{requests}", "--from", world)
    assert [step["details"] for step in found["steps"] if step["cause"] == "others"] == [details]


def test_thirteen_are_free_and_none_can_be_had() -> None:
    found = room(*ASKS, "--from", write("w.json", thirteen_free()))
    assert (found["allocatable"], found["free"], found["copies"], found["atMost"], found["largest"]) == (120, 13, 0, 0, 0)
    assert [(step["cause"], step["amount"], step["free"], step["nodes"][-1], step["details"]) for step in found["steps"]] == [
        ("not-ready", 8, 4, "gpu-14", []),
        ("cordoned", 8, 0, "gpu-15", []),
        ("selector", 8, 5, "gpu-12", ["its nodeSelector requires node_env=prod (the node does not have the label)"]),
        ("taints", 8, 4, "gpu-13", ["dedicated=research:NoSchedule"]),
        ("used", 87, 0, "gpu-11", []),
        ("ghosts", 1, 0, "gpu-11", []),
    ]
    assert found["ghosts"] == [
        {"pod": "team/on-14", "node": "gpu-14", "amount": 4, "why": "dead"},
        {"pod": "team/stuck", "node": "gpu-11", "amount": 1, "why": "pending"},
    ]
    assert found["message"] == (
        "0/15 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) were unschedulable, "
        f"11 Insufficient {GPU}, 2 node(s) had untolerated taint(s)."
    )
    assert found["notJudged"][0] == "1 pod already waiting for a node, which may use this capacity first: team/waits"


def test_the_answer_stands_in_one_line() -> None:
    result = program("capacity", *ASKS, "--from", write("w.json", thirteen_free()), "-o", "concise")
    assert result == (
        1,
        f"w.json: 0 copies fit now: 13 of 120 {GPU} free (4 on nodes that are not Ready, 5 on nodes that its nodeSelector or "
        "affinity excludes, 4 on nodes with a taint that it does not tolerate)\n",
        "",
    )


def test_what_it_tolerates_and_selects_is_its_own() -> None:
    world = write("w.json", thirteen_free())
    assert room("--request", f"{GPU}=1", "--from", world)["copies"] == 5
    assert room(*ASKS, "--tolerate", "dedicated=research:NoSchedule", "--from", world)["copies"] == 4
    assert room(*ASKS, "--tolerate", "*", "--from", world)["copies"] == 8
    assert room("--request", f"{GPU}=1", "-l", "node_env!=prod", "--from", world)["copies"] == 5
    assert room("--request", f"{GPU}=4", "--from", world)["copies"] == 1


def test_classes_are_nodes_that_are_alike() -> None:
    found = room(*ASKS, "--from", write("w.json", thirteen_free()))
    assert [(node_class["nodes"], node_class["free"], node_class["copies"]) for node_class in found["classes"]] == [
        (["gpu-12"], 5, 0),
        (["gpu-13"], 4, 0),
        (["gpu-14"], 4, 0),
        ([f"gpu-{number:02}" for number in range(1, 12)], 0, 0),
        (["gpu-15"], 0, 0),
    ]
    assert {node["node"]: node["reasons"] for node in found["nodes"][:3]} == {
        "gpu-12": ["its nodeSelector requires node_env=prod (the node does not have the label)"],
        "gpu-13": ["no toleration for dedicated=research:NoSchedule"],
        "gpu-14": ["not Ready"],
    }


def test_another_resource_may_be_followed() -> None:
    world = write("w.json", [node("a", cpu="3"), node("b", gpus=0)])
    found = room("--request", f"cpu=2,{GPU}=1", "--resource", "cpu", "--from", world)
    assert (found["resource"], found["allocatable"], found["copies"]) == ("cpu", 67_000, 1)
    assert [(step["cause"], step["amount"], step["details"]) for step in found["steps"]] == [("rest", 1000, []), ("others", 64_000, [GPU])]
    assert program("capacity", "--request", "cpu=2", "--resource", "memory", "--from", world) == (
        2,
        "",
        "error: --resource memory: the pod requests cpu and pods, not this resource\n",
    )


def test_a_near_miss_of_a_toleration_is_said() -> None:
    Path("pod.json").write_text(json.dumps(pod("p", tolerations=[{"key": "dedicated", "effect": "NoSchedule"}])))
    found = room("-f", "pod.json", "--from", write("w.json", [node("a", "dedicated=gpu:NoSchedule")]))
    assert found["nodes"][0]["reasons"] == ['its toleration of "dedicated" has no operator and no value, so it matches only an empty value']


# What is not known is never room.


@pytest.mark.parametrize(
    ("more", "because"),
    [
        ({"schedulerName": "volcano"}, "the scheduler volcano decides"),
        ({"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "d"}}]}, "its volume data may be tied to a zone or a node"),
        ({"schedulingGates": [{"name": "quota"}]}, "it has the scheduling gate quota"),
        ({"runtimeClassName": "kata"}, "RuntimeClass kata may change it"),
        (
            {"topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]},
            "it has a topology spread constraint over zone",
        ),
        (
            {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone"}]}}},
            "it has inter-pod affinity",
        ),
    ],
)
@pytest.mark.parametrize("way", ["-f", "--like"])
def test_what_is_not_judged_of_a_pod_makes_it_unknown(more: dict[str, Any], because: str, way: str) -> None:
    Path("web.json").write_text(json.dumps(deployment("web", **more)))
    words = ("-f", "web.json") if way == "-f" else ("--like", "deploy/web", "-n", "team", "--from", "web.json")
    Path("w.json").write_text(write_list([node("a"), pod("x", "a", 1), pod("y", "a", 1, namespace="other")]))
    result, report = asked(*words, "--from", "w.json")
    found = report["clusters"][0]["room"]
    assert (result.code, found["copies"], found["unknown"]) == (3, 0, [because])
    assert [(step["cause"], step["amount"]) for step in found["steps"]] == [("used", 2), ("unknown", 6)]


def runtime_class(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "kata"}, "handler": "kata", **fields}


def test_what_a_runtime_class_adds_is_asked_for_too() -> None:
    Path("web.json").write_text(json.dumps(deployment("web", runtimeClassName="kata")))
    scheduling = {"nodeSelector": {"kata": "yes"}, "tolerations": [{"key": "kata", "operator": "Exists"}]}
    nodes = [node("a", "kata:NoSchedule", labels={"kata": "yes"}, cpu="3"), node("b")]
    kata = runtime_class(overhead={"podFixed": {"cpu": "1"}}, scheduling=scheduling)
    for world in (write("w.json", [*nodes, kata]), "again.json"):
        found = room("-f", "web.json", "--from", world)
        assert (found["requests"], found["copies"], found["unknown"]) == ({"cpu": 1000, GPU: 1}, 3, [])
        assert program("snapshot", "--from", "w.json", "-o", "again.json").code == 0


def test_a_pod_that_its_runtime_class_refuses_and_one_of_no_class() -> None:
    Path("web.json").write_text(json.dumps(deployment("web", runtimeClassName="kata", nodeSelector={"kata": "no"})))
    world = write("w.json", [node("a"), runtime_class(scheduling={"nodeSelector": {"kata": "yes"}})])
    why = "error: the API server would refuse the pod: it selects kata=no, and the RuntimeClass kata kata=yes\n"
    assert program("capacity", "-f", "web.json", "--from", world) == (3, "", why)
    world = write("w.json", [node("a")], complete=["RuntimeClass"])
    why = "error: the API server would refuse the pod: RuntimeClass kata not found\n"
    assert program("capacity", "-f", "web.json", "--from", world) == (3, "", why)


def test_pods_that_nobody_listed_may_take_the_room() -> None:
    Path("nodes.json").write_text(write_list([node("a")]))
    result, report = asked("--request", f"{GPU}=1", "--from", "nodes.json")
    found = report["clusters"][0]["room"]
    assert (result.code, found["copies"], found["atMost"], found["unknown"]) == (3, 0, 8, ["not all pods are known"])
    said = program("capacity", "--request", f"{GPU}=1", "--from", "nodes.json", "-o", "concise").out
    assert said == f"nodes.json: at least 0 copies fit, at most 8: 8 of 8 {GPU} free (8 unknown whether usable)\n"


def test_a_pod_that_could_not_be_understood_may_take_the_room() -> None:
    broken = {**pod("x", "a", 1), "spec": "none"}
    result, report = asked("--request", f"{GPU}=1", "--from", write("w.json", [node("a"), broken]))
    found = report["clusters"][0]["room"]
    assert (result.code, found["copies"], found["atMost"], found["unknown"]) == (3, 0, 8, ["not all pods are known"])
    assert result.err.startswith("error: w.json:1: Pod cannot be checked: ")


def test_a_node_that_does_not_say_what_it_has_is_in_no_number() -> None:
    bare = node("bare")
    del bare["status"]["allocatable"]
    found = room("--request", f"{GPU}=1", "--from", write("w.json", [node("a"), bare]))
    assert (found["allocatable"], found["copies"], found["atMost"], found["unread"]) == (8, 8, None, ["bare"])
    assert found["nodes"][1]["unknown"] == ["the allocatable resources of a node are unknown"]


def test_pods_that_could_be_evicted_are_no_room() -> None:
    Path("pod.json").write_text(json.dumps(pod("p", gpus=1, priority=10)))
    found = room("-f", "pod.json", "--from", write("w.json", [node("a"), pod("low", "a", 8)]))
    assert (found["copies"], found["atMost"]) == (0, 0)
    assert found["unknown"] == ["preemption of lower priority pods is not counted: with it, more copies may fit on 1 of the nodes"]


def test_a_taint_that_admission_may_tolerate_is_said() -> None:
    odd = [node("b", f"{GPU}:NoExecute"), node("c", f"{GPU}:NoSchedule", "x:NoSchedule"), node("d", f"{GPU}:NoSchedule", gpus=0), node("e")]
    world = write("w.json", [node("a", f"{GPU}=present:NoSchedule"), *odd])
    said = "if the admission plugin ExtendedResourceToleration is enabled (off by default), the pod tolerates the taint of 1 of the nodes"
    found = room("--request", f"{GPU}=1", "--from", world)
    assert (found["copies"], found["atMost"], found["unknown"]) == (8, 8, [said])
    assert room("--request", f"{GPU}=1", "--tolerate", GPU, "--from", world)["unknown"] == []
    assert room("--request", "cpu=1", "--from", world)["unknown"] == []
    there = write("there.json", [node("a", f"{GPU}=present:NoSchedule"), pod("p", "a", 1)])
    assert room("--like", "pod/p", "-n", "team", "--from", there)["unknown"] == []


def test_quotas_are_named_and_not_judged() -> None:
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": "team"},
        "spec": {"hard": {"pods": "1"}},
    }
    world = write("w.json", [node("a"), quota])
    found = room("--request", f"{GPU}=1", "-n", "team", "--from", world)
    assert (found["copies"], found["notJudged"][0]) == (8, "ResourceQuota gpus of namespace team, which may allow fewer pods")
    assert "quota" not in room("--request", f"{GPU}=1", "-n", "other", "--from", world)["notJudged"][0]
    Path("plain.json").write_text(write_list([node("a")]))
    assert room("--request", f"{GPU}=1", "--from", "plain.json")["notJudged"][0] == "quota of namespace default (not in the input)"


def test_it_says_that_requested_is_not_utilised() -> None:
    world = write("w.json", [node("a")])
    for form in ("text", "markdown"):
        assert "counts what pods request, not what they use" in program("capacity", "--request", "cpu=1", "--from", world, "-o", form).out


# Which pod.


def test_the_pod_of_a_workload_in_a_file() -> None:
    world = write("w.json", [node("a")])
    Path("web.json").write_text(json.dumps(deployment("web")))
    result, report = asked("-f", "web.json", "--from", world)
    assert (result.code, report["question"], report["clusters"][0]["room"]["copies"]) == (0, "Deployment team/web of web.json", 8)
    assert asked("-f", "-", "--from", world, stdin=json.dumps(deployment("web")).encode())[1]["question"] == "Deployment team/web of -"


def test_the_pod_of_a_daemonset_tolerates_what_its_controller_adds() -> None:
    agent = {**deployment("agent"), "kind": "DaemonSet"}
    Path("agent.json").write_text(json.dumps(agent))
    assert room("-f", "agent.json", "--from", write("w.json", [node("a", state="cordoned")]))["copies"] == 8


def test_one_like_a_pod_that_is_there_may_go_elsewhere() -> None:
    found = room("--like", "pod/on-12", "-n", "team", "--from", write("w.json", thirteen_free()))
    assert (found["wanted"], found["copies"]) == (3, 1)


def test_a_snapshot_has_the_pods_of_a_deployment_whole_and_not_its_template() -> None:
    gated: dict[str, Any] = {"topologySpreadConstraints": [{"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]}
    owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-abc", "controller": True}
    web = deployment("web", **gated)
    there = pod("web-abc-1", "a", 1, labels={"app": "web", "pod-template-hash": "abc"}, ownerReferences=[owner], **gated)
    alone, beside = write("alone.json", [node("a"), web]), write("beside.json", [node("a"), web, there])
    words = ("--like", "deploy/web", "-n", "team", "--from")
    assert room(*words, alone)["unknown"] == ["a pod was read only in part"]
    _, report = asked(*words, beside)
    assert report["clusters"][0]["pod"] == "Deployment team/web, like its pod web-abc-1"
    assert report["clusters"][0]["room"]["unknown"] == ["it has a topology spread constraint over zone"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "no pod is given: give one of -f FILE, --like KIND/NAME, and --request RESOURCE=AMOUNT (with -l and --tolerate)"),
        (("-f", "x", "--request", "cpu=1"), "-f and --request exclude each other: give one of -f FILE, --like KIND/NAME,"),
        (("-f", "x", "-l", "a=b"), "-l and --tolerate need --request: the pod of -f has its own selector and tolerations"),
        (("--like", "web"), "--like requires KIND/NAME, not 'web': KIND is deploy, ds, sts, rs, job, cj or pod"),
        (("--like", "svc/web"), "--like requires KIND/NAME"),
        (
            ("--request", "gpu=1"),
            "--request gpu=1: 'gpu' is not a resource that the scheduler counts; a resource of a device plugin has a domain",
        ),
        (("--request", "cpu"), "--request requires RESOURCE=QUANTITY, not 'cpu'"),
        (("--request", ""), "--request requires RESOURCE=QUANTITY, not ''"),
        (("--request", "cpu=1", "--request", ","), "--request requires RESOURCE=QUANTITY, not ''"),
        (("--request", "cpu=1", "--tolerate", "a=b=c:NoSchedule"), "--tolerate requires KEY=VALUE:EFFECT, KEY:EFFECT, KEY=VALUE, KEY or *"),
        (("--request", "cpu=much"), "--request cpu=much: 'much' is no quantity"),
        (("--request", f"{GPU}=500m"), f"--request {GPU}=500m: {GPU} requires a whole number"),
        (("--request", "cpu=1", "--tolerate", "a:Never"), "--tolerate requires KEY=VALUE:EFFECT, KEY:EFFECT, KEY=VALUE, KEY or *"),
        (("--request", "cpu=1", "-l", "=x"), "found '=', expected: !, identifier"),
        (
            ("--request", "cpu=1", "--context", "a"),
            "--from and --context exclude each other: cluster state comes from files or from a cluster",
        ),
        (("--request", "cpu=1", "-o", "sarif"), 'unknown output format "sarif": must be one of text, concise, json, markdown, html'),
        (("-f", "-", "--from", "-"), "standard input (-) can be read only once"),
    ],
)
def test_what_is_no_question(words: tuple[str, ...], says: str) -> None:
    result = program("capacity", *words, "--from", write("w.json", [node("a")]))
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: {says}")


def test_a_file_with_several_templates_or_none() -> None:
    world = write("w.json", [node("a")])
    Path("two.json").write_text(write_list([deployment("web"), deployment("api")]))
    said = program("capacity", "-f", "two.json", "--from", world)
    two = "Deployment team/web of two.json, Deployment team/api of two.json"
    assert said == (2, "", f"error: two.json: 2 pod templates ({two}): give one of them\n")
    Path("none.json").write_text(write_list([node("b")]))
    assert program("capacity", "-f", "none.json", "--from", world).err == "error: none.json: no pod and no object with a pod template\n"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("a: b", "1 document: not a Kubernetes object that preflight checks", id="nothing that is checked"),
        pytest.param(
            "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: null}",
            "1 document: Pod without containers: not a complete object (a patch?)",
            id="a pod without a spec",
        ),
        pytest.param(
            "{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {template: {spec: {containers: [{name: c}]}}}}",
            "1 document: Deployment without a selector: not a complete object (a patch?)",
            id="a workload without a selector",
        ),
    ],
)
def test_why_a_file_holds_no_pod_is_said(text: str, why: str) -> None:
    Path("none.yaml").write_text(text)
    said = program("capacity", "-f", "none.yaml", "--from", write("w.json", [node("a")]))
    assert said == (2, "", f"error: none.yaml: no pod and no object with a pod template ({why})\n")


def test_where_a_pod_cannot_be_read_or_would_be_refused_is_said() -> None:
    world = write("w.json", [node("a")])
    Path("pod.yaml").write_text("kind: Pod\na: [1\n")
    said = program("capacity", "-f", "pod.yaml", "--from", world)
    assert (said.code, said.err.startswith("error: pod.yaml:2:4: ")) == (3, True)
    spec = "  tolerations:\n  - key: a\n    operator: exists\n  containers: [{name: c}]\n"
    Path("pod.yaml").write_text(f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n{spec}")
    said = program("capacity", "-f", "pod.yaml", "--from", world)
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("error: pod.yaml:7: Pod p: the API server would refuse spec.tolerations.0.operator: ")


def test_what_the_api_server_would_refuse_is_not_asked_about() -> None:
    world = write("w.json", [node("a")])
    Path("pod.json").write_text(json.dumps(pod("p", tolerations=[{"kee": "a"}])))
    said = program("capacity", "-f", "pod.json", "--from", world)
    assert (said.code, said.err) == (
        3,
        'error: pod.json:1: Pod p: the API server would refuse spec.tolerations.0.kee: unknown field "kee": did you mean "key"?\n',
    )
    Path("web.json").write_text(json.dumps(deployment("web", nodeName="a")))
    said = program("capacity", "-f", "web.json", "--from", world)
    assert (said.code, said.err) == (3, "error: Deployment team/web of web.json: its nodeName is a, so no scheduler places it\n")
    assert program("capacity", "-f", "nowhere.json", "--from", world).code == 3


def test_what_makes_no_sense_in_a_snapshot_is_no_fault_of_ours() -> None:
    world = write("w.json", [node("a"), {"kind": {"a": "b"}}, {**deployment("web"), "spec": "none"}])
    said = program("capacity", "--like", "deploy/web", "-n", "team", "--from", world)
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith(
        "error: w.json: Deployment team/web not found; not all of the input was read: w.json:1: Deployment cannot be checked: "
    )
    assert program("capacity", "--request", f"{GPU}=1", "--from", write("w.json", [node("a"), {"kind": ["Event"]}])).code == 0


def test_half_a_device_is_refused() -> None:
    Path("web.json").write_text(json.dumps(deployment("web", containers=[{"name": "c", "resources": {"limits": {GPU: "500m"}}}])))
    why = f"Deployment team/web of web.json: the API server would refuse its pod: {GPU}=500m of container c: not a whole number"
    world = write("w.json", [node("a")])
    assert program("capacity", "-f", "web.json", "--from", world) == (3, "", f"error: {why}\n")
    assert program("capacity", "--like", "deploy/web", "-n", "team", "--from", "web.json", "--from", world) == (3, "", f"error: {why}\n")
    Path("web.json").write_text(json.dumps(deployment("web", containers=[{"name": "c", "resources": {"limits": {GPU: "2000m"}}}])))
    assert room("-f", "web.json", "--from", world)["copies"] == 4


def test_a_workload_that_is_elsewhere_is_named() -> None:
    world = write("w.json", [node("a"), deployment("web")])
    said = program("capacity", "--like", "deploy/web", "--from", world)
    assert (said.code, said.err) == (3, "error: w.json: Deployment default/web not found; it exists in team (use -n)\n")
    assert program("capacity", "--like", "sts/web", "-n", "team", "--from", world).err == "error: w.json: StatefulSet team/web not found\n"


# The exit code.


@pytest.mark.parametrize(
    ("words", "code"),
    [
        pytest.param((), 0, id="one fits"),
        pytest.param(("--at-least", "8"), 0, id="as many as are wanted"),
        pytest.param(("--at-least", "9"), 1, id="fewer than are wanted"),
        pytest.param(("--at-least", "9", "--exit-zero"), 0, id="fewer than are wanted, and only reported"),
        pytest.param(("--tolerate", "x", "-o", "markdown"), 0, id="the format changes nothing"),
        pytest.param(("-l", "pool=none"), 1, id="none fits"),
        pytest.param(("--from", "nowhere.json"), 3, id="what cannot be read"),
        pytest.param(("--from", "nowhere.json", "--exit-zero"), 3, id="what cannot be read, and only reported"),
    ],
)
def test_the_exit_code(words: tuple[str, ...], code: int) -> None:
    assert program("capacity", "--request", f"{GPU}=1", *words, "--from", write("w.json", [node("a")])).code == code


def test_no_node_at_all_is_nothing_to_fill() -> None:
    said = program("capacity", "--request", "cpu=1", "--from", write("w.json", []))
    assert said == (3, "", "error: w.json: no nodes in the input (add the output of `kubectl get nodes -o json`)\n")


def test_what_could_not_be_read_may_be_why_something_is_not_there() -> None:
    Path("broken.json").write_text('{"kind": [}', encoding="utf-8")
    missing = "broken.json:1:11: "
    said = program("capacity", "--request", "cpu=1", "--from", "broken.json")
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith(f"error: broken.json: no nodes in the input: {missing}")
    words = ("--like", "deploy/web", "-n", "team", "--from", "broken.json", "--from", write("w.json", [node("a")]))
    said = program("capacity", *words)
    assert said.err.startswith(f"error: broken.json, w.json: Deployment team/web not found; not all of the input was read: {missing}")
    said = program("capacity", "--request", "cpu=1", "-o", "concise", *words[-4:])
    assert (said.code, said.err.startswith(f"error: {missing}")) == (3, True)


def test_what_cannot_be_read_is_said_on_standard_error() -> None:
    Path("broken.yaml").write_text("kind: Node\na: [1\n")
    said = program("capacity", "--request", "cpu=1", "--from", write("w.json", [node("a")]), "--from", "broken.yaml", "-o", "concise")
    assert said.code == 3
    assert said.out == "w.json, broken.yaml: at least 0 copies fit, at most 64: 64 of 64 cpu free (64 unknown whether usable)\n"
    assert said.err.startswith("error: broken.yaml:")


def test_the_schema_is_that_of_the_model() -> None:
    assert schema.PATH.read_text(encoding="utf-8") == schema.text()
    assert spec(0)["containers"][0]["resources"] == {}
