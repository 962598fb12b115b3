"""From what the rules say to what is to become of each DaemonSet's tolerations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from preflight.components import recognize_components
from preflight.fix.edit_model import AddToleration, DropField, Operation, ReplaceToleration, SetFields
from preflight.fix.evaluation import Evaluation, StepHit
from preflight.fix.yaml_tree import CannotEdit
from preflight.messages import fix as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC, Taint, Toleration
from preflight.model.meta import Origin
from preflight.model.report import Severity
from preflight.rules.api import FixKind
from preflight.rules.merged_groups import suggest_exact_tolerations
from preflight.scheduling.tolerations import list_implicit_tolerations, tolerates

_USUAL_FIXES = (FixKind.COVERAGE,)
_USUAL_LINT_FIXES = (FixKind.COVERAGE, FixKind.INTENTION, FixKind.WILDCARD)


class FindingSelection(Struct, frozen=True):
    """Which findings are to be fixed.

    1. Without rules named: coverage; without a change wildcards, forgotten operators and old keys too. Errors and warnings only, since a
       note is the owner's decision.
    2. A rule that is named is fixed whatever the severity; only then are `tolerationSeconds` taken away, and an effect added.
    3. What a rule finds without a suggestion of what to tolerate is nothing to fix, unless it is about coverage.
    """

    rules: frozenset[str] = frozenset()
    is_lint: bool = True

    def includes(self, step_hit: StepHit) -> bool:
        """Whether a finding is to be fixed."""
        if step_hit.rule.fix in (FixKind.INTENTION, FixKind.ADDITION) and step_hit.hit.suggestion is None:
            return False
        if self.rules:
            return step_hit.rule.id in self.rules
        usual = _USUAL_LINT_FIXES if self.is_lint else _USUAL_FIXES
        return step_hit.rule.fix in usual and step_hit.severity is not Severity.NOTE

    def should_report(self, step_hit: StepHit) -> bool:
        """Whether a finding that is still there after the fix is to be said: one that was to be fixed, and any error."""
        is_loss = step_hit.severity is Severity.ERROR and not step_hit.rule.is_consequence
        return self.includes(step_hit) or (not self.rules and is_loss)


class FixPlan(Struct):
    """What is to become of one DaemonSet's tolerations, and the findings that it is for."""

    daemonset: DaemonSet
    operations: list[Operation]
    causes: list[StepHit]


def make_fix_plans(
    step_hits: Iterable[StepHit], evaluation: Evaluation, originals: Mapping[Origin, DaemonSet]
) -> tuple[list[FixPlan], list[tuple[StepHit, str]]]:
    """A plan for each DaemonSet that has something to fix, in order, and why the other findings have none.

    `originals` are the DaemonSets as they stand in their files, by origin: a step of a plan may have changed them since.
    """
    by_origin: dict[Origin, FixPlan] = {}
    left: list[tuple[StepHit, str]] = []
    for step_hit in step_hits:
        origin = step_hit.hit.location.origin
        daemonset = originals.get(origin)
        try:
            if daemonset is None:
                raise CannotEdit(messages.ONLY_DAEMONSETS)
            plan = by_origin.get(origin) or FixPlan(daemonset, [], [])
            new = [operation for operation in _plan_operations(step_hit, plan, evaluation) if operation not in plan.operations]
            _check_no_overlap(plan.operations, new)
            plan.operations += new
            plan.causes.append(step_hit)
            by_origin[origin] = plan
        except CannotEdit as refusal:
            left.append((step_hit, str(refusal)))
    return sorted(by_origin.values(), key=lambda plan: _make_sort_key(plan.daemonset.origin)), left


def _make_sort_key(origin: Origin) -> tuple[object, ...]:
    return origin.file, origin.document, tuple(str(step).rjust(9) for step in origin.path)


def _check_no_overlap(old: Iterable[Operation], new: Iterable[Operation]) -> None:
    taken = {operation.index for operation in old if not isinstance(operation, AddToleration)}
    if any(operation.index in taken for operation in new if not isinstance(operation, AddToleration)):
        raise CannotEdit(messages.SAME_TOLERATION)


def _plan_operations(step_hit: StepHit, plan: FixPlan, evaluation: Evaluation) -> list[Operation]:
    kind, hit = step_hit.rule.fix, step_hit.hit
    if kind in (FixKind.COVERAGE, FixKind.INTENTION, FixKind.ADDITION):
        if hit.suggestion is None:
            raise CannotEdit(messages.NO_TOLERATION_HELPS)
        _check_understood(plan.daemonset)
        return _plan_tolerations(plan, hit.suggestion.tolerations, evaluation)
    index = hit.toleration_location.path[-1] if hit.toleration_location else None
    if kind is None or not isinstance(index, int):
        raise CannotEdit(messages.explain_no_edit(step_hit.rule.id))
    _check_understood(plan.daemonset)
    if kind in (FixKind.SECONDS, FixKind.IDLE_SECONDS):
        return [DropField(index, "tolerationSeconds")]
    return _make_exact(plan.daemonset, index, evaluation) if kind is FixKind.VALUE else _replace_wildcard(plan.daemonset, index, evaluation)


def _check_understood(daemonset: DaemonSet) -> None:
    """Where one of the list was not understood, the places of the others are not those of the file."""
    path = (*POD_TEMPLATE_SPEC, "tolerations")
    is_refused = any(refusal.path[: len(path)] == path for refusal in daemonset.refusals)
    if is_refused or len(daemonset.spec.template.spec.tolerations) != len(get_raw_tolerations(daemonset)):
        raise CannotEdit(messages.REFUSED_TOLERATION)


