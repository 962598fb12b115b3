"""Ordinary pods that have to go, for programs: facts as the words of `preflight.messages`, all else as it is in the model."""

from __future__ import annotations

from typing import Any

from msgspec.structs import asdict

from preflight.messages.evictions import describe_advice, describe_assumption, describe_obstacles, describe_reason
from preflight.messages.jobs import describe_job_reason, describe_unknown
from preflight.model.evictions import Eviction, EvictionReport, JobOutcome, JobSetOutcome, NodeEvictions


def make_evictions_document(evictions: EvictionReport) -> dict[str, Any]:
    """The value of `evictions` in a step, as the schema of the report has it."""
    return {
        **asdict(evictions),
        "nodes": [_make_node(node) for node in evictions.nodes],
        "jobs": [_make_job(job) for job in evictions.jobs],
        "jobSets": [_make_job(job_set) for job_set in evictions.jobSets],
        "first": [describe_advice(advice) for advice in evictions.first],
        "notes": [describe_assumption(assumption) for assumption in evictions.notes],
    }


def _make_node(node: NodeEvictions) -> dict[str, Any]:
    return {
        **asdict(node),
        "pods": [_make_pod(pod) for pod in node.pods],
        "refusals": [refusal.words for refusal in node.refusals],
        "returning": [
            {"daemonset": pod.daemonset, "fits": pod.fits, "reasons": [describe_obstacles(pod.obstacles)]} for pod in node.returning
        ],
    }


def _make_pod(eviction: Eviction) -> dict[str, Any]:
    return {
        **asdict(eviction),
        "owner": str(eviction.owner or ""),
        "why": eviction.why or "",
        "hang": None if eviction.hang is None else asdict(eviction.hang),
        "reasons": [describe_reason(reason) for reason in eviction.reasons],
    }


def _make_job(outcome: JobOutcome | JobSetOutcome) -> dict[str, Any]:
    return {
        **asdict(outcome),
        "unknown": describe_unknown(outcome.unknown),
        "reasons": [describe_job_reason(reason) for reason in outcome.reasons],
    }
