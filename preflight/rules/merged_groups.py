"""What the coverage rules share: groups with one reason are one hit, and the smallest exact toleration is the fix."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from preflight.change.node_lifecycle import is_controller_owned, is_leaving_taint
from preflight.coverage.model import CoverageGroup
from preflight.coverage.outcome import PodAfter
from preflight.coverage.reasons import list_near_misses, list_unselected
from preflight.messages.coverage import (
    describe_automatic_taints,
    describe_leaving_taints,
    describe_reasons,
    describe_transient_taints,
    label_untolerated,
)
from preflight.model.core import POD_TEMPLATE_SPEC, Taint
from preflight.model.fit_reasons import StaysPending
from preflight.model.reasons import Reason, Untolerated
from preflight.model.report import CoverageEffect, Outcome, TolerationSuggestion
from preflight.rules.api import Context, FieldPath, ManifestLocation, make_subject_of
from preflight.rules.reason_keys import make_reason_key
from preflight.scheduling.taint_values import is_passing_value

_OUTCOMES_WITHOUT_FIT = (Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION, Outcome.MISSING, Outcome.ALREADY_FRAGILE)
_PLAIN_SCALAR = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_YAML_KEYWORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))


class MergedGroups:
    """Groups of one DaemonSet that are explained by the same reasons."""

    def __init__(self, groups: Sequence[CoverageGroup]) -> None:
        """Of at least one group."""
        self.groups = groups
        self.first_group = groups[0]
        self.nodes = (
            self.first_group.node_names if len(groups) == 1 else tuple(sorted(name for group in groups for name in group.node_names))
        )
        self.subject = make_subject_of(self.first_group.daemonset)
        self.taints = self.first_group.placement_after.untolerated_taints if self.first_group.placement_after else ()

    @property
    def reasons(self) -> tuple[Reason, ...]:
        """Why the DaemonSet should not run on these nodes: labels first, then all taints together; () where no placement says so."""
        after = self.first_group.placement_after
        if after is None:
            return ()
        untolerated = (Untolerated(after.untolerated_taints),) if after.untolerated_taints else ()
        return (*(self.first_group.lost_labels or list_unselected(after)), *untolerated, *self._fit_reasons)

    @property
    def _fit_reasons(self) -> tuple[Reason, ...]:
        """Why a new pod is not bound, or may not be."""
        fit = self.first_group.fit
        if isinstance(fit, StaysPending):
            return (fit,) if self.first_group.outcome in _OUTCOMES_WITHOUT_FIT else ()
        return (fit,) if fit is not None and self.first_group.outcome is Outcome.UNKNOWN else ()

    @property
    def reason(self) -> str:
        """The reasons in words, "" without any."""
        return ", ".join(describe_reasons(self.reasons))

    @property
    def key(self) -> tuple[str, ...]:
        """What tells a finding on these groups from others of its rule on this DaemonSet: reasons, and what becomes of the pod."""
        outcome, pod = self.first_group.outcome, self.first_group.forecast.pod_after
        is_usual = (pod is PodAfter.NEW) == (outcome in (Outcome.LOOP, Outcome.GAINED)) and outcome is not Outcome.UNKNOWN
        return (
            *make_reason_key(self.reasons),
            *(() if is_usual else (f"{pod.value}-pod",)),
            *(("if-selected",) if self.first_group.is_conditional else ()),
        )

    @property
    def effect(self) -> CoverageEffect:
        """What a finding on these groups says of coverage."""
        return CoverageEffect(self.first_group.outcome, self.reasons)

    @property
    def field_path(self) -> FieldPath:
        """The field that a person would change: nodeName, nodeSelector, affinity or tolerations; () for a DaemonSet that is deleted."""
        after = self.first_group.placement_after
        if after is None:
            return ()
        if after.is_selected is False:
            if after.other_node:
                return (*POD_TEMPLATE_SPEC, "nodeName")
            if after.affinity.selector_mismatches:
                return (*POD_TEMPLATE_SPEC, "nodeSelector", after.affinity.selector_mismatches[0].key)
            return (*POD_TEMPLATE_SPEC, "affinity")
        return (*POD_TEMPLATE_SPEC, "containers" if self._fit_reasons and not self.taints else "tolerations")

    @property
    def location(self) -> ManifestLocation:
        """Where in its manifest."""
        return ManifestLocation(self.first_group.daemonset.origin, self.field_path)

    @property
    def label(self) -> str:
        """What to write under the source line; "" where a note explains why a toleration nearly tolerates the taint."""
        if self.field_path[-1:] != ("tolerations",) or not self.taints or self._near_misses:
            return ""
        old, new = self.first_group.before_daemonset, self.first_group.daemonset
        patched = old is not None and old.origin == new.origin and old.spec.template.spec.tolerations != new.spec.template.spec.tolerations
        return label_untolerated(self.taints, is_patched=patched)

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """Why the tolerations that come nearest do not help, and that a taint passes by itself."""
        texts = describe_reasons(self._near_misses)
        if self.is_transient:
            texts += (describe_transient_taints(self.taints),)
        node = self.first_group.node
        automatic = [taint for taint in self.taints if node.pool is not None and taint in node.pool.automatic_taints]
        if automatic:
            texts += (describe_automatic_taints(automatic),)
        if self.is_leaving:
            texts += (describe_leaving_taints(self.taints),)
        return tuple(("note", text) for text in texts)

    @property
    def _near_misses(self) -> Sequence[Reason]:
        """The tolerations that come nearest to the taints."""
        return list_near_misses(self.first_group.daemonset.spec.template.spec, self.taints)

    @property
    def suggestion(self) -> TolerationSuggestion | None:
        """The smallest exact tolerations, but of what the cluster clears; None where tolerations are no fix."""
        after = self.first_group.placement_after
        lasting = [taint for taint in self.taints if not is_controller_owned(taint)]
        if after is None or after.is_selected is False or not lasting:
            return None
        return suggest_exact_tolerations(lasting)

    @property
    def is_leaving(self) -> bool:
        """Whether only taints stand in the way which say that the node is about to go: that no pod comes back there is intended."""
        after = self.first_group.placement_after
        return after is not None and after.is_selected is not False and bool(self.taints) and all(map(is_leaving_taint, self.taints))

    @property
    def is_transient(self) -> bool:
        """Whether only taints stand in the way that the cluster clears once the node is well again: a toleration is no fix for these."""
        after = self.first_group.placement_after
        return (
            after is not None
            and after.is_selected is not False
            and bool(self.taints)
            and all(is_controller_owned(taint) for taint in self.taints)
        )


def iter_new_groups(context: Context, outcome: Outcome) -> Iterator[CoverageGroup]:
    """The groups of an outcome that the change brings about; in lint all of them."""
    assert context.impact is not None
    return (group for group in context.impact.iter_groups(outcome) if context.is_lint or group.outcome_before is not group.outcome)


def merge_groups(groups: Iterable[CoverageGroup]) -> Iterator[MergedGroups]:
    """Groups merged by DaemonSet, reasons, period and what becomes of the pod."""
    found: dict[tuple[object, ...], list[CoverageGroup]] = {}
    for group in groups:
        forecast = group.forecast
        key = (group.key, MergedGroups([group]).reasons, forecast.loop_seconds, forecast.pod_after, group.is_conditional)
        found.setdefault(key, []).append(group)
    return map(MergedGroups, found.values())


def suggest_exact_tolerations(taints: Iterable[Taint]) -> TolerationSuggestion:
    """For each taint the smallest toleration that tolerates it, as data and as a line of YAML.

    It tolerates that value alone, or any value where this one is a time or an id: the next taint of that key has another.
    """
    tolerations = tuple({tuple(_make_toleration(taint).items()): _make_toleration(taint) for taint in taints}.values())
    return TolerationSuggestion(tolerations, tuple(f"- {format_flow_map(toleration)}" for toleration in tolerations))


def _make_toleration(taint: Taint) -> dict[str, str]:
    if is_passing_value(taint):
        return {"key": taint.key, "operator": "Exists", "effect": taint.effect}
    return {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}


def format_flow_map(mapping: dict[str, str]) -> str:
    """A map of strings as one line of YAML, quoted wherever a reader of YAML 1.1 would not see a string."""
    return "{" + ", ".join(f"{key}: {format_scalar(value)}" for key, value in mapping.items()) + "}"


def format_scalar(text: str) -> str:
    """A string as a YAML scalar."""
    return text if _PLAIN_SCALAR.fullmatch(text) and text.lower() not in _YAML_KEYWORDS else json.dumps(text)
