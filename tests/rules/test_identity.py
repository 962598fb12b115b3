"""The identity of a finding is its rule, its object and its key: no words, counts or lines."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest

from preflight.rules.select_rules import load_rules
from tests.paths import ROOT
from tests.rules.identities import FILLER

FOLDERS = ("coverage", "hygiene", "run", "evictions", "budgets", "jobs", "verify", "doctor")
KEYED_RULES = {rule.id for folder in FOLDERS for rule in load_rules(folder)}
"""The rules whose findings about one object have different keys."""
MOVED_RULES = {rule.id for folder in FOLDERS for rule in load_rules(folder)}
"""The rules whose sentences are in `preflight.messages`."""

Runs = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def both_runs() -> tuple[Runs, Runs]:
    """The identities of all rule cases and examples, as the messages are and with each of them reworded."""
    command = [sys.executable, "-m", "tests.rules.identities"]
    processes = [subprocess.Popen([*command, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True) for arguments in ([], ["--reword"])]
    usual, reworded = (json.loads(process.communicate()[0]) for process in processes)
    return usual, reworded


def test_no_baseline_and_no_fingerprint_changes_with_the_words_of_messages(both_runs: tuple[Runs, Runs]) -> None:
    usual, reworded = both_runs
    assert usual.keys() == reworded.keys()
    for part in ("baseline", "fingerprints"):
        assert {name: run[part] for name, run in usual.items()} == {name: run[part] for name, run in reworded.items()}
    assert sum(bool(run["findings"]) for run in usual.values()) > len(usual) // 3


def test_the_words_of_messages_did_change(both_runs: tuple[Runs, Runs]) -> None:
    """So all sentences of these rules stand in `preflight.messages`."""
    usual, reworded = (
        {finding["message"] for run in runs.values() for finding in run["findings"] if finding["rule"] in MOVED_RULES} for runs in both_runs
    )
    assert [message for message in reworded if FILLER not in message] == []
    assert [message for message in usual if FILLER in message] == []
    assert len(usual) > len(MOVED_RULES)


def test_two_findings_of_one_rule_and_object_differ_in_their_keys(both_runs: tuple[Runs, Runs]) -> None:
    """Objects of one name in two files are two objects; what two steps of a plan find is one finding."""
    for name, run in both_runs[0].items():
        identities = Counter(
            (finding["rule"], *finding["subject"], finding["file"], finding["step"], *finding["key"])
            for finding in run["findings"]
            if finding["rule"] in KEYED_RULES
        )
        assert [identity for identity, count in identities.items() if count > 1] == [], name
