"""200 random clusters as runs, with four changes or questions each: the kinds come in turn, so that each is asked of many clusters."""

from __future__ import annotations

import copy
import json
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

from tests.safety.clusters import GPU, Cluster, draw_cluster, draw_later, draw_pool, dump_list, dump_manifests
from tests.safety.runs import TODAY, Line, Run
from tests.truth import changes, drawing, updates
from tests.truth.drains import worlds as drain_worlds
from tests.truth.drawing import Object
from tests.truth.rooms import worlds as capacity_worlds

CLUSTERS = 200
EACH = 4
"""Runs over one cluster."""

REPORT = ("-o", "json", "--today", TODAY)


class Question(NamedTuple):
    """What is asked of a cluster: command lines, and further files; `alone` where the files of the cluster are not needed."""

    lines: Sequence[Line]
    files: Mapping[str, str] = {}
    alone: bool = False


Draw = Callable[[Random, Cluster], Question | None]
"""Draws a question; None where the cluster has no place for one of its kind."""


def list_runs() -> Iterator[Run]:
    """The runs over all clusters."""
    kinds_of_lists, kinds_of_manifests = _order_kinds("lists"), _order_kinds("manifests")
    for number in range(CLUSTERS):
        cluster = draw_cluster(Random(f"safety {number}"), listed=number % 2 == 0)
        kinds = kinds_of_lists if cluster.listed else kinds_of_manifests
        files = cluster.files()
        for place in range(EACH):
            kind, question = _draw_question(f"safety {number} {place}", kinds, cluster)
            name = f"generated/{number:03}-{place} {kind}"
            yield Run(name, question.lines, question.files if question.alone else {**files, **question.files})


def _order_kinds(seed: str) -> Iterator[str]:
    """Round after round of all kinds, some of them more than once."""
    random, kinds = Random(f"safety {seed}"), [*KINDS, *MORE]
    while True:
        yield from random.sample(kinds, len(kinds))


def _draw_question(seed: str, kinds: Iterator[str], cluster: Cluster) -> tuple[str, Question]:
    """A question of the next kind that the cluster has a place for."""
    for kind in kinds:
        for attempt in range(5):
            question = KINDS[kind](Random(f"{seed} {attempt}"), cluster)
            if question is not None:
                return kind, question
    raise AssertionError("the kinds never end")


def _report(cluster: Cluster, *line: str) -> Line:
    return (*line, "--from", cluster.source, *REPORT)


# Changes that the generator of `tests/truth` draws.


def _change(kind: str) -> Draw:
    def draw(random: Random, cluster: Cluster) -> Question | None:
        move = changes.EVERY[kind](random, cluster.state)
        if move is None or (kind == "delete pod" and not cluster.listed):
            return None
        dump = random.choice((dump_list, dump_manifests))
        files = {name: dump(objects) for name, objects in move.files.items()}
        lines = [tuple(line) for line in move.lines]
        if kind != "plan":
            return Question([_report(cluster, *lines[0])], files)
        name, text = random.choice((_write_plan, _write_script, _write_runbook))(random, lines)
        return Question([_report(cluster, "plan", name)], {**files, name: text})

    return draw


def _write_plan(random: Random, lines: Sequence[Line]) -> tuple[str, str]:
    """A YAML list; `kubectl` may be left out."""
    prefix = random.choice(("kubectl ", ""))
    return "plan.yaml", "".join(f"- {json.dumps(prefix + shlex.join(line))}\n" for line in lines)


def _write_script(random: Random, lines: Sequence[Line]) -> tuple[str, str]:
    """A script of plain lines, some joined or continued."""
    text = "#!/bin/sh\nset -e\n"
    for line in lines:
        command = f"kubectl {shlex.join(line)}"
        text += random.choice(
            (f"{command}\n", f"{command} \\\n  --request-timeout=5s\n", f"sleep 5 && {command}\n", f"# next\n{command}\n")
        )
    return "plan.sh", text


