"""Every DaemonSet of the corpus that a made-up taint would cost is fixed, and not one byte else differs."""

from __future__ import annotations

import difflib
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.program import program

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus" / "manifests"
FILES = sorted(CORPUS.glob("*.yaml"))

CHANGE = ("--for", "taint nodes some-node made-up=yes:NoSchedule")
LOSES = ("PF101", "PF102", "PF109")

pytestmark = pytest.mark.skipif(not FILES, reason="the corpus is not there")


def losses(file: str) -> list[str]:
    """The DaemonSets that the taint costs, whatever the labels of the node are."""
    report = json.loads(program("taint", "nodes", "some-node", "made-up=yes:NoSchedule", "--from", file, "-o", "json").out)
    return sorted({finding["subject"]["name"] for finding in report["findings"] if finding["rule"] in LOSES})


def linted(file: str) -> set[tuple[str, str, str]]:
    report = json.loads(program("lint", file, "-o", "json", "--allow-empty").out)
    return {(finding["rule"], str(finding["subject"]), finding["message"]) for finding in report["findings"]}


def changed(before: bytes, after: bytes) -> tuple[list[str], list[str]]:
    """The lines that went and those that came."""
    lines = difflib.ndiff(before.decode().splitlines(keepends=True), after.decode().splitlines(keepends=True))
    found = [line for line in lines if line[0] in "+-"]
    return [line[2:] for line in found if line[0] == "-"], [line[2:] for line in found if line[0] == "+"]


@pytest.mark.parametrize("file", [pytest.param(each, id=each.stem) for each in FILES])
def test_the_fix_adds_tolerations_and_nothing_else(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(file, tmp_path)
    before = file.read_bytes()
    lost, found = losses(file.name), linted(file.name)
    result = program("fix", file.name, *CHANGE, "--rendered", "--write", "--allow-empty")
    after = (tmp_path / file.name).read_bytes()
    assert "left as it is" not in result.out
    assert result.code == 0, result.err
    assert (after == before) is (lost == [])
    gone, came = changed(before, after)
    assert gone == [line for line in gone if line.strip() == "tolerations: null"]
    fields = {"key: made-up", "operator: Equal", 'value: "yes"', "value: 'yes'", "effect: NoSchedule", "tolerations:"}
    assert {line.strip().removeprefix("- ").replace('"made-up"', "made-up") for line in came} <= fields | {
        'operator: "Equal"',
        'effect: "NoSchedule"',
        'key: "made-up"',
    }
    assert losses(file.name) == []
    assert linted(file.name) <= found
    again = program("fix", file.name, *CHANGE, "--rendered", "--write", "--allow-empty")
    assert (again.code, again.out) == (0, "nothing to fix\n")
    assert (tmp_path / file.name).read_bytes() == after


def test_without_the_option_what_helm_rendered_stays_and_the_values_key_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("falco", "longhorn", "datadog-agent-chart-baseline"):
        shutil.copy(CORPUS / f"{name}.yaml", tmp_path)
    result = program("fix", *CHANGE)
    assert (result.code, result.out) == (3, "")  # the node is not given, so whether they select it is not known
    for said in (
        "set tolerations in the values of the chart falco;",
        "set longhornManager.tolerations in the values of the chart longhorn (and defaultSettings.taintToleration for what",
        "set agents.tolerations in the values of the chart datadog;",
    ):
        assert said in result.err
