"""Errors of the command line in one style: `error: ` and what is wrong, then whose help to read."""

from __future__ import annotations

from collections.abc import Iterator

import click

from preflight.engine.unreadable_input import UnreadableInputError
from preflight.errors import PreflightError, UsageError
from preflight.messages import command_line as messages
from preflight.report.text import render_problems


def iter_error_lines(error: PreflightError | click.UsageError) -> Iterator[str]:
    """The lines that tell a person of an error."""
    if isinstance(error, UnreadableInputError):
        yield from render_problems(error.problems).splitlines()
        return
    text, path = (_reword(error), _get_command_path(error)) if isinstance(error, click.UsageError) else (str(error), "")
    if isinstance(error, UsageError) and error.points_to_help:
        path = error.command_path
    first, *rest = text.split("\n")
    yield f"error: {first}"
    yield from rest
    if path:
        yield messages.point_to_help(path)


def _get_command_path(error: click.UsageError) -> str:
    return error.ctx.command_path if error.ctx is not None else ""


def _reword(error: click.UsageError) -> str:
    """What click says, in the words of kubectl where it has some."""
    flags = _list_flags(error)
    match error:
        case click.NoSuchOption():
            return messages.describe_unknown_flag(error.option_name, flags)
        case click.BadOptionUsage():
            return messages.describe_flag_without_value(error.option_name)
        case click.MissingParameter():
            return messages.describe_missing_argument(_name_param(error))
        case click.BadParameter(param=click.Option(type=click.Choice(choices=choices))) if value := _find_quoted(error.message):
            return messages.describe_wrong_choice(_name_param(error), value, [str(choice) for choice in choices])
        case click.BadParameter():
            return messages.describe_wrong_value(_name_param(error), _lower_first(error.message))
        case _:
            return _lower_first(error.format_message())


def _list_flags(error: click.UsageError) -> list[str]:
    if error.ctx is None:
        return []
    params = error.ctx.command.get_params(error.ctx)
    return [flag for param in params if isinstance(param, click.Option) for flag in param.opts if flag.startswith("--")]


def _name_param(error: click.BadParameter) -> str:
    """`--fail-on`, or the name of an argument; of an option with a short name both."""
    param = error.param
    if isinstance(param, click.Option):
        return ", ".join(param.opts)
    return param.make_metavar(error.ctx) if param is not None and error.ctx is not None else ""


def _find_quoted(text: str) -> str:
    """What stands between the first quotes of a text."""
    return text.split("'")[1] if text.count("'") > 1 else ""


def _lower_first(text: str) -> str:
    return (text[:1].lower() + text[1:]).removesuffix(".")
