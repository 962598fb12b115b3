"""What the pages tell a reader to type works: each line of their `sh` blocks, in a folder and with clusters like those of a reader."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from preflight.cli.main import COMMANDS, VERBS
from tests.builders import list_daemonset_pod, make_container, make_deployment, write_list
from tests.cli.program import program
from tests.docs_update import blocks, commands, pages
from tests.load.bundles import make_must_gather
from tests.load.live.api_server import ApiServer, serving
from tests.paths import ROOT

CLUSTER = ROOT / "examples" / "rdma-incident" / "cluster"
PAGES = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages()}
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
WHO = {f"GIT_{role}_{what}": "a@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
CONTEXTS = ("prod", "prod-eu", "prod-us")


def typed_lines(text: str) -> Iterator[str]:
    """The lines of a page that run preflight, without their comments."""
    for block in blocks(text, "sh"):
        for line in block.splitlines():
            command = line.partition(" #")[0].strip()
            if re.match(r"preflight |.*\| preflight ", command):
                yield command


TYPED = sorted({(name, line) for name, text in PAGES.items() for line in typed_lines(text)})


def cluster_objects() -> list[dict[str, Any]]:
    """The cluster of the example, with a pod for each DaemonSet on each node of its pool, and a Deployment that asks for a GPU."""
    given: list[dict[str, Any]] = []
    for path in sorted(CLUSTER.glob("*.yaml")):
        given += yaml.load_all(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    for item in given:
        if item["kind"] == "Node":
            item["status"] = {"allocatable": {"cpu": "32", "memory": "128Gi", "pods": "110", "nvidia.com/gpu": "8"}}
    labels = {item["metadata"]["name"]: item["metadata"]["labels"].items() for item in given if item["kind"] == "Node"}
    pods = []
    for item in given:
        if item["kind"] == "DaemonSet":
            selector = item["spec"]["template"]["spec"].get("nodeSelector", {}).items()
            pods += [list_daemonset_pod(item, node) for node, has in labels.items() if selector <= has]
    container = make_container() | {"resources": {"requests": {"nvidia.com/gpu": "1"}}}
    return [*given, *pods, make_deployment("infer", "serving", 2, containers=[container])]


KINDS = {"nodes": "Node", "ds": "DaemonSet", "pods": "Pod", "events": "Event"}


def stdin_of(before: str) -> bytes:
    """What the command before the pipe prints: kubectl lists the cluster, helm renders a chart."""
    match shlex.split(before):
        case ["kubectl", "get", kinds, "-A", "-o", "json"]:
            wanted = {KINDS[kind] for kind in kinds.split(",")}
            return write_list(item for item in cluster_objects() if item["kind"] in wanted).encode()
        case ["helm", "template", *_]:
            return (CLUSTER / "log-agent.yaml").read_bytes()
        case _:
            return b""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a reader: a git repository with manifests, saved clusters, and the examples of preflight."""
    folder = tmp_path_factory.mktemp("reader")

    def git(*arguments: str) -> None:
        subprocess.run(["git", *arguments], cwd=folder, env={**os.environ, **QUIET, **WHO}, check=True, capture_output=True)

    git("init", "--quiet", "--initial-branch=main")
    for name in ("manifests", "deploy"):
        (folder / name).mkdir()
        for path in CLUSTER.glob("*.yaml"):
            (folder / name / path.name).write_bytes(path.read_bytes())
    git("add", "--all")
    git("commit", "--quiet", "--message", "manifests")
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    (folder / "deploy" / "log-agent.yaml").write_bytes((CLUSTER.parent / "fixed" / "log-agent.yaml").read_bytes())
    git("commit", "--quiet", "--all", "--message", "fixed")
    (folder / "examples").symlink_to(ROOT / "examples")
    (folder / "fleet").mkdir()
    everything = cluster_objects()
    nodes = write_list(item for item in everything if item["kind"] == "Node")
    (folder / "nodes.json").write_text(nodes, encoding="utf-8")
    (folder / "fleet" / "nodes.json").write_text(nodes, encoding="utf-8")
    (folder / "dump.json").write_text(write_list(everything), encoding="utf-8")
    with tarfile.open(folder / "must-gather.tar.gz", "w:gz") as archive:
        for name, text in make_must_gather(everything).items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    (folder / "runbook.sh").write_text("kubectl taint nodes rdma-1 dedicated=rdma:NoSchedule\n", encoding="utf-8")
    for name in ("before", "cluster", "eu", "us"):
        assert program("snapshot", "--from", str(folder / "dump.json"), "-o", str(folder / f"{name}.json.gz")).code == 0
    assert program("lint", str(folder / "manifests"), "--no-policy", "--write-baseline", str(folder / "preflight-baseline.yaml")).code == 0
    return folder


@pytest.fixture(scope="module")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A kubeconfig whose contexts all lead to one cluster."""
    with serving(ApiServer(cluster_objects()), tmp_path_factory.mktemp("cluster")) as config:
        data = json.loads(config.read_text(encoding="utf-8"))
        (only,) = data["contexts"]
        data |= {"contexts": [{**only, "name": name} for name in CONTEXTS], "current-context": "prod"}
        config.write_text(json.dumps(data), encoding="utf-8")
        yield config


@pytest.mark.parametrize(("name", "line"), TYPED, ids=[f"{name}: {line}" for name, line in TYPED])
def test_what_a_page_tells_to_type_works(name: str, line: str, reader: Path, kubeconfig: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(reader)
    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    alone = re.sub(r" >\S+$", "", line.removesuffix(" | kubectl apply -f -"))
    before, _, command = f" {alone}".rpartition(" preflight ")
    result = program(*shlex.split(command), stdin=stdin_of(before.removesuffix(" |").strip()))
    assert result.code in (0, 1), f"{name}: {line}\n{result.out[-2000:]}{result.err}"
    assert result.out or result.err or re.search(r"-o \S", line), name


def test_lines_are_found_with_and_without_a_pipe() -> None:
    page = "```sh\npreflight lint x  # why\nkubectl get ds | preflight lint -\nls\n# preflight none\n```\n"
    assert list(typed_lines(page)) == ["preflight lint x", "kubectl get ds | preflight lint -"]


def test_a_page_shows_every_command() -> None:
    """By a line to type or a console block; `explain` and `rules` by their names in the README."""
    shell = [line for _, line in TYPED if line.startswith("preflight ")]
    console = [line for text in PAGES.values() for block in blocks(text, "console") for line in commands(block)]
    shown = {line.split()[1] for line in (*shell, *console) if line.startswith("preflight ")}
    assert {*VERBS, *COMMANDS} - shown <= {"explain", "rules"}


def test_the_readme_names_every_command() -> None:
    rows = re.findall(r"^\| (`preflight [^|]*)\|", PAGES["README.md"], re.MULTILINE)
    assert {word for row in rows for word in re.findall(r"`preflight (\w+)`", row)} == {*VERBS, *COMMANDS}
