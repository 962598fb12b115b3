"""The set of rules: each is whole, named once, documented, and shown by cases."""

from __future__ import annotations

import ast
import re
from collections import Counter

import pytest

from preflight.model.report import Severity
from preflight.rules.api import Rule
from preflight.rules.select_rules import load_all_rules
from tests.cli.program import program
from tests.paths import ROOT
from tests.rules import casefile

SECTIONS = ["Why it matters", "How to fix", "Example"]

EVERY = pytest.mark.parametrize("rule", [pytest.param(rule, id=f"{rule.id} {rule.name}") for rule in load_all_rules()])


def test_the_rules() -> None:
    assert [(rule.id, rule.name, rule.severity.value) for rule in load_all_rules()] == [
        ("PF101", "lost-now", "error"),
        ("PF102", "lost-on-recreation", "error"),
        ("PF103", "evict-loop", "error"),
        ("PF104", "gained-coverage", "note"),
        ("PF105", "update-stalls", "error"),
        ("PF106", "already-fragile", "warning"),
        ("PF107", "missing", "warning"),
        ("PF108", "kept-out-by-taint", "warning"),
        ("PF109", "unknown-coverage", "warning"),
        ("PF110", "resource-leaves", "error"),
        ("PF111", "volumes-hang", "error"),
        ("PF112", "no-pod-network", "error"),
        ("PF113", "no-service-addresses", "error"),
        ("PF114", "no-node-dns", "error"),
        ("PF115", "startup-taint-stays", "error"),
        ("PF116", "startup-taint-late", "warning"),
        ("PF117", "second-wave", "note"),
        ("PF118", "labels-restart", "warning"),
        ("PF119", "bootstrap-deadlock", "warning"),
        ("PF120", "foreign-scheduler", "warning"),
        ("PF121", "quota", "error"),
        ("PF122", "does-not-fit", "error"),
        ("PF123", "preempts", "warning"),
        ("PF124", "priority-refused", "warning"),
        ("PF201", "tolerates-everything", "warning"),
        ("PF202", "tolerates-any-value", "note"),
        ("PF203", "no-execute-without-seconds", "warning"),
        ("PF204", "seconds-loop", "warning"),
        ("PF205", "invalid-toleration", "error"),
        ("PF206", "invalid-taint", "error"),
        ("PF207", "invalid-object", "error"),
        ("PF208", "never-matches", "warning"),
        ("PF209", "legacy-key", "warning"),
        ("PF210", "shadowed-toleration", "warning"),
        ("PF211", "ignored-seconds", "note"),
        ("PF212", "effect-gap", "warning"),
        ("PF213", "lands-anywhere", "note"),
        ("PF214", "evictable-component", "warning"),
        ("PF215", "stalling-strategy", "warning"),
        ("PF216", "sibling-outlier", "note"),
        ("PF217", "adopted-pods", "warning"),
        ("PF218", "namespace-selector", "warning"),
        ("PF219", "runtime-class", "warning"),
        ("PF220", "out-of-service-ready", "warning"),
        ("PF221", "shared-host-port", "warning"),
        ("PF222", "operator-drift", "warning"),
        ("PF223", "ignored-setting", "error"),
        ("PF230", "required-toleration", "error"),
        ("PF240", "dropped-field", "error"),
        ("PF241", "empty-selector-ignored", "warning"),
        ("PF242", "changed-behavior", "warning"),
        ("PF243", "field-takes-effect", "warning"),
        ("PF301", "drain-refused", "error"),
        ("PF302", "budget-blocks-for-ever", "error"),
        ("PF303", "budget-blocks-now", "warning"),
        ("PF304", "several-budgets", "error"),
        ("PF305", "lost-for-good", "error"),
        ("PF306", "local-data-lost", "note"),
        ("PF307", "job-fails", "error"),
        ("PF308", "job-runs-twice", "warning"),
        ("PF309", "jobset-restarts", "error"),
        ("PF310", "fits-nowhere", "warning"),
        ("PF311", "daemonset-may-not-return", "warning"),
        ("PF312", "static-pod", "note"),
        ("PF313", "no-node-left", "warning"),
        ("PF314", "stays-terminating", "error"),
        ("PF321", "budget-allows-none", "warning"),
        ("PF322", "overlapping-budgets", "warning"),
        ("PF323", "budget-selects-nothing", "note"),
        ("PF324", "budget-without-scale", "warning"),
        ("PF331", "duplicate-index", "warning"),
        ("PF332", "fails-on-disruption", "warning"),
        ("PF333", "exit-code-first", "warning"),
        ("PF334", "dead-failure-rule", "warning"),
        ("PF335", "invalid-job", "error"),
        ("PF401", "pod-gone", "error"),
        ("PF402", "pod-not-ready", "error"),
        ("PF403", "resource-gone", "error"),
        ("PF404", "node-changed", "warning"),
        ("PF405", "daemonset-gone", "error"),
        ("PF406", "pod-new", "note"),
        ("PF407", "daemonset-new", "note"),
        ("PF410", "pod-missing", "error"),
        ("PF411", "pod-kept-out", "error"),
        ("PF412", "pod-pending", "error"),
        ("PF413", "pod-refused", "error"),
        ("PF414", "pod-not-starting", "error"),
        ("PF415", "pod-restarting", "error"),
        ("PF416", "pod-terminating", "error"),
        ("PF417", "time-bomb", "warning"),
        ("PF418", "update-held-up", "warning"),
        ("PF420", "resource-not-allocatable", "error"),
        ("PF421", "ghost-resource", "warning"),
        ("PF422", "resource-not-advertised", "error"),
        ("PF423", "selects-no-node", "note"),
        ("PF425", "volumes-without-driver", "error"),
        ("PF426", "stale-driver", "warning"),
        ("PF430", "node-not-ready", "error"),
        ("PF431", "node-cordoned", "warning"),
        ("PF432", "startup-taint-left", "error"),
        ("PF433", "label-drift", "warning"),
        ("PF434", "ghost-occupancy", "warning"),
        ("PF435", "node-pressure", "warning"),
        ("PF436", "out-of-service-left", "error"),
        ("PF440", "pods-wait", "warning"),
        ("PF441", "scheduler-disagrees", "error"),
        ("PF442", "held-by-another", "error"),
        ("PF443", "no-such-scheduler", "error"),
        ("PF444", "known-fault", "error"),
        ("PF445", "jobset-leader", "warning"),
        ("PF446", "jobset-topology", "error"),
        ("PF447", "creation-refused", "warning"),
        ("PF448", "pod-not-selected", "error"),
        ("PF900", "rule-crashed", "error"),
        ("PF901", "repeated-key", "warning"),
        ("PF990", "unused-exemption", "warning"),
        ("PF991", "expired-exemption", "warning"),
        ("PF992", "invalid-exemption", "error"),
    ]


