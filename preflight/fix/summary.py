"""A fix in words: what it does, in which order to go, what it sets off, and what is left."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from preflight.fix.edits import Add, DropField, Operation, SetFields
from preflight.fix.evaluate import ROLLOUT
from preflight.fix.planner import Fix, Outcome
from preflight.fix.yaml_style import Style
from preflight.kubectl.commands import Command


def account(outcome: Outcome, commands: Sequence[Command], *, patches: bool, written: bool) -> Iterator[str]:
    """The lines of the account. Names in them are as they came: whoever prints them makes them plain."""
    if outcome.fixes:
        count = len({(each.daemonset.metadata.namespace, each.daemonset.metadata.name) for each in outcome.fixes})
        verb = "fixed" if written else "patches for" if patches else "fixes"
        yield f"{verb} {count} DaemonSet{'s' * (count > 1)}:"
        for each in outcome.fixes:
            yield from _fix(each, patches=patches)
        yield from _order(outcome, commands, patches=patches)
    elif outcome.nothing and not outcome.left:
        yield "nothing to fix"
    if outcome.left:
        yield "left as it is:"
        for found, reason in outcome.left:
            yield f"  {found.sentence}"
            yield f"    {reason or f'no edit is known that fixes it: preflight explain {found.rule.id}'}"


def _fix(fix: Fix, *, patches: bool) -> Iterator[str]:
    rules = ", ".join(sorted({each.rule.id for each in fix.causes}))
    place = "" if patches else f" in {fix.daemonset.origin.file}"
    yield f"  {fix.daemonset.key}{place} ({rules}): {'; '.join(_words(fix, each) for each in fix.operations)}"
    if fix.maker:
        yield f"    {fix.maker.evidence}, and may undo this: {fix.maker.where}"
    if fix.daemonset.spec.updateStrategy.type == "OnDelete":
        yield "    its update strategy is OnDelete: pods that run keep their old tolerations until somebody deletes them"


def _words(fix: Fix, operation: Operation) -> str:
    if isinstance(operation, Add):
        return f"adds {Style().flow(operation.toleration)}"
    own = fix.daemonset.spec.template.spec.tolerations[operation.index]
    what = f"its toleration of {own.key}" if own.key else "its wildcard"
    if isinstance(operation, SetFields):
        return f"{what} gets {', '.join(Style().lines(operation.fields))}"
    if isinstance(operation, DropField):
        return f"{what} loses {operation.name}"
    return f"{what} becomes {', '.join(Style().flow(each) for each in operation.tolerations)}"


def _order(outcome: Outcome, commands: Sequence[Command], *, patches: bool) -> Iterator[str]:
    """The order in which to go: the fix is an update, and goes before what it is for."""
    yield "in this order:"
    if patches:
        yield "  1. the patches"
    else:
        files = sorted({each.daemonset.origin.file for each in outcome.fixes})
        yield f"  1. kubectl apply {' '.join(f'-f {shlex.quote(file)}' for file in files)}"
    yield "     each is an update that replaces pods: wait for it (kubectl rollout status)"
    for number, command in enumerate(commands, 2):
        yield f"  {number}. kubectl {command.text}"
    if outcome.rollout:
        yield f"{ROLLOUT} sets off:"
        yield from (f"  {each.sentence}" for each in outcome.rollout)
    else:
        yield f"{ROLLOUT} takes no pod from any node" + (" (as far as can be told: no pods were given)" if outcome.assumed else "")
