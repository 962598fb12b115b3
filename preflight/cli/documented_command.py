"""Commands whose help pages are imported only when help is asked for, and whose errors all look alike."""

from __future__ import annotations

from typing import Any

import click

from preflight.errors import UsageError


class DocumentedCommand(click.Command):
    """A command with a page in `preflight.messages.help`; its options bring their own line."""

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The page and the options, in groups."""
        from preflight.cli.help_page import write_help_page

        write_help_page(self, ctx, formatter)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Reads the arguments; an error of click's parser remembers the command, too."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; an error of the command line remembers whose help to read."""
        try:
            return super().invoke(ctx)
        except UsageError as error:
            error.command_path = error.command_path or ctx.command_path
            raise


class DocumentedGroup(DocumentedCommand, click.Group):
    """A group of such commands."""

    command_class = DocumentedCommand

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the first word; for an unknown one an error that says what was meant."""
        command = self.get_command(ctx, args[0])
        if command is None and not ctx.resilient_parsing and args[0][:1] != "-":
            error = UsageError(self.explain_unknown_command(ctx, args[0]))
            error.command_path = ctx.command_path
            raise error
        return super().resolve_command(ctx, args)

    def explain_unknown_command(self, ctx: click.Context, name: str) -> str:
        """What is wrong with a word that is no command."""
        from preflight.messages.command_line import describe_unknown_command

        return describe_unknown_command(name, ctx.info_name or "", self.list_commands(ctx))
