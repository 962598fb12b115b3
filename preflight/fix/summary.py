"""A fix in words: what it does, in which order to go, what it sets off, and what is left."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from preflight.fix.custom_resource import carries_defaults
from preflight.fix.edit_model import AddToleration, DropField, Operation, SetFields
from preflight.fix.evaluation import ROLLOUT
from preflight.fix.planner import DaemonSetFix, FixResult
from preflight.fix.yaml_style import TolerationStyle
from preflight.kubectl.commands import Command
from preflight.messages import fix as messages


def format_fix_summary(result: FixResult, commands: Sequence[Command], *, patches: bool, is_written: bool) -> Iterator[str]:
    """The lines of the account. Names in them are as they came: whoever prints them makes them plain."""
    if result.fixes:
        count = len({(fix.daemonset.metadata.namespace, fix.daemonset.metadata.name) for fix in result.fixes})
        yield messages.describe_fix_count(count, is_written=is_written, are_patches=patches)
        for same in _join_by_resource(result.fixes):
            yield from _format_fix(same[0], len(same), patches=patches)
        yield from _format_order(result, commands, patches=patches)
    elif result.is_empty and not result.unfixed:
        yield messages.NOTHING_TO_FIX
    if result.unfixed:
        yield messages.LEFT_AS_IT_IS
        for found, reason in result.unfixed:
            yield f"  {found.sentence}"
            yield f"    {reason or messages.explain_no_edit(found.rule.id)}"


def _join_by_resource(fixes: Iterable[DaemonSetFix]) -> list[list[DaemonSetFix]]:
    """The fixes, those together that are one edit of a custom resource."""
    joined: dict[object, list[DaemonSetFix]] = {}
    for fix in fixes:
        origin, declaration = fix.edited.origin, fix.edited.declaration
        place = (origin.file, origin.document, origin.path, declaration.tolerations.path) if declaration is not None else id(fix)
        joined.setdefault(place, []).append(fix)
    return list(joined.values())


def _format_fix(fix: DaemonSetFix, count: int, *, patches: bool) -> Iterator[str]:
    """The lines of a fix; `count` is how many DaemonSets the custom resource makes that it is for, 1 for a DaemonSet itself."""
    rules = ", ".join(sorted({cause.rule.id for cause in fix.causes}))
    place = "" if patches else f" in {fix.edited.origin.file}"
    declaration = fix.edited.declaration
    what = messages.describe_fixed_resource(declaration, count) if declaration is not None and count > 1 else str(fix.daemonset.key)
    yield f"  {what}{place} ({rules}): {'; '.join(_describe_operation(fix, operation) for operation in fix.operations)}"
    if declaration is not None and carries_defaults(declaration):
        yield messages.describe_carried_defaults(declaration)
    if declaration is not None and declaration.change_note:
        yield f"    {declaration.change_note}"
    if fix.manager:
        yield messages.describe_possible_undo(fix.manager.evidence, fix.manager.advice)
    if fix.daemonset.spec.updateStrategy.type == "OnDelete":
        yield messages.ON_DELETE


def _describe_operation(fix: DaemonSetFix, operation: Operation) -> str:
    if isinstance(operation, AddToleration):
        return messages.describe_added_toleration(TolerationStyle().format_flow(operation.toleration))
    own = fix.daemonset.spec.template.spec.tolerations[operation.index]
    what = messages.describe_toleration(own.key) if own.key else messages.WILDCARD
    if isinstance(operation, SetFields):
        return messages.describe_set_fields(what, TolerationStyle().format_lines(operation.fields))
    if isinstance(operation, DropField):
        return messages.describe_dropped_field(what, operation.name)
    return messages.describe_replaced_toleration(what, map(TolerationStyle().format_flow, operation.tolerations))


def _format_order(result: FixResult, commands: Sequence[Command], *, patches: bool) -> Iterator[str]:
    """The order in which to go: the fix is an update, and goes before what it is for."""
    yield messages.ORDER
    if patches:
        yield messages.FIRST_PATCHES
    else:
        files = sorted({fix.edited.origin.file for fix in result.fixes})
        yield f"  1. kubectl apply {' '.join(f'-f {shlex.quote(file)}' for file in files)}"
    yield messages.WAIT_FOR_ROLLOUT
    for number, command in enumerate(commands, 2):
        yield f"  {number}. kubectl {command.text}"
    if result.rollout_hits:
        yield messages.describe_rollout_effects(ROLLOUT)
        yield from (f"  {rollout_hit.sentence}" for rollout_hit in result.rollout_hits)
    else:
        yield messages.describe_harmless_rollout(ROLLOUT) + (messages.ASSUMED_PODS if result.has_assumed_pods else "")
