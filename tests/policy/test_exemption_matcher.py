"""What is exempted and by whom, in whole runs; what is said of exemptions is in the cases of PF990 to PF992."""

from __future__ import annotations

import json
from typing import Any

import pytest

from preflight.rules.select_rules import load_all_rules
from tests.cli.program import Result, program
from tests.policy.conftest import Write
from tests.policy.manifests import WILD, daemonset

NO_EXECUTE = "{key: maintenance, operator: Exists, effect: NoExecute}"


def lint(*argv: str) -> tuple[Result, list[tuple[str, str, str | None]]]:
    """A run of lint over `m`, and its findings: rule, severity, and why it is exempted."""
    result = program("lint", "m", *argv, "-o", "json")
    assert result.out, result.err
    report: dict[str, Any] = json.loads(result.out)
    return result, [(finding["rule"], finding["severity"], finding["exempted"]) for finding in report["findings"]]


def test_nothing_is_exempted_where_nobody_says_so(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", WILD))
    assert lint()[1] == [("PF201", "warning", None)]


BY = {
    "an annotation": (daemonset("agent", WILD, annotations='{preflight/exempt: "PF201: by annotation"}'), "by annotation"),
    "a comment behind the finding": (daemonset("agent", f"{WILD}  # preflight: exempt[PF201] behind it"), "behind it"),
    "a comment above the finding": (daemonset("agent", "# preflight: exempt[PF201] above it", WILD), "above it"),
    "a comment at the top": (daemonset("agent", WILD, head="# preflight: exempt[PF201] at the top"), "at the top"),
    "the name of the rule": (daemonset("agent", f"{WILD}  # preflight: exempt[Tolerates-Everything] by name"), "by name"),
    "an annotation before a comment": (
        daemonset("agent", WILD, head="# preflight: exempt[PF201] by comment", annotations='{preflight/exempt: "PF201: by annotation"}'),
        "by annotation",
    ),
}


@pytest.mark.parametrize(("text", "reason"), BY.values(), ids=BY)
def test_exempted_by(text: str, reason: str, write: Write) -> None:
    write("m/a.yaml", text)
    findings = lint()[1]
    assert [finding for finding in findings if finding[0] != "PF990"] == [("PF201", "warning", reason)]


def test_an_exempted_finding_is_counted_and_not_shown(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", f"{WILD}  # preflight: exempt[PF201] because"))
    result = program("lint", "m", "--fail-on", "note")
    assert (result.code, result.out) == (0, "no findings\n\nNo findings, 1 exempted. Checked 1 object in 1 file.\n")


def job_set(name: str = "llm", annotations: str = "{}", end: str = "") -> str:
    return f"""\
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {{name: {name}, namespace: ml, labels: {{team: llm}}, annotations: {annotations}}}
spec:
  replicatedJobs:
  - name: workers
    template:
      spec:
        backoffLimit: 0{end}
        template:
          spec: {{containers: [{{name: main, image: "a:1"}}]}}
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(job_set(), None, id="nobody"),
        pytest.param(job_set(annotations='{preflight/exempt: "PF332: by annotation"}'), "by annotation", id="an annotation"),
        pytest.param(job_set(end="  # preflight: exempt[PF332] behind it"), "behind it", id="a comment"),
    ],
)
def test_a_job_set_is_exempted_by(text: str, reason: str | None, write: Write) -> None:
    write("m/a.yaml", text)
    assert lint()[1] == [("PF332", "warning", reason)]


def budget(annotations: str = "{}", end: str = "") -> str:
    return f"""\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {{name: db, namespace: shop, annotations: {annotations}}}
spec:
  selector: {{matchLabels: {{app: db}}}}
  maxUnavailable: 0{end}
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(budget(), None, id="nobody"),
        pytest.param(budget(annotations='{preflight/exempt: "PF321: by annotation"}'), "by annotation", id="an annotation"),
        pytest.param(budget(end="  # preflight: exempt[PF321] behind it"), "behind it", id="a comment"),
    ],
)
def test_a_budget_is_exempted_by(text: str, reason: str | None, write: Write) -> None:
    write("m/a.yaml", text)
    assert lint()[1] == [("PF321", "warning", reason)]


def test_a_policy_finds_a_job_set_by_its_labels(write: Write) -> None:
    write(".preflight.yaml", "exemptions: [{rule: PF332, match: {labels: {team: llm}}, reason: by its labels, expires: 2099-12-31}]")
    write("m/a.yaml", job_set())
    assert lint()[1] == [("PF332", "warning", "by its labels")]


NOT_BY = {
    "a comment of another rule": daemonset("agent", f"{WILD}  # preflight: exempt[PF203] because"),
    "a comment of another line": daemonset("agent", f"{NO_EXECUTE}  # preflight: exempt[PF201] because", WILD),
    "a comment of another document": daemonset("other", head="# preflight: exempt[PF201] because") + "---\n" + daemonset("agent", WILD),
    "an annotation of the pods": daemonset("agent", WILD).replace(
        "metadata: {labels", 'metadata: {annotations: {preflight/exempt: "PF201: because"}, labels'
    ),
    "a comment that lacks its reason": daemonset("agent", f"{WILD}  # preflight: exempt[PF201]"),
    "a comment that has expired": daemonset("agent", f"{WILD}  # preflight: exempt[PF201 until 2026-12-31] because"),
    "a text that looks like a comment": daemonset("agent", WILD, labels='{a: "x# preflight: exempt[PF201] because"}'),
}


@pytest.mark.parametrize("text", NOT_BY.values(), ids=NOT_BY)
def test_not_exempted_by(text: str, write: Write) -> None:
    write("m/a.yaml", text)
    _, findings = lint("--today", "2027-01-01")
    assert ("PF201", "warning", None) in findings