def _write_runbook(random: Random, lines: Sequence[Line]) -> tuple[str, str]:
    """A script of which not all surely runs: variables, conditions, loops, pipes, functions and other programs."""
    text = "#!/usr/bin/env bash\nset -euo pipefail\nNODE=n00\n"
    for line in lines:
        command = f"kubectl {shlex.join(line)}"
        text += random.choice(
            (
                f"{command}\n",
                f'if [ -n "$CONFIRM" ]; then\n  {command}\nfi\n',
                f'for node in n00 n01; do kubectl cordon "$node"; done\n{command}\n',
                f'kubectl drain "${{NODE}}" --ignore-daemonsets\n{command}\n',
                f"kubectl get nodes -o name | xargs kubectl cordon\n{command}\n",
                f"undo() {{\n  kubectl uncordon n00\n}}\n{command} || undo\n",
                f"echo '{command.split()[1]}' >/dev/null; {command} 2>&1 | tee log\n",
                f"{command} &\nwait\n",
                f"cat <<EOF\n{command}\nEOF\n{command}\n",
                f"helm upgrade agent ./chart --wait\n{command}\n",
            )
        )
    return "plan.sh", text


def _recreate(random: Random, cluster: Cluster) -> Question:
    """A plan that deletes a DaemonSet, and applies it again, changed or not: with `--cascade=orphan` its pods wait to be adopted."""
    state = cluster.state
    key = random.choice(sorted(state.manifests))
    manifest = copy.deepcopy(state.manifests[key])
    random.choice((updates.new_image, updates.more_tolerations, updates.new_selection))(random, manifest, state.nodes)
    flags = random.choice(((), ("--cascade=orphan",), ("--cascade=orphan",)))
    lines = [("delete", "ds", key[1], "-n", key[0], *flags), ("apply", "-f", "again.yaml")]
    name, text = _write_plan(random, lines)
    return Question([_report(cluster, "plan", name)], {name: text, "again.yaml": dump_manifests([manifest])})


def _apply_pool(random: Random, cluster: Cluster) -> Question | None:
    """Another version of the node pools of the cluster."""
    names = [pool["metadata"]["name"] for pool in cluster.of_kind("NodePool")]
    if not names:
        return None
    pools = dump_manifests(draw_pool(random, name) for name in names)
    return Question([_report(cluster, "apply", "-f", "pools.yaml")], {"pools.yaml": pools})


# Nodes that are drained, rebooted or replaced.


def _drain(random: Random, cluster: Cluster) -> Question:
    names = _draw_nodes(random, cluster, 3)
    chosen = names if random.random() < 0.8 else ["-l", f"zone={random.choice('abc')}"]
    return Question([_report(cluster, "drain", *chosen, *drain_worlds.flags(random))])


def _drain_busy(random: Random, cluster: Cluster) -> Question | None:
    """Drain a node with ordinary pods, by the flags that let them go, or let a taint do it."""
    pods = [pod for pod in cluster.of_kind("Pod") if _owner_kind(pod) != "DaemonSet"] if cluster.listed else []
    nodes = sorted({pod["spec"]["nodeName"] for pod in pods if "nodeName" in pod["spec"]} & set(cluster.nodes))
    if not nodes:
        return None
    names = sorted(random.sample(nodes, min(len(nodes), random.choice((1, 1, 2)))))
    flags = ["--ignore-daemonsets", "--delete-emptydir-data", "--force"]
    if random.random() < 0.3:
        taint = random.choice(("leave=now:NoExecute", "node.kubernetes.io/unreachable:NoExecute"))
        return Question([_report(cluster, "taint", "nodes", *names, taint, "--overwrite")])
    if random.random() < 0.5:
        flags.append(f"--timeout={random.choice((5, 10, 60))}s")
    return Question([_report(cluster, "drain", *names, *flags)])


def _owner_kind(pod: Object) -> str:
    return next((str(owner["kind"]) for owner in pod["metadata"].get("ownerReferences", ())), "")


def _reboot(random: Random, cluster: Cluster) -> Question:
    graceful = ["--graceful"] if random.random() < 0.5 else []
    return Question([_report(cluster, "reboot", *_draw_nodes(random, cluster, 2), *graceful)])


def _replace(random: Random, cluster: Cluster) -> Question:
    flags = []
    if random.random() < 0.6:
        flags.append("--labels=" + ",".join(f"{key}={value}" for key, value in drawing.labels(random).items()))
    if random.random() < 0.5:
        taint = drawing.taint(random)
        flags += ["--taint", f"{taint['key']}={taint.get('value', '')}:{taint['effect']}"]
    return Question([_report(cluster, "replace", *_draw_nodes(random, cluster, 2), *flags)])


def _delete_namespace(random: Random, cluster: Cluster) -> Question:
    return Question([_report(cluster, "delete", "namespace", random.choice(("storage", "network", "shop")))])


def _draw_nodes(random: Random, cluster: Cluster, most: int) -> list[str]:
    return sorted(random.sample(cluster.nodes, random.randint(1, most)))


