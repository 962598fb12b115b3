"""A Job's spec as the API server completes it."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.batch import OnPodCondition, PodFailurePolicy
from preflight.scheduling.jobs.defaults import NO_LIMIT, apply_job_defaults, apply_job_set_defaults, count_max_parallel
from tests.scheduling.jobs.job_objects import job, policy, rule


@pytest.mark.parametrize(
    ("stated", "completed"),
    [
        pytest.param({}, (1, 1, 6, "TerminatingOrFailed", "NonIndexed"), id="nothing"),
        pytest.param({"parallelism": 3}, (None, 3, 6, "TerminatingOrFailed", "NonIndexed"), id="a parallelism alone"),
        pytest.param({"completions": 3}, (3, 1, 6, "TerminatingOrFailed", "NonIndexed"), id="completions alone"),
        pytest.param(
            {"completionMode": "Indexed", "completions": 3, "backoffLimitPerIndex": 1},
            (3, 1, NO_LIMIT, "TerminatingOrFailed", "Indexed"),
            id="a limit per index is the only one",
        ),
        pytest.param({"podFailurePolicy": policy()}, (1, 1, 6, "Failed", "NonIndexed"), id="a pod failure policy"),
        pytest.param(
            {"completions": 2, "parallelism": 0, "backoffLimit": 0, "podReplacementPolicy": "Failed"},
            (2, 0, 0, "Failed", "NonIndexed"),
            id="what is stated stays, 0 too",
        ),
    ],
)
def test_defaulted(stated: dict[str, Any], completed: tuple[Any, ...]) -> None:
    spec = apply_job_defaults(job(**stated).spec)
    assert (spec.completions, spec.parallelism, spec.backoffLimit, spec.podReplacementPolicy, spec.completionMode) == completed
    assert apply_job_defaults(spec) == spec


def test_a_condition_without_a_status_means_true() -> None:
    spec = apply_job_defaults(job(podFailurePolicy=policy(rule("Ignore", condition="DisruptionTarget"))).spec)
    assert isinstance(spec.podFailurePolicy, PodFailurePolicy)
    assert spec.podFailurePolicy.rules[0].onPodConditions == (OnPodCondition("DisruptionTarget", "True"),)


def test_a_job_set_has_its_own_defaults_first() -> None:
    spec = apply_job_set_defaults(job(template={"spec": {"containers": [{"name": "main"}]}}).spec)
    assert (spec.completionMode, spec.template.spec.restartPolicy) == ("Indexed", "OnFailure")
    stated = job(completionMode="NonIndexed").spec
    assert apply_job_set_defaults(stated) == stated


@pytest.mark.parametrize(
    ("stated", "most"),
    [
        pytest.param({}, 1, id="one"),
        pytest.param({"parallelism": 4}, 4, id="without completions its parallelism"),
        pytest.param({"parallelism": 4, "completions": 2}, 2, id="no more than its completions"),
        pytest.param({"parallelism": 2, "completions": 4}, 2, id="no more than its parallelism"),
        pytest.param({"parallelism": 0, "completions": 4}, 0, id="none"),
    ],
)
def test_most_at_once(stated: dict[str, Any], most: int) -> None:
    assert count_max_parallel(apply_job_defaults(job(**stated).spec)) == most
