"""The table of a step: rows, markers, words, widths."""

from __future__ import annotations

import pytest

from preflight.model.report import Coverage, Outcome, TaintTolerance
from preflight.report.table import CoverageRow, CoverageTable, draw_table, make_coverage_rows
from preflight.report.terminal import Ink, count_columns
from tests.report.reports import NO, RDMA, VERIFY, covered, how, step


def _draw(*coverage: Coverage, width: int = 0, all_rows: bool = False) -> list[str]:
    return _join(draw_table(step(*coverage), Ink(False), width, all_rows))


def _join(table: CoverageTable) -> list[str]:
    return [*table.grid, *table.counts]


MARKERS = [
    (Outcome.LOST_NOW, "x"),
    (Outcome.LOST_ON_RECREATION, "x"),
    (Outcome.LOOP, "x"),
    (Outcome.UNKNOWN, "?"),
    (Outcome.ALREADY_FRAGILE, "!"),
    (Outcome.MISSING, "!"),
    (Outcome.NOT_READY, "!"),
    (Outcome.NODE_GONE, "!"),
    (Outcome.NEVER, "!"),
    (Outcome.GAINED, "+"),
    (Outcome.KEPT, " "),
]


@pytest.mark.parametrize(("outcome", "marker"), MARKERS)
def test_marker(outcome: Outcome, marker: str) -> None:
    rows, _ = make_coverage_rows(step(covered("a/agent", outcome)))
    assert [row.marker for row in rows] == [marker]


def test_every_outcome_but_excluded_has_a_marker() -> None:
    assert {outcome for outcome, _ in MARKERS} == set(Outcome) - {Outcome.EXCLUDED}


def test_rows_stand_by_marker_and_then_by_name() -> None:
    outcomes = {
        "h": Outcome.LOOP,
        "g": Outcome.LOST_NOW,
        "f": Outcome.UNKNOWN,
        "e": Outcome.NEVER,
        "d": Outcome.MISSING,
        "c": Outcome.GAINED,
    }
    kept = covered("a", Outcome.KEPT)
    rows, _ = make_coverage_rows(step(kept, *(covered(name, outcome) for name, outcome in outcomes.items())))
    assert [row.name for row in rows] == ["g", "h", "f", "d", "e", "c", "a"]


TOLERATES: dict[str, tuple[tuple[TaintTolerance, ...], str]] = {
    "no taint at all": ((), ""),
    "not tolerated": ((how("no"),), "no"),
    "by the exact taint": ((how("exact"),), "exact"),
    "by the exact taint for any effect": ((how("exact", any_effect=True),), "exact (any effect)"),
    "by the key for some seconds": ((how("key", seconds=300),), "key, 300 s"),
    "by the key for any effect and no second": ((how("key", any_effect=True, seconds=0),), "key (any effect), 0 s"),
    "everything means any effect without saying so": ((how("everything", any_effect=True),), "everything"),
    "by the effect": ((how("effect"),), "effect"),
    "by the toleration that the controller adds": ((how("implicit", any_effect=True),), "implicit"),
    "not known": ((how("unknown"),), "unknown"),
    "two taints alike are one word": ((how("exact", "a:NoSchedule"), how("exact", "b:NoSchedule")), "exact"),
    "the worst comes first": (
        (how("exact", "a:NoSchedule"), how("key", "b:NoExecute", seconds=5), how("no", "c:NoSchedule")),
        "no; key, 5 s; exact",
    ),
}


@pytest.mark.parametrize(("answers", "text"), TOLERATES.values(), ids=TOLERATES)
def test_tolerates(answers: tuple[TaintTolerance, ...], text: str) -> None:
    rows, _ = make_coverage_rows(step(covered("a/agent", Outcome.KEPT, tolerates=answers)))
    assert [row.tolerates for row in rows] == [text]


def test_the_parts_of_a_daemonset_are_one_row() -> None:
    rows, left_out = make_coverage_rows(
        step(
            covered("a/agent", Outcome.KEPT, nodes=("n-1", "n-2"), tolerates=(how("exact"),)),
            covered("a/agent", Outcome.EXCLUDED, "its selector leaves it out", nodes=("n-3",)),
            covered("a/agent", Outcome.LOST_ON_RECREATION, NO, "does not tolerate b:NoSchedule", nodes=("n-4",), tolerates=(how("no"),)),
            covered("a/agent", Outcome.LOST_NOW, NO, nodes=("n-5",), tolerates=(how("no"),)),
        )
    )
    why = f"{NO} (2 of 4 nodes); does not tolerate b:NoSchedule (1 of 4 nodes)"
    assert rows == [CoverageRow("x", "a/agent", 4, (3, 2), "no; exact", why)]
    assert left_out == 0