def get_written_tolerations(daemonset: DaemonSet) -> list[Any] | None:
    """The list of tolerations as it stands in the file; None where there is none."""
    data: Any = daemonset.data
    for name in (*POD_TEMPLATE_SPEC, "tolerations"):
        data = data.get(name) if isinstance(data, dict) else None
    return data if isinstance(data, list) else None


def get_raw_tolerations(daemonset: DaemonSet) -> list[Mapping[str, Any]]:
    """The tolerations as they stand in the file; empty where there is no list, or one that holds anything but maps."""
    data = get_written_tolerations(daemonset) or []
    return data if all(isinstance(item, dict) for item in data) else []


def _get_exact_taint(toleration: Mapping[str, Any]) -> Taint | None:
    """The taint that a toleration is for; None where it is for more than one."""
    if toleration.get("operator") != "Equal" or not {"key", "value", "effect"} <= toleration.keys():
        return None
    return Taint(toleration["key"], toleration["value"], toleration["effect"])


def _plan_tolerations(plan: FixPlan, tolerations: Iterable[Mapping[str, Any]], evaluation: Evaluation) -> list[Operation]:
    """Operations after which the list says what the tolerations say: the one that was meant is completed, else they are added."""
    operations: list[Operation] = []
    used = {operation.index for operation in plan.operations if isinstance(operation, SetFields)}
    for toleration in tolerations:
        taint = _get_exact_taint(toleration)
        if taint is None:
            operations.append(AddToleration(toleration))
            continue
        if any(isinstance(fields, SetFields) and _completes_toleration(plan.daemonset, fields, taint) for fields in plan.operations):
            continue
        index = _find_intended_toleration(plan.daemonset, taint, evaluation)
        if index is not None and index not in used:
            used.add(index)
            operations.append(SetFields(index, {"operator": "Equal", "value": taint.value}))
        else:
            operations.append(AddToleration(toleration))
    return operations


def _completes_toleration(daemonset: DaemonSet, operation: SetFields, taint: Taint) -> bool:
    own = daemonset.spec.template.spec.tolerations[operation.index]
    return (own.key, operation.fields.get("value")) == (taint.key, taint.value) and own.effect in ("", taint.effect)


def _find_intended_toleration(daemonset: DaemonSet, taint: Taint, evaluation: Evaluation) -> int | None:
    """The one toleration that was meant for a taint with a value: it names the key, and forgot the operator or the value.

    None where there are several, where both operator and value are stated, or where it tolerates another taint that is known.
    """
    own = daemonset.spec.template.spec.tolerations
    if not taint.value:
        return None
    meant = [
        index
        for index, (toleration, item) in enumerate(zip(own, get_raw_tolerations(daemonset), strict=True))
        if toleration.key == taint.key
        and toleration.effect in ("", taint.effect)
        and toleration.operator in ("", "Equal")
        and not toleration.value
        and not (item.get("operator") and "value" in item)
    ]
    if len(meant) != 1 or any(tolerates(own[meant[0]], known, None) for known in evaluation.taints):
        return None
    return meant[0]


def _make_exact(daemonset: DaemonSet, index: int, evaluation: Evaluation) -> list[Operation]:
    """`Exists` on a key becomes `Equal` with the values that are known."""
    own = daemonset.spec.template.spec.tolerations[index]
    known = [taint for taint in evaluation.taints if tolerates(own, taint, None) and taint.effect != "PreferNoSchedule"]
    if len(known) == 1:
        fields = {"operator": "Equal", "value": known[0].value}
        return [SetFields(index, fields if own.effect else {**fields, "effect": known[0].effect})]
    return [ReplaceToleration(index, _make_replacements(known, own))]


def _make_replacements(taints: Iterable[Taint], own: Toleration) -> tuple[Mapping[str, Any], ...]:
    """Exact tolerations in place of one, with its seconds."""
    seconds = {} if own.tolerationSeconds is None else {"tolerationSeconds": own.tolerationSeconds}
    return tuple(
        {**toleration, **(seconds if toleration["effect"] == "NoExecute" else {})}
        for toleration in suggest_exact_tolerations(taints).tolerations
    )


def _replace_wildcard(daemonset: DaemonSet, index: int, evaluation: Evaluation) -> list[Operation]:
    """A wildcard becomes exact tolerations of the taints that are known, and that nothing else tolerates.

    Never for what a node cannot do without: it must start on nodes with taints that come and go.
    """
    spec = daemonset.spec.template.spec
    if spec.priorityClassName == "system-node-critical":
        raise CannotEdit(messages.CRITICAL_WILDCARD)
    for component in recognize_components(daemonset):
        if component.kind.critical:
            raise CannotEdit(messages.explain_needed_wildcard(component.kind.title))
    if not evaluation.impacts:
        raise CannotEdit(messages.NO_NODE)
    others = [toleration for number, toleration in enumerate(spec.tolerations) if number != index] + list(
        list_implicit_tolerations(spec.hostNetwork)
    )
    own = spec.tolerations[index]
    here = {
        taint
        for impact in evaluation.impacts
        for group in impact.groups
        if group.daemonset.origin == daemonset.origin
        and group.placement_after is not None
        and group.placement_after.is_selected is not False
        for name in group.nodes
        if name in impact.change.after.nodes
        for taint in impact.change.after.nodes[name].spec.taints
    }
    known = [
        taint
        for taint in evaluation.taints
        if taint in here and taint.effect != "PreferNoSchedule" and tolerates(own, taint, None)
        if not any(tolerates(other, taint, None) for other in others)
    ]
    if not known:
        raise CannotEdit(messages.IDLE_WILDCARD)
    return [ReplaceToleration(index, _make_replacements(known, own))]
