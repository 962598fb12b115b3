"""The keys of findings on coverage and of a comparison: typed facts, which tell the findings of one rule on one DaemonSet apart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from preflight.model.comparison_reasons import LabelDifference, NodeChange, NodeChangeKind, TaintDifference
from preflight.model.core import Taint, Toleration
from preflight.model.meta import ObjectKey, SelectorRequirement
from preflight.model.reasons import (
    AffinityMismatch,
    ConditionalOutcome,
    EvictionLoop,
    LostLabels,
    NearMiss,
    NearMissKind,
    OtherNodeName,
    PlainReason,
    PodEnded,
    Reason,
    SelectorMismatch,
    TermMismatch,
    UnknownLabels,
    UnreadyPod,
    Untolerated,
    UpdateUncertainty,
)
from preflight.model.report import Outcome
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.reason_keys import make_reason_key
from preflight.rules.select_rules import common_rules
from preflight.rules.verify._keys import make_change_key
from tests.rules import casefile

RDMA = Taint("dedicated", "rdma", "NoSchedule")
POOL = SelectorRequirement("pool", "In", ("a", "b"))


@pytest.mark.parametrize(
    ("reasons", "key"),
    [
        pytest.param((), (), id="no reason"),
        pytest.param(
            (Untolerated((RDMA, Taint("a", "", "NoExecute"))),), ("taint:a:NoExecute", "taint:dedicated=rdma:NoSchedule"), id="taints"
        ),
        pytest.param(
            (Untolerated((RDMA,)), EvictionLoop((RDMA,), 30)),
            ("taint:dedicated=rdma:NoSchedule",),
            id="a taint counts once, seconds do not",
        ),
        pytest.param(
            (NearMiss(NearMissKind.VALUE, Toleration("dedicated", value="gpu"), RDMA),),
            ("near-miss:value:dedicated:dedicated=rdma:NoSchedule",),
            id="a near miss",
        ),
        pytest.param((OtherNodeName("n2"),), ("node-name:n2",), id="another node"),
        pytest.param(
            (SelectorMismatch("pool", "a", None), SelectorMismatch("zone", "x", "y")),
            ("node-selector:pool=a", "node-selector:zone=x:y"),
            id="labels that are absent or have another value",
        ),
        pytest.param((AffinityMismatch(()),), ("affinity:",), id="an affinity without a term"),
        pytest.param(
            (AffinityMismatch((TermMismatch((POOL, SelectorRequirement("gpu", "Exists"))), TermMismatch(errors=("is no operator",)))),),
            ("affinity:broken", "affinity:pool In a,b;gpu Exists"),
            id="terms, without the sentences on a broken one",
        ),
        pytest.param((LostLabels(("gpu",), ObjectKey("ops", "gfd")),), ("lost-label:gpu:ops/gfd",), id="a second wave"),
        pytest.param(
            (ConditionalOutcome(Outcome.LOST_NOW, (Untolerated((RDMA,)),), is_today=False), UnknownLabels(("gpu",))),
            ("taint:dedicated=rdma:NoSchedule", "unknown-label:gpu"),
            id="unknown labels",
        ),
        pytest.param((UpdateUncertainty(("n1",), (0, 1), (), (), False, 1),), ("update",), id="an update that may reach a node or not"),
        pytest.param(
            (PlainReason.MISSING, PodEnded("Failed"), UnreadyPod(True, "no image")),
            ("pod:ended", "pod:missing", "pod:not-ready"),
            id="pods, without what they state",
        ),
    ],
)
def test_the_key_of_reasons(reasons: tuple[Reason, ...], key: tuple[str, ...]) -> None:
    assert make_reason_key(reasons) == key


def test_the_key_of_a_change_of_a_node() -> None:
    labels = (LabelDifference("pool", "a", None), LabelDifference("gpu", None, ""), LabelDifference("zone", "x", "z"))
    assert make_change_key(NodeChange(NodeChangeKind.LABELS, labels=labels)) == (
        "labels",
        "label:pool=a:",
        "label:gpu:=",
        "label:zone=x:=z",
    )
    taints = (TaintDifference(RDMA, is_added=True), TaintDifference(RDMA, is_added=False))
    assert make_change_key(NodeChange(NodeChangeKind.TAINTS, taints=taints)) == (
        "taints",
        "new-taint:dedicated=rdma:NoSchedule",
        "gone-taint:dedicated=rdma:NoSchedule",
    )


OWN_RULES = [rule for rule in common_rules() if ".coverage." in rule.module or ".verify." in rule.module]


@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.name) for rule in OWN_RULES])
def test_two_findings_of_a_rule_on_one_object_have_different_keys(rule: Rule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[list[Hit]] = []

    def check(context: Context) -> Iterator[Hit]:
        runs.append(list(rule.check(context)))
        yield from runs[-1]

    monkeypatch.setattr("preflight.engine.rule_runner.select_rules", lambda _: (replace(rule, check=check),))
    for number, case in enumerate(casefile.read(casefile.FOLDER / f"{rule.name}.yaml")):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        casefile.run(case)
    assert any(runs)
    for hits in runs:
        keys = [(hit.subject, hit.location.origin.file, hit.key) for hit in hits]
        assert len(set(keys)) == len(keys)
