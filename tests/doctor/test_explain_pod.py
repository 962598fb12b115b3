"""`preflight doctor --pod`: one chain, from the pod to what stands behind it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import program
from tests.doctor.test_report import event, healthy, named
from tests.load.snapshot.marked_cluster import Data, item, write
from tests.paths import ROOT

GPUS = str(ROOT / "examples" / "gpu-13-free" / "cluster.json")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def chain(pod: str, *words: str) -> list[tuple[str, str]]:
    """The links of the chain, without the commands."""
    report = json.loads(program("doctor", "--pod", pod, *words, "-o", "json").out)
    return [(reason["heading"], reason["text"]) for reason in report["why"] if reason["heading"] != "check"]


def findings(pod: str, *words: str) -> list[str]:
    """The rules that say something of what is in the chain."""
    return [load["rule"] for load in json.loads(program("doctor", "--pod", pod, *words, "-o", "json").out)["findings"]]


def waiting(**status: object) -> list[Data]:
    """A healthy cluster with one pod that waits since the morning."""
    pod = item("Pod", "big", "shop", spec={"containers": [{"name": "a"}]}, status={"phase": "Pending", **status})
    pod["metadata"]["creationTimestamp"] = "2026-03-01T08:00:00Z"
    return [*healthy(), pod]


def test_a_pod_that_runs() -> None:
    write(Path("w.json"), healthy())
    assert chain("ops/agent-rdma-1", "--from", "w.json") == [
        ("pod", "ops/agent-rdma-1 runs on rdma-1 and is Ready; DaemonSet ops/agent controls it"),
    ]
    assert findings("ops/agent-rdma-1", "--from", "w.json") == []


def test_a_pod_that_has_ended() -> None:
    objects = waiting()
    named(objects, "Pod", "big")["status"] = {"phase": "Failed", "reason": "Evicted", "message": "The node was low on memory."}
    write(Path("w.json"), objects)
    assert chain("shop/big", "--from", "w.json") == [
        ("pod", "shop/big has ended: Failed; nothing controls it"),
        ("cause", "Evicted: The node was low on memory."),
    ]


def test_a_pod_that_has_just_been_created() -> None:
    objects = waiting()
    named(objects, "Pod", "big")["metadata"]["creationTimestamp"] = "2026-03-01T11:59:30Z"
    write(Path("w.json"), objects)
    assert chain("shop/big", "--from", "w.json")[:2] == [
        ("pod", "shop/big has had no node since 2026-03-01T11:59:30Z (30 seconds); nothing controls it"),
        ("scheduler", "the pod was created moments ago: the scheduler may not have reached it yet"),
    ]
    assert findings("shop/big", "--from", "w.json") == []


def test_a_pod_that_a_queue_holds() -> None:
    held = event("InsufficientQuota", "queue-scheduler", "0 of 4 left", ("Pod", "shop", "big"))
    write(Path("w.json"), [*waiting(), held])
    assert chain("shop/big", "--from", "w.json")[1:4] == [
        ("scheduler", "default-scheduler has not reported on it"),
        ("cause", "blocked by queue-scheduler, which is not its scheduler (default-scheduler): InsufficientQuota: 0 of 4 left"),
        ("cause", "it is blocked by the quota of its queue"),
    ]
    assert findings("shop/big", "--from", "w.json") == ["PF442"]


def test_a_pod_on_a_node_that_is_down() -> None:
    objects = healthy()
    ready = named(objects, "Node", "rdma-1")["status"]["conditions"][0]
    ready |= {"status": "Unknown", "lastTransitionTime": "2026-03-01T10:00:00Z", "message": "Kubelet stopped posting node status."}
    named(objects, "Pod", "agent-rdma-1")["metadata"]["deletionTimestamp"] = "2026-03-01T10:06:00Z"
    write(Path("w.json"), objects)
    assert chain("ops/agent-rdma-1", "--from", "w.json") == [
        ("pod", "ops/agent-rdma-1 has been terminating since 2026-03-01T10:06:00Z (1 hour); DaemonSet ops/agent controls it"),
        ("node", "rdma-1 has not been Ready since 2026-03-01T10:00:00Z (2 hours): Kubelet stopped posting node status."),
    ]


def test_what_stands_behind_it_and_the_findings_on_that() -> None:
    assert [text for heading, text in chain("research/train-0", "--from", GPUS) if heading == "root cause"] == [
        "gpu-11 lacks the label node_env, which 10 peers have",
        "7 nvidia.com/gpu on gpu-05, gpu-07 are held by pods without a running container (stale allocation)",
    ]
    assert findings("research/train-0", "--from", GPUS) == ["PF433", "PF434", "PF440"]


def test_a_pod_of_the_namespace_of_the_context() -> None:
    objects = waiting()
    named(objects, "Pod", "big")["metadata"]["namespace"] = "default"
    write(Path("w.json"), objects)
    assert chain("big", "--from", "w.json")[0] == (
        "pod",
        "default/big has had no node since 2026-03-01T08:00:00Z (4 hours); nothing controls it",
    )


@pytest.mark.parametrize(
    ("words", "error"),
    [
        pytest.param(["--pod", "shop/none"], 'pods "shop/none" not found: give NAMESPACE/NAME of a pod in the input', id="no such pod"),
        pytest.param(
            ["--pod", "shop/big", "--node", "rdma-1"],
            "--pod excludes --node, --since and a second cluster\nSee 'preflight doctor --help'",
            id="with a node",
        ),
    ],
)
def test_what_cannot_be_asked(words: list[str], error: str) -> None:
    write(Path("w.json"), waiting())
    assert program("doctor", *words, "--from", "w.json") == (2, "", f"error: {error}\n")


def test_a_pod_of_a_namespace_whose_pods_are_not_known() -> None:
    """Nobody can say that it does not exist: unknown is no error of the person who asks."""
    from preflight.engine.doctor import _find_pod
    from preflight.errors import InputError
    from preflight.model.world import ClusterState

    cluster = ClusterState(pods_by_key={}, listed_namespaces=frozenset(("shop",)))
    with pytest.raises(InputError, match='unknown: whether pods "kube-system/p" exists') as refused:
        _find_pod(cluster, "kube-system/p")
    assert refused.value.exit_code == 3
