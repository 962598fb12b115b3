"""Changes that were kept are judged again, all of them, by what was seen of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.builders import Object, list_daemonset_pod, make_daemonset, make_pod, write_list
from tests.truth.again import judge_again
from tests.truth.comparing import Numbers, Scene
from tests.truth.evidence import EndedPods, LineSeen, Observed, StatusSeen, keep_evidence
from tests.truth.watching import There
from tests.truth.worlds import registered

PLAIN = make_daemonset("plain", "storage", metadata={"uid": "plain-0"})
PAIR = ("storage", "plain", "n1")
OLD, NEW = There(live=frozenset(["old"])), There(live=frozenset(["new"]))
NONE = There()


def scene(before: There, after: There) -> Scene:
    return Scene({PAIR: before}, {PAIR: after} if after.any else {}, frozenset(), frozenset(), frozenset())


def keep(
    folder: Path, words: list[str], observed: Observed, pods: Sequence[Object] = (list_daemonset_pod(PLAIN, "n1", ready="True"),)
) -> None:
    folder.mkdir()
    (folder / "command").write_text(f"preflight {' '.join(words)}\nkubectl {' '.join(words)}")
    dump = folder.parent / "dump.json"
    elsewhere = [registered("n2", {}, [{"key": "t", "effect": "NoSchedule"}]), make_pod("quiet", "storage", node="n2")]
    dump.write_text(write_list([registered("n1", {}, []), *elsewhere, PLAIN, *pods]))
    keep_evidence(folder, dump, observed)


def test_what_is_said_now_is_compared_with_what_was_seen(tmp_path: Path) -> None:
    words = ["taint", "nodes", "n1", "team=red:NoExecute"]
    lost = StatusSeen({PAIR[:2]: Numbers(0, 0, 0)}, frozenset(), frozenset())
    keep(tmp_path / "001", words, Observed("taint", [LineSeen(words, 0, "", scene(OLD, NONE))], None, lost))
    keep(tmp_path / "002", words, Observed("taint", [LineSeen(words, 0, "", scene(OLD, OLD))]))
    assert list(judge_again(tmp_path)) == [
        "002: taint nodes n1 team=red:NoExecute",
        '    {"stage": "settled", "pair": ["storage", "plain", "n1"], "outcome": "lost-now", "said": "lost-now: absent, re-created: none", '
        '"seen": "same", "equal": false}',
        "2 changes, 2 pairs and 1 status numbers, 1 differ",
    ]


def test_pods_that_were_ended_and_status_numbers_are_compared_too(tmp_path: Path) -> None:
    words = ["taint", "nodes", "n1", "team=red:NoSchedule"]
    ended = EndedPods(frozenset([PAIR]), scene(OLD, NEW))
    status = StatusSeen({PAIR[:2]: Numbers(1, 1, 0)}, frozenset(), frozenset())
    keep(tmp_path / "001", words, Observed("taint", [LineSeen(words, 0, "", scene(OLD, OLD))], ended, status))
    assert [line.partition('"seen"')[0] for line in judge_again(tmp_path)] == [
        "001: taint nodes n1 team=red:NoSchedule",
        '    {"stage": "recreated", "pair": ["storage", "plain", "n1"], "outcome": "lost-on-recreation", '
        '"said": "lost-on-recreation: same, re-created: none", ',
        '    {"daemonset": "storage/plain", "said": "(0, 0, 0)", "status": "(1, 1, 0)"}',
        "1 changes, 2 pairs and 1 status numbers, 2 differ",
    ]


@pytest.mark.parametrize(
    ("before", "after", "current", "different"),
    [
        pytest.param(There(pending=frozenset(["new"])), NEW, 1, 0, id="it finds the room"),
        pytest.param(There(pending=frozenset(["new"])), NEW, 0, 1, id="and is counted"),
        pytest.param(NONE, NEW, 1, 1, id="none waited"),
    ],
)
def test_a_pod_that_waited_and_finds_the_room_of_ended_pods_is_counted(
    before: There, after: There, current: int, different: int, tmp_path: Path
) -> None:
    """The program says of an untouched node only that no pod runs there."""
    words = ["cordon", "n2"]
    ended = EndedPods(frozenset(), scene(before, after))
    status = StatusSeen({PAIR[:2]: Numbers(1, current, 0)}, frozenset(), frozenset())
    keep(tmp_path / "001", words, Observed("cordon", [LineSeen(words, 0, "", scene(before, before))], ended, status), pods=[])
    (*_, last) = judge_again(tmp_path)
    assert last.endswith(f"1 status numbers, {different} differ")


def test_a_line_that_one_of_the_two_refuses_is_a_fault(tmp_path: Path) -> None:
    words = ["taint", "nodes", "n1", "team-"]
    for number, code in enumerate((0, 1)):
        keep(tmp_path / f"00{number}", words, Observed("untaint", [LineSeen(words, code, "", scene(OLD, OLD))]))
    found = list(judge_again(tmp_path))
    assert found[0] == "000: taint nodes n1 team-"
    assert found[1].startswith('    {"fault": "taint nodes n1 team-: kubectl 0: ; preflight 2: ')
    assert found[2:] == ["2 changes, 0 pairs and 0 status numbers, 1 differ"]
