"""The cluster's version of Kubernetes does not keep a field of a manifest.

Why it matters
    If the feature gate of a field is off, the API server drops the field without a word: a Job is run by the built-in controller in spite
    of `managedBy`, and a PodDisruptionBudget holds unhealthy pods in spite of `AlwaysAllow`. A version that does not know the field at all
    makes kubectl refuse the object, and other clients lose the field. preflight checks the object as the server keeps it. It is a note if
    only some of the versions that the cluster may have lose the field.
How to fix
    Remove the field, or update the cluster first. If the cluster sets the feature gate, say so: `--feature-gates JobManagedBy=true`. State
    the version by `--kubernetes-version`, or by `kubernetesVersion` in the policy, where no cluster states it.
Example
    `managedBy: kueue.x-k8s.io/multikueue` of a Job, with Kubernetes 1.30
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import version_fields as messages
from preflight.model.report import Severity
from preflight.model.version_fields import FieldFate, FieldOwner, GatedField
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of


def check(context: Context) -> Iterator[Hit]:
    """One hit for each object and feature gate; under a change for the DaemonSets that it names and the workloads that may lose pods."""
    lost_fields = context.world.lost_fields if context.impact is None else context.impact.change.after.lost_fields
    if not lost_fields:
        return
    for owner in _iter_owners(context):
        by_gate: dict[str, list[GatedField]] = {}
        for lost in lost_fields.get(owner.origin, ()):
            by_gate.setdefault(lost.gate, []).append(lost)
        for gate, fields in by_gate.items():
            yield _make_hit(context, owner, gate, fields)


def _iter_owners(context: Context) -> Iterator[FieldOwner]:
    world = context.world
    if context.is_lint:
        yield from (*context.workloads, *world.job_sets, *world.budgets)
        return
    named = context.impact.change.daemonsets if context.impact is not None else frozenset()
    after = context.impact.change.after if context.impact is not None else world
    yield from (daemonset for key, daemonset in after.daemonsets.items() if key in named)
    yield from (owner for owner in (*context.workloads, *world.job_sets) if owner.origin in context.losing_workloads)


def _make_hit(context: Context, owner: FieldOwner, gate: str, fields: list[GatedField]) -> Hit:
    fate = fields[0].fate
    return Hit(
        subject=make_subject_of(owner),
        key=(gate,),
        severity=Severity.NOTE if fate is FieldFate.MAYBE else None,
        location=ManifestLocation(owner.origin, fields[0].path),
        message=messages.describe_lost_fields(fields, context.world.versions),
        notes=(("help", messages.describe_lost_help(gate, fate)),),
    )


RULE = Rule(id="PF240", name="dropped-field", severity=Severity.ERROR, check=check)
