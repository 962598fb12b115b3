"""Why a line of a script, or a step of a plan, is not checked."""

from __future__ import annotations

import re

TRAP_NOT_FOLLOWED = "commands run by trap are not checked"
XARGS_NOT_JUDGED = "commands run by xargs are not checked"
XARGS_GIVES_NAMES = "xargs passes arguments that cannot be determined"
READS_STDIN = "it reads from a pipe or a here document: write that input to a file"
ANOTHER_CLUSTER = "the following commands are for another cluster"
ONLY_ON_FAILURE = "it runs only if the command before || fails"
IN_SUBSTITUTION = "it runs inside $(...)"
TOO_DEEP = "it is nested too deeply"
NOT_BASH = "it cannot be parsed as bash"
NUL_BYTE = "a NUL byte"
OPEN_QUOTE = "a quote is not closed"
OPEN_BACKQUOTE = "a backquote is not closed"
OPEN_PARENTHESIS = "a ( is not closed"
NO_STEPS = "nothing to check: the plan has no steps"
ARGUMENT_NOT_TEXT = "every argument must be a string: put it in quotes"
STEP_NOT_COMMAND = "a step must be a command line or a list of its arguments"


def describe_unknown_program(expansion: str) -> str:
    """A word in place of the program."""
    return f"{_mask_addresses(expansion)} is not expanded, so the program is unknown"


def describe_unknown_argument(expansion: str) -> str:
    """A word in place of an argument."""
    return f"{_mask_addresses(expansion)} is not expanded: write its value"


def _mask_addresses(text: str) -> str:
    """The text without the contents of addresses, which may be a user name, a password or a token."""
    return re.sub(r"://\S+", "://...", text)


def describe_function(line: int) -> str:
    """A call of a function that changes something."""
    return f"the function of line {line} is not checked"


def describe_script_runner(program: str) -> str:
    """A program that runs other text."""
    return f"commands run by {program} are not checked"


def describe_other_program(program: str) -> str:
    """A program that is neither kubectl nor harmless."""
    return f"it is not kubectl: changes made by {program} are not checked"


def stop_reading(reason: str) -> str:
    """A reason why the rest of the script is not read."""
    return f"{reason}: the rest of the script is not read"


def describe_block(block: str, line: int) -> str:
    """A command that runs only under a condition, or many times."""
    return f"it runs inside a {block} of line {line}"


def describe_second_cluster(context: str, first: str) -> str:
    """A command for another cluster than the commands before it."""
    return f"it is for {context}, but earlier lines are for {first}: only one cluster can be checked"


def describe_written_file(file: str) -> str:
    """A file that does not exist before the script runs."""
    return f"the script itself creates {file}"


def describe_unknown_folder(line: int, file: str) -> str:
    """A relative path after a `cd`."""
    return f"after the cd of line {line} it is unknown which {file} this is"


def describe_long_script(mebibytes: int) -> str:
    """A script above the limit."""
    return f"the script is larger than {mebibytes} MiB"


def describe_open_quotes(error: object) -> str:
    """A step whose quotes do not match."""
    return f"a quote is not closed ({error})"


def describe_second_command(separator: str) -> str:
    """A step with two commands."""
    return f"a step is one command, without {separator}: make it a separate step"


def describe_expansion(word: str) -> str:
    """A variable in a plan."""
    return f"variables are not expanded in a plan: write the value of {word}"
