"""A DaemonSet gets a pod on a node where it had none.

Why it matters
    Removing a taint or adding a label can create pods. Usually this is intended. It is a mistake if the pod does not belong on the node,
    such as a Linux image on a Windows node, or an agent on a serverless node. The finding says that the pod starts if the pods of the node
    are in the input and the scheduler binds the new pod. Otherwise the pod is created, and it is unknown whether it fits. If it does not
    fit, PF122 reports it. A warning if the node has another operating system or architecture than all nodes where the DaemonSet runs, or
    if a new DaemonSet gets pods on two operating systems, and its nodeSelector and affinity do not mention that label.
How to fix
    Nothing, if this is intended. Otherwise exclude the node with node affinity or a nodeSelector.
Example
    `preflight taint nodes win-1 os=windows:NoSchedule-` while some DaemonSets have no `kubernetes.io/os` selector.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.daemonset_pods import DaemonSetPods
from preflight.coverage.model import Impact
from preflight.coverage.node_platforms import find_foreign_platform, get_platform
from preflight.messages.coverage import advise_platform_selector, describe_gained
from preflight.messages.pod_fit import note_unknown_fit
from preflight.model.fit_reasons import FitVerdict
from preflight.model.image_platforms import ForeignPlatform
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.rules.coverage._fit_facts import get_fits
from preflight.rules.merged_groups import MergedGroups, merge_groups


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet."""
    assert context.impact is not None
    if context.is_lint:
        return
    find = _PlatformFinder(context.impact)
    for group in merge_groups(context.impact.iter_groups(Outcome.GAINED)):
        foreign = find.find_foreign_platform(group)
        known = get_fits(context.impact, group.first_group.key, group.nodes)
        fits = all(name in known and known[name].verdict is FitVerdict.FITS for name in group.nodes)
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=ManifestLocation(group.first_group.daemonset.origin),
            severity=Severity.WARNING if foreign is not None else None,
            message=describe_gained(group.nodes, foreign, is_new=group.first_group.before_daemonset is None, fits=fits),
            notes=(*_make_platform_notes(foreign), *(_make_fit_notes(context, group) if not fits else ())),
            key=group.key,
            effect=group.effect,
        )


class _PlatformFinder:
    """Whether pods are created on nodes of another platform than where their DaemonSet is."""

    def __init__(self, impact: Impact) -> None:
        from preflight.dependents.requirements import PlaceableNodes  # most runs ask nothing of it

        self._impact = impact
        self._has_several = len({get_platform(node) for node in impact.change.after.nodes.values()}) > 1
        self._before = PlaceableNodes(impact.change.before.nodes, impact.change.after.comparison_operators)

    def find_foreign_platform(self, merged_groups: MergedGroups) -> ForeignPlatform | None:
        """The nodes of a group of another platform; pods are where they are listed, else where they should run."""
        if not self._has_several:
            return None
        daemonset, before = merged_groups.first_group.daemonset, merged_groups.first_group.before_daemonset
        change = self._impact.change
        listed = [group.nodes for group in self._impact.pods_before.get(daemonset.key, DaemonSetPods()).groups if group.is_listed]
        names: frozenset[str] = frozenset().union(*listed)
        if before is not None and not listed:
            names = self._before.select_nodes(before.spec.template.spec, is_daemon=True)
        known = [change.before.nodes[name] for name in names if name in change.before.nodes and name not in merged_groups.nodes]
        gained = [change.after.nodes[name] for name in merged_groups.nodes if name in change.after.nodes]
        return find_foreign_platform(daemonset.spec.template.spec, gained, known)


def _make_platform_notes(foreign: ForeignPlatform | None) -> tuple[tuple[str, str], ...]:
    """How to leave out nodes of another platform, where that is one value."""
    if foreign is None or len(foreign.other_values) != 1:
        return ()
    return (("help", advise_platform_selector(foreign.label, foreign.other_values[0])),)


def _make_fit_notes(context: Context, merged_groups: MergedGroups) -> tuple[tuple[str, str], ...]:
    """What of the input is missing to know whether the pods are bound; nothing where no pods were given at all."""
    assert context.impact is not None
    if not context.world.whole_pods:
        return ()
    fits = get_fits(context.impact, merged_groups.first_group.key, merged_groups.nodes).values()
    missing = sorted({doubt for fit in fits if fit.verdict is FitVerdict.NOT_JUDGED for doubt in fit.uncertainties})
    return (("note", note_unknown_fit(missing)),) if missing else ()


RULE = Rule(id="PF104", name="gained-coverage", severity=Severity.NOTE, needs_nodes=True, check=check)
