"""Trees and repositories for tests of `diff`, and what a run over them says."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.builders import Object, make_container, make_daemonset, make_node, make_owner, make_pod, write_list, write_manifest
from tests.cli.program import Result, program

Files = Mapping[str, str | bytes]

IDENTITY = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b.example", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b.example"}
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", **IDENTITY}

DEDICATED = {"key": "dedicated", "operator": "Equal", "value": "rdma", "effect": "NoSchedule"}
EVERYTHING = {"operator": "Exists"}


def manifest(name: str, *tolerations: Mapping[str, Any], namespace: str | None = "apps", image: str = "agent:1", **pod: Any) -> str:
    """A DaemonSet that no rule of hygiene has anything to say of."""
    spec = {"nodeSelector": {"kubernetes.io/os": "linux"}, "containers": [make_container("c", image)], **pod}
    if tolerations:
        spec["tolerations"] = [dict(toleration) for toleration in tolerations]
    return write_manifest(make_daemonset(name, namespace, **spec))


def node(name: str, *taints: Mapping[str, str], **labels: str) -> str:
    """A Linux node."""
    return write_manifest(make_node(name, *taints, labels={"kubernetes.io/os": "linux", **labels}, ready=""))


RDMA = {"key": "dedicated", "value": "rdma", "effect": "NoSchedule"}
NODES = f"{node('n1')}---\n{node('rdma-1', RDMA)}"
"""One plain node, and one that is tainted."""


def pod(owner: str, on: str, namespace: str = "apps") -> Object:
    """A running pod of a DaemonSet, as kubectl lists it."""
    return make_pod(f"{owner}-{on}", namespace, node=on, owner=make_owner("DaemonSet", owner, f"uid-{owner}"))


def listed(*manifests: str, pods: tuple[dict[str, Any], ...] = ()) -> str:
    """What `kubectl get -o json` prints of these objects, once a cluster has them, and of these pods."""
    items = [item for text in manifests for item in yaml.safe_load_all(text)]
    for item in items:
        item["metadata"]["uid"] = f"uid-{item['metadata']['name']}"
        if item["kind"] == "DaemonSet":
            item["spec"]["revisionHistoryLimit"] = 10
            item["spec"]["template"]["spec"] |= {"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "securityContext": {}}
            item["status"] = {"desiredNumberScheduled": 1}
    return write_list([*items, *pods])


def write(folder: Path, files: Files) -> Path:
    """A folder with these files."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def git(folder: Path, *arguments: str) -> str:
    """What git says in a folder; a fault is one of the test."""
    command = ["git", "-c", "protocol.file.allow=always", *arguments]
    done = subprocess.run(command, cwd=folder, env={**os.environ, **QUIET}, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def repository(folder: Path, *trees: Files) -> Path:
    """A repository whose commits on `main` hold these trees, one after another; the last one is checked out."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for number, tree in enumerate(trees, 1):
        commit(folder, tree, f"v{number}")
    return folder


def commit(folder: Path, tree: Files, tag: str) -> None:
    """Commit exactly these files, and tag the commit."""
    if git(folder, "ls-files"):
        git(folder, "rm", "-rqf", ".")
    write(folder, tree)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", tag)
    git(folder, "tag", tag)


def diff(*argv: str, stdin: bytes = b"") -> Result:
    """`preflight diff ARGV`."""
    return program("diff", *argv, stdin=stdin)


def report(*argv: str, stdin: bytes = b"") -> dict[str, Any]:
    """The report of `preflight diff ARGV` as JSON."""
    result = diff(*argv, "-o", "json", stdin=stdin)
    assert result.out, result.err
    found: dict[str, Any] = json.loads(result.out)
    assert found["exit"] == result.code
    return found


def findings(found: Mapping[str, Any]) -> list[str]:
    """`PF101 apps/agent n1,n2` for each finding."""
    lines = []
    for finding in found["findings"]:
        subject = finding["subject"]
        name = subject["name"] if subject["kind"] == "Node" else f"{subject['namespace'] or '-'}/{subject['name']}"
        lines.append(" ".join(filter(None, (finding["rule"], name, ",".join(finding["nodes"])))))
    return lines


def outcomes(found: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """The outcome of each pair."""
    return {(row["daemonset"], name): row["outcome"] for row in found["coverage"] for name in row["nodes"]}


def headline(found: Mapping[str, Any]) -> str:
    """What the report says of the change in one line, "" where there is none."""
    steps = found["change"]["steps"]
    return steps[0]["headline"] if steps else ""


def notes(found: Mapping[str, Any]) -> list[str]:
    """The notes of the change."""
    steps = found["change"]["steps"]
    return list(steps[0]["notes"]) if steps else []