# What is there, and what was there before.


def _explain(random: Random, cluster: Cluster) -> Question:
    """The chain of a pair: it is words alone, and may not fail."""
    namespace, name = random.choice(sorted(cluster.state.manifests))
    line = ("taint", "nodes", "--all", "team=red:NoExecute", "--overwrite")
    return Question([_report(cluster, *line, "--why", f"{namespace}/{name}/{random.choice(cluster.nodes)}")])


def _baseline(random: Random, cluster: Cluster) -> Question:
    """Findings are accepted, and then they are: of what lint finds, and of a change."""
    lint = ("lint", cluster.source, *REPORT)
    change = _report(cluster, "taint", "nodes", "--all", f"team={random.choice(('red', 'blue'))}:NoSchedule", "--overwrite")
    flags = ("--write-baseline", "--baseline")
    return Question([(*line, flag, "accepted.yaml") for line in (lint, change) for flag in flags])


def _lint(random: Random, cluster: Cluster) -> Question:
    flags = random.choice(((), ("--strict",), ("--policy", "strict")))
    if cluster.listed or random.random() < 0.5:
        return Question([("lint", cluster.source, *flags, *REPORT)])
    return Question([_report(cluster, "lint", "world/daemonsets.yaml", *flags)])


def _doctor(random: Random, cluster: Cluster) -> Question | None:
    if not cluster.listed:
        return None
    flags = ["--node", random.choice(cluster.nodes)] if random.random() < 0.4 else []
    return Question([_report(cluster, "doctor", *flags)])


def _doctor_pod(random: Random, cluster: Cluster) -> Question | None:
    pods = cluster.of_kind("Pod") if cluster.listed else []
    waiting = [pod for pod in pods if pod["status"].get("phase") == "Pending"] or pods
    if not waiting:
        return None
    metadata = random.choice(waiting)["metadata"]
    return Question([_report(cluster, "doctor", "--pod", f"{metadata['namespace']}/{metadata['name']}")])


def _after(*lines: Line) -> Draw:
    """A question over a snapshot of the cluster as it was, and `later.json`; of manifests there is none."""

    def draw(random: Random, cluster: Cluster) -> Question | None:
        if not cluster.listed:
            return None
        later = dump_list(draw_later(random, cluster).items)
        return Question([("snapshot", "-o", "before.json", "--from", cluster.source), *lines], {"later.json": later})

    return draw


def _diff(random: Random, cluster: Cluster) -> Question | None:
    """Manifests before and after a change of some DaemonSets, with the nodes around both."""
    move = changes.EVERY[random.choice([kind for kind in changes.EVERY if kind.startswith("apply: ")])](random, cluster.state)
    if move is None:
        return None
    (changed,) = move.files.values()
    keys = [(daemonset["metadata"]["namespace"], daemonset["metadata"]["name"]) for daemonset in changed]
    state = cluster.state
    before = [manifest for key, manifest in state.manifests.items() if key in keys or random.random() < 0.5]
    after = [manifest for manifest in before if (manifest["metadata"]["namespace"], manifest["metadata"]["name"]) not in keys]
    files = {
        "base/agents.yaml": dump_manifests(before),
        "head/agents.yaml": dump_manifests([*after[random.choice((0, 0, 1)) :], *changed]),
        "nodes.yaml": dump_manifests(cluster.of_kind("Node")),
    }
    return Question([("diff", "base", "head", "--from", "nodes.yaml", *REPORT)], files, alone=True)


def _components(random: Random, cluster: Cluster) -> Question:
    del random
    return Question([("components", cluster.source, "-o", "json")])


def _alerts(random: Random, cluster: Cluster) -> Question:
    flags = random.choice(((), ("--format", "prometheusrule")))
    return Question([("alerts", "--from", cluster.source, *flags)])


def _fix(random: Random, cluster: Cluster) -> Question | None:
    """The edits of manifests, or the patches, for a taint or for what lint finds."""
    if cluster.listed:
        return None
    taint = drawing.taint(random, "NoSchedule", "NoExecute")
    line = f"taint nodes --all {taint['key']}={taint.get('value', '')}:{taint['effect']} --overwrite"
    goal = ("--for", line) if random.random() < 0.7 else ()
    form = random.choice((("--write",), ("--write",), (), ("--patch",), ("--patch", "kustomize")))
    return Question([("fix", "world/daemonsets.yaml", "--from", "world", *goal, *form)])


# How many of a pod fit.