@pytest.mark.parametrize(
    ("period", "reasons", "is_stated", "why"),
    [
        (300, (), False, "deleted and re-created every 300 s"),
        (0, ("tolerates a:NoExecute for 0 s",), False, "deleted and re-created every 0 s; tolerates a:NoExecute for 0 s"),
        (None, (), False, "deleted and re-created again and again"),
        (
            5,
            ("tolerates a:NoExecute for 5 s: deleted and re-created every 5 s",),
            True,
            "tolerates a:NoExecute for 5 s: deleted and re-created every 5 s",
        ),
    ],
    ids=["with seconds", "at once, with a reason", "with seconds that nobody knows", "with a reason that says it all"],
)
def test_loop(period: int | None, reasons: tuple[str, ...], is_stated: bool, why: str) -> None:
    rows, _ = make_coverage_rows(step(covered("a/agent", Outcome.LOOP, *reasons, periodSeconds=period, reasons_state_loop=is_stated)))
    assert [row.reasons for row in rows] == [why]


def test_numbers_that_hold_under_a_condition_have_a_question_mark() -> None:
    unknown = "if its selector matches: lost-on-recreation"
    rows = (
        covered("a/b", Outcome.UNKNOWN, unknown, before=2, now=2),
        covered("a/b", Outcome.KEPT, nodes=("n-3",)),
        covered("a/c", Outcome.KEPT),
    )
    assert _draw(*rows) == [
        "  DAEMONSET NODES  NOW  RE-CREATED  WHY",
        "? a/b           3   3?          1?  if its selector matches: lost-on-recreation (2 of 3 nodes)",
        "  a/c           2    2           2",
    ]


def test_daemonsets_of_one_name_in_two_files_stay_apart() -> None:
    rows, _ = make_coverage_rows(
        step(
            covered("-/agent", Outcome.KEPT, place="b.yaml"),
            covered("-/agent", Outcome.LOST_NOW, place="a.yaml"),
            covered("-/other", Outcome.KEPT, place="a.yaml"),
        )
    )
    assert [(row.marker, row.name, row.node_count) for row in rows] == [
        ("x", "-/agent (a.yaml)", 2),
        (" ", "-/agent (b.yaml)", 2),
        (" ", "-/other", 2),
    ]


@pytest.mark.parametrize("count", [30, 31])
def test_thirty_rows_are_all_shown_and_one_more_in_the_place_of_the_line_that_would_count_it(count: int) -> None:
    rows = [covered(f"a/{number:02}", Outcome.GAINED) for number in range(count)]
    assert len(_draw(*rows)) == count + 1


def test_those_that_keep_their_pods_are_counted() -> None:
    kept = [covered(f"a/{number:02}", Outcome.KEPT) for number in range(31)]
    assert _draw(*kept) == ["  31 DaemonSets keep their pods (--all-rows lists them)"]
    assert len(_draw(*kept, all_rows=True)) == 32
    assert _draw(covered("a/lost", Outcome.LOST_NOW), *kept)[1:] == [
        "x a/lost        2    0           0",
        "  31 DaemonSets keep their pods (--all-rows lists them)",
    ]


def test_one_that_keeps_its_pods_is_a_row() -> None:
    assert _draw(covered("a/lost", Outcome.LOST_NOW), covered("a/kept", Outcome.KEPT))[1:] == [
        "x a/lost        2    0           0",
        "  a/kept        2    2           2",
    ]
    assert _draw(covered("a/kept", Outcome.KEPT)) == ["  a/kept keeps its pods"]


def test_one_that_is_kept_now_and_not_on_new_nodes_is_a_row() -> None:
    columns = ("NOW", "AFTER REBOOT", "AFTER REPLACEMENT")
    kept = [covered(name, Outcome.KEPT, replaced=2) for name in ("a/b", "a/c")]
    grid, counts = draw_table(step(covered("a/lost", Outcome.KEPT, replaced=0), *kept, columns=columns), Ink(False), 0, all_rows=False)
    assert [*grid[1:], *counts] == [
        "  a/lost        2    2             2                  0",
        "  2 DaemonSets keep their pods (--all-rows lists them)",
    ]


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Outcome.GAINED, "  2 more DaemonSets (--all-rows shows all)"),
        (Outcome.LOST_NOW, "  2 more DaemonSets, 2 of them losing nodes (--all-rows shows all)"),
    ],
    ids=["fine ones", "ones that matter"],
)
def test_more_than_thirty_rows_are_cut(outcome: Outcome, line: str) -> None:
    rows = [covered(f"a/{number:02}", outcome) for number in range(32)]
    lines = _draw(*rows)
    assert [lines[-2].split()[-4], lines[-1]] == ["a/29", line]
    assert len(_draw(*rows, all_rows=True)) == 33


