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
    UnknownVersion,
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
        pytest.param(
            SelectorMismatch("pool", "a", None), "its nodeSelector requires pool=a (the node does not have the label)", id="an absent label"
        ),
        pytest.param(SelectorMismatch("pool", "a", "b"), "its nodeSelector requires pool=a (the node has pool=b)", id="another value"),
        pytest.param(AffinityMismatch(()), "its node affinity has no term, so it matches no node", id="an affinity without a term"),
        pytest.param(
            AffinityMismatch((TermMismatch((POOL,), (SelectorRequirement("metadata.name", "In", ("n2",)),)), TermMismatch())),
            "its node affinity does not match: requires pool In (a, b) and metadata.name In (n2); "
            "or has an empty term, which matches no node",
            id="terms that do not match",
        ),
        pytest.param(
            AffinityMismatch((TermMismatch(errors=("no key", "no values")),)),
            "its node affinity does not match: has an invalid term (no key, no values)",
            id="a broken term",
        ),
        pytest.param(
            Untolerated((RDMA, MAINTENANCE)), "no toleration for dedicated=rdma:NoSchedule and maintenance:NoExecute", id="taints"
        ),
        pytest.param(
            near(NearMissKind.EMPTY_VALUE, Toleration("dedicated")),
            'its toleration of "dedicated" has no operator and no value, so it matches only an empty value',
            id="no operator and no value",
        ),
        pytest.param(
            near(NearMissKind.VALUE, Toleration("dedicated", "Equal", "gpu")),
            "its toleration of \"dedicated\" matches only the value 'gpu', not dedicated=rdma:NoSchedule",
            id="another value is tolerated",
        ),
        pytest.param(
            near(NearMissKind.VALUE, Toleration("dedicated", "Equal")),
            'its toleration of "dedicated" matches only an empty value, not dedicated=rdma:NoSchedule',
            id="an empty value is tolerated",
        ),
        pytest.param(
            near(NearMissKind.EFFECT, Toleration("dedicated", "Exists", effect="NoExecute")),
            'its toleration of "dedicated" matches only the effect NoExecute, not NoSchedule',
            id="another effect is tolerated",
        ),
        pytest.param(
            near(NearMissKind.COMPARISON, Toleration("level", "Gt", "5"), Taint("level", "3", "NoSchedule")),
            'its toleration of "level" matches only numbers above 5, not level=3:NoSchedule',
            id="a number above",
        ),
        pytest.param(
            near(NearMissKind.COMPARISON, Toleration("level", "Lt", "5"), Taint("level", "7", "NoSchedule")),
            'its toleration of "level" matches only numbers below 5, not level=7:NoSchedule',
            id="a number below",
        ),
        pytest.param(
            near(NearMissKind.OPERATOR, Toleration("dedicated", "exists")),
            "its toleration of \"dedicated\" matches nothing: 'exists' is not an operator",
            id="no operator of Kubernetes",
        ),
        pytest.param(
            near(NearMissKind.KEY, Toleration("Dedicated", "Exists")),
            'its toleration of "Dedicated" does not match dedicated: the case differs',
            id="another case",
        ),
        pytest.param(LostLabels(("gpu",), GFD), "selects on gpu, which is removed with the pod of gpu/gfd", id="a label that goes"),
        pytest.param(LostLabels(("a", "b"), GFD), "selects on a and b, which are removed with the pod of gpu/gfd", id="labels that go"),
        pytest.param(
            EvictionLoop((MAINTENANCE,), 30),
            "tolerates maintenance:NoExecute for 30 s only: its pod is deleted and re-created every 30 s, without end",
            id="a loop",
        ),
        pytest.param(
            EvictionLoop((MAINTENANCE,), 0),
            "tolerates maintenance:NoExecute for 0 s only: its pod is deleted and re-created without a pause, without end",
            id="a loop without a pause",
        ),
        pytest.param(TimedToleration((MAINTENANCE,), 60), "tolerates maintenance:NoExecute for 60 s only", id="seconds"),
        pytest.param(
            ConditionalOutcome(Outcome.LOST_NOW, (Untolerated((MAINTENANCE,)),), is_today=False),
            "if its selector matches: lost-now, no toleration for maintenance:NoExecute",
            id="a condition",
        ),
        pytest.param(
            ConditionalOutcome(Outcome.KEPT, (), is_today=True), "if its selector matches today: kept", id="a condition without a reason"
        ),
        pytest.param(UnknownLabels(("gpu",)), "unknown node label gpu", id="an unknown label"),
        pytest.param(UnknownLabels(("a", "b")), "unknown node labels a and b", id="unknown labels"),
        pytest.param(
            UnknownGate((Taint("level", "3", "NoSchedule"),)),
            "unknown whether it tolerates level=3:NoSchedule: Lt and Gt depend on feature gate "
            "TaintTolerationComparisonOperators, which is not given (--feature-gates)",
            id="an unknown gate",
        ),
        pytest.param(
            UnknownVersion((Taint("dedicated", "x", "NoSchedule"),), "26.7.0"),
            "unknown whether it tolerates dedicated=x:NoSchedule: its operator adds that toleration from version 26.7.0 on",
            id="an unknown version",
        ),
        pytest.param(
            UpdateUncertainty(("n1", "n2"), (0, 1), ("n3",), (), has_surge=False, budget=1),
            "unknown which nodes: 0 to 1 of n1, n2 keep the old pod, because the update stops once 1 node has no available pod (n3)",
            id="the order of nodes decides",
        ),
        pytest.param(
            UpdateUncertainty(("n1", "n2"), (1, 1), (), ("n3", "n4"), has_surge=True, budget=2),
            "depends on the new pods on n3, n4, which are not Ready: 1 of n1, n2 keeps the old pod, "
            "as many as there are nodes that should run it and have no available pod",
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
    assert join_reasons((OtherNodeName("n2"), Untolerated((RDMA,)))) == "its nodeName is n2, no toleration for dedicated=rdma:NoSchedule"
    assert join_reasons(()) == "its pods have no owner, so no controller re-creates them"


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
            "n1 is not Ready: unknown whether new pods become Ready there",
            "n1, n2 are not Ready: unknown whether new pods become Ready there",
        ),
        (
            BlockingCause.POD_NOT_READY,
            "n1 is not Ready: unknown whether its replacement becomes Ready",
            "n1, n2 are not Ready: unknown whether their replacement becomes Ready",
        ),
        (
            BlockingCause.POD_MISSING,
            "n1 has no pod although one should run there: unknown whether a new one starts",
            "n1, n2 have no pod although one should run there: unknown whether a new one starts",
        ),
        (
            BlockingCause.POSSIBLE_POD,
            "n1: the kubelet does not respond, and a pod there (no pods in the input) would hang in Terminating when deleted",
            "n1, n2: the kubelet does not respond, and a pod there (no pods in the input) would hang in Terminating when deleted",
        ),
        (
            BlockingCause.SILENT,
            "n1: the kubelet does not respond, so a deleted pod hangs in Terminating and a new one does not start",
            "n1, n2: the kubelet does not respond, so a deleted pod hangs in Terminating and a new one does not start",
        ),
    ],
)
def test_why_nodes_use_the_budget_of_an_update_up(cause: BlockingCause, one: str, several: str) -> None:
    assert describe_blocking_cause(cause, ["n1"]) == one
    assert describe_blocking_cause(cause, ["n1", "n2"]) == several
