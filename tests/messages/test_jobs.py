"""The words for facts about Jobs and JobSets that lose pods: one case for each template."""

from __future__ import annotations

import pytest

from preflight.messages.jobs import describe_job_reason, describe_unknown
from preflight.model.job_reasons import (
    JobFact,
    JobReason,
    JobSetReason,
    JobUnknown,
    JobUnknownKind,
    LeaderLabelMissing,
    LeaderMoves,
    QueueNotChecked,
    SkipCause,
    SkipReason,
    TooFewDomains,
)

REASONS: list[tuple[JobReason | JobSetReason, str]] = [
    (SkipReason(SkipCause.MANAGED_BY_OTHER, "x.io/y"), "it is managed by x.io/y"),
    (SkipReason(SkipCause.COMPLETE), "it is complete"),
    (SkipReason(SkipCause.FAILED), "it has failed"),
    (SkipReason(SkipCause.SUCCEEDED), "it has succeeded, and its pods are being deleted"),
    (SkipReason(SkipCause.FAILING), "it is failing, and its pods are being deleted"),
    (SkipReason(SkipCause.DELETED), "it is being deleted"),
    (SkipReason(SkipCause.SUSPENDED), "it is suspended"),
    (JobFact.BACK_OFF_UNKNOWN, "it already has failures, so the back-off may be longer"),
    (
        JobFact.IGNORE_RULE_BYPASSED,
        "a rule that ignores DisruptionTarget does not help: --disable-eviction deletes pods without setting that condition",
    ),
    (
        JobFact.FOLLOWERS_WAIT,
        "its followers are refused until then: find out why the leader is not scheduled, not why they are refused",
    ),
    (QueueNotChecked("kueue.x-k8s.io/queue-name"), "the reaction of its queue is not checked (kueue.x-k8s.io/queue-name)"),
    (
        LeaderMoves("ml/a-0", "rack", "r1"),
        "the leader pod of Job ml/a-0 is lost, and its replacement has to be scheduled in the domain rack=r1",
    ),
    (
        LeaderMoves("ml/a-0", "rack", None),
        "the leader pod of Job ml/a-0 is lost, and its replacement has to be scheduled in a domain of rack that no other Job has",
    ),
    (LeaderLabelMissing("rack"), "the node of the leader has no label rack: new followers are refused"),
    (TooFewDomains("rack", 3, ("r1", "r2")), "its Jobs need 3 domains of rack, but only 2 have schedulable nodes: r1 and r2"),
    (TooFewDomains("rack", 1, ()), "its Jobs need 1 domain of rack, but only 0 have schedulable nodes"),
]


@pytest.mark.parametrize(("reason", "words"), REASONS)
def test_reason(reason: JobReason | JobSetReason, words: str) -> None:
    assert describe_job_reason(reason) == words


@pytest.mark.parametrize(
    ("unknown", "words"),
    [
        (None, ""),
        (JobUnknown(JobUnknownKind.JOB, "ml/a"), "Job ml/a is not in the input"),
        (JobUnknown(JobUnknownKind.JOB_SET, "ml/a"), "JobSet ml/a is not in the input"),
        (JobUnknown(JobUnknownKind.NAMESPACE_PODS, "ml"), "not all pods of namespace ml are in the input"),
        (JobUnknown(JobUnknownKind.JOB_OUTCOME, "ml/a"), "the outcome of Job ml/a is unknown"),
        (JobUnknown(JobUnknownKind.FAILURE_MESSAGE), "its rule depends on the message of the failure"),
        (JobUnknown(JobUnknownKind.ACTION, "Shrink"), "its rule has the unknown action Shrink"),
        (SkipReason(SkipCause.MANAGED_BY_OTHER, "x.io/y"), "it is managed by x.io/y"),
    ],
)
def test_unknown(unknown: JobUnknown | SkipReason | None, words: str) -> None:
    assert describe_unknown(unknown) == words
