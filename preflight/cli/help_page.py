"""A help page as text: the page of the command, then its options in groups, those that say where the cluster state comes from first."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

import click

from preflight.messages import command_line as messages
from preflight.messages.help import HelpPage, find_help_page

_CLUSTER = ("--from", "--context", "--kubeconfig", "--live", "--exclude", "--no-gitignore")
_OUTPUT = ("-o", "--all-rows", "--why", "-q", "--color", "-v")
_EXIT_CODE = ("--fail-on", "--exit-zero", "--allow-empty", "--strict")
_POLICY = ("--policy", "--no-policy", "--no-exemptions", "--baseline", "--write-baseline", "--baseline-expires", "--today")
_RARE = ("--as", "--as-group", "--request-timeout", "--kubernetes-version", "--kubectl-version", "--feature-gates", "--version", "--help")
_PLACED = (*_CLUSTER, *_OUTPUT, *_EXIT_CODE, *_POLICY, *_RARE)

_MAX_NAME = 26
"""A longer name of an option has a line of its own."""


def write_help_page(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """Write the help of a command."""
    name = ctx.command_path.removeprefix(ctx.find_root().info_name or "").strip()  # the program's own name may be two words
    page = find_help_page(name)
    _write_folded(formatter, f"{page.summary}.")
    formatter.write("\n")
    for number, line in enumerate(page.usage):
        formatter.write(f"{messages.USAGE if not number else ' ' * len(messages.USAGE)} {ctx.command_path} {line}".rstrip() + "\n")
    for paragraph in page.paragraphs:
        formatter.write("\n")
        for line in paragraph.splitlines():
            _write_folded(formatter, line)
    write_section(formatter, messages.ARGUMENTS, page.arguments)
    _write_examples(formatter, page)
    if isinstance(command, click.Group):
        command.format_commands(ctx, formatter)
    _write_flags(formatter, name, page)
    options = [param for param in command.get_params(ctx) if isinstance(param, click.Option) and not param.hidden]
    for heading, flags in (
        (messages.CLUSTER_STATE, _CLUSTER),
        (messages.OPTIONS, _list_unplaced(options)),
        (messages.OUTPUT, _OUTPUT),
        (messages.EXIT_CODE, _EXIT_CODE),
        (messages.POLICY, _POLICY),
        (messages.RARE, _RARE),
    ):
        write_section(formatter, heading, _make_rows(ctx, options, flags))


def write_section(formatter: click.HelpFormatter, heading: str, rows: Sequence[tuple[str, str]]) -> None:
    """Write names with what they mean, in two columns."""
    if not rows:
        return
    formatter.write(f"\n{heading}:\n")
    column = min(_MAX_NAME, max(len(name) for name, _ in rows)) + 4
    for name, meaning in rows:
        lines = _fold(meaning, formatter.width - column)
        first = [f"  {name:{column - 2}}{lines.pop(0)}"] if len(name) + 4 <= column and lines else [f"  {name}"]
        formatter.write("".join(f"{line}\n" for line in (*first, *(f"{'':{column}}{line}" for line in lines))))


def _write_examples(formatter: click.HelpFormatter, page: HelpPage) -> None:
    """The examples as they are, never folded: they are there to be pasted."""
    if page.examples:
        formatter.write(f"\n{messages.EXAMPLES}:\n")
        for purpose, line in page.examples:
            formatter.write(f"  # {purpose}\n  {line}\n")


def _write_flags(formatter: click.HelpFormatter, name: str, page: HelpPage) -> None:
    """kubectl's flags of a verb: those that change the answer, then the names of the others."""
    from preflight.kubectl.flags import FLAGS_BY_VERB

    verb = next((verb for verb in FLAGS_BY_VERB if verb.partition(" ")[0] == name), "")
    if not verb:
        return
    write_section(formatter, messages.describe_flags_of(verb), page.flags)
    described = {word for flag, _ in page.flags for word in flag.replace(",", " ").split()} | {*page.unsupported, "--output"}
    ignored = [f"--{flag.name}" for flag in FLAGS_BY_VERB[verb] if f"--{flag.name}" not in described]
    for text in filter(None, (messages.list_ignored_flags(ignored), messages.list_unsupported_flags(page.unsupported))):
        _write_folded(formatter, text, "  ")


def _write_folded(formatter: click.HelpFormatter, text: str, indent: str = "") -> None:
    formatter.write("".join(f"{indent}{line}\n" for line in _fold(text, formatter.width - len(indent))))


def _fold(text: str, width: int) -> list[str]:
    """The text as lines; no word is broken, for a flag has to be found whole."""
    return wrap(text, width, break_on_hyphens=False, break_long_words=False)


def _list_unplaced(options: Sequence[click.Option]) -> tuple[str, ...]:
    """The options of this command alone."""
    return tuple(option.opts[0] for option in options if not any(flag in _PLACED for flag in option.opts))


def _make_rows(ctx: click.Context, options: Sequence[click.Option], flags: Sequence[str]) -> list[tuple[str, str]]:
    """The options of a group, in the order of its flags."""
    rows: list[tuple[str, str]] = []
    for flag in flags:
        records = (option.get_help_record(ctx) for option in options if flag in option.opts)
        rows += (record for record in records if record is not None)
    return rows
