"""A small world that command lines are tried on: the same before each, and read as kubectl prints it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.builders import make_taint
from tests.change.changes import manifest
from tests.cli.program import Result, program
from tests.cluster.api import ApiError, Object
from tests.cluster.bed import Bed, Ran
from tests.cluster.objects import node, pod

NODES: dict[str, Object] = {name: node(name, labels={"pool": pool}) for name, pool in (("n1", "a"), ("n2", "b"))}
PLAIN = {"taints": [], "labels": {"pool": "a"}, "unschedulable": False}
NOWHERE = {"bed.invalid/nowhere": "x"}  # so that no pod of the DaemonSet has to come and go
REMARKS = ("Warning:", "warning:", "See ", "Example resource", "   '-f", "Did you", "\t", "node/", "pod/", "daemonset.apps/")
KLOG = re.compile(r"[IWEF]\d{4} ")


class Answers(NamedTuple):
    """What both made of a line, and the node n1 as kubectl left it."""

    kubectl: Ran
    preflight: Result
    before: Object
    after: Object | None


class Ground:
    """The nodes n1 and n2, the DaemonSet d1 (containers c and i) that runs nowhere, and the pod p on n2."""

    def __init__(self, bed: Bed, folder: Path) -> None:
        self.bed = bed
        self.folder = folder
        self.objects = {
            "/api/v1/nodes/n1": NODES["n1"],
            "/api/v1/nodes/n2": NODES["n2"],
            "/apis/apps/v1/namespaces/default/daemonsets/d1": manifest("d1", init=True, nodeSelector=NOWHERE),
            "/api/v1/namespaces/default/pods/p": pod("p", on="n2"),
        }
        self.made: dict[str, tuple[str, int]] = {}
        self.dumped = ""
        (folder / "ds.yaml").write_text(json.dumps(self.objects["/apis/apps/v1/namespaces/default/daemonsets/d1"]))

    def run(self, line: str, state: Mapping[str, Any] = PLAIN) -> Answers:
        """What kubectl and preflight say of a line, when n1 is in this state, and kubectl has done it."""
        self.restore(state)
        before = self.bed.get("/api/v1/nodes/n1")
        self.dump()
        argv = shlex.split(line)
        found = self.bed.kubectl(*argv, check=False, cwd=self.folder, timeout=40)
        at = argv.index("--") if "--" in argv else len(argv) - (argv[-1] in ("-l", "--selector"))
        return Answers(found, program(*argv[:at], "--from", "world.json", *argv[at:]), before, self.there("/api/v1/nodes/n1"))

    def restore(self, state: Mapping[str, Any]) -> None:
        """Make again what is gone, and n1 and the others what they were."""
        for path, wanted in self.objects.items():
            if not self.same(path, self.there(path)):
                self.make(path, wanted)
            if wanted is NODES["n1"]:
                self.shape("n1", state["labels"], [make_taint(taint) for taint in state["taints"]], state["unschedulable"])
            elif wanted is NODES["n2"]:  # before its pod
                self.shape("n2", wanted["metadata"]["labels"], [], False)

    def same(self, path: str, found: Object | None) -> bool:
        """The object is the one that was made, with nothing of its spec changed; of a node, any spec will do."""
        if found is None or "deletionTimestamp" in found["metadata"]:
            return False
        return self.made.get(path) == mark(found)

    def make(self, path: str, wanted: Object) -> None:
        """Delete an object, and create it."""
        if self.there(path) is not None:
            self.bed.api.ask("DELETE", path, {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0})
            self.bed.wait(lambda: self.there(path) is None, 20, f"{path} to go")
        self.made[path] = mark(self.bed.create_one(wanted))
        if wanted["kind"] == "Pod":
            self.bed.wait(lambda: self.bed.get(path)["status"]["phase"] == "Running", 20, "the pod to run")

    def shape(self, name: str, labels: Mapping[str, str], taints: list[dict[str, str]], unschedulable: bool) -> None:
        """Give a node exactly these labels, taints, and cordon."""
        found = self.bed.get(f"/api/v1/nodes/{name}")
        now = found["metadata"].get("labels", {})
        if now == labels and found["spec"].get("taints", []) == taints and found["spec"].get("unschedulable", False) == unschedulable:
            return
        changed: dict[str, str | None] = {**dict.fromkeys(now), **labels}
        self.bed.patch("nodes", name, {"metadata": {"labels": changed}, "spec": {"taints": taints, "unschedulable": unschedulable}})

    def there(self, path: str) -> Object | None:
        """An object, where it is there."""
        try:
            found: Object = self.bed.get(path)
        except ApiError as error:
            if error.code != 404:
                raise
            return None
        return found

    def dump(self) -> None:
        """Write world.json as kubectl prints it, unless nothing has changed since."""
        versions = " ".join(self.bed.get(path)["metadata"]["resourceVersion"] for path in self.objects)
        if versions != self.dumped:
            self.dumped = versions
            world = self.bed.kubectl("get", "nodes,daemonsets,pods", "--all-namespaces", "--output=json").out
            (self.folder / "world.json").write_text(world)


def mark(found: Object) -> tuple[str, int]:
    """What tells an object from another of its name, or from itself with another spec; nodes have no generation."""
    return found["metadata"]["uid"], found["metadata"].get("generation", 0) if found["kind"] == "DaemonSet" else 0


def words(says: str) -> str:
    """What kubectl says of a line that it refuses, on one line, without what it says around it."""
    lines = [line for line in says.splitlines() if not line.startswith(REMARKS) and not KLOG.match(line)]
    text = "\n".join(lines).strip().split("\n   ")[0].strip()
    text = re.sub(r'^Error from server \(BadRequest\): Unable to find .*?field selector "": ', "", text)
    first, *causes = text.split("\n* ")  # of one wrong value, several times
    text = "; ".join([first + "".join(causes[:1]), *(re.sub(r'^.*?: Invalid value: ".*?": ', "", cause) for cause in causes[1:])])
    return re.sub(r"^(error|Error from server \(\w+\)): ", "", text)


def taints_of(found: Object) -> list[str]:
    """The taints of a node as kubectl writes them."""
    return [
        f"{taint['key']}{'=' + taint['value'] if taint.get('value') else ''}:{taint['effect']}" for taint in found["spec"].get("taints", [])
    ]


def state_of(found: Object) -> dict[str, Any]:
    """A node's taints, labels and cordon, as the recordings have them."""
    return {
        "taints": taints_of(found),
        "labels": found["metadata"].get("labels", {}),
        "unschedulable": found["spec"].get("unschedulable", False),
    }
