"""Laws of the whole program: order changes no byte, no change has no coverage finding, nothing ends in a traceback."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.engine.analyze import analyze
from preflight.engine.lint import lint
from preflight.engine.session import Session
from preflight.errors import InputError, PreflightError
from preflight.load.inputs import Files
from preflight.model.report import NextCommands, Report, Severity
from preflight.model.verdict import VerdictSign
from preflight.report import FORMATS
from preflight.report.groups import group_findings
from preflight.report.verdict import decide_verdict

SETTINGS = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])

KEYS = st.sampled_from(["dedicated", "gpu", "node.kubernetes.io/not-ready"])
VALUES = st.sampled_from(["", "rdma", "5"])
EFFECTS = st.sampled_from(["NoSchedule", "NoExecute", "PreferNoSchedule"])
LABELS = st.dictionaries(st.sampled_from(["pool", "zone"]), st.sampled_from(["a", "b"]), max_size=2)
TAINTS = st.lists(st.fixed_dictionaries({"key": KEYS, "value": VALUES, "effect": EFFECTS}), max_size=3, unique_by=lambda each: each["key"])
TOLERATIONS = st.lists(
    st.fixed_dictionaries(
        {"operator": st.sampled_from(["", "Equal", "Exists", "Gt"])},
        optional={"key": KEYS, "value": VALUES, "effect": EFFECTS, "tolerationSeconds": st.integers(-1, 300)},
    ),
    max_size=3,
)


@st.composite
def manifests(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Nodes and DaemonSets as documents."""
    found: list[dict[str, Any]] = []
    for number in range(draw(st.integers(1, 3))):
        metadata = {"name": f"n{number}", "labels": draw(LABELS)}
        found.append({"apiVersion": "v1", "kind": "Node", "metadata": metadata, "spec": {"taints": draw(TAINTS)}})
    for number in range(draw(st.integers(1, 3))):
        spec = {"containers": [{"name": "c", "image": "c:1"}], "tolerations": draw(TOLERATIONS), "nodeSelector": draw(LABELS)}
        template = {"metadata": {"labels": {"app": "d"}}, "spec": spec}
        metadata = {"name": f"d{number}", "namespace": draw(st.sampled_from(["one", "two"]))}
        body = {"selector": {"matchLabels": {"app": "d"}}, "template": template}
        found.append({"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": body})
    return found


def rendered(report: Report) -> dict[str, str]:
    """The report in every format, without the commands that repeat what a person typed."""
    report = replace(report, next=NextCommands())
    return {name: FORMATS[name](report) for name in FORMATS}


def judged(line: Sequence[str], sources: Sequence[str], stdin: bytes = b"") -> Report:
    session = Session(Files(tuple(sources)), stdin=io.BytesIO(stdin))
    return lint(session).report if line[0] == "lint" else analyze(session, [line]).report