def test_wide_characters_take_two_columns() -> None:
    assert _draw(covered("a/ノード", Outcome.KEPT, "x"), covered("a/node-longer", Outcome.KEPT, "y"), all_rows=True) == [
        "  DAEMONSET     NODES  NOW  RE-CREATED  WHY",
        "  a/node-longer     2    2           2  y",
        "  a/ノード          2    2           2  x",
    ]


WIDTHS = {
    "WHY folds in its column where that is wide": (
        104,
        NO,
        [
            "  DAEMONSET             NODES  NOW  RE-CREATED  TOLERATES  WHY",
            "x storage/csi-rdma-node     2    2           0  no         does not tolerate dedicated=rdma:NoSchedule;",
            "                                                           why not",
            "  a/agent                   2    2           2",
        ],
    ),
    "WHY stands under its row where its column is narrow": (
        64,
        NO,
        [
            "  DAEMONSET             NODES  NOW  RE-CREATED  TOLERATES",
            "x storage/csi-rdma-node     2    2           0  no",
            "    does not tolerate dedicated=rdma:NoSchedule; why not",
            "  a/agent                   2    2           2",
        ],
    ),
    "WHY stays in its column where it fits": (
        92,
        "does not tolerate a",
        [
            "  DAEMONSET             NODES  NOW  RE-CREATED  TOLERATES  WHY",
            "x storage/csi-rdma-node     2    2           0  no         does not tolerate a; why not",
            "  a/agent                   2    2           2",
        ],
    ),
    "a name that does not fit has a line of its own": (
        48,
        NO,
        [
            "  DAEMONSET    NODES  NOW  RE-CREATED  TOLERATES",
            "x storage/csi-rdma-node",
            "                   2    2           0  no",
            "    does not tolerate dedicated=rdma:NoSchedule;",
            "    why not",
            "  a/agent          2    2           2",
        ],
    ),
}


@pytest.mark.parametrize(("width", "reason", "lines"), WIDTHS.values(), ids=WIDTHS)
def test_width(width: int, reason: str, lines: list[str]) -> None:
    rows = [
        covered("storage/csi-rdma-node", Outcome.LOST_ON_RECREATION, reason, "why not", tolerates=(how("no"),)),
        covered("a/agent", Outcome.KEPT),
    ]
    assert _draw(*rows, width=width) == lines


def test_headings_of_two_words_take_two_lines_where_one_is_too_wide() -> None:
    rows = (covered("kube-system/rdma-device-plugin", Outcome.KEPT, replaced=1, tolerates=(how("everything"),)),)
    given = step(*rows, columns=("NOW", "AFTER REBOOT", "AFTER REPLACEMENT"))
    assert _join(draw_table(given, Ink(False), 80, False)) == [
        "                                              AFTER        AFTER",
        "  DAEMONSET                      NODES  NOW  REBOOT  REPLACEMENT  TOLERATES",
        "  kube-system/rdma-device-plugin     2    2       2            1  everything",
    ]


@pytest.mark.parametrize("width", range(54, 160))
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    assert max(count_columns(line) for line in _join(draw_table(RDMA.steps[0], Ink(False), width, False))) <= width


COMPARED = """\
  DAEMONSET             BEFORE  NOW  READY  LOST ON
x logging/log-agent          3    1      1  rdma-1, n-4 (gone)
x storage/csi-rdma-node      2    0      0  rdma-1, rdma-2
? other/unlisted             2    -      -  not known: its pods were not listed now
! monitoring/exporter        2    2      0
+ kube-system/new            0    1      1
  kube-system/proxy          2    2      2"""


def test_where_two_states_are_compared_the_table_says_before_now_ready_and_lost_on() -> None:
    assert _join(draw_table(VERIFY.steps[0], Ink(False), 0, all_rows=False)) == COMPARED.splitlines()
