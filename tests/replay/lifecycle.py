"""The life cycle experiments: what was there as files of an input, what was done as command lines, what was seen as coverage.

An experiment has `steps` and what was `observed` between them, as `{pods: {app: {"node 0": ["p0, rev1, Running, Ready"]}}}`. Everything
goes through the program's own front door: files, a plan, JSON.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.builders import IMAGE, Object, make_daemonset, make_node, make_owner, make_pod, write_list
from tests.cli.program import Result, program
from tests.paths import VECTORS

RECORDED: dict[str, dict[str, Any]] = {load["experiment"]: load for load in json.loads((VECTORS / "lifecycle.json").read_text())}
COVERED = {
    **dict.fromkeys(("kept", "gained", "loop", "lost-on-recreation", "already-fragile"), True),
    **dict.fromkeys(("lost-now", "excluded", "never", "missing"), False),
}
GENERATION = "deprecated.daemonset.template.generation"

Pair = tuple[str, str]


class Seen(NamedTuple):
    """A pod of an observation; `node` is "0" for node 0, `owner` "" where nothing controls it."""

    app: str
    node: str
    owner: str
    text: str

    @property
    def there(self) -> bool:
        """Whether it is a live pod of its node: bound, not on its way out, neither failed nor finished."""
        return not re.search("terminating|not bound|Failed|Succeeded", self.text)

    @property
    def ready(self) -> bool:
        return not re.search("not Ready|Pending", self.text)


class Step(NamedTuple):
    """What the program says of one step: the outcome and the reasons of each pair, its notes."""

    outcomes: dict[Pair, str]
    reasons: dict[Pair, tuple[str, ...]]
    notes: tuple[str, ...]


class Said(NamedTuple):
    """What the program says of a plan; `findings` are (rule, name, nodes, step), `stopped` the DaemonSets whose update stops."""

    code: int
    steps: tuple[Step, ...]
    findings: tuple[tuple[str, str, tuple[str, ...], int], ...]
    err: str
    stopped: frozenset[str] = frozenset()

    def of(self, rule: str) -> dict[str, list[str]]:
        """The nodes of a rule's findings, by the name of the DaemonSet."""
        return {name: sorted(nodes) for found, name, nodes, _ in self.findings if found == rule}


class Story:
    """One experiment."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.recorded = RECORDED[name]
        self.steps: Sequence[Any] = self.recorded["steps"]

    def node(self, number: int | str) -> str:
        return f"{self.name}-{number}"

    def nodes(self, ready: Mapping[int, str] | None = None) -> list[Object]:
        """The nodes with the labels and taints that they had from the start; `ready` is the Ready condition where it is not True."""
        found: dict[str, Object] = {}
        for step in self.steps:
            match = re.match(r"node (\d+): labels (\{.*?\})(?:, taints (\[.*\]))?$", step) if isinstance(step, str) else None
            if match and match[1] not in found:
                taints, status = json.loads(match[3] or "[]"), (ready or {}).get(int(match[1]), "True")
                found[match[1]] = make_node(self.node(match[1]), *taints, labels=json.loads(match[2]), ready=status)
        return list(found.values())

    def created(self, name: str, which: int = 0) -> Object:
        """The DaemonSet of a `create DaemonSet` step, the first one of that name or a later one."""
        steps = [each for each in self.steps if isinstance(each, dict) and each.get("create DaemonSet") == name]
        step = steps[which]
        return daemonset(self.name, name, step["updateStrategy"], step["template.spec"], step["selector"])

    def listed(self, **more: Any) -> list[Object]:
        """The DaemonSets of a step that lists several by their strategies; `more` are further fields of each pod's spec."""
        (step,) = (each for each in self.steps if isinstance(each, dict) and any(key.startswith("DaemonSets") for key in each))
        (strategies,) = (value for key, value in step.items() if key.startswith("DaemonSets"))
        tolerations = step.get("tolerations of each")
        spec = {"containers": [{"name": "c", "image": IMAGE}], "nodeSelector": {"exp": self.name}, **more}
        if tolerations:
            spec["tolerations"] = tolerations
        return [daemonset(self.name, name, strategy, spec) for name, strategy in strategies.items()]

    def seen(self, when: str) -> list[Seen]:
        """The pods of an observation."""
        found = []
        for app, nodes in self.recorded["observed"][when]["pods"].items():
            for node, pods in nodes.items():
                for text in pods:
                    owner = re.search(r"of ([a-z0-9-]+)", text)
                    name = "" if "no owner" in text else owner[1] if owner else app
                    found.append(Seen(app, node.removeprefix("node "), name, text))
        return found

    def pods(self, when: str) -> list[Object]:
        """The pods of an observation as `kubectl get pods -o json` shows them."""
        return [self.pod(seen, place) for place, seen in enumerate(self.seen(when))]

    def pod(self, seen: Seen, place: int = 0) -> Object:
        phase = next(phase for phase in ("Running", "Pending", "Failed", "Succeeded") if phase in seen.text)
        return make_pod(
            f"{seen.app}-{place}",
            self.name,
            node="" if "not bound" in seen.text else self.node(seen.node),
            owner=make_owner("DaemonSet", seen.owner) if seen.owner else None,
            labels={"app": seen.app, "pod-template-generation": "1"},
            phase=phase,
            ready=str(seen.ready and phase == "Running"),
            metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"} if "terminating" in seen.text else None,
        )

    def there(self, when: str) -> set[Pair]:
        """The pairs with a live pod in an observation, by the DaemonSet that owns it, or whose it was."""
        return {(seen.owner or seen.app, seen.node) for seen in self.seen(when) if seen.there}

    def commands(self, containing: str = "") -> list[str]:
        """The recorded command lines that hold a text, in the experiment's namespace."""
        lines = [step["command"] for step in self.steps if isinstance(step, dict) and "command" in step]
        return [f"{line} -n {self.name}" for line in lines if containing in line]


