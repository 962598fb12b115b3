"""Why a line of a script, or a step of a plan, is not judged."""

from __future__ import annotations

import re

TRAP_NOT_FOLLOWED = "what a trap runs is not followed"
XARGS_NOT_JUDGED = "what xargs runs is not judged"
XARGS_GIVES_NAMES = "xargs gives it names that nobody knows here"
READS_STDIN = "it reads what a pipe or a here document gives it: write that into a file"
ANOTHER_CLUSTER = "what follows is about another cluster"
ONLY_ON_FAILURE = "it runs only where the command before || fails"
IN_SUBSTITUTION = "it runs inside $(...)"
TOO_DEEP = "it is nested too deep"
NOT_BASH = "it cannot be parsed as bash"
NUL_BYTE = "a NUL byte"
OPEN_QUOTE = "a quote is not closed"
OPEN_BACKQUOTE = "a backquote is not closed"
OPEN_PARENTHESIS = "a ( is not closed"
NO_STEPS = "there is nothing to judge: the plan has no steps"
ARGUMENT_NOT_TEXT = "every argument must be a text: put it in quotes"
STEP_NOT_COMMAND = "a step is a command line, or a list of its arguments"


def describe_unknown_program(expansion: str) -> str:
    """A word that stands for the program itself."""
    return f"{_mask_addresses(expansion)} is not expanded, so nobody knows what runs"


def describe_unknown_argument(expansion: str) -> str:
    """A word that stands for an argument."""
    return f"{_mask_addresses(expansion)} is not expanded: write what it stands for"


def _mask_addresses(text: str) -> str:
    """The text without what stands in addresses: it may be a user name, a password or a token."""
    return re.sub(r"://\S+", "://...", text)


def describe_function(line: int) -> str:
    """A call of a function that changes something."""
    return f"the function of line {line} is not followed"


def describe_script_runner(program: str) -> str:
    """A program that runs other text."""
    return f"what {program} runs is not followed"


def describe_other_program(program: str) -> str:
    """A program that is neither kubectl nor harmless."""
    return f"it is not kubectl: what {program} changes is not judged"


def stop_reading(reason: str) -> str:
    """A reason for which the rest of the script is not read."""
    return f"{reason}: nothing is read from here on"


def describe_block(block: str, line: int) -> str:
    """A command that runs only under a condition, or many times."""
    return f"it runs inside a {block} of line {line}"


def describe_second_cluster(context: str, first: str) -> str:
    """A command about another cluster than those before it."""
    return f"it is about {context}, and lines before about {first}: one cluster is judged"


def describe_written_file(file: str) -> str:
    """A file that does not exist before the script runs."""
    return f"the script itself writes {file}"


def describe_unknown_folder(line: int, file: str) -> str:
    """A relative path after a `cd`."""
    return f"after the cd of line {line} nobody knows which {file} is meant"


def describe_long_script(mebibytes: int) -> str:
    """A script above the limit."""
    return f"the script is longer than {mebibytes} MiB"


def describe_open_quotes(error: object) -> str:
    """A step whose quotes do not match."""
    return f"the quotes are not closed ({error})"


def describe_second_command(separator: str) -> str:
    """A step with two commands."""
    return f"a step is one command, without {separator}: make it a step of its own"


def describe_expansion(word: str) -> str:
    """A variable in a plan."""
    return f"nothing is expanded in a plan: write what {word} stands for"