def test_no_id_and_no_name_stands_twice() -> None:
    ids, names = Counter(rule.id for rule in load_all_rules()), Counter(rule.name for rule in load_all_rules())
    assert [each for each, times in (*ids.items(), *names.items()) if times > 1] == []


@EVERY
def test_a_rule_is_named_as_its_module(rule: Rule) -> None:
    assert rule.module.rpartition(".")[2].replace("_", "-") == rule.name
    assert re.fullmatch(r"PF\d{3}", rule.id)
    assert rule.severity in list(Severity)


@EVERY
def test_a_rule_says_what_it_finds_why_it_matters_how_to_fix_it_and_shows_an_example(rule: Rule) -> None:
    summary, blank, *body = rule.explanation.splitlines()
    assert re.fullmatch(r"[A-Z].*[^.]\.", summary)
    assert blank == ""
    headings = [line for line in body if line and not line.startswith(" ")]
    assert headings == SECTIONS
    for number, line in enumerate(body):
        if line in SECTIONS:
            assert body[number + 1].startswith("    "), line


@EVERY
def test_a_rule_has_cases_that_find_and_cases_that_find_nothing(rule: Rule) -> None:
    cases = casefile.read(casefile.FOLDER / f"{rule.name}.yaml")
    assert {bool(case["findings"]) for case in cases} == {True, False}


@EVERY
def test_each_severity_that_a_rule_names_has_a_case(rule: Rule) -> None:
    """A rule's own severity, and each that its module sets in its stead."""
    source = (ROOT / f"{rule.module.replace('.', '/')}.py").read_text(encoding="utf-8")
    words = [node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    named = {word.lower() for word in words if word in Severity.__members__}
    cases = casefile.read(casefile.FOLDER / f"{rule.name}.yaml")
    assert {finding["severity"] for case in cases for finding in case["findings"]} == named


def test_every_file_of_cases_is_named_after_a_rule_or_holds_stories() -> None:
    assert [path.stem for path in casefile.files()] == sorted([*(rule.name for rule in load_all_rules()), casefile.STORIES])


@EVERY
def test_explain_tells_a_rule_by_id_and_by_name_in_any_case(rule: Rule) -> None:
    expected = f"{rule.id} {rule.name} ({rule.severity})\n\n{rule.explanation}\n"
    for word in (rule.id, rule.id.lower(), rule.name, rule.name.upper()):
        assert program("explain", word) == (0, expected, "")


def test_explain_of_no_rule() -> None:
    assert program("explain", "PF999") == (
        2,
        "",
        "error: no rule \"PF999\": `preflight rules` lists them\nSee 'preflight explain --help'\n",
    )


def test_the_list_of_rules() -> None:
    result = program("rules")
    assert (result.code, result.err) == (0, "")
    width = max(len(rule.name) for rule in load_all_rules())
    assert result.out.splitlines() == [f"{rule.id}  {rule.name:{width}}  {rule.severity:7}  {rule.summary}" for rule in load_all_rules()]


def test_the_page_of_the_documentation_is_what_the_program_prints() -> None:
    """To print it anew: `preflight rules --markdown > docs/rules.md`."""
    assert program("rules", "--markdown") == (0, (ROOT / "docs" / "rules.md").read_text(encoding="utf-8"), "")


@EVERY
def test_the_page_holds_every_word_of_a_rule(rule: Rule) -> None:
    page = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    section = page.partition(f"\n## {rule.id} {rule.name}\n")[2].partition("\n## ")[0]
    words = [word for word in rule.explanation.split() if word not in " ".join(SECTIONS).split()]
    assert [word for word in words if word not in section] == []
    assert [heading for heading in SECTIONS if f"**{heading}.**" in section] == SECTIONS


def test_no_code_names_a_rule_by_its_id() -> None:
    """What is so of a rule stands on its `RULE`; only docstrings and comments name others."""
    named: list[str] = []
    for path in sorted((ROOT / "preflight").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = {
            id(keyword.value) for node in ast.walk(tree) if isinstance(node, ast.Call) for keyword in node.keywords if keyword.arg == "id"
        }
        named += [
            f"{path.relative_to(ROOT)}: {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"PF\d*", node.value) and id(node) not in own
        ]
    assert named == []
