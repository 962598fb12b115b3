"""kubectl's verbs: `preflight taint nodes gpu-1 dedicated=rdma:NoSchedule --from manifests/`."""

from __future__ import annotations

from typing import Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_shared_options, add_world_options, make_input, make_session
from preflight.cli.output import finish_run, parse_formats
from preflight.engine.analyze import analyze
from preflight.errors import UsageError
from preflight.kubectl.flags import flag_takes_value
from preflight.kubectl.parser import collect_flags, parse_command
from preflight.kubectl.unknown_flags import UnknownFlagError
from preflight.load.inputs import Live
from preflight.messages import cli as messages

_CONNECTION_FLAGS = (
    *("as-uid", "as-user-extra", "certificate-authority", "client-certificate", "client-key", "cluster", "insecure-skip-tls-verify"),
    *("password", "proxy-url", "server", "tls-server-name", "token", "user", "username"),
)
"""kubectl's flags that say where a cluster is or who asks, and that preflight does not take."""

_CONNECTION_OPTIONS_TEXT = "--context, --kubeconfig, --as and --as-group"


class KubectlCommand(DocumentedCommand):
    """A command that takes its own options out of the arguments; the rest goes to the one grammar of kubectl's verbs."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Our options as click parses them; everything else, in order, as `argv`."""
        own, rest = self._split_arguments(args)
        left = super().parse_args(ctx, own)
        ctx.params["argv"] = rest
        return left

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; where a flag is unknown, one of our own may be meant."""
        try:
            return super().invoke(ctx)
        except UnknownFlagError as error:
            own = [name for param in self.params if isinstance(param, click.Option) for name in param.opts if name.startswith("--")]
            meant = error.with_flags(own)
            meant.command_path = error.command_path
            raise meant from None

    def _split_arguments(self, args: list[str]) -> tuple[list[str], list[str]]:
        flags = {name: option.is_flag for option in self.params if isinstance(option, click.Option) for name in option.opts}
        flags |= {"--help": True, "-h": True}
        own: list[str] = []
        rest: list[str] = []
        position = 0
        while position < len(args):
            arg = args[position]
            if arg == "--":
                rest += args[position:]
                break
            name = arg.partition("=")[0]
            if not arg.startswith("--") and len(arg) > 2 and arg[:2] == "-o":
                name = "-o"
            into = own if name in flags and not arg.startswith("-v=") else rest  # -v=6 is kubectl's, which changes nothing here
            into.append("-o" + arg[2:].removeprefix("=") if into is own and name == "-o" and arg != "-o" else arg)
            wants = not flags[name] and arg == name if into is own else arg[:1] == "-" and "=" not in arg and bool(flag_takes_value(arg))
            if wants and position + 1 < len(args):
                position += 1
                into.append(args[position])
            position += 1
        return own, rest


def command(verb: str) -> click.Command:
    """The click command of a verb."""

    @add_shared_options
    @add_world_options
    def run(argv: list[str], sources: tuple[str, ...], **given: Any) -> int:
        """Check one change."""
        parse_formats(given["outputs"])
        read, source = parse_command([verb, *argv]), make_input(given, sources, live=True)
        for flag in collect_flags(read) if isinstance(source, Live) else ():
            if flag in _CONNECTION_FLAGS:
                raise UsageError(messages.describe_unjudged_flag(flag, _CONNECTION_OPTIONS_TEXT))
        return finish_run(analyze(make_session(given, source), [read]), given)

    return click.command(verb, cls=KubectlCommand)(run)
