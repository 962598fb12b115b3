"""What must be true of the answers to a case; each law is a function that raises BrokenLawError."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from xml.etree import ElementTree

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

import preflight.report
from tests.cli.program import Result
from tests.fuzz.cases import KUBECONFIG, Case, Fault, Line
from tests.fuzz.damage import FORMATS, dump, parse
from tests.fuzz.perform import BrokenLawError, laid_out, run, write
from tests.report import readers
from tests.safety.answers import reduce_result

REPORTING = ("-o", "--output")


def find_fault(case: Case) -> Fault | None:
    """The law that the case breaks; None if it breaks none."""
    try:
        with laid_out(case):
            LAWS[case.law](case)
    except BrokenLawError as error:
        return error.fault
    return None


def check_runs(case: Case) -> list[Result]:
    """Each line ends in time, in little memory and with an exit code of the interface, and each output is sound."""
    results = []
    for line in case.lines:
        result = run(line, case.size)
        for stream in (result.out, result.err):
            check_characters(stream, line)
        check_format(line, result)
        results.append(result)
    return results


def check_characters(text: str, line: Line) -> None:
    """No character of a file reaches a terminal as a command."""
    for character in sorted(set(text) - {"\n", "\t"}):
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp"):
            around = text.index(character)
            raise BrokenLawError("characters", f"{line[0]} {character!r}", repr(text[max(around - 200, 0) : around + 50]))


def check_format(line: Line, result: Result) -> None:
    """An output for programs is one that they can read."""
    name = _find_format(line)
    try:
        match name:
            case "json" if result.out:
                document = json.loads(result.out, parse_constant=_refuse_constant)
                if "findings" in document:
                    _schema().validate(document)
                    _require(document["exit"] == result.code or "--exit-zero" in line, "exit code in the report")
            case "sarif" if result.out:
                readers.sarif(result.out)
            case "junit" if result.out:
                readers.junit(result.out)
            case "gitlab" if result.out:
                readers.gitlab(result.out)
            case "github":
                readers.github(result.out)
    except (ValueError, AssertionError, ElementTree.ParseError, ValidationError) as error:
        raise BrokenLawError("format", f"{name} {type(error).__name__}", f"{str(error)[:1000]}\n{result.out[:1000]}") from error


def _require(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(what)


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON")


@cache
def _schema() -> Draft202012Validator:
    return Draft202012Validator(json.loads((Path(preflight.report.__file__).parent / "schema.v1.json").read_text()))


def _find_format(line: Line) -> str:
    """The one format of a line that reports to standard output; "" for others."""
    formats = [line[place + 1] for place, word in enumerate(line[:-1]) if word in REPORTING]
    return formats[0] if len(formats) == 1 and formats[0] in FORMATS else ""


def check_formats(case: Case) -> None:
    """The exit code does not depend on the format."""
    line = case.lines[-1]
    if not _find_format(line):
        return
    place = next(place for place, word in enumerate(line) if word in REPORTING)
    codes = {}
    for name in ("json", *Random(case.seed).sample(FORMATS, 3)):
        *_, result = check_runs(case._replace(lines=[*case.lines[:-1], (*line[: place + 1], name, *line[place + 2 :])]))
        codes[name] = result.code
    if len(set(codes.values()) - {2}) > 1:
        raise BrokenLawError("one exit code", line[0], str(codes))


def check_repetition(case: Case) -> None:
    """The same input gives the same bytes."""
    first = check_runs(case)
    write(case)
    if check_runs(case) != first:
        raise BrokenLawError("same bytes", case.lines[0][0], str(case.lines))


def check_fix(case: Case) -> None:
    """What `fix --write` has written, it leaves as it is."""
    for line in case.lines:
        if line[0] == "fix" and "--write" in line:
            run(line, case.size)
            before = _read_files()
            run(line, case.size)
            if _read_files() != before:
                raise BrokenLawError("fix twice", "fix", str(line))
        else:
            run(line, case.size)


def _read_files() -> dict[str, bytes]:
    return {path.as_posix(): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


def check_order(case: Case) -> None:
    """The order of the documents of a file, and of the items of a list, is no fact."""
    if case.lines[0][0] == "plan" or any(_find_format(line) not in ("json", "") for line in case.lines):
        return
    random, plain, shuffled = Random(case.seed), dict(case.files), dict(case.files)
    for name, data in case.files.items():
        documents = parse(data)
        if documents is None or not _are_distinct(documents):
            return
        is_json = data.lstrip()[:1] in (b"{", b"[")
        plain[name] = dump(documents, is_json=is_json)
        random.shuffle(documents)
        for document in documents:
            if isinstance(document, dict) and isinstance(document.get("items"), list):
                random.shuffle(document["items"])
        shuffled[name] = dump(documents, is_json=is_json)
    first = _reduce(case._replace(files=plain))
    second = _reduce(case._replace(files=shuffled))
    if first != second:
        raise BrokenLawError("order", case.lines[-1][0], f"{json.dumps(first)[:1500]}\n{json.dumps(second)[:1500]}")


def _are_distinct(documents: list[Any]) -> bool:
    """Whether all are objects with names, and no two of one kind have the same name: the first of such two is the one that counts."""
    keys = []
    for item in _list_objects(documents):
        metadata = item.get("metadata") if isinstance(item, dict) else None
        if not isinstance(metadata, dict) or not metadata.get("name"):
            return False
        keys.append((str(item.get("kind")), str(metadata.get("namespace", "default")), str(metadata["name"])))
    return len(keys) == len(set(keys))


def _list_objects(documents: list[Any]) -> Iterator[Any]:
    for document in documents:
        items = document.get("items") if isinstance(document, dict) else None
        yield from items if isinstance(items, list) else [document]


def _reduce(case: Case) -> list[Any]:
    write(case)
    return [_without_places(reduce_result(line, run(line, case.size))) for line in case.lines if line[0] not in ("fix", KUBECONFIG)]


def _without_places(value: Any) -> Any:
    """An answer without what follows from the lines of files, in an order of its own."""
    if isinstance(value, dict):
        return {key: _without_places(item) for key, item in value.items() if key not in ("place", "problems", "suggestion", "patches")}
    if isinstance(value, list):
        return sorted((_without_places(item) for item in value), key=lambda item: json.dumps(item, sort_keys=True, default=str))
    return value


def check_no_change(case: Case) -> None:
    """A label that a node has already is no change, and loses nothing."""
    sources = sorted({line[place + 1] for line in case.lines for place, word in enumerate(line[:-1]) if word == "--from"})
    for data in case.files.values():
        for node in _list_objects(parse(data) or []):
            labels = node.get("metadata", {}).get("labels") if isinstance(node, dict) and isinstance(node.get("metadata"), dict) else None
            if node.get("kind") == "Node" and labels if isinstance(node, dict) else False:
                _check_same_label(case, node["metadata"].get("name"), labels, sources)
                return


def _check_same_label(case: Case, name: Any, labels: Any, sources: list[str]) -> None:
    pairs = (
        sorted((key, value) for key, value in labels.items() if isinstance(key, str) and isinstance(value, str))
        if isinstance(labels, dict)
        else []
    )
    if not pairs or not isinstance(name, str) or "\x00" in name + "".join(map("".join, pairs)):
        return
    key, value = Random(case.seed).choice(pairs)
    line = (
        "label",
        "nodes",
        f"{key}={value}",
        "--overwrite",
        "-o",
        "json",
        "--no-policy",
        *(word for path in sources for word in ("--from", path)),
        "--",
        name,
    )
    result = run(line, case.size)
    if not sources or result.code not in (0, 1, 3) or not result.out:
        return
    found = [finding["rule"] for finding in json.loads(result.out)["findings"] if finding["rule"].startswith("PF1") and finding["step"]]
    if found:
        raise BrokenLawError("no change", str(found[0]), str(line))


Law = Callable[[Case], object]
LAWS: dict[str, Law] = {
    "": check_runs,
    "formats": check_formats,
    "repetition": check_repetition,
    "fix": check_fix,
    "order": check_order,
    "no change": check_no_change,
}
"""The laws by the name that a case has; every law includes that nothing crashes or hangs."""


def choose_law(case: Case, random: Random) -> str:
    """A law that says something of the case."""
    if any(line[0] == "fix" for line in case.lines) and random.random() < 0.6:
        return "fix"
    return random.choice(("", "", "formats", "formats", "repetition", "order", "no change"))
