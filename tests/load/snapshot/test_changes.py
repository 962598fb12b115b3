"""apply, diff and set image over a snapshot, which has no more than a part of each template."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import program
from tests.load.snapshot.marked_cluster import TAINT, Data, cluster, csi, node, plugin, pod, save, write
from tests.load.snapshot.test_same_answers import both

ASSUMED = "assumed to be updated: a snapshot holds only part of a template, and that part is unchanged: "
ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"


def manifest(live: Data) -> Data:
    """What somebody would have applied for a live object."""
    metadata = {"name": live["metadata"]["name"], "namespace": live["metadata"]["namespace"]}
    return {"apiVersion": live["apiVersion"], "kind": live["kind"], "metadata": metadata, "spec": copy.deepcopy(live["spec"])}


def pod_spec(data: Data) -> Data:
    found: Data = data["spec"]["template"]["spec"]
    return found


def judged(folder: Path, applied: Data, world: list[Data] | None = None) -> tuple[Any, Any]:
    """What `apply -f` says over a cluster, and over its snapshot."""
    whole = write(folder / "whole.json", world or cluster())
    save(folder / "saved.json.gz", whole)
    (folder / "applied.json").write_text(json.dumps(applied), encoding="utf-8")
    return both(["apply", "-f", str(folder / "applied.json"), "--from", "@"], whole, str(folder / "saved.json.gz"))


def notes(said: tuple[int, Any]) -> list[str]:
    found: list[str] = said[1]["change"]["steps"][0]["notes"]
    return found


def rest(said: tuple[int, Any]) -> Any:
    """A report without the notes of its step."""
    steps = [{name: value for name, value in step.items() if name != "notes"} for step in said[1]["change"]["steps"]]
    return {**said[1], "change": {**said[1]["change"], "steps": steps}}


def test_the_manifest_of_what_is_there_may_be_an_update_and_a_note_says_that_it_is_assumed(tmp_path: Path) -> None:
    whole, saved = judged(tmp_path, manifest(plugin()))
    assert notes(whole) == ["unchanged: kube-system/rdma-plugin"]
    assert notes(saved) == [f"{ASSUMED}kube-system/rdma-plugin"]


def test_an_assumed_update_sets_off_a_time_bomb(tmp_path: Path) -> None:
    """What is not known is judged by the worse answer."""
    world = cluster()
    for item in world:
        if item["metadata"]["name"] == "rdma-1" and item["kind"] == "Node":
            item["spec"]["taints"] = [{"key": "late", "effect": "NoSchedule"}]
    whole, saved = judged(tmp_path, manifest(csi()), world)
    assert (whole[0], saved[0]) == (0, 1)
    assert [(finding["rule"], finding["nodes"]) for finding in saved[1]["findings"] if finding["severity"] == "error"] == [
        ("PF101", ["rdma-1"])
    ]


def change_image(data: Data) -> None:
    pod_spec(data)["containers"][0]["image"] = "registry.example/vendor-plugin:2"


def drop_tolerations(data: Data) -> None:
    del pod_spec(data)["tolerations"]


def drop_selector(data: Data) -> None:
    del pod_spec(data)["nodeSelector"]


def other_toleration(data: Data) -> None:
    pod_spec(data)["tolerations"] = [{"key": "other", "operator": "Exists"}]


def other_program(data: Data) -> None:
    pod_spec(data)["containers"][0] |= {"command": ["/opt/kube-proxy"], "volumeMounts": []}


def other_label(data: Data) -> None:
    data["metadata"]["labels"] = {"app": "rdma-plugin", "new": "yes"}
    change_image(data)


VISIBLE = [change_image, drop_tolerations, drop_selector, other_toleration, other_program, other_label]


@pytest.mark.parametrize("edit", VISIBLE, ids=lambda edit: edit.__name__.replace("_", " "))
@pytest.mark.parametrize("is_applied", [True, False], ids=["applied before", "never applied"])
def test_what_a_manifest_changes_is_judged_alike(edit: Any, is_applied: bool, tmp_path: Path) -> None:
    """The manifest applied last decides what a field that the new one leaves out means: it is gone, or it was set by others."""
    world = cluster()
    if not is_applied:
        for each in world:
            each["metadata"]["annotations"].pop(ANNOTATION, None)
    new = manifest(plugin())
    edit(new)
    whole, saved = judged(tmp_path, new, world)
    assert rest(whole) == rest(saved)
    assert [note for note in notes(saved) if not note.startswith(ASSUMED)] == [
        each for each in notes(whole) if not each.startswith("unchanged")
    ]
    assert whole[1]["coverage"]


def test_a_second_step_meets_the_manifest_that_was_applied(tmp_path: Path) -> None:
    """Once it is applied it is known whole: then the same again is no update."""
    save(tmp_path / "saved.json", write(tmp_path / "whole.json", cluster()))
    (tmp_path / "applied.json").write_text(json.dumps(manifest(plugin())), encoding="utf-8")
    (tmp_path / "plan.yaml").write_text("- apply -f applied.json\n- apply -f applied.json\n", encoding="utf-8")
    result = program("plan", str(tmp_path / "plan.yaml"), "--from", str(tmp_path / "saved.json"), "-o", "json")
    said = [step["notes"] for step in json.loads(result.out)["change"]["steps"]]
    assert said == [[f"{ASSUMED}kube-system/rdma-plugin"], ["unchanged: kube-system/rdma-plugin"]]


def test_a_selector_that_differs_is_refused(tmp_path: Path) -> None:
    new = manifest(plugin())
    new["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    whole, saved = judged(tmp_path, new)
    assert saved == whole
    assert "field is immutable" in saved[1]


def test_another_program_in_a_container_is_a_note(tmp_path: Path) -> None:
    save(tmp_path / "saved.json", write(tmp_path / "whole.json", cluster()))
    said = []
    for image in ("registry.example/vendor-plugin:9", "mirror.example/x/vendor-plugin@sha256:00", "registry.example/something-else:1"):
        line = ["set", "image", "ds/rdma-plugin", f"plugin={image}", "-n", "kube-system"]
        result = program(*line, "--from", str(tmp_path / "saved.json"), "-o", "json")
        said.append(json.loads(result.out)["change"]["steps"][0]["notes"])
    note = (
        "kube-system/rdma-plugin: treated as the component that was recognized when the snapshot was made, "
        "although the image is now another program"
    )
    assert said == [[], [], [note]]


# patch


def test_a_patch_that_speaks_of_what_is_not_saved_may_be_an_update(tmp_path: Path) -> None:
    """It sets what is there already, or takes away what a snapshot does not show: an update, or none."""
    save(tmp_path / "saved.json", write(tmp_path / "whole.json", cluster()))
    environment = {"name": "PASSWORD", "$patch": "delete"}
    said = {}
    for name, inner in {
        "tolerations as they are": {"tolerations": [TAINT | {"operator": "Equal"}]},
        "an argument": {"containers": [{"name": "plugin", "args": ["x"]}]},
        "an environment without": {"containers": [{"name": "plugin", "env": [environment]}]},
    }.items():
        patch = json.dumps({"spec": {"template": {"spec": inner}}})
        line = ["patch", "ds", "rdma-plugin", "-n", "kube-system", "-p", patch, "--from", str(tmp_path / "saved.json"), "-o", "json"]
        said[name] = [load.partition(":")[0] for load in json.loads(program(*line).out)["change"]["steps"][0]["notes"]]
    assert said == {
        "tolerations as they are": ["nothing changes"],
        "an argument": [ASSUMED.partition(":")[0]],
        "an environment without": [ASSUMED.partition(":")[0]],
    }


def test_a_patch_that_cannot_be_applied_to_what_is_saved_is_unknown(tmp_path: Path) -> None:
    """kubectl would not refuse it: the argument is there."""
    whole = write(tmp_path / "whole.json", cluster())
    save(tmp_path / "saved.json", whole)
    patch = json.dumps([{"op": "remove", "path": "/spec/template/spec/containers/0/args/0"}])
    line = ["patch", "ds", "rdma-plugin", "-n", "kube-system", "--type=json", "-p", patch, "--from"]
    assert program(*line, whole).code in (0, 1)
    result = program(*line, str(tmp_path / "saved.json"))
    assert result.code == 3
    assert result.err.endswith(": a snapshot holds only part of the template, so the API server may answer otherwise\n")


# diff

SAME = "5 DaemonSets look the same in a snapshot, which holds only the fields of a template that preflight reads"


def difference(*line: str) -> Any:
    result = program("diff", *line, "-o", "json")
    assert result.out, result.err
    return json.loads(result.out)


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster, its snapshot, the manifests of its DaemonSets, and a snapshot after an image and the environment were changed."""
    monkeypatch.chdir(tmp_path)
    world = cluster()
    save(tmp_path / "saved.json.gz", write(tmp_path / "whole.json", world))
    write(tmp_path / "manifests.json", [manifest(item) for item in world if item["kind"] == "DaemonSet"])
    for each in world:
        if each["kind"] == "DaemonSet":
            pod_spec(each)["containers"][0]["env"] = []
        if each["metadata"]["name"] == "csi-rdma" and each["kind"] == "DaemonSet":
            pod_spec(each)["containers"][0]["image"] = "registry.example/x:2"
    save(tmp_path / "later.json.gz", write(tmp_path / "later.json", world))