# By a policy.

MATCHES = {
    "everything": ("", True),
    "its namespace": ("namespace: op*", True),
    "another namespace": ("namespace: kube-*", False),
    "its name among others": ("name: [web, agent]", True),
    "its name in another case": ("name: Agent", False),
    "its kind": ("kind: DaemonSet", True),
    "another kind": ("kind: [Deployment, Job]", False),
    "its file below the policy": ("file: m/*.yaml", True),
    "its file by its name alone": ("file: a.yaml", False),
    "its file wherever": ('file: "*/a.yaml"', True),
    "a label": ("labels: {team: net*}", True),
    "a label with another value": ("labels: {team: storage}", False),
    "a label that it lacks": ('labels: {tier: "*"}', False),
    "all of several keys": ("namespace: ops, name: a*, labels: {team: network}", True),
    "not all of several keys": ("namespace: ops, name: b*", False),
    "a set of characters": ('name: "[a-c]gent"', True),
    "what would be a regular expression": ("name: .*", False),
}


@pytest.mark.parametrize(("match", "is_exempted"), MATCHES.values(), ids=MATCHES)
def test_exempted_by_the_policy(match: str, is_exempted: bool, write: Write) -> None:
    write("m/a.yaml", daemonset("agent", WILD, labels="{team: network}"))
    write(".preflight.yaml", f"exemptions: [{{rule: PF201, reason: because{f', match: {{{match}}}' if match else ''}}}]\n")
    findings = lint()[1]
    assert ("PF201", "warning", "because" if is_exempted else None) in findings
    assert lint("--no-policy")[1] == [("PF201", "warning", None)]
    assert lint("--no-exemptions")[1] == [("PF201", "warning", None)]


def test_the_same_file_is_meant_from_every_folder(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("m/a.yaml", daemonset("agent", WILD))
    write(".preflight.yaml", "exemptions: [{rule: PF201, reason: because, match: {file: m/a.yaml}}]\n")
    for folder, name in ((path.parent, "a.yaml"), (path.parent, "."), (path.parents[1], "./m/../m/a.yaml"), (path.parents[1], str(path))):
        monkeypatch.chdir(folder)
        assert json.loads(program("lint", name, "-o", "json").out)["findings"][0]["exempted"] == "because", name


def test_what_comes_by_standard_input_has_no_file_below_the_policy(write: Write) -> None:
    write(".preflight.yaml", "exemptions: [{rule: PF201, reason: because, match: {file: m/*}}]\n")
    out = program("lint", "-", "-o", "concise", stdin=daemonset("agent", WILD).encode()).out
    assert out.startswith("-:14:11: warning[PF201] ")


def test_the_last_day_counts(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", WILD))
    write(".preflight.yaml", "exemptions: [{rule: PF201, reason: because, expires: 2027-01-31}]\n")
    assert lint("--today", "2027-01-31")[1] == [("PF201", "warning", "because")]
    assert [each for each in lint("--today", "2027-02-01")[1] if each[0] == "PF201"] == [("PF201", "warning", None)]


def test_a_mandatory_rule_is_never_exempted(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", f"{WILD}  # preflight: exempt[PF201] by comment", annotations='{preflight/exempt: "PF201: x"}'))
    write(".preflight.yaml", "mandatory: [tolerates-everything]\nexemptions: [{rule: PF201, reason: because}]\n")
    assert ("PF201", "warning", None) in lint()[1]


def test_nothing_exempts_what_is_said_of_exemptions(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", head="# preflight: exempt[PF992] because\n# preflight: exempt[PF201]"))
    assert [each for each in lint()[1] if each[0] == "PF992"] == [("PF992", "error", None)]


def test_a_comment_exempts_under_a_change_too(write: Write) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {kubernetes.io/os: linux}}\n"
    write("m/a.yaml", node + "---\n" + daemonset("agent", head="# preflight: exempt[PF102] nobody misses it"))
    result = program("taint", "nodes", "n1", "a=b:NoSchedule", "--from", "m", "-o", "json")
    assert result.code == 0
    assert [(load["rule"], load["exempted"]) for load in json.loads(result.out)["findings"]] == [("PF102", "nobody misses it")]
    assert program("taint", "nodes", "n1", "a=b:NoSchedule", "--from", "m", "--no-exemptions").code == 1


def test_it_counts_in_a_file_that_the_command_names(write: Write) -> None:
    node = (
        "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {kubernetes.io/os: linux}}\n"
        "spec: {taints: [{key: a, effect: NoSchedule}]}\n"
    )
    old = daemonset("agent", "{key: a, operator: Exists}")
    write("m/a.yaml", node + "---\n" + old)
    write("new.yaml", daemonset("agent", head="# preflight: exempt[PF101] nobody misses it"))
    result = program("apply", "-f", "new.yaml", "--from", "m", "-o", "json")
    assert {(load["rule"], load["exempted"]) for load in json.loads(result.out)["findings"]} == {("PF101", "nobody misses it")}


JOBS = ["PF331", "PF332", "PF333", "PF334", "PF335"]


def test_the_rules_that_judge_each_object_by_itself() -> None:
    """Whoever adds a rule to these has looked: it says the same of an object whatever else was given."""
    names = [rule.id for rule in load_all_rules() if rule.is_per_object]
    assert names == ["PF201", "PF203", "PF204", "PF205", "PF206", "PF207", "PF210", "PF211", "PF215", *JOBS, "PF901"]
    assert [rule.id for rule in load_all_rules() if rule.is_per_object and rule.needs_nodes] == []
