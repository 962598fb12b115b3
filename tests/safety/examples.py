"""The examples as runs: the commands of the README files and of the documentation, and each other command over the same files."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from tests.safety.runs import TODAY, Run

ROOT = Path(__file__).parents[2]

RDMA = "examples/rdma-incident/cluster"
TAINT = "taint nodes -l pool=rdma dedicated=rdma:NoSchedule"
DRAIN = "examples/drain/cluster.yaml"
DRAIN_ALL = "--ignore-daemonsets --delete-emptydir-data --force"
DOCTOR = ("examples/gpu-13-free/cluster.json", "examples/jobset-leader/cluster.json", "examples/uneven-zones/cluster.json")
MONDAY, THURSDAY = "examples/rdma-incident/monday.json", "examples/rdma-incident/thursday.json"
CAPACITY = "examples/capacity/cluster.yaml"
POLICY = "examples/policy/.preflight.yaml"
TOLERATE_ALL = """-p '{"spec":{"template":{"spec":{"tolerations":[{"operator":"Exists"}]}}}}'"""
REMOVE_LABEL = """-p '[{"op":"remove","path":"/metadata/labels/pool"}]'"""

REPORTS = (
    # The incident, as its README and the main README tell it.
    f"{TAINT} --from {RDMA}",
    f"{TAINT} --from {RDMA} --fail-on note",
    f"{TAINT} --from {RDMA} --exit-zero",
    f"{TAINT} --from {RDMA} --policy strict",
    f"{TAINT} --from {RDMA} --policy {POLICY}",
    f"{TAINT} --from {RDMA} --why storage/csi-rdma-node/rdma-1",
    f"{TAINT} --from {RDMA} --from examples/rdma-incident/fixed",
    f"{TAINT} --from {MONDAY}",
    f"{TAINT} --from {THURSDAY}",
    f"taint nodes gpu-1 dedicated=rdma:NoSchedule --from {RDMA}",
    f"taint nodes gpu-1 dedicated=rdma:NoSchedule --from {RDMA}/rdma-device-plugin.yaml",
    f"taint nodes rdma-1 maintenance=true:NoExecute --from {RDMA}",
    f"taint nodes --all maintenance=true:NoExecute --from {RDMA}",
    f"taint nodes rdma-1 nothing:NoSchedule- --from {RDMA}",
    f"label nodes rdma-1 pool- --from {RDMA}",
    f"label nodes cpu-1 pool=rdma --overwrite --from {RDMA}",
    f"label nodes cpu-1 pool=rdma --from {RDMA}",
    f"cordon rdma-1 --from {RDMA}",
    f"uncordon rdma-1 --from {RDMA}",
    f"drain rdma-1 --ignore-daemonsets --from {RDMA}",
    f"drain rdma-1 --from {RDMA}",
    f"reboot rdma-1 --graceful --from {RDMA}",
    f"reboot rdma-1 --from {THURSDAY}",
    f"replace rdma-1 --labels pool=rdma --taint dedicated=rdma:NoSchedule --from {RDMA}",
    f"set image ds/rdma-device-plugin plugin=registry.example/rdma-device-plugin:1.5.0 -n kube-system --from {RDMA}",
    f"rollout restart ds/csi-rdma-node -n storage --from {RDMA}",
    f"rollout restart ds/csi-rdma-node -n storage --from {MONDAY}",
    f"apply -f examples/rdma-incident/fixed --from {RDMA}",
    f"patch ds/log-agent -n logging {TOLERATE_ALL} --from {RDMA}",
    f"patch node rdma-1 --type=json {REMOVE_LABEL} --from {RDMA}",
    f"delete ds log-agent -n logging --from {RDMA}",
    f"delete node rdma-1 --from {RDMA}",
    f"delete pod -l app=csi-rdma-node -n storage --from {MONDAY}",
    f"delete namespace storage --from {RDMA}",
    f"plan examples/rdma-incident/plan.yaml --from {RDMA}",
    f"plan examples/rdma-incident/plan-fixed.yaml --from {RDMA}",
    f"plan examples/rdma-incident/plan.yaml --from {MONDAY}",
    f"lint {RDMA}",
    f"lint {RDMA} --strict",
    f"lint {RDMA} --policy strict --exit-zero",
    f"lint examples/rdma-incident/fixed --from {RDMA}/nodes.yaml",
    f"verify {MONDAY} --from {THURSDAY}",
    f"verify {THURSDAY} --from {MONDAY}",
    f"doctor --from {MONDAY}",
    f"doctor --from {THURSDAY}",
    f"doctor --from {THURSDAY} --since {MONDAY}",
    f"doctor --node rdma-1 --since {MONDAY} --from {THURSDAY}",
    f"doctor --from {MONDAY} --from {THURSDAY}",
    f"diff {RDMA} examples/rdma-incident/fixed --from {RDMA}/nodes.yaml",
    f"diff {RDMA} {THURSDAY}",
    f"diff {MONDAY} examples/rdma-incident/fixed",
    # What is broken today.
    *(f"doctor --from {path}" for path in DOCTOR),
    f"doctor --node gpu-11 --from {DOCTOR[0]}",
    f"doctor --pod research/train-0 --from {DOCTOR[0]}",
    f"doctor --pod research/pretrain-workers-2-0-z0k4 --from {DOCTOR[1]}",
    f"doctor --pod storage/csi-disk-node-worker-a-5 --from {DOCTOR[2]}",
    *(f"lint {path}" for path in DOCTOR),
    f"drain gpu-01 gpu-03 {DRAIN_ALL} --from {DOCTOR[0]}",
    f"taint nodes --all maintenance=true:NoExecute --from {DOCTOR[0]}",
    f"replace gpu-11 --from {DOCTOR[0]}",
    f"drain worker-a-1 worker-b-1 {DRAIN_ALL} --from {DOCTOR[2]}",
    # Drains.
    f"drain gpu-1 gpu-2 {DRAIN_ALL} --from {DRAIN}",
    f"drain gpu-2 --ignore-daemonsets --from {DRAIN}",
    f"drain gpu-1 gpu-2 {DRAIN_ALL} --from {DRAIN} --why research/train-0-x0",
    f"drain gpu-1 {DRAIN_ALL} --disable-eviction --grace-period=5 --from {DRAIN}",
    f"taint nodes gpu-1 maintenance=true:NoExecute --from {DRAIN}",
    f"reboot gpu-1 --graceful --from {DRAIN}",
    f"delete node gpu-1 --from {DRAIN}",
    f"lint {DRAIN}",
    # The other folders.
    "lint examples/policy/manifests",
    f"lint examples/policy/manifests --policy {POLICY}",
    f"lint examples/policy/manifests --policy {POLICY} --no-exemptions",
    "lint examples/policy/manifests --no-policy",
    "lint examples/chart --no-policy --allow-empty",
    "lint examples/chart",
    "lint examples/ci",
    "lint examples/nowhere",
    "diff examples/upgrade/before examples/upgrade/after --from examples/upgrade/nodes.yaml",
    "diff examples/upgrade/after examples/upgrade/before --from examples/upgrade/nodes.yaml",
    "apply -f examples/upgrade/after --from examples/upgrade/before --from examples/upgrade/nodes.yaml",
    "lint examples/upgrade/after --from examples/upgrade/nodes.yaml",
)
"""Command lines whose report is JSON."""

OTHERS = (
    f"capacity -f examples/capacity/pod.yaml --from {CAPACITY} -o json",
    f"capacity --request nvidia.com/gpu=1 -l node_env=prod --from {CAPACITY} -o json",
    f"capacity --request nvidia.com/gpu=1 --tolerate * --at-least 4 --from {CAPACITY} -o json",
    f"capacity --request cpu=1,memory=1Gi --resource memory --from {CAPACITY} -o json",
    f"capacity --request nvidia.com/gpu=4 --from {DOCTOR[0]} --from {DOCTOR[2]} -o json",
    f"capacity --like pod/train-0 -n research --from {DOCTOR[0]} -o json",
    *(f"capacity --request nvidia.com/gpu=1 --from {path} -o json" for path in DOCTOR),
    *(f"components {path} -o json" for path in (RDMA, THURSDAY, *DOCTOR, "examples/upgrade/after")),
    *(f"alerts --from {path}" for path in (RDMA, THURSDAY, *DOCTOR)),
    f"alerts --from {RDMA} --format prometheusrule --label release=prometheus -n monitoring",
    f"fix {RDMA} --for '{TAINT}' --write",
    f"fix {RDMA} --for '{TAINT}' --patch",
    f"fix {RDMA} --for '{TAINT}' --patch kustomize",
    f"fix {RDMA} --plan examples/rdma-incident/plan.yaml --write",
    f"fix {RDMA} --write",
    "fix examples/policy/manifests --write",
    f"fix {DRAIN} --for 'taint nodes gpu-1 dedicated=x:NoSchedule' --write",
    "rbac",
    "rbac --coverage",
    "rules",
    "policy show strict",
    f"policy show {POLICY}",
    f"policy check strict {POLICY}",
    "explain PF102",
    "explain nothing",
    f"snapshot -o saved.json --from {RDMA}",
    *(f"snapshot -o saved.json --from {path}" for path in (THURSDAY, *DOCTOR, DRAIN)),
)
"""Command lines as they are."""


def list_runs() -> Iterator[Run]:
    """A run for each command line, over a copy of the folders of examples that it names."""
    for text in REPORTS:
        yield _make_run(text, *shlex.split(text), "-o", "json", "--today", TODAY)
    for text in OTHERS:
        yield _make_run(text, *shlex.split(text))


def _make_run(text: str, *line: str) -> Run:
    folders = sorted({path for path in (ROOT / "examples").iterdir() if f"examples/{path.name}/" in f"{text}/".replace(" ", "/")})
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".md"]
    return Run(f"examples/{text}", [line], {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files})
