"""A DaemonSet that sets node labels goes, its labels go with it, and so do the DaemonSets that select on them.

Why it matters
    The loss of a label deletes running pods at once, on nodes where the DaemonSets that lose them tolerate every taint. Who looks at
    their tolerations finds nothing: the cause is a labeller further up.
How to fix
    Let the labeller tolerate exactly the taint (`operator: Equal`); the DaemonSets behind it then stay by themselves.
Example
    A taint that the worker of node feature discovery does not tolerate, and a device plugin that selects on one of its labels.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.model import CascadeLoss
from preflight.messages.lists import join_and, join_node_names
from preflight.model.objects import ObjectKey
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of


def check(context: Context) -> Iterator[Hit]:
    """One hit for each labeller that starts a wave: who falls, in which order, and where. The falls themselves have errors of their own."""
    impact = context.impact
    assert impact is not None
    daemonsets = {**impact.change.after.daemonsets, **impact.change.before.daemonsets}
    fallen = {fall.consumer for fall in impact.cascade_losses}
    for first in dict.fromkeys(fall.producer for fall in impact.cascade_losses if fall.producer not in fallen):
        wave = list(_iter_wave(first, impact.cascade_losses))
        daemonset = daemonsets[first]
        nodes = tuple(sorted({name for fall in wave for name in fall.nodes}))
        notes = tuple(
            ("note", f"{component.kind.title}: {component.note}")
            for component in impact.component_cache.recognize(daemonset)
            if component.labels and component.note
        )
        when = "at once" if wave[0].is_immediate else "once its pods are re-created"
        steps = "; then ".join(f"{fall.consumer}, which selects on {join_and(fall.labels)}" for fall in wave)
        yield Hit(
            subject=make_subject_of(daemonset),
            nodes=nodes,
            location=ManifestLocation(daemonset.origin),
            message=f"takes its labels from {join_node_names(nodes)} {when}, and with them {steps}",
            notes=notes,
        )


def _iter_wave(producer: ObjectKey, cascade_losses: tuple[CascadeLoss, ...]) -> Iterator[CascadeLoss]:
    """The falls that a producer starts, in order."""
    taken = {producer}
    for fall in cascade_losses:
        if fall.producer in taken:
            taken.add(fall.consumer)
            yield fall


RULE = Rule(id="PF117", name="second-wave", severity=Severity.NOTE, needs_nodes=True, check=check, is_consequence=True)