@pytest.mark.usefixtures("sides")
@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param("saved.json.gz", "saved.json.gz", id="two snapshots"),
        pytest.param("whole.json", "saved.json.gz", id="a list of kubectl and its snapshot"),
        pytest.param("saved.json.gz", "whole.json", id="a snapshot and the list"),
        pytest.param("manifests.json", "saved.json.gz", id="drift of a snapshot from its manifests"),
    ],
)
def test_nothing_differs_as_far_as_a_snapshot_shows_and_that_is_said(base: str, head: str) -> None:
    report = difference(base, head)
    assert (report["coverage"], report["exit"]) == ([], 0)
    assert report["assumptions"][-1] == SAME


@pytest.mark.usefixtures("sides")
@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param("saved.json.gz", "later.json.gz", id="two snapshots"),
        pytest.param("whole.json", "later.json.gz", id="a list of kubectl and a snapshot"),
        pytest.param("manifests.json", "later.json.gz", id="drift from manifests"),
    ],
)
def test_what_a_snapshot_shows_differs(base: str, head: str) -> None:
    """The environment differs too, of every DaemonSet, and no snapshot shows it."""
    report = difference(base, head)
    (step,) = report["change"]["steps"]
    assert [note.partition(":")[2] for note in step["notes"] if note.startswith(("changed template", "different template"))] == [
        " storage/csi-rdma"
    ]
    assert report["assumptions"][-1] == SAME.replace("5 DaemonSets", "4 DaemonSets")


