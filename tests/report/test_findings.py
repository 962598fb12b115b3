"""The shape of one finding: place, source line, caret, notes, fix."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.report import Location, RelatedLocation, Severity, Subject, TolerationSuggestion
from preflight.report.findings import draw_finding
from preflight.report.terminal import Ink, count_columns
from tests.report.reports import finding

HEAD = "error[PF102] lost-on-recreation: storage/csi-rdma-node loses rdma-1, rdma-2"

CASES: dict[str, tuple[dict[str, Any], list[str]]] = {
    "nothing but a message": ({}, [HEAD]),
    "a note about a node": (
        {"severity": Severity.NOTE, "subject": Subject("Node", "", "n-1"), "rule": "PF206", "name": "invalid-taint", "message": "is odd"},
        ["note[PF206] invalid-taint: n-1 is odd"],
    ),
    "a file alone": ({"location": Location("a.yaml")}, [HEAD, " --> a.yaml"]),
    "a line whose text is not known keeps its label as a note": (
        {"location": Location("a.yaml", 12, 3), "label": "here"},
        [HEAD, "  --> a.yaml:12:3", "   = note: here"],
    ),
    "a line without a column has no caret": (
        {"location": Location("a.yaml", 12, 0, "spec", "spec:"), "label": "here"},
        [HEAD, "  --> a.yaml:12", "   |", "12 | spec:", "   = note: here"],
    ),
    "a caret without a label": (
        {"location": Location("a.yaml", 123, 3, "spec", "  spec:")},
        [HEAD, "   --> a.yaml:123:3", "    |", "123 |   spec:", "    |   ^^^^"],
    ),
    "the gutter is as wide as the number of the line": (
        {"location": Location("a.yaml", 7, 1, "kind", "kind: DaemonSet"), "label": "here", "notes": (("then", "it hangs"),)},
        [HEAD, " --> a.yaml:7:1", "  |", "7 | kind: DaemonSet", "  | ^^^^ here", "  = impact: it hangs"],
    ),
    "a column behind the end of the line": (
        {"location": Location("a.yaml", 7, 99, "kind", "kind:"), "label": "here"},
        [HEAD, " --> a.yaml:7:99", "  |", "7 | kind:", "  |      ^ here"],
    ),
    "tabs and wide characters before the caret": (
        {"location": Location("a.json", 7, 7, "", '\t"ノー": "x"'), "label": "here"},
        [HEAD, " --> a.json:7:7", "  |", '7 |     "ノー": "x"', "  |            ^ here"],
    ),
    "a fix of several lines stands in one block": (
        {"suggestion": TolerationSuggestion(({},), ("tolerations:", "- key: a", "  operator: Exists"))},
        [HEAD, "  = fix:  tolerations:", "          - key: a", "            operator: Exists"],
    ),
    "notes, related places and the fix line up": (
        {
            "location": Location("a.yaml"),
            "notes": (("then", "it hangs"), ("help", "preflight explain PF102")),
            "related": (RelatedLocation("the taint", Location("nodes.yaml", 9, 5)), RelatedLocation("another")),
            "suggestion": TolerationSuggestion(({},), ("- {key: a}",)),
        },
        [
            HEAD,
            " --> a.yaml",
            "  = impact: it hangs",
            "  = help: preflight explain PF102",
            "  = note: the taint (nodes.yaml:9:5)",
            "  = note: another",
            "  = fix:  - {key: a}",
        ],
    ),
    "a suggestion without text": ({"suggestion": TolerationSuggestion((), ())}, [HEAD]),
}


@pytest.mark.parametrize(("fields", "lines"), CASES.values(), ids=CASES)
def test_finding(fields: dict[str, Any], lines: list[str]) -> None:
    assert list(draw_finding(finding(**fields), Ink(False), 0)) == lines


LINE = "".join(f"{number:09} " for number in range(100))


@pytest.mark.parametrize(
    ("column", "shown", "caret", "length"),
    [
        (1, LINE[:120] + "...", 0, 9),
        (41, LINE[:120] + "...", 40, 9),
        (501, "..." + LINE[460:580] + "...", 43, 9),
        (1000, "..." + LINE[880:1000], 122, 1),
    ],
    ids=["its start", "a column near its start", "a column in the middle", "its end"],
)
def test_of_a_long_line_the_part_around_the_column_is_shown(column: int, shown: str, caret: int, length: int) -> None:
    lines = list(draw_finding(finding(location=Location("a.json", 1, column, "", LINE)), Ink(False), 0))
    assert lines[-2:] == [f"1 | {shown.rstrip()}", f"  | {' ' * caret}{'^' * length}"]


def test_a_source_line_of_a_terminal_is_no_wider_than_it() -> None:
    for column in range(1, 1001, 37):
        *_, source, caret = draw_finding(finding(location=Location("a.json", 1, column, "", LINE)), Ink(False), 80)
        assert count_columns(source) <= 80
        assert count_columns(caret) <= 80
