"""`preflight completion SHELL`: the script that lets a shell complete command lines of preflight."""

from __future__ import annotations

from pathlib import Path

import click

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
def command(shell: str) -> int:
    """Print the shell completion code for bash, zsh or fish.

    The code completes commands, options, contexts, namespaces, nodes, DaemonSets, rules, policy packs, taint effects and formats.
    Names come from --from, or from the cluster of the context if it answers in time.

    \b
    Examples:
      # Load it into the current bash
      source <(preflight completion bash)
    \b
      # Load it into every new bash (bash 4.1 or later)
      echo 'source <(preflight completion bash)' >>~/.bashrc
    \b
      # Load it into every new zsh
      echo 'autoload -Uz compinit && compinit && source <(preflight completion zsh)' >>~/.zshrc
    \b
      # Load it into every new fish
      preflight completion fish >~/.config/fish/completions/preflight.fish

    `kubectl change-preflight` needs none of this: kubectl completes its plugins.
    """
    click.echo((Path(__file__).parent / "complete" / "scripts" / f"preflight.{shell}").read_text(encoding="utf-8"), nl=False)
    return 0
