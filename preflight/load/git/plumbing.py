"""git as a reader: plumbing alone, with everything switched off that could run a command, write, ask or fetch."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from preflight.messages.git import NO_GIT, describe_broken_git, describe_exit

GIT = (
    *("git", "--no-pager", "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs"),
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never"),
)
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # a partial clone would fetch what it lacks
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class RevisionError(Exception):
    """What was typed names no revision; the text says why."""


def build_environment() -> dict[str, str]:
    """The environment of the program, without what traces, and with what keeps git quiet and at home."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_TRACE")}
    return {**kept, **_ENVIRONMENT}


def run_git(*arguments: str, stdin_data: bytes = b"", folder: str | None = None) -> bytes:
    """What a command of git prints, run in a folder, None for the working directory.

    Errors: NoRevision, in git's words, where it fails.
    """
    command: Sequence[str | bytes] = [*GIT, *map(os.fsencode, arguments)]
    try:
        done = subprocess.run(command, input=stdin_data, capture_output=True, check=False, env=build_environment(), cwd=folder)
    except FileNotFoundError:
        raise RevisionError(NO_GIT) from None
    except (OSError, ValueError) as error:
        raise RevisionError(describe_broken_git(error)) from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise RevisionError(lines[0].removeprefix("fatal: ") if lines else describe_exit(done.returncode))
    return done.stdout