LINES = [
    ["lint"],
    ["taint", "nodes", "n0", "dedicated=rdma:NoExecute", "--overwrite"],
    ["label", "nodes", "--all", "pool=a", "--overwrite"],
    ["drain", "n0", "--ignore-daemonsets"],
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
@given(documents=manifests(), seed=st.integers(0, 99))
@SETTINGS
def test_the_order_of_files_and_documents_changes_no_byte(
    line: list[str], documents: list[dict[str, Any]], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Each document is a file of its own, so that its lines stay; the files come in any order, and as JSON lines in any order too."""
    folder = tmp_path_factory.mktemp("order")
    paths = []
    for number, document in enumerate(documents):
        path = folder / f"{number}.yaml"
        path.write_text(yaml.safe_dump(document))
        paths.append(str(path))
    turned = paths[:]
    random.Random(seed).shuffle(turned)
    assert rendered(judged(line, paths)) == rendered(judged(line, turned)) == rendered(judged(line, [str(folder)]))
    texts = [json.dumps(document) for document in documents]
    mixed = texts[:]
    random.Random(seed).shuffle(mixed)
    one, other = (judged(line, ["-"], "\n".join(each).encode()) for each in (texts, mixed))
    assert [
        (sorted_finding.rule, sorted_finding.subject, sorted_finding.nodes, sorted_finding.message)
        for sorted_finding in sorted_findings(one)
    ] == [(each.rule, each.subject, each.nodes, each.message) for each in sorted_findings(other)]
    assert one.steps == other.steps


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[0])
@given(documents=manifests())
@SETTINGS
def test_the_verdict_is_never_better_than_the_exit_code_and_the_findings(
    line: list[str], documents: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("verdict") / "world.yaml"
    path.write_text(yaml.safe_dump_all(documents))
    report = judged(line, [str(path)])
    sign = decide_verdict(report).sign
    found = {finding.severity for finding in report.findings if finding.role.is_about_change}
    assert sign is not VerdictSign.FINE or not (report.exit or found & {Severity.ERROR, Severity.WARNING})
    assert sign is VerdictSign.BAD or not (report.exit == 1 or Severity.ERROR in found)
    assert sign in (VerdictSign.BAD, VerdictSign.UNKNOWN) or report.exit != 3
    assert sum(group.finding_count for group in group_findings(report.findings)) == len(report.findings)


def sorted_findings(report: Report) -> list[Any]:
    return sorted(report.findings, key=lambda each: (each.rule, str(each.subject), each.nodes, each.message))


@given(documents=manifests())
@SETTINGS
def test_no_change_has_no_coverage_finding(documents: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("nothing") / "world.yaml"
    path.write_text(yaml.safe_dump_all(documents))
    labels = documents[0]["metadata"]["labels"] or {"absent": None}
    same = [f"{key}={value}" if value is not None else f"{key}-" for key, value in labels.items()]
    report = judged(["label", "nodes", "n0", *same, "--overwrite"], [str(path)])
    assert [finding for finding in report.findings if finding.rule.startswith("PF1")] == []
    for taint in documents[0]["spec"]["taints"]:
        again = f"{taint['key']}={taint['value']}:{taint['effect']}"
        report = judged(["taint", "nodes", "n0", again, "--overwrite"], [str(path)])
        assert [finding for finding in report.findings if finding.rule.startswith("PF1")] == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = ["metadata", "spec", "template", "tolerations", "taints", "labels", "items", "name", "nodeSelector", "affinity", "containers"]
STRUCTURES = st.recursive(
    JSON,
    lambda inner: st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4) | st.lists(inner, max_size=3),
    max_leaves=20,
)
KINDS = st.sampled_from(["Node", "DaemonSet", "Deployment", "Pod", "CronJob", "List", "NodeList", "PodDisruptionBudget", "Namespace"])


def survives(data: bytes) -> None:
    """Whatever it is, it is judged or refused in words."""
    for line in LINES[:2]:
        try:
            report = judged(line, ["-"], data)
        except PreflightError:
            continue
        assert report.exit in (0, 1, 3)
        rendered(report)


@given(data=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
@SETTINGS
def test_no_random_text_ends_in_a_traceback(data: bytes) -> None:
    survives(data)


@given(kind=KINDS, body=STRUCTURES, api=st.sampled_from(["v1", "apps/v1", "batch/v1", 1, None]), as_json=st.booleans())
@SETTINGS
def test_no_random_structure_ends_in_a_traceback(kind: str, body: Any, api: Any, as_json: bool) -> None:
    document = {**(body if isinstance(body, dict) else {"spec": body}), "kind": kind, "apiVersion": api}
    survives((json.dumps(document) if as_json else yaml.safe_dump(document)).encode())


@given(kind=KINDS, documents=manifests(), data=st.data())
@SETTINGS
def test_no_damaged_manifest_ends_in_a_traceback(kind: str, documents: list[dict[str, Any]], data: st.DataObject) -> None:
    """A sound manifest with one value replaced by anything."""
    document: Any = data.draw(st.sampled_from(documents))
    document["kind"] = data.draw(st.sampled_from([document["kind"], kind]))
    place: Any = document
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.integers(0, 3)) == 0:
            place[key] = data.draw(STRUCTURES)
            break
        place = place[key]
    survives("---\n".join(yaml.safe_dump(each) for each in documents).encode())


def test_a_folder_that_is_not_there_is_a_problem_and_no_traceback(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file or directory"):
        judged(["lint"], [str(tmp_path / "none")])
