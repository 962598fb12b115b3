"""The words of every reason of coverage, and of the causes of an update that stops."""

from __future__ import annotations

import pytest

from preflight.messages.coverage import describe_reason, join_reasons
from preflight.messages.rollout import describe_blocking_cause
from preflight.model.core import Taint, Toleration
from preflight.model.meta import ObjectKey, SelectorRequirement
from preflight.model.reasons import (
    AffinityMismatch,
    BlockingCause,
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
    TimedToleration,
    UnknownGate,
    UnknownLabels,
    UnreadyPod,
    Untolerated,
    UpdateUncertainty,
    reduce_near_miss,
)
from preflight.model.report import Outcome

RDMA = Taint("dedicated", "rdma", "NoSchedule")
MAINTENANCE = Taint("maintenance", "", "NoExecute")
POOL = SelectorRequirement("pool", "In", ("a", "b"))
GFD = ObjectKey("gpu", "gfd")


def near(kind: NearMissKind, toleration: Toleration, taint: Taint = RDMA) -> NearMiss:
    return reduce_near_miss(kind, toleration, taint)


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        pytest.param(OtherNodeName("n2"), "its nodeName is n2", id="another node"),
        pytest.param(SelectorMismatch("pool", "a", None), "its nodeSelector asks for pool=a: the label is absent", id="an absent label"),
        pytest.param(SelectorMismatch("pool", "a", "b"), "its nodeSelector asks for pool=a: the node has 'b'", id="another value"),
        pytest.param(AffinityMismatch(()), "its node affinity has no term, which matches no node", id="an affinity without a term"),
        pytest.param(
            AffinityMismatch((TermMismatch((POOL,), (SelectorRequirement("metadata.name", "In", ("n2",)),)), TermMismatch())),
            "its node affinity does not match: it asks for pool In (a, b) and metadata.name In (n2); or an empty term matches no node",
            id="terms that do not match",
        ),
        pytest.param(
            AffinityMismatch((TermMismatch(errors=("no key", "no values")),)),
            "its node affinity does not match: a term is broken (no key, no values)",
            id="a broken term",
        ),
        pytest.param(
            Untolerated((RDMA, MAINTENANCE)), "does not tolerate dedicated=rdma:NoSchedule and maintenance:NoExecute", id="taints"
        ),
        pytest.param(
            near(NearMissKind.EMPTY_VALUE, Toleration("dedicated")),
            "tolerates dedicated only with an empty value (no operator means Equal)",
            id="no operator and no value",
        ),
        pytest.param(
            near(NearMissKind.VALUE, Toleration("dedicated", "Equal", "gpu")),
            "tolerates dedicated only with 'gpu', not dedicated=rdma:NoSchedule",
            id="another value is tolerated",
        ),
        pytest.param(
            near(NearMissKind.VALUE, Toleration("dedicated", "Equal")),
            "tolerates dedicated only with an empty value, not dedicated=rdma:NoSchedule",
            id="an empty value is tolerated",
        ),
        pytest.param(
            near(NearMissKind.EFFECT, Toleration("dedicated", "Exists", effect="NoExecute")),
            "tolerates dedicated only with the effect NoExecute, not NoSchedule",
            id="another effect is tolerated",
        ),
        pytest.param(
            near(NearMissKind.COMPARISON, Toleration("level", "Gt", "5"), Taint("level", "3", "NoSchedule")),
            "tolerates level only with a number above 5, not level=3:NoSchedule",
            id="a number above",
        ),
        pytest.param(
            near(NearMissKind.COMPARISON, Toleration("level", "Lt", "5"), Taint("level", "7", "NoSchedule")),
            "tolerates level only with a number below 5, not level=7:NoSchedule",
            id="a number below",
        ),
        pytest.param(
            near(NearMissKind.OPERATOR, Toleration("dedicated", "exists")),
            "tolerates nothing of dedicated: 'exists' is no operator",
            id="no operator of Kubernetes",
        ),
        pytest.param(
            near(NearMissKind.KEY, Toleration("Dedicated", "Exists")),
            "tolerates Dedicated, not dedicated: the case differs",
            id="another case",
        ),
        pytest.param(LostLabels(("gpu",), GFD), "selects on gpu, which goes with gpu/gfd", id="a label that goes"),
        pytest.param(LostLabels(("a", "b"), GFD), "selects on a and b, which go with gpu/gfd", id="labels that go"),
        pytest.param(
            EvictionLoop((MAINTENANCE,), 30),
            "tolerates maintenance:NoExecute for 30 s: deleted and re-created every 30 s, for ever",
            id="a loop",
        ),
        pytest.param(
            EvictionLoop((MAINTENANCE,), 0),
            "tolerates maintenance:NoExecute for 0 s: deleted and re-created without a pause, for ever",
            id="a loop without a pause",
        ),
        pytest.param(TimedToleration((MAINTENANCE,), 60), "tolerates maintenance:NoExecute for 60 s only", id="seconds"),
        pytest.param(
            ConditionalOutcome(Outcome.LOST_NOW, (Untolerated((MAINTENANCE,)),), is_today=False),
            "if its selector matches: lost-now, does not tolerate maintenance:NoExecute",
            id="a condition",
        ),
        pytest.param(
            ConditionalOutcome(Outcome.KEPT, (), is_today=True), "if its selector matches today: kept", id="a condition without a reason"
        ),
        pytest.param(UnknownLabels(("gpu",)), "the node's label gpu is not known", id="an unknown label"),
        pytest.param(UnknownLabels(("a", "b")), "the node's labels a and b are not known", id="unknown labels"),
        pytest.param(
            UnknownGate((Taint("level", "3", "NoSchedule"),)),
            "whether it tolerates level=3:NoSchedule depends on Lt or Gt: the gate TaintTolerationComparisonOperators is not known "
            "(--feature-gates)",
            id="an unknown gate",
        ),
        pytest.param(
            UpdateUncertainty(("n1", "n2"), (0, 1), ("n3",), (), has_surge=False, budget=1),
            "which nodes is chance: 0 to 1 of n1, n2 keep the old pod, for the update stops once 1 node lacks an available one (n3)",
            id="the order of nodes decides",
        ),
        pytest.param(
            UpdateUncertainty(("n1", "n2"), (1, 1), (), ("n3", "n4"), has_surge=True, budget=2),
            "new pods on n3, n4, which are not Ready, decide: 1 of n1, n2 keeps the old pod, as many as wanted nodes lack an available one",
            id="nodes that are not Ready decide",
        ),
        pytest.param(PodEnded("Failed"), "its pod has failed", id="a pod that ended"),
        pytest.param(UnreadyPod(is_pending=True), "its pod is Pending", id="a Pending pod that states nothing"),
        pytest.param(UnreadyPod(False, "CrashLoopBackOff"), "its pod is not Ready: CrashLoopBackOff", id="a pod that is not Ready"),
    ],
)
def test_the_words_of_a_reason(reason: Reason, words: str) -> None:
    assert describe_reason(reason) == words


