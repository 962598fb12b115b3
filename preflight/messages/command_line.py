"""What is wrong with a command line of preflight itself, and the headings of help pages."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.suggestions import suggest, suggest_flag

USAGE = "Usage:"
ARGUMENTS = "Arguments"
EXAMPLES = "Examples"
CLUSTER_STATE = "Cluster state"
OPTIONS = "Options"
OUTPUT = "Output"
EXIT_CODE = "Exit code"
POLICY = "Policy and exemptions"
RARE = "Other options"

BEFORE_A_CHANGE = "Before a change (type preflight in place of kubectl)"
REVIEWS = "Manifests and reviews"
CLUSTERS = "Clusters"
REFERENCE = "Reference"


def describe_flags_of(verb: str) -> str:
    """The heading of a verb's own flags."""
    return f"Flags of {'preflight' if verb in ('reboot', 'replace') else 'kubectl'} {verb}"


def list_ignored_flags(flags: Sequence[str]) -> str:
    """The flags that change nothing; "" for none."""
    return f"Accepted without effect: {', '.join(flags)}." if flags else ""


def list_unsupported_flags(flags: Sequence[str]) -> str:
    """The flags that are refused; "" for none."""
    return f"Not supported: {', '.join(flags)}." if flags else ""


def describe_unknown_command(name: str, program: str, commands: Sequence[str]) -> str:
    """A word that is no command of the program or of a group."""
    return f'unknown command "{name}" for "{program}"{suggest(name, commands)}'


def describe_unknown_flag(flag: str, flags: Sequence[str]) -> str:
    """A flag that a command does not have, in kubectl's words; `-x` or `--name`."""
    if flag.startswith("--"):
        return f"unknown flag: {flag}{suggest_flag(flag, flags)}"
    return f"unknown shorthand flag: '{flag[1:2]}' in {flag}"


def describe_flag_without_value(flag: str) -> str:
    """A flag at the end of the line, in kubectl's words."""
    return f"flag needs an argument: {flag}"


def describe_missing_argument(name: str) -> str:
    """An argument that is required."""
    return f"{name} is required"


def describe_wrong_choice(flag: str, value: str, choices: Sequence[str]) -> str:
    """A value that is none of those that a flag has."""
    known = f": must be one of {', '.join(choices)}"
    return f'invalid value "{value}" for {flag}{suggest(value, choices) or known}'


def describe_wrong_value(flag: str, reason: str) -> str:
    """A value that a flag does not take."""
    return f"invalid value for {flag}: {reason}"


def point_to_help(command_path: str) -> str:
    """The last line of an error of the command line."""
    return f"See '{command_path} --help'"
