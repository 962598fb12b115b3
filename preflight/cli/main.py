"""The command `preflight`: its subcommands are imported when they are asked for, since a hook that starts slowly is switched off."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any, NoReturn

import click

from preflight.cli.documented_command import DocumentedGroup
from preflight.cli.run import Run, add_color_option
from preflight.cli.streams import prepare_streams, print_line, print_text
from preflight.errors import InputError, PreflightError
from preflight.version import __version__

VERBS = {
    "taint": "Show which DaemonSets lose coverage when nodes are tainted",
    "label": "Show which DaemonSets lose or gain coverage when labels change",
    "cordon": "Show what changes for DaemonSets when nodes are cordoned",
    "uncordon": "Show what changes for DaemonSets when nodes are uncordoned",
    "drain": "Show which pods a drain evicts, and what blocks it",
    "set": "Show what a new image restarts (set image ds/NAME CONTAINER=IMAGE)",
    "rollout": "Show what a restart of DaemonSets loses (rollout restart ds/NAME)",
    "apply": "Show what changed manifests cost (apply -f FILE)",
    "patch": "Show what a patch of a DaemonSet or a node costs",
    "delete": "Show what is lost with a deleted node, DaemonSet, pod or namespace",
    "reboot": "Show which DaemonSet pods do not come back when nodes reboot",
    "replace": "Show what is lost when nodes are replaced and register again",
}
COMMANDS = {
    "plan": "Show what a sequence of changes costs, step by step",
    "diff": "Show what merging HEAD costs, or what has drifted from BASE",
    "lint": "Check tolerations in manifests, and coverage where nodes are known",
    "fix": "Add the smallest exact toleration, as an edit or as a patch",
    "upgrade": "Show what an upgrade of Kubernetes changes, and its order",
    "snapshot": "Save the cluster state, without secrets, for --from and verify",
    "verify": "Compare a cluster with the snapshot taken before a change",
    "doctor": "Diagnose what is broken in a cluster, why, and how to check it",
    "capacity": "Count how many copies of a pod fit, and what uses the capacity",
    "alerts": "Generate Prometheus rules that fire when a node loses a component",
    "components": "List what each DaemonSet provides, and the evidence",
    "policy": "Check and print policy files",
    "rbac": "Print the smallest ClusterRole that preflight needs",
    "explain": "Explain why a rule matters and how to fix its findings",
    "rules": "List all rules, with their severity and what they find",
    "completion": "Print the completion script of bash, zsh or fish",
}
_SECTIONS = (
    ("plan", "diff", "lint", "fix", "upgrade"),
    ("doctor", "capacity", "components", "alerts", "snapshot", "verify"),
)
"""The commands for manifests and for clusters; all others explain the program."""

_OPTIONS_WITH_VALUE = (
    *(
        "--from",
        "-o",
        "--output",
        "--fail-on",
        "--feature-gates",
        "--kubernetes-version",
        "--kubectl-version",
        "--why",
        "--color",
        "--exclude",
    ),
    *("--policy", "--baseline", "--write-baseline", "--baseline-expires", "--today"),
    *("--context", "--kubeconfig", "--as", "--as-group", "--request-timeout"),
)
"""Our own options that take a value, for those who write them before the verb."""


class Commands(DocumentedGroup):
    """A group whose commands are modules of this package, imported one by one."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; `| head` has enough before we are through, and click would end with 1, which means findings."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return _discard_stdout()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Flags may stand before the verb, as in `kubectl -n storage set image ...`."""
        return super().parse_args(ctx, move_verb_first(args))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The verbs of kubectl first, then our own commands."""
        del ctx
        return [*VERBS, *COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, None for any other."""
        del ctx
        if cmd_name in VERBS:
            command: click.Command = import_module("preflight.cli.kubectl_command").command(cmd_name)
            return add_color_option(command)
        if cmd_name in COMMANDS:
            own: click.Command = import_module(f"preflight.cli.{cmd_name}").command
            return add_color_option(own)
        if cmd_name.startswith("__complete"):
            hidden: click.Command = import_module("preflight.cli.complete.hidden_commands").get_hidden_command(cmd_name)
            return hidden
        return None

    def explain_unknown_command(self, ctx: click.Context, name: str) -> str:
        """What preflight does in place of another command of kubectl, or which command is meant."""
        from preflight.kubectl.parser import VERBS as JUDGED_VERBS
        from preflight.messages.kubectl_verbs import KUBECTL_COMMANDS, describe_other_command

        if name in KUBECTL_COMMANDS:
            return describe_other_command(name, JUDGED_VERBS)
        return super().explain_unknown_command(ctx, name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their one line, without importing any."""
        del ctx
        from preflight.cli.help_page import write_section
        from preflight.messages import command_line as messages

        manifests, clusters = _SECTIONS
        rest = [name for name in COMMANDS if name not in (*manifests, *clusters)]
        for heading, names in (
            (messages.BEFORE_A_CHANGE, VERBS),
            (messages.REVIEWS, manifests),
            (messages.CLUSTERS, clusters),
            (messages.REFERENCE, rest),
        ):
            write_section(formatter, heading, [(name, VERBS.get(name) or COMMANDS[name]) for name in names])


def move_verb_first(args: list[str]) -> list[str]:
    """The arguments with the flags before the verb moved behind it."""
    if not args or not args[0].startswith("-") or args[0] in ("-h", "--help", "--version", "--"):
        return args
    from preflight.kubectl.flags import flag_takes_value

    position = 0
    while position < len(args) and args[position].startswith("-"):
        flag = args[position]
        wants = flag in _OPTIONS_WITH_VALUE or ("=" not in flag and bool(flag_takes_value(flag)))
        position += 2 if wants else 1
    return [*args[position : position + 1], *args[:position], *args[position + 1 :]]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="preflight")
