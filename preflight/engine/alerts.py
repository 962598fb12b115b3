"""`preflight alerts`: a cluster state, and the alerting rules that are made of it."""

from __future__ import annotations

from preflight.alerting import generate
from preflight.engine.session import Session, make_load_options
from preflight.engine.unlisted_kinds import list_unlisted_problems
from preflight.errors import InputError
from preflight.load.inputs import load_input
from preflight.messages import alerting as messages
from preflight.model.alerts import AlertRules
from preflight.model.report import Problem


def generate_alerts(session: Session) -> tuple[AlertRules, tuple[Problem, ...]]:
    """The alerting rules of the cluster of a session, and what could not be read of it.

    Errors: InputError where no DaemonSet is known, unless the options allow it.
    """
    from preflight.load.live.planner import FOR_COVERAGE

    read = load_input(session.input, make_load_options(session), stdin=session.stdin, query=FOR_COVERAGE)
    if not read.world.daemonsets and not session.options.allow_empty:
        from preflight.messages.load import format_problem

        why = f": {format_problem(read.problems[0])}" if read.problems else ""
        raise InputError(messages.describe_nothing_to_watch(why))
    return generate.generate_alerts(read.world), (*read.problems, *list_unlisted_problems(read.world))
