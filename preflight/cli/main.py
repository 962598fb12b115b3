"""The command `preflight`: its subcommands are imported when they are asked for, since a hook that starts slowly is switched off."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, NoReturn

import click

from preflight.cli.run import Run, add_color_option
from preflight.errors import PreflightError
from preflight.version import __version__

VERBS = {
    "taint": "what a taint costs: nodes lost now, later, again and again",
    "label": "what a node label that comes or goes costs",
    "cordon": "what a cordon means for DaemonSets",
    "uncordon": "what the end of a cordon means for DaemonSets",
    "drain": "what a drain, and the reboot or replacement after it, costs DaemonSets",
    "set": "what a new image sets off (set image ds/NAME c=IMAGE)",
    "rollout": "what a restart sets off (rollout restart ds/NAME)",
    "apply": "what an updated manifest costs (apply -f FILE)",
    "patch": "what a patched DaemonSet or node costs (patch ds/NAME -p PATCH)",
    "delete": "what a deleted node, DaemonSet, pod or namespace costs",
    "reboot": "what a reboot costs (--graceful: with graceful node shutdown)",
    "replace": "what a node that is replaced, and registers anew, costs",
}
COMMANDS = {
    "plan": "a sequence of changes: each step over what the one before leaves",
    "diff": "two folders, revisions or snapshots: what merging HEAD costs, what has drifted",
    "lint": "no change: hygiene of tolerations, and coverage if nodes are known",
    "fix": "the smallest exact toleration as an edit that keeps everything else, or as a patch",
    "snapshot": "save the cluster, without secrets, for --from and verify",
    "verify": "after a change: what really differs from the snapshot of before",
    "doctor": "what is broken today and why: nodes, DaemonSets, devices, pods that wait",
    "capacity": "how many of a pod fit now, where, and what has taken the room for more",
    "alerts": "Prometheus rules that do fire when a node loses a component or a resource",
    "components": "what each DaemonSet was recognised as, and by what evidence",
    "policy": "policy files: their schema, whether they are good, what holds in the end",
    "rbac": "the smallest ClusterRole that lets preflight ask a cluster",
    "explain": "why a rule matters and how to fix what it finds",
    "rules": "all rules",
    "completion": "the completion script of bash, zsh or fish",
}

_OPTIONS_WITH_VALUE = (
    *("--from", "-o", "--output", "--fail-on", "--feature-gates", "--why", "--color"),
    *("--policy", "--baseline", "--write-baseline", "--baseline-expires", "--today"),
    *("--context", "--kubeconfig", "--as", "--as-group", "--request-timeout"),
)
"""Our own options that take a value, for those who write them before the verb."""


class Commands(click.Group):
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

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their one line, without importing any."""
        del ctx
        with formatter.section("Before a change (kubectl's own words and flags)"):
            formatter.write_dl(list(VERBS.items()))
        with formatter.section("Otherwise"):
            formatter.write_dl(list(COMMANDS.items()))


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
    """Says what will silently stop working, before a change reaches a Kubernetes cluster.

    Type the kubectl command that you are about to run, with `preflight` in place of `kubectl`.
    """


add_color_option(cli)


def main(end_process: Callable[[int], NoReturn] | None = None) -> None:
    """The program: runs a command and ends with its exit code.

    `end_process` ends the process; the default does so at once, without taking apart what the run built (`Run.alive`).
    """
    gc.disable()  # what a run builds lives until its end: collecting on the way only costs time
    run = Run()
    code: object
    try:
        code = cli.main(prog_name=_find_program_name(), standalone_mode=False, obj=run)
        sys.stdout.flush()
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        code = 130
    except PreflightError as error:
        run.print_error(f"error: {error}")
        code = error.exit_code
    except BrokenPipeError:
        code = _discard_stdout()
    except Exception:
        import traceback

        click.echo(traceback.format_exc(), nl=False, err=True)
        from preflight.messages.cli import OWN_FAULT

        click.echo(OWN_FAULT, err=True)
        code = 4
    (end_process or _end_process)(code if isinstance(code, int) else 0)


def _find_program_name() -> str | None:
    """How people call the program where kubectl runs it as its plugin; None where click finds it."""
    return "kubectl change-preflight" if os.path.basename(sys.argv[0]) == "kubectl-change_preflight" else None  # noqa: PTH119


def _discard_stdout() -> int:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def _end_process(code: int) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