def test_every_state_of_a_pod_has_words_of_its_own() -> None:
    assert len({describe_reason(state) for state in PlainReason}) == len(PlainReason)


def test_reasons_in_one_line_and_what_stands_there_without_any() -> None:
    assert join_reasons((OtherNodeName("n2"), Untolerated((RDMA,)))) == "its nodeName is n2, does not tolerate dedicated=rdma:NoSchedule"
    assert join_reasons(()) == "nothing owns its pods any more, so nothing creates them again"


def test_near_misses_are_equal_where_they_say_the_same() -> None:
    other = Taint("dedicated", "gpu", "NoSchedule")
    for kind, is_equal in (
        (NearMissKind.EMPTY_VALUE, True),
        (NearMissKind.EFFECT, True),
        (NearMissKind.OPERATOR, True),
        (NearMissKind.KEY, True),
        (NearMissKind.VALUE, False),
        (NearMissKind.COMPARISON, False),
    ):
        first, second = (near(kind, Toleration("dedicated", "Equal", "x", "NoExecute"), taint) for taint in (RDMA, other))
        assert (first == second) is is_equal
        assert (describe_reason(first) == describe_reason(second)) is is_equal


@pytest.mark.parametrize(
    ("cause", "one", "several"),
    [
        (
            BlockingCause.NODE_NOT_READY,
            "n1 is not Ready: it is not known whether new pods become Ready there",
            "n1, n2 are not Ready: it is not known whether new pods become Ready there",
        ),
        (
            BlockingCause.POD_NOT_READY,
            "n1 is not Ready: it is not known whether its successor becomes Ready",
            "n1, n2 are not Ready: it is not known whether their successor becomes Ready",
        ),
        (
            BlockingCause.POD_MISSING,
            "n1 has no pod though one should run there: it is not known whether a new one starts",
            "n1, n2 have no pod though one should run there: it is not known whether a new one starts",
        ),
        (
            BlockingCause.POSSIBLE_POD,
            "n1: no kubelet answers there, and if a pod is there (none were given) it hangs in Terminating once deleted",
            "n1, n2: no kubelet answers there, and if a pod is there (none were given) it hangs in Terminating once deleted",
        ),
        (
            BlockingCause.SILENT,
            "n1: no kubelet answers there, so a deleted pod hangs in Terminating and a new one does not start",
            "n1, n2: no kubelet answers there, so a deleted pod hangs in Terminating and a new one does not start",
        ),
    ],
)
def test_why_nodes_use_the_budget_of_an_update_up(cause: BlockingCause, one: str, several: str) -> None:
    assert describe_blocking_cause(cause, ["n1"]) == one
    assert describe_blocking_cause(cause, ["n1", "n2"]) == several
