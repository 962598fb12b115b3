"""`python -m tests.docs_update`: the output in the console blocks of the documentation, written anew from real runs.

A block of the language `console` shows commands after `$ `, each followed by what it prints. `preflight` runs in this process from the root
of the repository, `cat FILE` shows a file, and `echo $?` the exit code of the command before it. Any other command has no place in such a
block: a block of the language `sh` shows it without output.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.cli.program import program
from tests.paths import ROOT

_FENCED = re.compile(r"^(```+)([a-z]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """The pages of the documentation: in the root, in `docs` and beside the examples."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a language, without their fences."""
    return [found[3] for found in _FENCED.finditer(text) if found[2] == language]


def prose(text: str) -> str:
    """The text without its fenced blocks."""
    return _FENCED.sub("", text)


def commands(block: str) -> list[str]:
    """The commands of a console block, without their `$ `."""
    lines = block.splitlines()
    assert lines[0].startswith("$ "), f"the block starts with {lines[0]!r}, not with a command"
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def replayed(block: str) -> str:
    """A console block as it is when its commands are run now."""
    return "".join(_outputs(commands(block)))


def _outputs(lines: list[str]) -> Iterator[str]:
    code = 0
    for line in lines:
        yield f"$ {line}\n"
        match shlex.split(line):
            case ["preflight", *arguments]:
                result = program(*arguments)
                code = result.code
                yield result.out + result.err
            case ["cat", file]:
                yield Path(file).read_text(encoding="utf-8")
            case ["echo", "$?"]:
                yield f"{code}\n"
            case _:
                raise AssertionError(f"a console block runs preflight, cat and echo $?, not {line!r}")


def updated(text: str) -> str:
    """A page with its console blocks as they are now."""
    return _CONSOLE.sub(lambda found: replayed(found[0]), text)


def main() -> int:
    """Write every page whose blocks have changed, and name it."""
    os.environ["NO_COLOR"] = "1"
    with contextlib.chdir(ROOT):
        for page in pages():
            text = page.read_text(encoding="utf-8")
            after = updated(text)
            if after != text:
                page.write_text(after, encoding="utf-8")
                sys.stdout.write(f"{page.relative_to(ROOT)}: written anew\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
