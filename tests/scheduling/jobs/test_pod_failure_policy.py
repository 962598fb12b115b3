"""What a pod failure policy makes of a failed pod, and which of its rules never count."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.model.batch import OnExitCodes, OnPodCondition, PodFailurePolicy, PodFailurePolicyRule
from preflight.scheduling.jobs.defaults import fill_condition_statuses
from preflight.scheduling.jobs.pod_failure_policy import (
    FailureVerdict,
    PodFailure,
    collect_exit_codes,
    find_shadowing_rules,
    make_disruption_failure,
    match_failure_policy,
)
from tests.builders import read_object
from tests.scheduling.jobs.job_objects import policy, rule

EVICTED = make_disruption_failure(("main",), 143)
IGNORE = rule("Ignore", condition="DisruptionTarget")


def read_policy(*rules: dict[str, Any]) -> PodFailurePolicy:
    return fill_condition_statuses(read_object(policy(*rules), PodFailurePolicy))


@pytest.mark.parametrize(
    ("rules", "failure", "verdict"),
    [
        pytest.param((), EVICTED, FailureVerdict(), id="without a rule it counts"),
        pytest.param((IGNORE,), PodFailure({"main": 143}), FailureVerdict(), id="without its condition it counts"),
        pytest.param((rule("FailJob", 42),), EVICTED, FailureVerdict(), id="another exit code"),
        pytest.param((rule("FailJob", 143),), PodFailure(), FailureVerdict(), id="no container ever ran"),
        pytest.param((rule("FailJob", 0, operator="NotIn"),), PodFailure({"main": 0}), FailureVerdict(), id="0 is never matched"),
        pytest.param((rule("FailJob", 42, operator="NotIn"),), PodFailure({"main": 0}), FailureVerdict(), id="not even as none of others"),
        pytest.param((rule("FailJob", 143, container="side"),), EVICTED, FailureVerdict(), id="another container"),
        pytest.param((rule("FailJob", 143, operator="Is"),), EVICTED, FailureVerdict(), id="no operator of Kubernetes"),
        pytest.param((rule("Stop", 143),), EVICTED, FailureVerdict(), id="no action of Kubernetes"),
        pytest.param((IGNORE,), EVICTED, FailureVerdict(0, "Ignore"), id="its condition"),
        pytest.param((IGNORE, rule("FailJob", 143)), EVICTED, FailureVerdict(0, "Ignore"), id="the first counts"),
        pytest.param(
            (rule("FailJob", 143), IGNORE), EVICTED, FailureVerdict(0, "FailJob", "main", 143), id="the first counts, and it is another"
        ),
        pytest.param((rule("Count", 42), IGNORE), EVICTED, FailureVerdict(1, "Ignore"), id="one that does not match is passed over"),
        pytest.param((rule("FailIndex", 42, operator="NotIn"),), EVICTED, FailureVerdict(0, "FailIndex", "main", 143), id="NotIn"),
        pytest.param(
            (rule("FailJob", 1, container="side"),),
            PodFailure({"main": 1, "side": 1}),
            FailureVerdict(0, "FailJob", "side", 1),
            id="the container that is meant",
        ),
        pytest.param(
            (rule("FailJob", 1, 2),),
            PodFailure({"main": 0, "side": 2}),
            FailureVerdict(0, "FailJob", "side", 2),
            id="any container",
        ),
    ],
)
def test_judge(rules: tuple[dict[str, Any], ...], failure: PodFailure, verdict: FailureVerdict) -> None:
    assert match_failure_policy(read_policy(*rules), failure) == verdict


def test_only_an_ignored_failure_does_not_count() -> None:
    assert [action for action in ("Count", "Ignore", "FailJob", "FailIndex") if not FailureVerdict(0, action).is_counted] == ["Ignore"]


def test_a_condition_with_another_status_does_not_match() -> None:
    ready = PodFailurePolicyRule("Ignore", onPodConditions=(OnPodCondition("DisruptionTarget", "False"),))
    assert match_failure_policy(PodFailurePolicy((ready,)), EVICTED) == FailureVerdict()


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
    assert find_shadowing_rules(read_policy(*rules).rules, len(rules) - 1, containers) == answer


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
    PodFailure,
    st.fixed_dictionaries({"main": st.integers(0, 6), "side": st.integers(0, 6)}),
    st.dictionaries(st.sampled_from(["a", "b", "c"]), st.just("True")),
)


@given(RULES, FAILURES)
def test_a_shadowed_rule_never_counts(rules: list[PodFailurePolicyRule], failure: PodFailure) -> None:
    found = match_failure_policy(PodFailurePolicy(tuple(rules)), failure).rule_index
    assert found is None or not find_shadowing_rules(rules, found, ("main", "side"))


@given(REQUIREMENTS, REQUIREMENTS, st.integers(1, 300))
def test_sets_of_codes_are_sets(one: OnExitCodes, other: OnExitCodes, code: int) -> None:
    def has(requirement: OnExitCodes) -> bool:
        return (code in requirement.values) is (requirement.operator == "In")

    both, single = collect_exit_codes(one) | collect_exit_codes(other), collect_exit_codes(OnExitCodes(operator="In", values=(code,)))
    assert (single <= collect_exit_codes(one)) is has(one)
    assert (single <= both) is (has(one) or has(other))
    assert collect_exit_codes(one) <= both
