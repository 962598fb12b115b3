"""A snapshot gives the answers of what it was made of, but for the names of files and the lines in them."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Result, program
from tests.load.snapshot.marked_cluster import Data, cluster, save, write
from tests.paths import ROOT
from tests.rules import casefile

LINES = [
    "taint nodes --all dedicated=x:NoSchedule --overwrite",
    "taint nodes -l pool=rdma dedicated=rdma:NoExecute --overwrite",
    "taint nodes cpu-2 dedicated-",
    "label nodes rdma-1 pool-",
    "label nodes cpu-1 pool=rdma",
    "cordon rdma-1",
    "drain rdma-1 cpu-1 --ignore-daemonsets --delete-emptydir-data",
    "drain rdma-1 cpu-1 --ignore-daemonsets --delete-emptydir-data --force --disable-eviction",
    "taint nodes cpu-1 dedicated=x:NoExecute",
    "set image ds/rdma-plugin plugin=registry.example/vendor-plugin:2 -n kube-system",
    "rollout restart ds -n kube-system -l app",
    """patch ds rdma-plugin -n kube-system -p '{"spec": {"template": {"spec": {"tolerations": [{"key": "a", "operator": "Exists"}]}}}}'""",
    """patch ds rdma-plugin -n kube-system --type=merge -p '{"metadata": {"labels": {"a": "b"}}}'""",
    """patch ds csi-rdma -n storage --type=json -p '[{"op": "remove", "path": "/spec/template/spec/nodeSelector/pool"}]'""",
    """patch ds csi-rdma -n storage -p '{"spec": {"template": {"spec": {"containers": [{"name": "registrar", "image": "x:2"}]}}}}'""",
    """patch node rdma-1 -p '{"metadata": {"labels": {"pool": null}}}'""",
    "delete namespace storage",
    "delete ds csi-rdma -n storage",
    "delete ds csi-rdma -n storage --cascade=orphan",
    "delete node rdma-1",
    "delete pod -l app=rdma-plugin -n kube-system",
    "reboot rdma-1 --graceful",
    "reboot rdma-1",
    "replace rdma-1 --label pool=rdma --taint dedicated=rdma:NoSchedule",
    "taint nodes rdma-1 dedicated=rdma:NoExecute --why storage/csi-rdma/rdma-1",
]


def without_places(value: Any) -> Any:
    """A report without what is of files: places, their number, what of them was left out; findings in an order that hangs on no place."""
    if isinstance(value, dict):
        kept = {name: without_places(each) for name, each in value.items() if name not in ("location", "place", "files")}
        if "findings" in kept:
            kept["findings"].sort(key=json.dumps)
            kept["skipped"] = [check for check in kept["skipped"] if not re.match(r"\d+ (object|document)", check["what"])]
        return kept
    return [without_places(each) for each in value] if isinstance(value, list) else value


def answer(result: Result) -> tuple[int, Any]:
    return result.code, without_places(json.loads(result.out)) if result.out else result.err


def both(line: list[str], whole: str, saved: str) -> tuple[Any, Any]:
    """What a command line says of the whole and of the snapshot; `@` stands for the world."""
    found = []
    for world in (whole, saved):
        words = [world if word == "@" else word for word in line]
        found.append(answer(program(*words, "-o", "json")))
    return found[0], found[1]


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """A cluster as kubectl lists it, and its snapshot."""
    folder = tmp_path_factory.mktemp("worlds")
    whole = write(folder / "whole.json", cluster())
    save(folder / "saved.json.gz", whole)
    return whole, str(folder / "saved.json.gz")


@pytest.mark.parametrize("line", LINES)
def test_a_change(line: str, worlds: tuple[str, str]) -> None:
    whole, saved = both([*shlex.split(line), "--from", "@"], *worlds)
    assert whole[0] in (0, 1, 3), whole
    assert whole[1]["coverage"]
    assert saved == whole


def test_a_plan(worlds: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(
        json.dumps([line for line in LINES if "--why" not in line and "delete" not in line]), encoding="utf-8"
    )
    whole, saved = both(["plan", str(tmp_path / "plan.yaml"), "--from", "@"], *worlds)
    assert whole[1]["findings"]
    assert saved == whole


@pytest.mark.parametrize("line", ["lint @", "lint @ --policy strict --fail-on note", "components @"])
def test_what_is_there(line: str, worlds: tuple[str, str]) -> None:
    whole, saved = both(line.split(), *worlds)
    assert whole[1].get("findings") or whole[1].get("daemonsets")
    assert saved == whole


def test_as_text_it_is_the_same_word_for_word_but_for_places(worlds: tuple[str, str]) -> None:
    said = []
    for world in worlds:
        result = program("taint", "nodes", "rdma-1", "dedicated=rdma:NoExecute", "--from", world)
        kept = [line.strip() for line in result.out.splitlines() if world not in line and "|" not in line]
        assert kept[-1].startswith("3 errors, 1 consequence. Checked 5 DaemonSets on 1 of 4 nodes.")
        said.append((result.code, kept[:-1]))
    assert said[0] == said[1]


def test_of_a_snapshot_of_some_namespaces(tmp_path: Path) -> None:
    """Where the pods of one namespace were listed, coverage of the others is assumed, from the snapshot too."""
    objects = [item for item in cluster() if item["kind"] != "Pod"]
    pods = [each for each in cluster() if each["kind"] == "Pod" and each["metadata"]["namespace"] == "storage"]
    whole = [write(tmp_path / "whole.json", objects), write(tmp_path / "pods.json", pods)]
    save(tmp_path / "saved.json", *whole)
    line = ["taint", "nodes", "--all", "a=b:NoSchedule", "-o", "json"]
    said = answer(program(*line, "--from", whole[0], "--from", whole[1]))
    assert {row["daemonset"]: row["assumed"] for row in said[1]["coverage"] if row["outcome"] != "excluded"}["storage/csi-rdma"] is False
    assert {row["daemonset"]: row["assumed"] for row in said[1]["coverage"]}["ops/agent"] is True
    assert answer(program(*line, "--from", str(tmp_path / "saved.json"))) == said


def test_that_there_is_no_budget_is_known_of_a_snapshot_too(tmp_path: Path) -> None:
    """An empty list of the API says it; a file that holds none says nothing."""
    objects = [item for item in cluster() if item["kind"] != "PodDisruptionBudget"]
    whole = write(tmp_path / "whole.json", objects)
    (tmp_path / "budgets.json").write_text('{"apiVersion": "policy/v1", "kind": "PodDisruptionBudgetList", "items": []}', encoding="utf-8")
    save(tmp_path / "without.json", whole)
    save(tmp_path / "with.json", whole, str(tmp_path / "budgets.json"))
    line = ["drain", "cpu-1", "--ignore-daemonsets", "--delete-emptydir-data", "-o", "json", "--from"]
    unknown, known = answer(program(*line, whole)), answer(program(*line, whole, "--from", str(tmp_path / "budgets.json")))
    assert unknown != known
    assert answer(program(*line, str(tmp_path / "without.json"))) == unknown
    assert answer(program(*line, str(tmp_path / "with.json"))) == known


# The examples, and the cases of all rules.


@pytest.mark.parametrize(
    ("folder", "lines"),
    [
        ("examples/rdma-incident/cluster", ["taint nodes -l pool=rdma dedicated=rdma:NoSchedule", "drain rdma-1 --ignore-daemonsets"]),
        ("examples/upgrade", []),
    ],
)
def test_an_example(folder: str, lines: list[str], tmp_path: Path) -> None:
    source = str(ROOT / folder / ("before" if folder.endswith("upgrade") else ""))
    save(tmp_path / "saved.json", source)
    for line in [*(f"{line} --from @" for line in lines), "lint @", "components @"]:
        whole, saved = both(line.split(), source, str(tmp_path / "saved.json"))
        assert saved == whole, line


# Why a snapshot of manifests may say something else than they do.
OF_TEXT = "comments, lines and repeated keys are of the text"
UNREAD = "fields that an operator does not read are not saved"
OF_FILES = "names of files are of the files"
REFUSED = "what the API server refuses is in no cluster"
POOLS = "pools of nodes are not saved"
NAMELESS = "manifests without a namespace are told apart by their files"
SETTINGS = "the arguments and variables of Jobs may hold secrets, and are not saved"
ALL_NODES = "a snapshot shows every node there is, a file some"
CONTEXT = "what a kustomization patches, and a custom resource that is not read, is not saved"
DIFFERENT = {
    "budget-allows-none: files of one kustomization without a namespace, one of which it patches": CONTEXT,
    "budget-selects-nothing: a custom resource beside it may be what its pods are made from": CONTEXT,
    "budget-selects-nothing: an item of a list is such a resource": CONTEXT,
    "budget-selects-nothing: a patch of a kustomization has no selector": CONTEXT,
    "budget-selects-nothing: a patch in a kustomization itself may complete it": CONTEXT,
    "ignored-setting: a field that nothing reads, and keys that do not count with the CSI operator": UNREAD,
    "never-matches: on two lines each has its own": OF_TEXT,
    "startup-taint-late: a pool declares it, and a node that is up reboots": POOLS,
    "expired-exemption: the day itself still counts, and one without a day does not end": OF_TEXT,
    "expired-exemption: the day after, in a comment": OF_TEXT,
    "expired-exemption: of a policy and of a baseline": OF_FILES,
    "shared-host-port: two files without a node may be alternatives": OF_FILES,
    "invalid-exemption: a comment that only speaks of preflight, and good exemptions": OF_TEXT,
    "invalid-exemption: no reason, no rule, no such rule, no day": OF_TEXT,
    "invalid-exemption: a policy that asks for a day, of manifests and of its own": OF_TEXT,
    "unused-exemption: a comment, an annotation, and one of the policy for an object that is there": OF_TEXT,
    "unused-exemption: nothing exempts a mandatory rule": OF_TEXT,
    "unused-exemption: an entry of a baseline that accepts nothing any more is a note": OF_FILES,
    "repeated-key: two lists of tolerations, and the first does not exist": OF_TEXT,
    "repeated-key: in an item of a list": OF_TEXT,
    "required-toleration: all that is missing in one finding, with what the taints are for; a Deployment can be meant too": OF_FILES,
    "no-node-left: a taint that its pods tolerate, and a node of which little is known": ALL_NODES,
    "invalid-object: a label and a nodeSelector that YAML does not read as texts": REFUSED,
    "invalid-job: of a JobSet its Jobs are refused, or a value that is none of its own": REFUSED,
    "duplicate-index: a Job whose settings, launcher or image keep it on its machine, and one that only installs a launcher": SETTINGS,
    "duplicate-index: a variable that names the first pod, filled in later or by a script": SETTINGS,
    "duplicate-index: a launcher that is told of other machines, by itself, as a module and in a script": SETTINGS,
    "duplicate-index: a launcher that leaves open how many machines there are, and an image for distributed training": SETTINGS,
    "kept-out-by-taint: the same of a Node that may be there already, which is not known, beside another node": ALL_NODES,
    "invalid-object: no apiVersion": REFUSED,
    "invalid-taint: a value that YAML reads as a number": REFUSED,
    "invalid-taint: a toleration's field in a taint": REFUSED,
    "invalid-toleration: several faults of one toleration are one finding, which points at it": REFUSED,
    "stories: a taint written like a toleration": REFUSED,
    "bootstrap-deadlock: a driver that does not tolerate the startup taint that a pool declares and that it clears": POOLS,
    "invalid-taint: a pool whose taints are all right": POOLS,
    "invalid-taint: a pool of which nobody takes a taint with an operator, an effect in lower case or a value that is no text": POOLS,
    "invalid-taint: a pool with a taint that everybody takes, and that was meant to be something else": POOLS,
    "adopted-pods: other namespaces, and files that state none": NAMELESS,
    "sibling-outlier: two are no family, two of four are no outlier, and other namespaces, labels and files are other families": NAMELESS,
}
CASES = {
    f"{path.stem}: {case['name']}": case
    for path in casefile.files()
    for case in casefile.read(path)
    if "crash" not in case and "world/" not in case.get("run", "")  # what names a single file cannot name a snapshot in its stead
}


def of_case(case: casefile.Case) -> Iterator[tuple[int, Any]]:
    """What is said of a case, and of a snapshot of its world; nothing where it is that of two clusters."""
    result = casefile.run(case)
    saved = program("snapshot", "-o", "saved.json.gz", "--from", "world", "--allow-empty")
    if saved.code == 0:
        words = ["plan", "plan.yaml"] if "plan" in case else shlex.split(case["run"])
        if words[0] == "lint" and "world" not in words:
            words.append("world")
        elif words[0] != "lint" and "--from" not in words:
            words += ["--from", "world"]
        words = ["saved.json.gz" if word == "world" else word for word in words]
        yield from (answer(result), answer(program(*words, "-o", "json")))
    else:
        assert "with different content" in saved.err


@pytest.mark.parametrize("name", CASES)
def test_a_case_of_a_rule(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = list(of_case(CASES[name]))
    assert (len(set(map(json.dumps, said))) > 1) is (name in DIFFERENT), said


# Recorded clusters, whose DaemonSets and nodes are odd in every way that placement knows.


def recorded(seed: int) -> list[Data]:
    path = ROOT / f"tests/data/vectors/cluster-seed{seed}.jsonl.gz"
    recording = json.loads(gzip.decompress(path.read_bytes()).partition(b"\n")[0])
    nodes = [{"apiVersion": "v1", "kind": "Node", **node} for node in recording["nodesBefore"]]
    return [*nodes, *({"apiVersion": "apps/v1", "kind": "DaemonSet", **daemonset} for daemonset in recording["daemonsets"])]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_recorded_cluster(seed: int, tmp_path: Path) -> None:
    whole = write(tmp_path / "whole.json", recorded(seed))
    save(tmp_path / "saved.json", whole)
    for line in (
        "taint nodes --all dedicated=x:NoExecute --overwrite",
        "label nodes --all pool-",
        "delete ds --all -n truth",
        "drain n00 n01",
    ):
        of_whole, of_saved = both([*line.split(), "--from", "@"], whole, str(tmp_path / "saved.json"))
        assert of_whole[1]["coverage"], of_whole
        assert of_saved == of_whole, line
