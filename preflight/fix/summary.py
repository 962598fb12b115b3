"""A fix in words: what it does, in which order to go, what it sets off, and what is left."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from preflight.fix.edits import AddToleration, DropField, Operation, SetFields
from preflight.fix.evaluation import ROLLOUT
from preflight.fix.planner import DaemonSetFix, FixResult
from preflight.fix.yaml_style import TolerationStyle
from preflight.kubectl.commands import Command


def format_fix_summary(result: FixResult, commands: Sequence[Command], *, patches: bool, is_written: bool) -> Iterator[str]:
    """The lines of the account. Names in them are as they came: whoever prints them makes them plain."""
    if result.fixes:
        count = len({(fix.daemonset.metadata.namespace, fix.daemonset.metadata.name) for fix in result.fixes})
        verb = "fixed" if is_written else "patches for" if patches else "fixes"
        yield f"{verb} {count} DaemonSet{'s' * (count > 1)}:"
        for fix in result.fixes:
            yield from _format_fix(fix, patches=patches)
        yield from _format_order(result, commands, patches=patches)
    elif result.is_empty and not result.unfixed:
        yield "nothing to fix"
    if result.unfixed:
        yield "left as it is:"
        for found, reason in result.unfixed:
            yield f"  {found.sentence}"
            yield f"    {reason or f'no edit is known that fixes it: preflight explain {found.rule.id}'}"


def _format_fix(fix: DaemonSetFix, *, patches: bool) -> Iterator[str]:
    rules = ", ".join(sorted({cause.rule.id for cause in fix.causes}))
    place = "" if patches else f" in {fix.daemonset.origin.file}"
    yield f"  {fix.daemonset.key}{place} ({rules}): {'; '.join(_describe_operation(fix, operation) for operation in fix.operations)}"
    if fix.manager:
        yield f"    {fix.manager.evidence}, and may undo this: {fix.manager.advice}"
    if fix.daemonset.spec.updateStrategy.type == "OnDelete":
        yield "    its update strategy is OnDelete: pods that run keep their old tolerations until somebody deletes them"


def _describe_operation(fix: DaemonSetFix, operation: Operation) -> str:
    if isinstance(operation, AddToleration):
        return f"adds {TolerationStyle().format_flow(operation.toleration)}"
    own = fix.daemonset.spec.template.spec.tolerations[operation.index]
    what = f"its toleration of {own.key}" if own.key else "its wildcard"
    if isinstance(operation, SetFields):
        return f"{what} gets {', '.join(TolerationStyle().format_lines(operation.fields))}"
    if isinstance(operation, DropField):
        return f"{what} loses {operation.name}"
    return f"{what} becomes {', '.join(TolerationStyle().format_flow(toleration) for toleration in operation.tolerations)}"


def _format_order(result: FixResult, commands: Sequence[Command], *, patches: bool) -> Iterator[str]:
    """The order in which to go: the fix is an update, and goes before what it is for."""
    yield "in this order:"
    if patches:
        yield "  1. the patches"
    else:
        files = sorted({fix.daemonset.origin.file for fix in result.fixes})
        yield f"  1. kubectl apply {' '.join(f'-f {shlex.quote(file)}' for file in files)}"
    yield "     each is an update that replaces pods: wait for it (kubectl rollout status)"
    for number, command in enumerate(commands, 2):
        yield f"  {number}. kubectl {command.text}"
    if result.rollout_hits:
        yield f"{ROLLOUT} sets off:"
        yield from (f"  {rollout_hit.sentence}" for rollout_hit in result.rollout_hits)
    else:
        yield f"{ROLLOUT} takes no pod from any node" + (" (as far as can be told: no pods were given)" if result.has_assumed_pods else "")