def cli() -> None:
    """Show what will silently stop working before a change reaches a Kubernetes cluster."""


add_color_option(cli)


def main(end_process: Callable[[int], NoReturn] | None = None) -> None:
    """The program: runs a command and ends with its exit code.

    `end_process` ends the process; the default does so at once, without taking apart what the run built (`Run.alive`).
    """
    gc.disable()  # what a run builds lives until its end: collecting on the way only costs time
    run = Run()
    code: object
    try:
        prepare_streams()
        code = cli.main(prog_name=_find_program_name(), standalone_mode=False, obj=run)
        sys.stdout.flush()
    except click.UsageError as error:
        code = _show_error(error, run)
    except click.ClickException as error:
        code = _show_error(InputError(error.format_message()), run)
    except (click.Abort, KeyboardInterrupt):
        code = _show_interruption()
    except PreflightError as error:
        code = _show_error(error, run)
    except BrokenPipeError:
        code = _discard_stdout()
    except OSError as error:
        code = _show_error(InputError(_explain_os_error(error)), run)
    except Exception:
        code = _show_own_fault()
    (end_process or _end_process)(code if isinstance(code, int) else 0)


def _find_program_name() -> str | None:
    """How people call the program where kubectl runs it as its plugin; None where click finds it."""
    return "kubectl change-preflight" if os.path.basename(sys.argv[0]) == "kubectl-change_preflight" else None  # noqa: PTH119


def _show_error(error: PreflightError | click.UsageError, run: Run) -> int:
    with suppress(PreflightError, OSError):  # where standard error cannot be written either, the exit code says that something is wrong
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            print_text(error.format_message(), err=True)
        else:
            from preflight.cli.usage_errors import iter_error_lines

            for line in iter_error_lines(error):
                run.print_error(line)
    return error.exit_code


def _explain_os_error(error: OSError) -> str:
    """What the system refused, in one line; a working folder that was deleted has no name that it could give."""
    from preflight.messages.cli import NO_WORKING_FOLDER, describe_os_error

    try:
        os.getcwd()  # noqa: PTH109 (pathlib costs 10 ms)
    except OSError:
        return NO_WORKING_FOLDER
    return describe_os_error(error.strerror or str(error), error.filename)


def _show_interruption() -> int:
    with suppress(PreflightError, OSError):
        print_line("interrupted", err=True)
    return 130


def _show_own_fault() -> int:
    import traceback

    from preflight.messages.cli import OWN_FAULT

    with suppress(PreflightError, OSError):
        print_text(f"{traceback.format_exc()}{OWN_FAULT}", err=True)
    return 4


def _discard_stdout() -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def _end_process(code: int) -> NoReturn:
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError):  # said already
            stream.flush()
    os._exit(code)