@pytest.mark.usefixtures("sides")
def test_applying_manifests_over_a_snapshot_assumes_updates() -> None:
    report = difference("saved.json.gz", "manifests.json")
    (step,) = report["change"]["steps"]
    assert [note for note in step["notes"] if note.startswith(ASSUMED)] == [
        f"{ASSUMED}kube-system/pod-network, kube-system/rdma-plugin, kube-system/services, ops/agent, storage/csi-rdma"
    ]


@pytest.mark.usefixtures("sides")
def test_a_label_that_differs_is_no_update() -> None:
    world = json.loads(Path("whole.json").read_text(encoding="utf-8"))["items"]
    for each in world:
        if each["metadata"]["name"] == "agent":
            each["metadata"]["labels"] = {"app": "agent", "new": "yes"}
    save(Path("labelled.json.gz"), write(Path("labelled.json"), world))
    (step,) = difference("saved.json.gz", "labelled.json.gz")["change"]["steps"]
    assert step["notes"] == ["changed, but not its template: no pod is replaced: ops/agent"]


def test_a_snapshot_of_manifests_is_a_cluster_to_diff(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no pods and no uids, and is a snapshot all the same: what it lacks of a template was not removed."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "manifests.json", [node("rdma-1", pool="rdma"), manifest(plugin())])
    save(tmp_path / "saved.json", "manifests.json")
    assert difference("manifests.json", "saved.json")["coverage"] == []


def test_a_pod_that_a_snapshot_shows_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    live = csi()
    nodes = [node("rdma-1", pool="rdma"), node("rdma-2", pool="rdma")]
    save(tmp_path / "saved.json", write(tmp_path / "whole.json", [*nodes, live, pod(live, "rdma-1")]))
    result = program("taint", "nodes", "--all", "a=b:NoExecute", "--from", "saved.json", "-o", "json")
    rows = {name: (row["outcome"], row["before"]) for row in json.loads(result.out)["coverage"] for name in row["nodes"]}
    assert rows == {"rdma-1": ("lost-now", 1), "rdma-2": ("lost-now", 1)}  # one row: of the one pod, and of the one that is not made yet
