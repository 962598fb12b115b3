"""The first sentence of a report: what it states, and that it is never better than the exit code and the findings."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from preflight.messages.verdict import describe_verdict
from preflight.model.evictions import Eviction, EvictionMechanism, EvictionReport, EvictionVerdict, NodeEvictions, ReplacementOutcome
from preflight.model.owners import OwnerKey
from preflight.model.report import CoverageEffect, FindingRole, Outcome, Problem, Report, Severity, StoryOrder, Subject
from preflight.model.verdict import VerdictSign
from preflight.report.verdict import decide_step_verdict, decide_verdict
from tests.report.reports import ALL, DRAIN, EVICTIONS, LINT, NO, NOTHING, PLAN, RDMA, VERIFY, covered, finding, report, step

FINE = report(step(covered("a/b", Outcome.KEPT)))
JOB = Subject("Job", "research", "train")


def _drain(*pods: Eviction, ends: bool | None = True, way: EvictionMechanism = EvictionMechanism.DRAIN, **fields: object) -> Report:
    node = NodeEvictions("n-1", pods, ends=ends)
    return report(step(covered("a/b", Outcome.KEPT), evictions=EvictionReport(way, (node,), ends=ends, **fields)))  # type: ignore[arg-type]


def _moved(name: str = "a/web-1", **fields: object) -> Eviction:
    values = {"replacement": ReplacementOutcome.FITS, "where": ("n-2",), **fields}
    return Eviction(name, OwnerKey("Deployment", "a", "web"), EvictionVerdict.EVICTED, **values)  # type: ignore[arg-type]


VERDICTS: dict[str, tuple[Report, str, str]] = {
    "nothing was given": (NOTHING, "?", "nothing was checked"),
    "all are kept": (FINE, "=", "no DaemonSet loses a node"),
    "nothing to say of objects": (report(command=""), "=", "no findings"),
    "only notes": (report(command="", findings=(finding("x", Severity.NOTE, "PF201"),)), "=", "no errors"),
    "all nodes are left out": (report(step(covered("a/b", Outcome.EXCLUDED))), "=", "no DaemonSet loses a node"),
    "some are lost later": (RDMA, "x", "3 DaemonSets lose 2 nodes when their pods are re-created"),
    "one is lost at once": (report(step(covered("a/b", Outcome.LOST_NOW, nodes=["n-1"]))), "x", "a/b loses n-1 now"),
    "now and later": (PLAN, "x", "storage/csi-rdma-node loses 2 nodes, some now and some when pods are re-created"),
    "a loop and files that could not be read": (
        LINT,
        "x",
        "a/agent is deleted and re-created again and again on 2 nodes; 1 error: invalid-taint; "
        "unknown for 1 of 2 DaemonSets: its namespace is not given; unknown: mapping values are not allowed here (and 1 more)",
    ),
    "since a snapshot": (
        VERIFY,
        "x",
        "2 DaemonSets have lost 2 nodes; 2 errors: pod-gone and resource-gone; unknown for 1 of 6 DaemonSets: its pods were not listed now",
    ),
    "a loss that is exempted": (
        report(step(covered("a/b", Outcome.LOST_NOW)), findings=(finding(exempted="accepted"),)),
        "x",
        "a/b loses 2 nodes now",
    ),
    "workloads that depend on what is lost": (
        report(
            step(covered("a/b", Outcome.LOST_NOW, nodes=["n-1"])),
            findings=(
                finding(rule="PF101"),
                *(finding("breaks", rule=rule, role=FindingRole.CONSEQUENCE, workloads=(JOB,)) for rule in ("PF110", "PF111")),
            ),
            exit=1,
        ),
        "x",
        "a/b loses n-1 now; 1 workload is affected",
    ),
    "a loss and another error": (
        report(step(covered("a/b", Outcome.LOST_NOW, nodes=["n-1"])), findings=(finding(rule="PF206", name="invalid-taint"),), exit=1),
        "x",
        "a/b loses n-1 now; 1 error: invalid-taint",
    ),
    "nodes are gained": (
        report(step(covered("a/b", Outcome.GAINED), covered("a/c", Outcome.KEPT))),
        "=",
        "no DaemonSet loses a node; a/b starts on 2 nodes",
    ),
    "a drain that never ends": (
        DRAIN,
        "x",
        "the drain never ends: kubectl is stuck on n-1 (PodDisruptionBudget shop/db allows no eviction); "
        "kubectl refuses to drain n-2: add --force; 3 pods are evicted: 1 is lost for good, 1 replacement stays Pending; "
        "1 Job may fail; 1 workload has no Ready pod until a replacement is Ready",
    ),
    "a drain that kubectl refuses": (
        report(step(evictions=replace(EVICTIONS, nodes=EVICTIONS.nodes[1:], ends=False, jobs=(), jobSets=()))),
        "x",
        "kubectl refuses this drain: add --force",
    ),
    "a drain that is fine": (
        _drain(_moved(), _moved("a/web-2"), least=0, withGrace=300),
        "=",
        "the drain ends within 5 min; 2 pods are evicted: all find another node",
    ),
    "a drain of an empty node": (_drain(least=0, withGrace=0), "=", "the drain ends; no pod has to go"),
    "a drain that waits for replacements": (
        _drain(_moved(), ends=None),
        "!",
        "the drain ends only after replacement pods are Ready; 1 pod is evicted: finds another node",
    ),
    "a replacement that may not fit": (
        _drain(_moved(replacement=ReplacementOutcome.UNKNOWN)),
        "!",
        "the drain ends; 1 pod is evicted: unknown whether 1 replacement can be scheduled",
    ),
    "pods that a taint deletes": (
        _drain(_moved(), way=EvictionMechanism.TAINT),
        "=",
        "1 pod is deleted by the NoExecute taint: finds another node",
    ),
    "errors of lint": (
        report(command="", findings=(finding("x", rule="PF206", name="invalid-taint"),) * 2, exit=1),
        "x",
        "2 errors: invalid-taint",
    ),
    "only warnings": (
        replace(FINE, findings=(finding("x", Severity.WARNING, "PF201", "tolerates-everything"),)),
        "!",
        "no DaemonSet loses a node; 1 warning: tolerates-everything",
    ),
    "only notes, and they fail": (
        replace(FINE, findings=(finding("x", Severity.NOTE, "PF201", "tolerates-everything"),), exit=1),
        "!",
        "no DaemonSet loses a node; 1 note: tolerates-everything",
    ),
    "a loss of before that lint finds": (
        report(
            step(covered("a/b", Outcome.ALREADY_FRAGILE), headline="", command=""),
            command="",
            findings=(finding("x", Severity.WARNING, "PF106", "already-fragile", effect=CoverageEffect(Outcome.ALREADY_FRAGILE)),),
        ),
        "!",
        "no errors; 1 warning: already-fragile",
    ),
    "a pair is unknown": (
        report(step(covered("a/b", Outcome.UNKNOWN, "no nodes given"), covered("a/c", Outcome.KEPT)), exit=3),
        "?",
        "unknown for 1 of 2 DaemonSets: no nodes given",
    ),
    "a file could not be read": (replace(FINE, problems=(Problem("no YAML"),), exit=3), "?", "unknown: no YAML"),
    "something else is unknown": (replace(FINE, exit=3), "?", "not everything is known"),
    "a pod is unknown": (
        _drain(Eviction("a/b", None, EvictionVerdict.UNKNOWN), way=EvictionMechanism.TAINT),
        "?",
        "1 pod unknown",
    ),
    "a rule crashed": (replace(FINE, exit=4), "?", "a rule crashed: this report is incomplete"),
    "faults of today": (report(step(story=("a", "b")), command="doctor", exit=1), "x", "2 faults found"),
    "faults of today, of which one follows from the other": (
        report(step(story=("a", "b"), story_order=StoryOrder.CAUSES_FIRST), command="doctor", exit=1),
        "x",
        "2 faults found, root causes first",
    ),
    "no fault today": (report(step(story=(), nodes=("n-1", "n-2")), command="doctor"), "=", "no fault found on 2 nodes"),
}


@pytest.mark.parametrize(("given", "sign", "text"), VERDICTS.values(), ids=VERDICTS)
def test_verdict(given: Report, sign: str, text: str) -> None:
    verdict = decide_verdict(given)
    assert (str(verdict.sign), describe_verdict(verdict)) == (sign, text)


@pytest.mark.parametrize("given", [case[0] for case in VERDICTS.values()] + [*ALL.values()])
def test_it_is_never_better_than_the_exit_code_and_the_findings(given: Report) -> None:
    sign = decide_verdict(given).sign
    severities = {finding.severity for finding in given.findings if finding.exempted is None}
    if given.exit:
        assert sign is not VerdictSign.FINE
    if Severity.ERROR in severities:
        assert sign is VerdictSign.BAD
    if given.exit == 3 or Severity.WARNING in severities:
        assert sign is not VerdictSign.FINE


@pytest.mark.parametrize("role", [FindingRole.HYGIENE, FindingRole.BACKGROUND])
def test_what_a_change_does_not_touch_counts_nowhere(role: FindingRole) -> None:
    given = replace(FINE, findings=(finding("x", Severity.WARNING, "PF201", role=role),))
    assert decide_verdict(given) == decide_verdict(FINE)


def test_each_step_has_its_own() -> None:
    verdicts = [describe_verdict(decide_step_verdict(PLAN, number)) for number in (1, 2)]
    assert verdicts == ["storage/csi-rdma-node loses 2 nodes when its pods are re-created", "storage/csi-rdma-node loses 2 nodes now"]


def test_what_could_not_be_read_is_said_of_the_whole() -> None:
    given = replace(report(step(covered("a/b", Outcome.KEPT)), step(covered("a/c", Outcome.LOST_NOW, NO))), problems=(Problem("no YAML"),))
    assert describe_verdict(decide_step_verdict(given, 1)) == "no DaemonSet loses a node"
    assert describe_verdict(decide_verdict(given)).endswith("; unknown: no YAML")
