"""What the API server refuses of a Job, in its words; the recorded Jobs have more."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.meta import Refusal
from preflight.scheduling.jobs.validation import validate_job, validate_job_name
from tests.scheduling.jobs.job_objects import job, policy, rule

INDEXED = {"completionMode": "Indexed", "completions": 3}
HUGE = {"completionMode": "Indexed", "completions": 100_001, "backoffLimitPerIndex": 1, "maxFailedIndexes": 1}
CODES = "podFailurePolicy", "rules", 0, "onExitCodes"


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({}, id="nothing stated"),
        pytest.param({"completionMode": "Indexed"}, id="an Indexed Job without completions and parallelism has one"),
        pytest.param({**INDEXED, "backoffLimitPerIndex": 0, "maxFailedIndexes": 3}, id="limits per index"),
        pytest.param({"podFailurePolicy": policy(), "podReplacementPolicy": "Failed"}, id="a policy without a rule"),
        pytest.param({"podFailurePolicy": policy(rule("FailJob", 0, 7, operator="NotIn", container="main"))}, id="0 for NotIn"),
        pytest.param({"podFailurePolicy": policy(*[rule("Count", 1)] * 20)}, id="20 rules"),
        pytest.param({"managedBy": "kueue.x-k8s.io/multikueue"}, id="managed by another controller"),
        pytest.param({**INDEXED, "successPolicy": {"rules": [{"succeededIndexes": "0"}]}}, id="a success policy"),
        pytest.param({"parallelism": 0, "completions": 0, "backoffLimit": 0}, id="0 of everything"),
        pytest.param({**INDEXED, "parallelism": 100_000}, id="100,000 at once"),
        pytest.param({"parallelism": 100_001}, id="more at once without an index"),
        pytest.param({**HUGE, "completions": 100_000, "maxFailedIndexes": None, "parallelism": 10_001}, id="100,000 completions"),
        pytest.param({**HUGE, "completions": 100_000, "maxFailedIndexes": 100_000}, id="100,000 of which may fail"),
        pytest.param({**HUGE, "parallelism": 10_000, "maxFailedIndexes": 10_000}, id="more completions, at the limits"),
        pytest.param({**HUGE, "maxFailedIndexes": 0}, id="more completions, none of which may fail"),
        pytest.param({"completionMode": "Indexed", "completions": 100_001, "parallelism": 10_001}, id="without a limit per index"),
        pytest.param({"podFailurePolicy": policy(rule("Ignore", *range(1, 256)))}, id="255 codes"),
        pytest.param({"podFailurePolicy": policy({"action": "Ignore", "onPodConditions": [{"type": "x"}] * 20})}, id="20 conditions"),
        pytest.param({**INDEXED, "backoffLimitPerIndex": 0, "podFailurePolicy": policy(rule("FailIndex", 1))}, id="FailIndex"),
        pytest.param({"managedBy": f"acme.io/{'x' * 55}"}, id="a manager of 63 letters"),
        pytest.param({"podReplacementPolicy": "TerminatingOrFailed"}, id="the replacement policy of old"),
    ],
)
def test_accepted(spec: dict[str, Any]) -> None:
    assert list(validate_job(job(**spec).spec)) == []


def restarting(policy: str, **more: Any) -> dict[str, Any]:
    return {"template": {"spec": {"restartPolicy": policy, "containers": [{"name": "main"}]}}, **more}


@pytest.mark.parametrize(
    ("spec", "path", "reason"),
    [
        pytest.param(
            {"parallelism": -1}, "parallelism", "parallelism: Invalid value: -1: must be greater than or equal to 0", id="below 0"
        ),
        pytest.param(
            {**INDEXED, "maxFailedIndexes": 1},
            "backoffLimitPerIndex",
            "backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
            id="maxFailedIndexes alone",
        ),
        pytest.param(
            {"backoffLimitPerIndex": 1},
            "backoffLimitPerIndex",
            "backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
            id="a limit per index without Indexed",
        ),
        pytest.param(
            {"completionMode": "Indexed", "parallelism": 2},
            "completions",
            "completions: Required value: when completion mode is Indexed",
            id="Indexed without completions",
        ),
        pytest.param(
            {"completionMode": "indexed"},
            "completionMode",
            'completionMode: Unsupported value: "indexed": supported values: "NonIndexed", "Indexed"',
            id="a mode in other letters",
        ),
        pytest.param(
            {**INDEXED, "parallelism": 100_001},
            "parallelism",
            "parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed",
            id="too many at once",
        ),
        pytest.param(
            {**INDEXED, "backoffLimitPerIndex": 1, "maxFailedIndexes": 4},
            "maxFailedIndexes",
            "maxFailedIndexes: Invalid value: 4: must be less than or equal to completions",
            id="more failed indexes than there are",
        ),
        pytest.param(
            {"completionMode": "Indexed", "completions": 100_001, "backoffLimitPerIndex": 1},
            "maxFailedIndexes",
            "maxFailedIndexes: Required value: must be specified when completions is above 100000",
            id="many completions without maxFailedIndexes",
        ),
        pytest.param(
            {"completionMode": "Indexed", "completions": 100_001, "parallelism": 10_001, "backoffLimitPerIndex": 1, "maxFailedIndexes": 1},
            "parallelism",
            "parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 "
            "and used with backoff limit per index",
            id="many completions, many at once",
        ),
        pytest.param(
            {"completionMode": "Indexed", "completions": 100_001, "backoffLimitPerIndex": 1, "maxFailedIndexes": 10_001},
            "maxFailedIndexes",
            "maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 "
            "and used with backoff limit per index",
            id="many completions, many failed ones",
        ),
        pytest.param(
            {"podFailurePolicy": policy({"action": "Ignore", "onPodConditions": [{"type": "x"}] * 21})},
            ("podFailurePolicy", "rules", 0, "onPodConditions"),
            "onPodConditions: Too many: 21: must have at most 20 items",
            id="21 conditions",
        ),
        pytest.param({"managedBy": ""}, "managedBy", "managedBy: Required value", id="managed by nobody"),
        pytest.param(
            {"managedBy": "kueue"},
            "managedBy",
            'managedBy: Invalid value: "kueue": must be a domain-prefixed path (such as "acme.io/foo")',
            id="a manager without a domain",
        ),
        pytest.param(
            {"managedBy": f"acme.io/{'x' * 60}"}, "managedBy", "managedBy: Too long: may not be more than 63 bytes", id="a long manager"
        ),
        pytest.param(
            {"successPolicy": {}}, "successPolicy", "successPolicy: Invalid value: requires indexed completion mode", id="a success policy"
        ),
        pytest.param(
            {"podReplacementPolicy": "Never"},
            "podReplacementPolicy",
            'podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"',
            id="no replacement policy",
        ),
        pytest.param(
            {"podReplacementPolicy": "TerminatingOrFailed", "podFailurePolicy": policy()},
            "podReplacementPolicy",
            'podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
            id="the wrong replacement policy beside a pod failure policy",
        ),
        pytest.param(
            restarting(""),
            ("template", "spec", "restartPolicy"),
            'restartPolicy: Required value: valid values: "OnFailure", "Never"',
            id="no restart policy",
        ),
        pytest.param(
            restarting("Sometimes"),
            ("template", "spec", "restartPolicy"),
            'restartPolicy: Unsupported value: "Sometimes": supported values: "OnFailure", "Never"',
            id="an unknown restart policy",
        ),
        pytest.param(
            restarting("OnFailure", podFailurePolicy=policy()),
            ("template", "spec", "restartPolicy"),
            'restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
            id="a pod failure policy without Never",
        ),
        pytest.param(
            {"podFailurePolicy": policy(*[rule("Count", 1)] * 21)},
            ("podFailurePolicy", "rules"),
            "rules: Too many: 21: must have at most 20 items",
            id="21 rules",
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("", 1))},
            ("podFailurePolicy", "rules", 0, "action"),
            'action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
            id="no action",
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("ignore", 1))},
            ("podFailurePolicy", "rules", 0, "action"),
            'action: Unsupported value: "ignore": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
            id="an action in other letters",
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("FailIndex", 1))},
            ("podFailurePolicy", "rules", 0, "action"),
            'action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
            id="FailIndex without a limit per index",
        ),
        pytest.param(
            {"podFailurePolicy": policy({"action": "Ignore"})},
            ("podFailurePolicy", "rules", 0),
            "rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
            id="a rule without a requirement",
        ),
        pytest.param(
            {"podFailurePolicy": policy({**rule("Ignore", 1), **rule("Ignore", condition="DisruptionTarget")})},
            ("podFailurePolicy", "rules", 0),
            "rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported",
            id="a rule with two requirements",
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("Ignore", 1, operator=""))},
            (*CODES, "operator"),
            'operator: Required value: valid values: ["In" "NotIn"]',
            id="no operator",
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("Ignore", 1, operator="Not"))},
            (*CODES, "operator"),
            'operator: Unsupported value: "Not": supported values: "In", "NotIn"',
            id="an unknown operator",
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("Ignore", 1, container="trainer"))},
            (*CODES, "containerName"),
            'containerName: Invalid value: "trainer": must be one of the container or initContainer names in the pod template',
            id="a container that is not there",
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("Ignore"))},
            (*CODES, "values"),
            "values: Invalid value: []: at least one value is required",
            id="no code",
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("Ignore", *range(1, 257)))},
            (*CODES, "values"),
            "values: Too many: 256: must have at most 255 items",
            id="256 codes",
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("Ignore", 0))},
            (*CODES, "values", 0),
            "values[0]: Invalid value: 0: must not be 0 for the In operator",
            id="0 for In",
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("Ignore", 3, 3))}, (*CODES, "values", 1), "values[1]: Duplicate value: 3", id="a code twice"
        ),
        pytest.param(
            {"podFailurePolicy": policy(rule("Ignore", 3, 1))},
            (*CODES, "values"),
            "values: Invalid value: [3,1]: must be ordered",
            id="not in order",
        ),
        pytest.param(
            {"podFailurePolicy": policy({"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "true"}]})},
            ("podFailurePolicy", "rules", 0, "onPodConditions", 0, "status"),
            'status: Unsupported value: "true": supported values: "False", "True", "Unknown"',
            id="a status in other letters",
        ),
    ],
)
def test_refused(spec: dict[str, Any], path: str | tuple[str | int, ...], reason: str) -> None:
    where = ("spec", path) if isinstance(path, str) else ("spec", *path)
    assert [(refusal.path, refusal.reason) for refusal in validate_job(job(**spec).spec)] == [(where, reason)]


def test_more_failed_indexes_than_can_be_counted_exceed_both_limits() -> None:
    spec: dict[str, Any] = {**HUGE, "completions": 200_000, "maxFailedIndexes": 100_001}
    assert [refusal.reason.partition(": must be ")[2][:29] for refusal in validate_job(job(**spec).spec)] == [
        "less than or equal to 100000",
        "less than or equal to 10000 w",
    ]


def test_all_that_is_wrong_is_said_in_the_servers_order() -> None:
    spec: dict[str, Any] = {
        "backoffLimitPerIndex": -1,
        "maxFailedIndexes": 1,
        "podReplacementPolicy": "x",
        "podFailurePolicy": policy(rule("?", 1)),
    }
    assert [".".join(map(str, refusal.path)) for refusal in validate_job(job(**spec).spec)] == [
        "spec.backoffLimitPerIndex",
        "spec.backoffLimitPerIndex",
        "spec.maxFailedIndexes",
        "spec.podFailurePolicy.rules.0.action",
        "spec.podReplacementPolicy",
    ]


def test_the_template_of_a_cronjob_has_no_default_for_completions() -> None:
    spec = job(completionMode="Indexed").spec
    where = ("spec", "jobTemplate", "spec")
    assert list(validate_job(spec, where, is_template=True)) == [
        Refusal((*where, "completions"), "Required value: when completion mode is Indexed", "completions")
    ]


@pytest.mark.parametrize(
    ("name", "spec", "reasons"),
    [
        pytest.param("a" * 61, INDEXED, [], id="63 letters with its index"),
        pytest.param("a" * 63, {}, [], id="a Job that is not Indexed"),
        pytest.param("a.b", {"completionMode": "Indexed", "completions": 0}, [], id="a Job without an index"),
        pytest.param(
            "a" * 62,
            INDEXED,
            [f'name: Invalid value: "{"a" * 62}": will not able to create pod with invalid DNS label: {"a" * 62}-2'],
            id="one letter too many",
        ),
    ],
)
def test_the_name_of_an_indexed_job(name: str, spec: dict[str, Any], reasons: list[str]) -> None:
    assert [refusal.reason for refusal in validate_job_name(name, job(**spec).spec)] == reasons
