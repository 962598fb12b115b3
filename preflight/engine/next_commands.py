"""The commands that a person would type after a run."""

from __future__ import annotations

from preflight.engine.plan import Plan
from preflight.engine.session import Session
from preflight.kubectl.commands import RebootNodes, ReplaceNodes
from preflight.load.files import STDIN
from preflight.load.inputs import Files, Snapshot
from preflight.model.report import FixCommand, NextCommands


def find_next_commands(session: Session, plan: Plan | None = None) -> NextCommands:
    """The commands after a run of a plan, or of lint without one.

    1. Files are fixed in place; standard input cannot be read again, and of a live cluster there is no file to fix.
    2. The change itself is kubectl's, unless one of its commands is a verb that kubectl does not have.
    """
    if plan is None:
        return NextCommands(_make_fix(session))
    has_own_verb = any(isinstance(command, RebootNodes | ReplaceNodes) for command in plan.commands)
    lines = tuple(command.text for command in plan.commands)
    fix = _make_fix(session, plan.file, () if plan.file else lines) if plan.script is None else None
    return NextCommands(fix, () if has_own_verb or plan.file else lines, _list_sources(session))


def _list_sources(session: Session) -> tuple[str, ...]:
    match session.input:
        case Files(paths, context_paths) if STDIN not in (*paths, *context_paths):
            return (*paths, *context_paths)
        case Snapshot(path):
            return (path,)
    return ()


def _make_fix(session: Session, plan: str = "", lines: tuple[str, ...] = ()) -> FixCommand | None:
    match session.input:
        case Files(paths) if STDIN not in paths:
            return FixCommand(paths or (".",), lines, plan)
        case Snapshot(path):
            return FixCommand((path,), lines, plan)
    return None
