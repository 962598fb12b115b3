"""Whatever a name holds, it comes out harmless in every format; and every format can be asked for at once."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.model.report import Location, Outcome, Problem, RuleInfo, Severity, SkippedCheck, Subject, TolerationSuggestion
from preflight.report import FORMATS
from tests.builders import write_daemonset
from tests.cli.program import program
from tests.report import readers
from tests.report.reports import ALL, LINT, PLAN, RDMA, covered, finding, report, step
from tests.report.test_hostile import _harmless, _spoil

RULES = (RuleInfo("PF102", "lost-on-recreation", Severity.ERROR, "A pod is lost", "A pod is lost.\n\nWhy it matters\n    It is gone."),)
REPORTS = {"nothing": ALL["nothing"], "a taint": replace(RDMA, rules=RULES), "a plan": replace(PLAN, rules=RULES), "lint": LINT}

NASTY = {
    "a colour": "\x1b[31m",
    "control characters": "\0\x07\x08\x7f\x9b2J",
    "a line break": "\r\nerror[PF102]: forged\n",
    "a blank line": "\n\n# forged\n\n",
    "a line separator": "\u2028\x85\u2029",
    "bidi": "\u202e\u2066\u200f",
    "no width": "\u200b\ufeff\U000e0041",
    "no character": "\ufffe\uffff",
    "no UTF-8": "\udc80\ud800",
    "a workflow command": "::error::",
    "a workflow command on its line": "\n::error file=x::forged\n::stop-commands::x\n",
    "an old workflow command": "##[error]",
    "a command of Azure": "##vso[a]",
    "properties": ",line=7,title=forged::x",
    "escapes": "%0A%0D%25%3A%2C::",
    "pipes": "| a || b |",
    "HTML": "<script>alert(1)</script><img src=x onerror=y>",
    "an end of HTML": "</code></summary></details><h1>forged",
    "entities": "&lt;b&gt;&#64;team&amp;",
    "a comment": "<!-- forged --><!--",
    "an end of CDATA": "]]><forged/><![CDATA[",
    "an entity of XML": '<!DOCTYPE a [<!ENTITY x "y">]>&x;',
    "quotes": "\"'",
    "a mention": "@forged/team @forged",
    "references": "#1 !1 ~forged %1 &1 $1 forged/x#1 :smile:",
    "a link": "[forged](javascript:alert(1)) ![forged](x) <forged:x>",
    "hosts": "www.forged.example ftp://forged.example a@forged.example",
    "backticks": "` `` ``` ~~~",
    "a fence on its line": "\n```\n# forged\n~~~~\n`````\n",
    "emphasis": "**forged** _a_ ~~b~~ \\",
    "a quick action": "/close ",
    "a fence": "```",
    "a quick action on its line": "\n/close\n/forged\n",
    "placeholders": "{0} {1}}} {{2}",
    "mathematics": "$`forged`$ $$a$$",
    "a path upward": "../../",
    "a name of two characters in UTF-16": "\U0001f600" * 3,
    "a very long name": "forged" * 20_000,
    "a very long name of odd characters": "\x1b`<|" * 1_000,
}


def _lines(text: str) -> None:
    assert _harmless(text)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, str):
        yield value


def _ascii(text: str) -> None:
    assert re.fullmatch(r"[\n -~]*", text)


def _printing(text: str) -> None:
    """Text whose line breaks are ours."""
    assert all(line.isprintable() for line in text.split("\n"))


def _json(text: str) -> int:
    _ascii(text)
    return len(json.loads(text)["findings"])


def _sarif(text: str) -> tuple[int, ...]:
    _ascii(text)
    run = readers.sarif(text)
    for string in _strings(run):
        _printing(string)
    for result in run["results"]:
        for each in (result["message"], *(related["message"] for related in result.get("relatedLocations", ()))):
            assert not re.search(r"(?<!\\)\](?=\()", each["text"])
            assert not re.search(r"(?<!\{)\{\d+\}", each["text"])
    return (len(run["results"]), len(run["tool"]["driver"]["rules"]), len(run["invocations"][0]["toolExecutionNotifications"]))


def _gitlab(text: str) -> int:
    _ascii(text)
    issues = readers.gitlab(text)
    for string in _strings(issues):
        assert string.isprintable()
        assert len(string) < 2000
    return len(issues)


def _junit(text: str) -> list[tuple[str, int]]:
    _printing(text)
    root = readers.junit(text)
    for element in root.iter():
        assert all(value.isprintable() for value in element.attrib.values())
        assert _harmless(element.text or "")
    return [(case.tag, len(case)) for case in root.iter("testcase") if "coverage" not in case.attrib["name"]]


def _github(text: str) -> list[tuple[str, tuple[str, ...]]]:
    found = []
    for each in readers.github(text):
        assert isinstance(each, readers.Command)
        _printing(each.data)
        assert all(value.isprintable() for value in each.properties.values())
        assert len(each.data) < 60_000
        found.append((each.name, tuple(each.properties)))
    return found


def _markdown(text: str) -> list[str]:
    _printing(text)
    assert _harmless(text)
    assert len(text) <= 60_000
    assert not re.search(r"^ {0,3}/", text, re.MULTILINE)
    page = readers.Page(text)
    assert "forged" not in page.prose
    assert "`" not in page.prose
    return [tag for tag in page.tags if tag != "code"]


def _html(text: str) -> list[str]:
    """All elements but those that a text is set in: what is between backticks, and the headings and paragraphs of an explanation."""
    assert _harmless(text)
    return [element.tag for element in readers.Document(text).elements if element.tag not in ("span", "b", "code", "h5", "p")]


READ: dict[str, Callable[[str], Any]] = {
    "text": _lines,
    "concise": _lines,
    "json": _json,
    "sarif": _sarif,
    "junit": _junit,
    "github": _github,
    "gitlab": _gitlab,
    "markdown": _markdown,
    "html": _html,
}
"""What each format is read by: it fails on what does harm, and answers the shape of what it read, which no name may change."""


def test_every_format_is_read() -> None:
    assert list(READ) == list(FORMATS)


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
@pytest.mark.parametrize("form", FORMATS)
def test_a_hostile_name_is_harmless_wherever_it_stands(form: str, nasty: str) -> None:
    for clean in REPORTS.values():
        assert READ[form](FORMATS[form](_spoil(clean, nasty))) == READ[form](FORMATS[form](clean))


@pytest.mark.parametrize("form", FORMATS)
@given(name=st.text(st.characters(exclude_categories=())))
def test_a_random_name_is_harmless(form: str, name: str) -> None:
    place = Location(name, 1, 3, name, name)
    fix = TolerationSuggestion(({},), (name, name))
    given_ = report(
        step(covered(name, Outcome.LOST_NOW, name, nodes=(name,)), headline=name, notes=(name,)),
        findings=(
            finding(name, subject=Subject("DaemonSet", name, name), location=place, label=name, notes=((name, name),), suggestion=fix),
            finding(name, rule="PF101", location=place, exempted=name),
        ),
        problems=(Problem(name, place),),
        skipped=(SkippedCheck(name, name),),
    )
    READ[form](FORMATS[form](given_))


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_report_gives_the_same_bytes(form: str) -> None:
    for one in REPORTS.values():
        assert FORMATS[form](one) == FORMATS[form](one)


CSI = f"""\
{write_daemonset("agent", "storage", "c:1", "tolerations: [{operator: Exists, effect: NoExecute}]")}\
---
{{apiVersion: v1, kind: Node, metadata: {{name: n1}}}}
"""


def test_all_formats_at_once_each_to_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agent.yaml").write_text(CSI, encoding="utf-8")
    taint = ("taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--from", "agent.yaml")
    outputs = [word for form in FORMATS for word in ("-o", f"{form}=report.{form}")]
    assert program(*taint, *outputs) == (1, "", "")
    for form in FORMATS:
        alone = program(*taint, "-o", form)
        assert (alone.code, alone.err) == (1, "")
        assert Path(f"report.{form}").read_bytes() == alone.out.encode()
        READ[form](alone.out)
    (result,) = readers.sarif(Path("report.sarif").read_text(encoding="utf-8"))["results"]
    assert result["ruleId"] == "PF102"
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "agent.yaml"


def test_the_rules_that_have_findings_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("agent.yaml").write_text(CSI, encoding="utf-8")
    taint = ("taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--from", "agent.yaml")
    (rule,) = readers.sarif(program(*taint, "-o", "sarif").out)["tool"]["driver"]["rules"]
    assert (rule["id"], rule["name"], rule["defaultConfiguration"]) == ("PF102", "lost-on-recreation", {"level": "error"})
    explained = program("explain", "PF102").out
    assert explained.endswith(f"\n\n{rule['help']['text']}\n")