def _capacity(random: Random, cluster: Cluster) -> Question:
    """Of this cluster, or of one that is drawn for it."""
    if not cluster.listed or random.random() < 0.4:
        return _capacity_drawn(random)
    workloads = [item for item in cluster.items if item["kind"] in ("Deployment", "StatefulSet", "Job")]
    if workloads and random.random() < 0.5:
        workload = random.choice(workloads)
        kind = {"Deployment": "deploy", "StatefulSet": "sts", "Job": "job"}[workload["kind"]]
        pod = ["--like", f"{kind}/{workload['metadata']['name']}", "-n", workload["metadata"]["namespace"]]
    else:
        request = random.choice((f"{GPU}=2", "cpu=4,memory=16Gi", f"cpu=1,{GPU}=1"))
        pod = ["--request", request, "--tolerate", random.choice(("*", "dedicated", "team=red:NoSchedule")), "-l", "zone in (a,b)"]
    return Question([("capacity", *pod, "--from", cluster.source, "-o", "json")])


def _capacity_drawn(random: Random) -> Question:
    world = capacity_worlds.draw(random, "w")
    template = {"metadata": {"labels": {"app": "new"}}, "spec": world.spec}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "new", "namespace": capacity_worlds.NAMESPACE},
        "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "new"}}, "template": template},
    }
    items = [*world.nodes, *world.runtime_classes, *(_start_pod(pod, world.deleted) for pod in (*world.bound, *world.waiting))]
    files = {}
    match world.way:
        case "like":
            items.append(deployment)
            pod = ["--like", "deploy/new", "-n", capacity_worlds.NAMESPACE]
        case "request":
            pod = _write_request(world.spec)
        case way:
            file = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "new"}, "spec": world.spec} if way == "file" else deployment
            files["pod.json"] = json.dumps(file)
            pod = ["-f", "pod.json"]
    files["capacity.json"] = dump_list(items)
    return Question([("capacity", *pod, "--from", "capacity.json", "-o", "json")], files, alone=True)


def _start_pod(pod: Object, deleted: Sequence[str]) -> Object:
    """The pod once its node has done with it what it is told; one without a node waits."""
    metadata, plays = dict(pod["metadata"]), pod["metadata"]["annotations"].get("preflight.test/kubelet", "")
    if metadata["name"] in deleted:
        metadata["deletionTimestamp"] = "2026-06-30T05:00:00Z"
    phase = {"": "Running", "succeed": "Succeeded", "image-fails": "Pending"}[plays] if "nodeName" in pod["spec"] else "Pending"
    return {**pod, "metadata": metadata, "status": {"phase": phase}}


def _write_request(spec: Object) -> list[str]:
    """A simple pod as flags."""
    requests = spec["containers"][0]["resources"].get("requests", {})
    flags = ["--request", ",".join(f"{name}={amount}" for name, amount in requests.items()) or "cpu=0"]
    if spec.get("nodeSelector"):
        flags += ["-l", ",".join(f"{key}={value}" for key, value in spec["nodeSelector"].items())]
    for toleration in spec["tolerations"]:
        flags += ["--tolerate", toleration["key"] + (f"={toleration['value']}" if "value" in toleration else "")]
    return flags


KINDS: dict[str, Draw] = {
    **{kind: _change(kind) for kind in changes.EVERY},
    "plan: recreate": _recreate,
    "apply: pool": _apply_pool,
    "drain": _drain,
    "drain busy": _drain_busy,
    "reboot": _reboot,
    "replace": _replace,
    "delete namespace": _delete_namespace,
    "lint": _lint,
    "baseline": _baseline,
    "why": _explain,
    "doctor": _doctor,
    "doctor --pod": _doctor_pod,
    "doctor --since": _after(("doctor", "--since", "before.json", "--from", "later.json", *REPORT)),
    "doctor of two": _after(
        ("snapshot", "-o", "after.json", "--from", "later.json"),
        ("doctor", "--from", "before.json", "--from", "after.json", *REPORT),
        ("capacity", "--request", f"{GPU}=1", "--from", "before.json", "--from", "after.json", "-o", "json"),
    ),
    "verify": _after(("verify", "before.json", "--from", "later.json", *REPORT)),
    "diff": _diff,
    "components": _components,
    "alerts": _alerts,
    "fix": _fix,
    "capacity": _capacity,
}
"""What is done to a cluster, or asked of it."""

MORE = ("plan", "plan: recreate", "patch ds", "fix", "drain", "capacity", "doctor", *("drain busy",) * 5)
"""The kinds that come more than once in a round."""
