"""Real shells, on a terminal of their own: a line with its Tab is typed, and what the program is started with is read."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import shlex
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.paths import ROOT

SHELLS = ("bash", "zsh", "fish")
_PROMPT, _START, _END = "ready>", "<<<", ">>>"
_PATIENCE = 120.0
_PROGRAM = f"""\
#!/bin/sh
case "$1" in
__complete*) exec {shlex.quote(sys.executable)} -c 'from preflight.cli.complete import answer; answer.LIMIT = 60.0
from preflight.cli.main import main; main()' "$@" ;;
esac
printf '\\n{_START}'
for word; do printf '[%s]' "$word"; done
printf '{_END}\\n'
"""
_BASH = """\
PS1='{prompt}'
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
bind 'set page-completions off'
source <({python} -m preflight completion bash)
"""
_ZSH = """\
autoload -Uz compinit && compinit -u -D
source <({python} -m preflight completion zsh)
unsetopt PROMPT_SP
PS1='{prompt}'
"""
_FISH = """\
function fish_prompt; echo -n '{prompt}'; end
function fish_greeting; end
{python} -m preflight completion fish | source
"""


def needs_shell(name: str) -> None:
    """Skip the test where a shell is not installed; where CI says that it must be, fail."""
    if shutil.which(name) is None:
        if os.environ.get("PREFLIGHT_NEEDS_SHELLS"):
            pytest.fail(f"no {name}, and PREFLIGHT_NEEDS_SHELLS is set")
        pytest.skip(f"no {name}: apt-get install {name}")


def make_home(folder: Path) -> dict[str, str]:
    """A home whose shells have the completion of a program `preflight` that shows its words; the environment to start them with."""
    program = folder / "bin" / "preflight"
    program.parent.mkdir(parents=True)
    program.write_text(_PROGRAM, encoding="utf-8")
    program.chmod(0o755)
    (folder / ".config" / "fish").mkdir(parents=True)
    for name, text in {".bashrc": _BASH, ".zshrc": _ZSH, ".config/fish/config.fish": _FISH}.items():
        (folder / name).write_text(text.format(prompt=_PROMPT, python=shlex.quote(sys.executable)), encoding="utf-8")
    return {
        "HOME": str(folder),
        "ZDOTDIR": str(folder),
        "XDG_CONFIG_HOME": str(folder / ".config"),
        "XDG_DATA_HOME": str(folder / ".data"),
        "XDG_CACHE_HOME": str(folder / ".cache"),
        "KUBECONFIG": str(folder / "no-kubeconfig"),
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "TERM": "dumb",
        "LANG": "C.UTF-8",
        "INPUTRC": os.devnull,
    }


class Shell:
    """A shell on a terminal."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._said = ""
        self._read_until(_PROMPT)

    def complete(self, line: str) -> list[str]:
        """The words that the program gets when this is typed, its Tabs included, and then Return."""
        os.write(self._descriptor, f"{line}\r".encode())
        said = self._read_until(_END)
        self._read_until(_PROMPT)
        return re.findall(r"\[(.*?)\]", said.rpartition(_START)[2])

    def list_candidates(self, line: str) -> str:
        """What the terminal shows when this is typed, up to the next prompt; the line is given up."""
        os.write(self._descriptor, line.encode())
        time.sleep(0.5)
        os.write(self._descriptor, b"\x15preflight\r")
        said = self._read_until(_END)
        self._read_until(_PROMPT)
        return said

    def _read_until(self, text: str) -> str:
        """What the terminal shows up to a text; the rest is kept for the next time."""
        end = time.monotonic() + _PATIENCE
        while text not in self._said:
            assert time.monotonic() < end, self._said
            if select.select([self._descriptor], [], [], 1)[0]:
                self._said += os.read(self._descriptor, 1 << 16).decode(errors="replace")
        said, _, self._said = self._said.partition(text)
        return said


@contextlib.contextmanager
def open_shell(name: str, folder: Path, home: dict[str, str]) -> Iterator[Shell]:
    """A shell in a folder; it is ended with the block."""
    arguments: Sequence[str] = {
        "bash": ["bash", "--noprofile", "--rcfile", f"{home['HOME']}/.bashrc", "-i"],
        "zsh": ["zsh", "-o", "NO_GLOBAL_RCS", "-i"],
        "fish": ["fish", "-i"],
    }[name]
    process, descriptor = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(arguments[0], list(arguments), home)
    try:
        yield Shell(descriptor)
    finally:
        os.close(descriptor)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
