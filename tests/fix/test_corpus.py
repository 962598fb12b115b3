"""Every DaemonSet of the corpus that a made-up taint would cost is fixed, and not one byte else differs."""

from __future__ import annotations

import difflib
import json
import re
import shutil
from pathlib import Path

import pytest

from tests.cli.program import program
from tests.corpus import OWN, PUBLIC, files, needs_public

FILES = [
    *(pytest.param(path, id=f"own {path.stem}") for path in files(OWN, "manifests")),
    *(pytest.param(path, id=path.stem) for path in files(PUBLIC, "manifests")),
]

CHANGE = ("--for", "taint nodes some-node made-up=yes:NoSchedule")
LOSES = ("PF101", "PF102", "PF109")


def losses(file: str) -> list[str]:
    """The DaemonSets that the taint costs, whatever the labels of the node are."""
    report = json.loads(program("taint", "nodes", "some-node", "made-up=yes:NoSchedule", "--from", file, "-o", "json", "--allow-empty").out)
    return sorted({finding["subject"]["name"] for finding in report["findings"] if finding["rule"] in LOSES})


def linted(file: str) -> set[tuple[str, str, str]]:
    report = json.loads(program("lint", file, "-o", "json", "--allow-empty").out)
    return {(finding["rule"], str(finding["subject"]), finding["message"]) for finding in report["findings"]}


def added(line: str) -> str:
    """An added line without its indentation and its dash, and without quotes around the field and the taint's key."""
    return re.sub(r'^(?:-\s+)?"?(\w+)"?:', r"\1:", line.strip()).replace('"made-up"', "made-up")


def changed(before: bytes, after: bytes) -> tuple[list[str], list[str]]:
    """The lines that went and those that came."""
    lines = difflib.ndiff(before.decode().splitlines(keepends=True), after.decode().splitlines(keepends=True))
    found = [line for line in lines if line[0] in "+-"]
    return [line[2:] for line in found if line[0] == "-"], [line[2:] for line in found if line[0] == "+"]


@pytest.mark.parametrize("file", FILES)
def test_the_fix_adds_tolerations_and_nothing_else(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(file, tmp_path)
    before = file.read_bytes()
    lost, found = losses(file.name), linted(file.name)
    result = program("fix", file.name, *CHANGE, "--rendered", "--write", "--allow-empty")
    after = (tmp_path / file.name).read_bytes()
    assert "not fixed:" not in result.out
    assert result.code == 0, result.err
    assert (after == before) is (lost == [])
    gone, came = changed(before, after)
    assert gone == [line for line in gone if line.strip() == "tolerations: null"]
    fields = {"key: made-up", "operator: Equal", 'value: "yes"', "value: 'yes'", "effect: NoSchedule", "tolerations:"}
    assert {added(line) for line in came} <= fields | {
        'operator: "Equal"',
        'effect: "NoSchedule"',
        'key: "made-up"',
        'taint-toleration: "made-up=yes:NoSchedule"',  # the text of Longhorn's settings, for what its operator makes
    }
    assert losses(file.name) == []
    assert linted(file.name) <= found
    again = program("fix", file.name, *CHANGE, "--rendered", "--write", "--allow-empty")
    assert (again.code, again.out) == (0, "nothing to fix\n")
    assert (tmp_path / file.name).read_bytes() == after


CHARTS_OWN = {"log-agent-rendered": "set fluent-bit.tolerations in the values of the chart observability;"}
CHARTS_PUBLIC = {
    "falco": "set tolerations in the values of the chart falco;",
    "longhorn": "set longhornManager.tolerations in the values of the chart longhorn (and defaultSettings.taintToleration for what",
    "datadog-agent-chart-baseline": "set agents.tolerations in the values of the chart datadog;",
}


@pytest.mark.parametrize(
    ("corpus", "charts"), [pytest.param(OWN, CHARTS_OWN, id="own"), pytest.param(PUBLIC, CHARTS_PUBLIC, id="public", marks=needs_public)]
)
def test_without_the_option_what_helm_rendered_stays_and_the_values_key_is_named(
    corpus: Path, charts: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in charts:
        shutil.copy(corpus / "manifests" / f"{name}.yaml", tmp_path)
    result = program("fix", *CHANGE)
    assert (result.code, result.out) == (3, "")  # the node is not given, so whether they select it is not known
    for said in charts.values():
        assert said in result.err
