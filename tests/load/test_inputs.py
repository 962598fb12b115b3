"""The typed inputs: what a command line names, and that each is read as the world that it is."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from preflight.errors import InputError
from preflight.load.inputs import Files, Live, LoadOptions, Snapshot, load_input, open_input, select_input
from preflight.load.live.planner import FOR_DAEMONSETS, ClusterQuery
from preflight.load.live.target import ClusterTarget
from tests.load.live.api_server import ApiServer, serving
from tests.load.snapshot.marked_cluster import cluster, save, write

ONE_CLUSTER = LoadOptions(one_cluster=True)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(Path("saved.json.gz"), write(Path("whole.json"), cluster()))


def test_what_a_command_line_names() -> None:
    assert select_input([]) == Files()
    assert select_input(["whole.json"]) == Files(("whole.json",))
    assert select_input(["saved.json.gz"]) == Snapshot("saved.json.gz")
    assert select_input(["saved.json.gz", "whole.json"]) == Files(("saved.json.gz", "whole.json"))
    assert select_input(["whole.json"], ["saved.json.gz"]) == Files(("whole.json",), ("saved.json.gz",))
    assert select_input(["missing"]) == Files(("missing",))
    target = ClusterTarget(context="prod")
    assert select_input(["whole.json"], target=target) == Live(target, ("whole.json",))


def test_a_snapshot_is_the_world_that_its_file_is() -> None:
    as_snapshot = load_input(Snapshot("saved.json.gz"), ONE_CLUSTER)
    assert as_snapshot.world == load_input(Files(("saved.json.gz",)), ONE_CLUSTER).world
    assert as_snapshot.problems == ()
    assert as_snapshot.world.nodes.keys() == load_input(Files(("whole.json",)), ONE_CLUSTER).world.nodes.keys()


def test_a_snapshot_in_another_form_is_one() -> None:
    data = json.loads(gzip.decompress(Path("saved.json.gz").read_bytes()))
    Path("sorted.json").write_text(json.dumps(data, sort_keys=True), encoding="utf-8")
    assert load_input(Snapshot("sorted.json"), ONE_CLUSTER).problems == ()


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("whole.json", "not a snapshot: create one with `preflight snapshot -o FILE`, or pass the file as manifests"),
        (".", "not a snapshot: create one with `preflight snapshot -o FILE`, or pass the file as manifests"),
    ],
)
def test_what_is_no_whole_snapshot_is_a_problem_that_says_what_to_do(path: str, message: str) -> None:
    if path == ".":
        Path("saved.json.gz").unlink()
    [problem] = load_input(Snapshot(path), ONE_CLUSTER).problems
    assert problem.location is not None
    assert (problem.location.file, problem.message) == (path, message)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("cut.json.gz", "broken gzip data: the file is cut off: copy or save it again"),
        (
            "damaged.json.gz",
            "broken gzip data: the file is damaged (Error -3 while decompressing data: invalid stored block lengths): copy",
        ),
        ("missing.json", "no such file or directory"),
    ],
)
def test_a_snapshot_that_cannot_be_read_is_an_error(path: str, message: str) -> None:
    packed = Path("saved.json.gz").read_bytes()
    Path("cut.json.gz").write_bytes(packed[:500])
    Path("damaged.json.gz").write_bytes(packed[:10] + bytes(40) + packed[50:])
    with pytest.raises(InputError, match=re.escape(f"cannot read {path}: {message}")):
        load_input(Snapshot(path), ONE_CLUSTER)


def test_files_have_nobody_to_ask_for_more() -> None:
    with open_input(Files(("whole.json",)), ONE_CLUSTER) as opened:
        before = opened.loaded
        assert opened.connection is None
        assert opened.load_dependents() is before


def test_a_live_cluster_is_asked_for_what_is_wanted(tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        live = Live(ClusterTarget(kubeconfig=str(config)))
        loaded = load_input(live, ONE_CLUSTER, query=FOR_DAEMONSETS)
        assert loaded.world.listing is not None
        assert loaded.world.listing.live
        assert not loaded.world.nodes
        everything = load_input(live, ONE_CLUSTER).world
        assert everything.nodes.keys() == load_input(Files(("whole.json",)), ONE_CLUSTER).world.nodes.keys()


def test_a_live_cluster_answers_what_depends_on_daemonsets_as_long_as_it_is_open(tmp_path: Path) -> None:
    server = ApiServer(cluster())
    namespaces: list[str] = []

    def choose(connection: object) -> ClusterQuery:
        namespaces.append(getattr(connection, "namespace", ""))
        return FOR_DAEMONSETS

    with serving(server, tmp_path) as config, open_input(Live(ClusterTarget(kubeconfig=str(config))), ONE_CLUSTER, query=choose) as opened:
        assert opened.connection is not None
        assert opened.connection.server == server.url
        before = opened.loaded.world
        assert len(namespaces) == 1
        assert "deployments" not in " ".join(server.questions())
        after = opened.load_dependents().world
        assert "deployments" in " ".join(server.questions())
        assert len(after.workloads) > len(before.workloads)


def test_files_beside_a_live_cluster_are_what_is_judged(tmp_path: Path) -> None:
    with serving(ApiServer(cluster()), tmp_path) as config:
        loaded = load_input(Live(ClusterTarget(kubeconfig=str(config)), ("whole.json",)), LoadOptions(one_cluster=False))
    assert loaded.checked_files == frozenset({"whole.json"})
