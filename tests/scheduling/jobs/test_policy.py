"""What a pod failure policy makes of a failed pod, and which of its rules never count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.model.jobs import OnExitCodes, OnPodCondition, PodFailurePolicy, PodFailurePolicyRule
from preflight.scheduling.jobs.defaults import with_statuses
from preflight.scheduling.jobs.pod_failure_policy import Failure, Verdict, codes_of, disrupted, judge, shadowing
from tests.scheduling.jobs.made import policy, read, rule

EVICTED = disrupted(("main",), 143)
IGNORE = rule("Ignore", condition="DisruptionTarget")


def read_policy(*rules: dict[str, Any]) -> PodFailurePolicy:
    return with_statuses(read(policy(*rules), PodFailurePolicy))


@pytest.mark.parametrize(
    ("rules", "failure", "verdict"),
    [
        pytest.param((), EVICTED, Verdict(), id="without a rule it counts"),
        pytest.param((IGNORE,), Failure({"main": 143}), Verdict(), id="without its condition it counts"),
        pytest.param((rule("FailJob", 42),), EVICTED, Verdict(), id="another exit code"),
        pytest.param((rule("FailJob", 143),), Failure(), Verdict(), id="no container ever ran"),
        pytest.param((rule("FailJob", 0, operator="NotIn"),), Failure({"main": 0}), Verdict(), id="0 is never matched"),
        pytest.param((rule("FailJob", 143, container="side"),), EVICTED, Verdict(), id="another container"),
        pytest.param((rule("FailJob", 143, operator="Is"),), EVICTED, Verdict(), id="no operator of Kubernetes"),
        pytest.param((rule("Stop", 143),), EVICTED, Verdict(), id="no action of Kubernetes"),
        pytest.param((IGNORE,), EVICTED, Verdict(0, "Ignore"), id="its condition"),
        pytest.param((IGNORE, rule("FailJob", 143)), EVICTED, Verdict(0, "Ignore"), id="the first counts"),
        pytest.param((rule("FailJob", 143), IGNORE), EVICTED, Verdict(0, "FailJob", "main", 143), id="the first counts, and it is another"),
        pytest.param((rule("Count", 42), IGNORE), EVICTED, Verdict(1, "Ignore"), id="one that does not match is passed over"),
        pytest.param((rule("FailIndex", 42, operator="NotIn"),), EVICTED, Verdict(0, "FailIndex", "main", 143), id="NotIn"),
        pytest.param(
            (rule("FailJob", 1, container="side"),),
            Failure({"main": 1, "side": 1}),
            Verdict(0, "FailJob", "side", 1),
            id="the container that is meant",
        ),
        pytest.param(
            (rule("FailJob", 1, 2),),
            Failure({"main": 0, "side": 2}),
            Verdict(0, "FailJob", "side", 2),
            id="any container",
        ),
    ],
)
def test_judge(rules: tuple[dict[str, Any], ...], failure: Failure, verdict: Verdict) -> None:
    assert judge(read_policy(*rules), failure) == verdict


def test_only_an_ignored_failure_does_not_count() -> None:
    assert [action for action in ("Count", "Ignore", "FailJob", "FailIndex") if not Verdict(0, action).counts] == ["Ignore"]


def test_a_condition_with_another_status_does_not_match() -> None:
    ready = PodFailurePolicyRule("Ignore", onPodConditions=(OnPodCondition("DisruptionTarget", "False"),))
    assert judge(PodFailurePolicy((ready,)), EVICTED) == Verdict()


ONE, TWO = ("main",), ("main", "side")


@pytest.mark.parametrize(
    ("rules", "containers", "answer"),
    [
        pytest.param((rule("Ignore", 1),), ONE, (), id="the first is never shadowed"),
        pytest.param((rule("Ignore", 1), rule("FailJob", 2)), ONE, (), id="other codes"),
        pytest.param((rule("Ignore", 1), rule("FailJob", 1, 2)), ONE, (), id="some of its codes"),
        pytest.param((rule("Ignore", 1, container="side"), rule("FailJob", 1)), TWO, (), id="another container's"),
        pytest.param((rule("Ignore", 1), rule("FailJob", 1, operator="NotIn")), ONE, (), id="all but these"),
        pytest.param((rule("Ignore", 1, 2, operator="NotIn"), rule("FailJob", 1)), ONE, (), id="a code that the earlier leaves out"),
        pytest.param((IGNORE, rule("FailJob", 143)), ONE, (), id="a condition shadows no exit code"),
        pytest.param((rule("FailJob", 0, operator="NotIn"), IGNORE), ONE, (), id="exit codes shadow no condition"),
        pytest.param((IGNORE, rule("FailJob", condition="ConfigIssue")), ONE, (), id="another condition"),
        pytest.param((rule("Ignore", 1, 2), rule("FailJob", 1)), ONE, (0,), id="all of its codes"),
        pytest.param((rule("Ignore", 1), rule("Count", 2), rule("FailJob", 1, 2)), ONE, (0, 1), id="all of its codes, by two"),
        pytest.param((rule("Ignore", 9), rule("Count", 2), rule("FailJob", 2)), ONE, (1,), id="by the one that does it alone"),
        pytest.param((rule("Ignore", 1, operator="NotIn"), rule("FailJob", 2)), ONE, (0,), id="by all but one"),
        pytest.param((rule("Ignore", 1, operator="NotIn"), rule("FailJob", 1, 2, operator="NotIn")), ONE, (0,), id="fewer by more"),
        pytest.param((rule("Ignore", 1, operator="NotIn"), rule("Count", 1), rule("FailJob", 7)), ONE, (0,), id="by everything there is"),
        pytest.param((rule("Ignore", 1), rule("FailJob", 1, container="side")), TWO, (0,), id="any container is also this one"),
        pytest.param((rule("Ignore", 1, container="main"), rule("FailJob", 1)), ONE, (0,), id="the only container is any"),
        pytest.param((IGNORE, rule("FailJob", condition="DisruptionTarget")), ONE, (0,), id="the same condition"),
    ],
)
def test_shadowing(rules: tuple[dict[str, Any], ...], containers: tuple[str, ...], answer: tuple[int, ...]) -> None:
    assert shadowing(read_policy(*rules).rules, len(rules) - 1, containers) == answer


REQUIREMENTS = st.builds(
    OnExitCodes,
    containerName=st.sampled_from([None, "main", "side"]),
    operator=st.sampled_from(["In", "NotIn"]),
    values=st.lists(st.integers(1, 4), min_size=1, max_size=4, unique=True).map(lambda values: tuple(sorted(values))),
)
RULES = st.lists(
    st.one_of(
        st.builds(PodFailurePolicyRule, action=st.just("Count"), onExitCodes=REQUIREMENTS),
        st.builds(
            PodFailurePolicyRule,
            action=st.just("Ignore"),
            onPodConditions=st.lists(
                st.builds(OnPodCondition, st.sampled_from(["a", "b", "c"]), st.just("True")), min_size=1, max_size=2
            ).map(tuple),
        ),
    ),
    min_size=2,
    max_size=5,
)
FAILURES = st.builds(
    Failure,
    st.fixed_dictionaries({"main": st.integers(0, 6), "side": st.integers(0, 6)}),
    st.dictionaries(st.sampled_from(["a", "b", "c"]), st.just("True")),
)


@given(RULES, FAILURES)
def test_a_shadowed_rule_never_counts(rules: list[PodFailurePolicyRule], failure: Failure) -> None:
    found = judge(PodFailurePolicy(tuple(rules)), failure).rule
    assert found is None or not shadowing(rules, found, ("main", "side"))


@given(REQUIREMENTS, REQUIREMENTS, st.integers(1, 300))
def test_sets_of_codes_are_sets(one: OnExitCodes, other: OnExitCodes, code: int) -> None:
    def has(requirement: OnExitCodes) -> bool:
        return (code in requirement.values) is (requirement.operator == "In")

    both, single = codes_of(one) | codes_of(other), codes_of(OnExitCodes(operator="In", values=(code,)))
    assert (single <= codes_of(one)) is has(one)
    assert (single <= both) is (has(one) or has(other))
    assert codes_of(one) <= both