def daemonset(
    namespace: str, name: str, strategy: Mapping[str, Any], spec: Mapping[str, Any], selector: Mapping[str, str] | None = None
) -> Object:
    """A DaemonSet as it is right after its creation: its template is the first."""
    metadata = {"labels": {}, "annotations": {GENERATION: "1"}}
    return make_daemonset(name, namespace, labels=selector, metadata=metadata, fields={"updateStrategy": dict(strategy)}, **spec)


def write(folder: Path, name: str, objects: Iterable[Object]) -> str:
    """A file with these objects as a List; its path."""
    path = folder / name
    path.write_text(write_list(objects))
    return str(path)


def judged(folder: Path, lines: Sequence[str], objects: Iterable[Object]) -> Said:
    """What the program says of a plan with these lines over a world of these objects."""
    world = write(folder, "world.json", objects)
    plan = folder / "plan.yaml"
    plan.write_text(json.dumps([shlex.split(line) for line in lines]))
    return said(program("plan", str(plan), "--from", world, "-o", "json"))


def said(result: Result) -> Said:
    """The answer of a run with `-o json`."""
    report: Any = json.loads(result.out) if result.out else {"change": {"steps": []}, "coverage": [], "findings": []}
    given = report["change"]["steps"] if report["change"] else [{"notes": []}]
    steps = [Step({}, {}, tuple(step["notes"])) for step in given]
    for row in report["coverage"]:
        at: int = row["step"] or 1
        for node in row["nodes"]:
            pair = (row["daemonset"].rpartition("/")[2], node.rpartition("-")[2])
            steps[at - 1].outcomes[pair] = row["outcome"]
            steps[at - 1].reasons[pair] = tuple(row["reasons"])
    findings = tuple(
        (finding["rule"], finding["subject"]["name"], tuple(node.rpartition("-")[2] for node in finding["nodes"]), finding["step"])
        for finding in report["findings"]
    )
    stopped = [each for each in report["findings"] if each["rule"] == "PF105" and each["severity"] != "note"]
    return Said(result.code, tuple(steps), findings, result.err, frozenset(each["subject"]["name"] for each in stopped))


def covered(before: Iterable[Pair], steps: Iterable[Step]) -> set[Pair]:
    """The pairs with a pod once the steps have settled, from those that had one before; what a step does not mention stays."""
    there = set(before)
    for step in steps:
        for pair, outcome in step.outcomes.items():
            if COVERED[outcome]:
                there.add(pair)
            else:
                there.discard(pair)
    return there
