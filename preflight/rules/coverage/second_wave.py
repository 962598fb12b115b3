"""A DaemonSet that sets node labels is lost, and its labels and the DaemonSets that select on them are lost with it.

Why it matters
    The loss of a label deletes running pods at once, even if the DaemonSets that lose them tolerate every taint. Their tolerations do not
    explain the loss: the cause is the labeler.
How to fix
    Let the labeler tolerate exactly the taint (`operator: Equal`); the DaemonSets that depend on its labels then stay.
Example
    A taint that the worker of node feature discovery does not tolerate, and a device plugin that selects on one of its labels.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.model import CascadeLoss
from preflight.messages.coverage import describe_second_wave
from preflight.model.meta import ObjectKey
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of


def check(context: Context) -> Iterator[Hit]:
    """One hit for each labeller that starts a wave: what is lost, in which order, and where. The losses have errors of their own."""
    impact = context.impact
    assert impact is not None
    daemonsets = {**impact.change.after.daemonsets, **impact.change.before.daemonsets}
    lost = {loss.consumer for loss in impact.cascade_losses}
    for first in dict.fromkeys(loss.producer for loss in impact.cascade_losses if loss.producer not in lost):
        wave = list(_iter_wave(first, impact.cascade_losses))
        daemonset = daemonsets[first]
        nodes = tuple(sorted({name for loss in wave for name in loss.nodes}))
        notes = tuple(
            ("note", f"{component.kind.title}: {component.note}")
            for component in impact.component_cache.recognize(daemonset)
            if component.labels and component.note
        )
        yield Hit(
            subject=make_subject_of(daemonset),
            nodes=nodes,
            location=ManifestLocation(daemonset.origin),
            message=describe_second_wave(nodes, [(loss.consumer, loss.labels) for loss in wave], is_immediate=wave[0].is_immediate),
            notes=notes,
            key=tuple(sorted({label for loss in wave for label in loss.labels})),
        )


def _iter_wave(producer: ObjectKey, cascade_losses: tuple[CascadeLoss, ...]) -> Iterator[CascadeLoss]:
    """The losses that a producer starts, in order."""
    taken = {producer}
    for loss in cascade_losses:
        if loss.producer in taken:
            taken.add(loss.consumer)
            yield loss


RULE = Rule(id="PF117", name="second-wave", severity=Severity.NOTE, needs_nodes=True, check=check, is_consequence=True)
