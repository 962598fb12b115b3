"""What a container runs: the programs, words and flags of its command line or shell script, and the names of its image."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from preflight.components.catalog import load_script_words

FieldPath = tuple[str | int, ...]

_ARCHITECTURE = re.compile(r"[-_](amd64|x86_64|arm64|aarch64|arm|armv7|ppc64le|s390x)$")
_STATEMENT = re.compile(r"[;\n|&()`]+")
_SPACE = re.compile(r"[\s\"']+")
_FLAG = re.compile(r"--?([A-Za-z][\w.-]*)(?:[=:](.*))?$", re.DOTALL)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_PLACE_HOLDER = re.compile(r"[\s{}<>]")
_MOST_SCRIPT = 65536


class LocatedText(NamedTuple):
    """A text, and the path of the field that holds it."""

    text: str
    path: FieldPath


class CommandProgram(NamedTuple):
    """A program: the last part of its path in lower case, the words that follow it, flags left out, and where it stands."""

    name: str
    words: tuple[str, ...]
    path: FieldPath

    @property
    def candidate_names(self) -> Iterator[str]:
        """Its name with each of its words, then its name."""
        for word in self.words[:8]:
            yield f"{self.name} {word}"
        yield self.name


def is_trivial(programs: Sequence[CommandProgram]) -> bool:
    """Whether there are programs, and none of them tells what runs: `sleep`, `cp` and the like."""
    return bool(programs) and all(program.name in load_script_words().trivial for program in programs)


def split_image_name(image: str) -> tuple[str, ...]:
    """The last two parts of an image's path joined by `/`, then the last: () for a place-holder.

    A tag, a digest and an architecture at the end are left out, and the case does not count.
    """
    image = image.strip().lower()
    if not image or _PLACE_HOLDER.search(image):
        return ()
    parts = image.partition("@")[0].rstrip("/").split("/")
    last = _ARCHITECTURE.sub("", parts[-1].partition(":")[0])
    return (f"{parts[-2]}/{last}", last) if len(parts) > 1 else (last,)


def parse_programs(words: Sequence[LocatedText], *, has_command: bool) -> tuple[CommandProgram, ...]:
    """The programs that a command line names.

    1. A shell with a script names the first word of each statement of the script, after words like `exec` and `if`.
    2. Wrappers such as `tini`, `nsenter` and `chroot` are looked through.
    3. Without a command the first argument counts only where it is a path: the image's own program is run with the arguments.
    """
    if not words or (not has_command and not words[0].text.startswith("/")):
        return ()
    scripts = [word for word in words if _is_script(word)]
    found = list(_parse_statement([word.text for word in words if not _is_script(word)], words[0].path))
    if found and found[0].name in load_script_words().shells and found[0].words and not scripts:
        found = list(_parse_statement(list(found[0].words), words[-1].path))
    elif found and found[0].name in load_script_words().shells:
        found = []
    for script in scripts:
        if script is words[0] or not found:
            for statement in _STATEMENT.split(script.text[:_MOST_SCRIPT].replace("\\\n", " ")):
                found += _parse_statement([word for word in _SPACE.split(statement) if word], script.path)
    return tuple(found)


def _is_script(word: LocatedText) -> bool:
    return "\n" in word.text or " " in word.text.strip()


def _parse_statement(words: list[str], path: FieldPath) -> Iterator[CommandProgram]:
    """The program of one statement, none where it only sets variables."""
    position = 0
    known = load_script_words()
    while position < len(words):
        word = words[position]
        name = re.split(r"[\\/]", word)[-1].lower().removesuffix(".exe")
        if word.startswith("-") or word.isdigit() or _ASSIGNMENT.match(word) or name in known.wrappers or not name:
            position += 1
            continue
        if position and words[position - 1] in ("chroot", "timeout", "nice") and (word.startswith("/") or word[0].isdigit()):
            position += 1  # the argument of the wrapper
            continue
        rest = words[position + 1 :]
        yield CommandProgram(_ARCHITECTURE.sub("", name), tuple(word for word in rest if not word.startswith("-")), path)
        return


def parse_command_flags(words: Sequence[LocatedText]) -> Mapping[str, tuple[LocatedText, ...]]:
    """The values of each flag, in order: `--a=b`, `-a b`; a flag without a value is `true`. Scripts are read word by word."""
    found: dict[str, list[LocatedText]] = {}
    parts = [
        LocatedText(part, word.path)
        for word in words
        for part in (_SPACE.split(word.text[:_MOST_SCRIPT]) if re.search(r"\s--?\w", word.text) else [word.text])
    ]
    for index, part in enumerate(parts):
        match = _FLAG.match(part.text)
        if match is None:
            continue
        value = match[2]
        if value is None:
            after = parts[index + 1].text if index + 1 < len(parts) else "-"
            value = "true" if after.startswith("-") else after
        found.setdefault(match[1].lower(), []).append(LocatedText(value.strip("\"'"), part.path))
    return {name: tuple(values) for name, values in found.items()}
