"""Whole manifests and node pools as runs: our own, and if present those of other projects, of which only digests are committed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.safety.runs import TODAY, Run

REPORT = ("-o", "json", "--today", TODAY, "--no-policy")

NODES = """\
apiVersion: v1
kind: Node
metadata: {name: plain-1, labels: {kubernetes.io/os: linux, kubernetes.io/arch: amd64, kubernetes.io/hostname: plain-1}}
---
apiVersion: v1
kind: Node
metadata: {name: plain-2, labels: {kubernetes.io/os: linux, kubernetes.io/arch: arm64, kubernetes.io/hostname: plain-2}}
spec: {taints: [{key: dedicated, value: batch, effect: NoSchedule}]}
---
apiVersion: v1
kind: Node
metadata:
  name: gpu-1
  labels:
    kubernetes.io/os: linux
    kubernetes.io/arch: amd64
    kubernetes.io/hostname: gpu-1
    nvidia.com/gpu.present: "true"
    cloud.google.com/gke-accelerator: nvidia-l4
    node.kubernetes.io/instance-type: g5.xlarge
spec: {taints: [{key: nvidia.com/gpu, value: present, effect: NoSchedule}]}
---
apiVersion: v1
kind: Node
metadata:
  name: control-1
  labels: {kubernetes.io/os: linux, node-role.kubernetes.io/control-plane: "", node-role.kubernetes.io/master: ""}
spec: {taints: [{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}]}
---
apiVersion: v1
kind: Node
metadata: {name: windows-1, labels: {kubernetes.io/os: windows, kubernetes.io/arch: amd64, kubernetes.io/hostname: windows-1}}
"""
"""A few nodes of our own to place the DaemonSets on."""

AGENT = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: ops}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      nodeSelector: {kubernetes.io/os: linux}
      containers: [{name: agent, image: "registry.example/agent:1"}]
      tolerations: [{key: dedicated, operator: Exists}]
"""
"""A DaemonSet of our own to place on the pools."""

CHANGES = (
    ("taint", "nodes", "--all", "team=red:NoSchedule"),
    ("taint", "nodes", "gpu-1", "plain-1", "maintenance=true:NoExecute"),
    ("label", "nodes", "gpu-1", "nvidia.com/gpu.present-", "node.kubernetes.io/instance-type=other", "--overwrite"),
    ("drain", "plain-1", "gpu-1", "--ignore-daemonsets"),
)


OWN = Path(__file__).parents[1] / "data/corpus"


def find_public() -> Path | None:
    """The folder with the manifests of other projects, next to the repository or above it."""
    return next((path for folder in Path(__file__).parents if (path := folder / "shared" / "corpus").is_dir()), None)


def list_own_runs() -> Iterator[Run]:
    """The runs over our own manifests and node pools."""
    return _list_runs("own", OWN)


def list_public_runs() -> Iterator[Run]:
    """The runs over those of other projects; none where they are not found."""
    folder = find_public()
    return _list_runs("corpus", folder) if folder is not None else iter(())


def _list_runs(source: str, folder: Path) -> Iterator[Run]:
    """Each manifest linted, alone and with nodes, changed, fixed and recognized; each node pool linted, applied and changed."""
    for path in sorted((folder / "manifests").glob("*.yaml")):
        name, files = f"{source}/manifests/{path.name}", {path.name: path.read_text(encoding="utf-8"), "nodes.yaml": NODES}
        world = ("--from", path.name, "--from", "nodes.yaml", *REPORT)
        yield Run(f"{name}: lint", [("lint", path.name, *REPORT), ("lint", path.name, "--from", "nodes.yaml", *REPORT)], files)
        yield Run(f"{name}: changes", [(*change, *world) for change in CHANGES], files)
        yield Run(f"{name}: components", [("components", path.name, "-o", "json", "--no-policy")], files)
        yield Run(f"{name}: alerts", [("alerts", "--from", path.name, "--from", "nodes.yaml")], files)
        fix = ("fix", path.name, "--from", "nodes.yaml", "--for", " ".join(CHANGES[0]))
        yield Run(f"{name}: fix", [fix, (*fix, "--patch"), (*fix, "--write")], files)
    for path in sorted((folder / "nodepools").glob("*.yaml")):
        name, files = f"{source}/nodepools/{path.name}", {path.name: path.read_text(encoding="utf-8"), "agent.yaml": AGENT}
        around = ("--from", "agent.yaml", *REPORT)
        yield Run(f"{name}: lint", [("lint", path.name, *REPORT), ("lint", "agent.yaml", "--from", path.name, *REPORT)], files)
        yield Run(f"{name}: apply", [("apply", "-f", path.name, *around)], files)
        changed = files[path.name].replace("NoSchedule", "NoExecute").replace("NO_SCHEDULE", "NO_EXECUTE")
        line = ("apply", "-f", "changed.yaml", "--from", path.name, *around)
        yield Run(f"{name}: change", [line], {**files, "changed.yaml": changed})
        yield Run(f"{name}: taint", [("taint", "nodes", "--all", "a=b:NoSchedule", "--from", path.name, *around)], files)
