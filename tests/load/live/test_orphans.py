"""`apply` of DaemonSets that do not exist yet: a cluster is asked for the pods that they adopt."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from preflight.model.core import PodSpec
from preflight.scheduling.tolerations import add_implicit_tolerations
from tests.builders import Object, write_list
from tests.cli.program import Result, program
from tests.load.live.api_server import ApiServer, serving
from tests.load.live.listed_objects import cluster, daemonset, node, pod

NEW = daemonset("net", "left")
IMPLICIT = [{"key": each.key, "operator": each.operator, "effect": each.effect} for each in add_implicit_tolerations(PodSpec())]


def orphan(on: str, name: str = "left", **spec: Any) -> Object:
    """A pod of NEW's template that nothing controls."""
    found = pod(daemonset("net", name), on)
    del found["metadata"]["ownerReferences"]
    template = NEW["spec"]["template"]
    found["metadata"]["labels"] = {**template["metadata"]["labels"], "pod-template-generation": "2"}
    found["spec"] = {**found["spec"], "containers": template["spec"]["containers"], "tolerations": IMPLICIT, **spec}
    return found


def world() -> list[Object]:
    tainted = node("tainted", ({"key": "x", "effect": "NoSchedule"},), pool="a")
    return [*cluster(), tainted, orphan("a-0"), orphan("a-1"), orphan("tainted")]


def apply(objects: list[Object], tmp_path: Path, *argv: str, stdin: bytes = b"") -> tuple[Result, Result, list[str]]:
    """The answers of the live cluster and of a dump of it, and what was asked."""
    dump = tmp_path / "dump.json"
    dump.write_text(write_list(objects))
    server = ApiServer(objects, page=2)
    with serving(server, tmp_path) as config:
        live = program("apply", *argv, "-o", "json", "--kubeconfig", str(config), stdin=stdin)
    return live, program("apply", *argv, "-o", "json", "--from", str(dump), stdin=stdin), server.questions()


def rows(result: Result) -> list[tuple[str, ...]]:
    report = json.loads(result.out)
    return sorted((row["daemonset"], row["outcome"], ",".join(row["nodes"]), str(row["now"])) for row in report["coverage"])


@pytest.fixture
def manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    del (new := json.loads(json.dumps(NEW)))["metadata"]["uid"]
    Path("new.json").write_text(json.dumps(new))
    return "new.json"


def test_the_pods_that_a_new_daemonset_adopts_are_asked_for(manifest: str, tmp_path: Path) -> None:
    live, files, asked = apply(world(), tmp_path, "-f", manifest)
    assert "pods -n net labelSelector=app=left" in asked
    assert rows(live) == rows(files)
    assert ("net/left", "lost-on-recreation", "tainted", "1") in rows(live)
    assert ("net/left", "kept", "a-0,a-1", "2") in rows(live)


def test_those_of_another_template_are_replaced(manifest: str, tmp_path: Path) -> None:
    other: dict[str, Any] = {"containers": [{"name": "main", "image": "example.com/agent:0"}]}
    objects = [*world()[:-1], orphan("tainted", **other)]
    live, files, _ = apply(objects, tmp_path, "-f", manifest)
    assert rows(live) == rows(files)
    assert ("net/left", "lost-now", "tainted", "0") in rows(live)


def test_the_namespace_of_the_line_is_asked(manifest: str, tmp_path: Path) -> None:
    new = json.loads(Path(manifest).read_text())
    del new["metadata"]["namespace"]
    live, files, asked = apply(world(), tmp_path, "-f", "-", "-n", "net", stdin=json.dumps(new).encode())
    assert "pods -n net labelSelector=app=left" in asked
    assert live.err == ""
    assert rows(live) == rows(files)
    assert ("net/left", "lost-on-recreation", "tainted", "1") in rows(live)


def test_what_an_existing_daemonset_has_is_asked_for_once(manifest: str, tmp_path: Path) -> None:
    _, _, asked = apply([*world(), NEW], tmp_path, "-f", manifest)
    assert {question for question in asked if question.startswith("pods")} == {"pods -n net labelSelector=app=left"}
