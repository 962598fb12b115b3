"""`python -m tests.docs_update`: write the output in the console blocks of the documentation from real runs.

A block of the language `console` shows commands after `$ `, each followed by its output. `preflight` runs in this process from the root
of the repository, `| head -N` behind it keeps the first N lines, `cat FILE` shows a file, and `echo $?` shows the exit code of the command
before it. A console block cannot run any other command: a block of the language `sh` shows it without output.

A block of the language `text` right after a `python` block and the word "prints" is what that code prints; the code blocks of a page share
their names.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.cli.program import program
from tests.paths import ROOT

_FENCED = re.compile(r"^(```+)([a-z]*)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_PYTHON = re.compile(r"(^```python\n)((?:(?!```).*\n)*)(```\n\nprints\n\n```text\n)(?:(?!```).*\n)*", re.MULTILINE)
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
    """A console block with the output that its commands print now."""
    return "".join(_outputs(commands(block)))


def _outputs(lines: list[str]) -> Iterator[str]:
    code = 0
    for line in lines:
        yield f"$ {line}\n"
        match shlex.split(line):
            case ["preflight", *arguments, "|", "head", count]:
                result = program(*arguments)
                code = 0
                yield "".join(result.out.splitlines(keepends=True)[: int(count.removeprefix("-"))]) + result.err
            case ["preflight", *arguments]:
                result = program(*arguments)
                code = result.code
                yield result.out + result.err
            case ["cat", file]:
                yield Path(file).read_text(encoding="utf-8")
            case ["echo", "$?"]:
                yield f"{code}\n"
            case _:
                raise AssertionError(f"a console block runs preflight (and head), cat and echo $?, not {line!r}")


def printed(block: str, names: dict[str, object]) -> str:
    """What a block of Python prints; `names` are those of the blocks before it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(block, "docs", "exec"), names)
    return out.getvalue()


def updated(text: str) -> str:
    """A page with the output of its console blocks and of its Python rewritten."""
    names: dict[str, object] = {}
    shown = _CONSOLE.sub(lambda found: replayed(found[0]), text)
    return _PYTHON.sub(lambda found: f"{found[1]}{found[2]}{found[3]}{printed(found[2], names)}", shown)


def main() -> int:
    """Rewrite every page whose blocks have changed, and print its name."""
    os.environ["NO_COLOR"] = "1"
    with contextlib.chdir(ROOT):
        for page in pages():
            text = page.read_text(encoding="utf-8")
            after = updated(text)
            if after != text:
                page.write_text(after, encoding="utf-8")
                sys.stdout.write(f"{page.relative_to(ROOT)}: rewritten\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
