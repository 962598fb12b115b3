"""Snapshots that are empty, cut off, of another version, given twice, or put beside something else."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from preflight.load.snapshot.recognize import is_snapshot
from tests.cli.program import Result, program
from tests.load.snapshot.marked_cluster import cluster, csi, dump, node, pod, save, text, write

TAINT = ["taint", "nodes", "rdma-1", "dedicated=x:NoSchedule", "-o", "json", "--from"]


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A snapshot, in the working directory."""
    monkeypatch.chdir(tmp_path)
    save(Path("saved.json.gz"), write(Path("whole.json"), cluster()))
    return Path("saved.json.gz")


def rows(result: Result) -> dict[str, Any]:
    assert result.out, result.err
    return {row["daemonset"]: (row["outcome"], row["assumed"]) for row in json.loads(result.out)["coverage"]}


def test_nothing_at_all_is_no_snapshot_unless_it_is_meant(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    line = ["snapshot", "-o", str(tmp_path / "w.json"), "--from", str(tmp_path / "empty")]
    result = program(*line)
    assert (result.code, result.err) == (
        3,
        "error: no snapshot was saved: no Kubernetes objects that preflight reads in the input (--allow-empty saves it all the same)\n",
    )
    result = program(*line, "--allow-empty")
    assert (result.code, result.err) == (0, f"wrote {tmp_path}/w.json: 0 nodes, 0 DaemonSets, no pods (coverage will be assumed), 0.1 kB\n")
    assert json.loads(text(tmp_path / "w.json"))["items"] == []
    judged = program(*TAINT, str(tmp_path / "w.json"))
    assert (judged.code, judged.err) == (3, f"error: no Kubernetes objects in {tmp_path}/w.json\n")


def test_without_pods_coverage_is_assumed(tmp_path: Path) -> None:
    objects = [item for item in cluster() if item["kind"] != "Pod"]
    save(tmp_path / "w.json", write(tmp_path / "world.json", objects))
    assert set(rows(program(*TAINT, str(tmp_path / "w.json"))).values()) == {("lost-on-recreation", True), ("kept", True)}


@pytest.mark.parametrize("size", [10, 100, 1000])
def test_a_packed_file_that_is_cut_off_is_not_read(size: int, saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:size])
    result = program(*TAINT, str(saved))
    assert result.code == 3
    assert result.err == "error: cannot read saved.json.gz: broken gzip data: the file is cut off: copy or save it again\n"


def garble(data: bytes) -> bytes:
    return data[:10] + b"garbage garbage garbage"


def change_checksum(data: bytes) -> bytes:
    return data[:-8] + bytes(byte ^ 255 for byte in data[-8:])


def append_text(data: bytes) -> bytes:
    return data + b"more"


@pytest.mark.parametrize("damage", [garble, change_checksum, append_text])
def test_a_packed_file_that_is_damaged_is_not_read(damage: Callable[[bytes], bytes], saved: Path) -> None:
    saved.write_bytes(damage(saved.read_bytes()))
    result = program(*TAINT, str(saved))
    assert result.code == 3
    [line] = result.err.splitlines()
    assert line.startswith("error: cannot read saved.json.gz: broken gzip data: the file is damaged (")
    assert line.endswith("): copy or save it again")


@pytest.mark.parametrize("damage", [garble, change_checksum, append_text])
@pytest.mark.parametrize("command", [["doctor"], ["capacity", "--request", "cpu=1"]], ids=["doctor", "capacity"])
def test_a_damaged_snapshot_beside_a_whole_one_is_named(damage: Callable[[bytes], bytes], command: list[str], saved: Path) -> None:
    Path("damaged.json.gz").write_bytes(damage(saved.read_bytes()))
    result = program(*command, "--from", str(saved), "--from", "damaged.json.gz")
    assert result.code == 3
    shown = result.out + result.err
    assert "damaged.json.gz" in shown
    assert "broken gzip data: the file is damaged (" in shown


def test_what_begins_as_a_snapshot_is_one(saved: Path) -> None:
    data = gzip.decompress(saved.read_bytes())
    Path("plain.json").write_bytes(data)
    Path("indented.json").write_text(json.dumps(json.loads(data), indent=2), encoding="utf-8")
    Path("cut.json.gz").write_bytes(saved.read_bytes()[:1000])
    Path("foreign.json").write_text('{"apiVersion":"x.example.com/v1","kind":"Snapshot"}', encoding="utf-8")
    Path("empty").write_bytes(b"")
    Path("garbled.gz").write_bytes(garble(saved.read_bytes()))
    for path in ("saved.json.gz", "plain.json", "indented.json", "cut.json.gz"):
        assert is_snapshot(path), path
    for path in ("whole.json", "foreign.json", "empty", "garbled.gz", "missing", "a\0b", "-", "."):
        assert not is_snapshot(path), path


