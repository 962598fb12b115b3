"""A DaemonSet gets a pod on a node where it had none.

Why it matters
    Removing a taint or adding a label can create pods. Usually this is intended. It is a mistake if the pod does not belong on the node,
    such as a Linux image on a Windows node, or an agent on a serverless node. The finding says that the pod starts if the pods of the node
    are in the input and the scheduler binds the new pod. Otherwise the pod is created, and it is unknown whether it fits. If it does not
    fit, PF122 reports it.
How to fix
    Nothing, if this is intended. Otherwise exclude the node with node affinity or a nodeSelector.
Example
    `preflight taint nodes win-1 os=windows:NoSchedule-` while some DaemonSets have no `kubernetes.io/os` selector.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.coverage import describe_gained
from preflight.messages.pod_fit import note_unknown_fit
from preflight.model.fit_reasons import FitVerdict
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.rules.coverage._fit_facts import get_fits
from preflight.rules.merged_groups import MergedGroups, merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet."""
    assert context.impact is not None
    if context.is_lint:
        return
    for group in merge_groups(context.impact.iter_groups(Outcome.GAINED)):
        known = get_fits(context.impact, group.first_group.key, group.nodes)
        fits = all(name in known and known[name].verdict is FitVerdict.FITS for name in group.nodes)
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=ManifestLocation(group.first_group.daemonset.origin),
            message=describe_gained(group.nodes, is_new=group.first_group.before_daemonset is None, fits=fits),
            notes=_make_fit_notes(context, group) if not fits else (),
            key=group.key,
            effect=group.effect,
        )


def _make_fit_notes(context: Context, merged_groups: MergedGroups) -> tuple[tuple[str, str], ...]:
    """What of the input is missing to know whether the pods are bound; nothing where no pods were given at all."""
    assert context.impact is not None
    if not context.world.whole_pods:
        return ()
    fits = get_fits(context.impact, merged_groups.first_group.key, merged_groups.nodes).values()
    missing = sorted({doubt for fit in fits if fit.verdict is FitVerdict.NOT_JUDGED for doubt in fit.uncertainties})
    return (("note", note_unknown_fit(missing)),) if missing else ()


RULE = Rule(id="PF104", name="gained-coverage", severity=Severity.NOTE, needs_nodes=True, check=check)
