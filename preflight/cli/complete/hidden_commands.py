"""`preflight __complete WORD...` and `__complete_line LINE BREAKS`, which the scripts of the shells run."""

from __future__ import annotations

import click

from preflight.cli.complete.answer import answer_bash, answer_words, print_answer

WORDS, LINE = "__complete", "__complete_line"


class _Raw(click.Command):
    """A command that takes all words as they are: none is an option of its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """The words are `words`."""
        ctx.params["words"] = args
        return []


def get_hidden_command(name: str) -> click.Command:
    """The command of a name."""
    return _Raw(name, callback=_print_for_words if name == WORDS else _print_for_line, hidden=True)


def _print_for_words(words: list[str]) -> int:
    print_answer(answer_words(words))
    return 0


def _print_for_line(words: list[str]) -> int:
    text, word_breaks = [*words, "", ""][:2]
    print_answer(answer_bash(text, word_breaks))
    return 0