def test_a_pipe_is_not_looked_into(tmp_path: Path) -> None:
    """What is read of a pipe is gone: reading it comes once, and later."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert not is_snapshot(str(pipe))


def test_a_text_that_is_cut_off_is_not_read(saved: Path) -> None:
    whole = gzip.decompress(saved.read_bytes())
    Path("cut.json").write_bytes(whole[: len(whole) // 2])
    result = program(*TAINT, "cut.json")
    assert result.code == 3
    assert [line.partition(":")[0] for line in result.err.splitlines()] == ["cut.json"]


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("preflight/v2", "written by a newer preflight: version 2; this one reads 1"),
        ("preflight/v17", "written by a newer preflight: version 17; this one reads 1"),
        ("preflight/one", "not a version of a snapshot: 'preflight/one'"),
        ("preflight/v0", "not a version of a snapshot: 'preflight/v0'"),
    ],
)
@pytest.mark.parametrize("items", [[], [{"kind": "Sundial", "hands": None}], "none at all"])
def test_another_version_is_an_error_that_says_so(version: str, message: str, items: object, tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text(json.dumps({"apiVersion": version, "kind": "Snapshot", "items": items}), encoding="utf-8")
    result = program(*TAINT, str(tmp_path / "w.json"))
    assert result.code == 3
    assert f"w.json:1: error: {message}\n" in result.err


def test_what_somebody_else_calls_a_snapshot_is_not_ours(tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text(json.dumps({"apiVersion": "x.example.com/v9", "kind": "Snapshot", "items": []}), encoding="utf-8")
    result = program(*TAINT, str(tmp_path / "w.json"))
    assert "1 document skipped (kind Snapshot is not checked)" in result.err


@pytest.mark.parametrize("metadata", ['"x"', "[1]", '{"listed": "all"}', '{"listed": [1]}', '{"missing": ["Pod"]}'])
def test_a_head_that_makes_no_sense_is_an_error(metadata: str, tmp_path: Path) -> None:
    (tmp_path / "w.json").write_text(
        f'{{"apiVersion":"preflight/v1","kind":"Snapshot","metadata":{metadata},"items":[]}}', encoding="utf-8"
    )
    result = program(*TAINT, str(tmp_path / "w.json"))
    assert result.code == 3
    assert "w.json:1: error: metadata of the snapshot cannot be read: " in result.err


def test_where_the_head_does_not_say_which_pods_were_listed_none_were(tmp_path: Path) -> None:
    live = csi()
    save(tmp_path / "w.json", write(tmp_path / "world.json", [node("rdma-1", pool="rdma"), live, pod(live, "rdma-1")]))
    data = json.loads(text(tmp_path / "w.json"))
    for metadata, assumed in (({"listed": ["storage"]}, False), ({"listed": None}, False), ({}, True), ({"listed": []}, True)):
        (tmp_path / "v.json").write_text(json.dumps({**data, "metadata": metadata}), encoding="utf-8")
        assert rows(program(*TAINT, str(tmp_path / "v.json"))) == {"storage/csi-rdma": ("lost-on-recreation", assumed)}


def test_in_any_form_it_is_the_same(saved: Path) -> None:
    """Sorted and indented by a tool, or as YAML: it is JSON, and people edit it."""
    data = json.loads(gzip.decompress(saved.read_bytes()))
    forms = {"sorted.json": json.dumps(data, sort_keys=True), "indented.json": json.dumps(data, indent=2), "w.yaml": yaml.dump(data)}
    whole = program(*TAINT, str(saved))
    for name, form in forms.items():
        Path(name).write_text(form, encoding="utf-8")
        assert rows(program(*TAINT, name)) == rows(whole), name
        assert program("components", name).out.count("\n") == program("components", str(saved)).out.count("\n")


def test_given_twice_it_is_one(saved: Path) -> None:
    Path("copy.json.gz").write_bytes(saved.read_bytes())
    one, two = program(*TAINT, str(saved)), program(*TAINT, str(saved), "--from", "copy.json.gz", "--from", str(saved))
    assert rows(two) == rows(one)
    assert (two.code, two.err) == (one.code, one.err)


def test_two_of_other_times_are_an_error(saved: Path) -> None:
    save(Path("other.json"), write(Path("nodes.json"), [item for item in cluster() if item["kind"] == "Node"]))
    result = program(*TAINT, str(saved), "--from", "other.json")
    assert result.code == 3
    assert "saved.json.gz:1: error: a second snapshot (of another time or cluster): give only one\n" in result.err


def test_beside_manifests_of_other_objects_both_count(saved: Path) -> None:
    new = csi()
    new["metadata"] = {"name": "new", "namespace": "storage"}
    Path("new.json").write_text(json.dumps(new), encoding="utf-8")
    found = rows(program(*TAINT, str(saved), "--from", "new.json"))
    assert found["storage/new"] == ("lost-now", False)  # its pods would have been listed, so none is there yet
    assert found["storage/csi-rdma"] == ("lost-on-recreation", False)


def test_beside_the_manifest_of_an_object_of_its_own_it_is_two_things(saved: Path) -> None:
    """As beside a list of kubectl: what the server has filled in differs."""
    own = csi()
    own["metadata"] = {"name": "csi-rdma", "namespace": "storage"}
    Path("own.json").write_text(json.dumps(own), encoding="utf-8")
    result = program(*TAINT, str(saved), "--from", "own.json")
    assert result.code == 3
    assert "DaemonSet storage/csi-rdma is in " in result.err


def test_beside_pods_of_another_namespace_both_are_listed(tmp_path: Path) -> None:
    live = csi()
    world = [node("rdma-1", pool="rdma"), live, pod(live, "rdma-1")]
    save(tmp_path / "w.json", write(tmp_path / "world.json", world))
    other = csi()
    other["metadata"] |= {"namespace": "other", "uid": "other"}
    (tmp_path / "other.json").write_text(json.dumps(other), encoding="utf-8")
    (tmp_path / "pods.json").write_text(dump([pod(other, "rdma-1"), pod(other, "rdma-9")]), encoding="utf-8")
    sources = [word for name in ("w.json", "other.json", "pods.json") for word in ("--from", str(tmp_path / name))]
    assert rows(program(*TAINT[:-1], *sources)) == {
        "other/csi-rdma": ("lost-on-recreation", False),
        "storage/csi-rdma": ("lost-on-recreation", False),
    }


def test_a_field_of_ours_in_a_manifest_means_nothing(tmp_path: Path) -> None:
    """Who sends a manifest does not say what it is taken for."""
    live = csi()
    live["preflight"] = {"components": []}
    for name, given in (("one.json", json.dumps(live)), ("list.json", dump([live])), ("one.yaml", yaml.dump(live))):
        (tmp_path / name).write_text(given, encoding="utf-8")
        result = program("components", str(tmp_path / name))
        assert "csi-node-driver" in result.out, name


def test_a_kind_of_component_that_a_newer_program_knows_is_left_out(saved: Path) -> None:
    data = json.loads(gzip.decompress(saved.read_bytes()))
    for item in data["items"]:
        if item["metadata"]["name"] == "csi-rdma":
            item["preflight"]["components"].append({"kind": "time-machine", "evidence": [{"path": [], "words": "x"}]})
    Path("newer.json").write_text(json.dumps(data), encoding="utf-8")
    kinds = {line.split()[1] for line in program("components", "newer.json").out.splitlines() if "storage/csi-rdma" in line}
    assert kinds == {"csi-node-driver"}


def test_apply_takes_no_snapshot_for_a_manifest(saved: Path) -> None:
    result = program("apply", "-f", str(saved), "--from", str(saved))
    assert (result.code, result.err) == (3, "error: saved.json.gz:1: the Snapshot has no name\n")


@pytest.mark.parametrize("paths", [["."], ["saved.json.gz", "manifest.yaml"]])
def test_manifests_next_to_a_snapshot_are_of_no_cluster(paths: list[str], saved: Path) -> None:
    """`preflight lint` asks no cluster; a snapshot that is linted alone names the one that it is of."""
    Path("manifest.yaml").write_text(yaml.safe_dump(csi()))
    assert not program("lint", *paths).out.startswith("cluster ")
    assert json.loads(program("lint", *paths, "-o", "json").out)["cluster"] is None
    alone, listed = (json.loads(program(*line, str(saved), "-o", "json").out)["cluster"] for line in (["lint"], [*TAINT[:4], "--from"]))
    assert alone == listed
