"""What was said of a small drain against what may be seen of it: each comparison with what it takes for the same and for different."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from preflight.scheduling.drain import DrainVerdict
from tests.builders import write_list
from tests.evictions.clusters import budget, node, owned, pod
from tests.truth.drains.comparing import Replacements, compared
from tests.truth.drains.prediction import Said, prediction
from tests.truth.drains.seen import Pod, Request, Seen
from tests.truth.drawing import Object
from tests.truth.prediction import FrontDoorError

VIOLATES = "Cannot evict pod as it would violate the pod's disruption budget."
NEEDS = "The disruption budget {} needs {} healthy pods and has {} currently"
GOES = Request("evict", "shop/web-1", 201)
"""web-1 and web-2 on n1 share a budget that lets one go at once; db-1 there is one of two that a budget wants all of."""

WORLD: tuple[Object, ...] = (
    *(node(name) for name in ("n1", "n2", "n3")),
    owned("ReplicaSet", "web", 3),
    *(pod(f"web-{number}", "n1" if number < 3 else "n2", "ReplicaSet/web") for number in (1, 2, 3)),
    owned("ReplicaSet", "db", 2),
    pod("db-1", "n1", "ReplicaSet/db"),
    pod("db-2", "n2", "ReplicaSet/db"),
    budget("web", "web", maxUnavailable=1),
    budget("db", "db", minAvailable=2),
)
LINE = ["drain", "n1", "--timeout=16s"]
REFUSED = Request("evict", "shop/db-1", 429, (VIOLATES, NEEDS.format("db", 2, 2)))
BOTH = (GOES, Request("evict", "shop/web-2", 429, (VIOLATES, NEEDS.format("web", 2, 2))), REFUSED)


@pytest.fixture
def said(tmp_path: Path) -> Said:
    return said_of(tmp_path, LINE)


def said_of(folder: Path, argv: list[str], *objects: Object) -> Said:
    path = folder / "dump.json"
    path.write_text(write_list(objects or WORLD))
    return prediction(argv, path)


NAMES = ("shop/web-1", "shop/web-2", "shop/web-3", "shop/db-1", "shop/db-2")
ON = {"shop/web-3": "n2", "shop/db-2": "n2"}


def happened(*asked: Request, gone: tuple[str, ...] = (), **more: Any) -> Seen:
    before = {name: Pod(f"{name}-0", ON.get(name, "n1"), f"ReplicaSet {name[:-2]}") for name in NAMES}
    after = {name: pod for name, pod in before.items() if name not in gone}
    after["shop/web-4"] = Pod("new", "n2", "ReplicaSet shop/web")
    defaults: dict[str, Any] = {"code": 1, "stderr": "", "seconds": 20.3, "requests": asked, "before": before, "after": after}
    return Seen(**{**defaults, **more})


def different(said: Said, seen: Seen, replacements: Replacements = Replacements.SOME) -> dict[str, tuple[str, str]]:
    """What differs, by what it is of and about: what we say, and what is seen."""
    found = compared(said, seen, LINE, replacements)
    return {f"{each.of} {each.about}".strip(): (each.said, each.seen) for each in found if not each.equal}


@pytest.mark.parametrize("gone", [("shop/web-1",), ("shop/web-1", "shop/web-2")], ids=["one goes", "both go in the end"])
def test_what_was_said_is_not_different(said: Said, gone: tuple[str, ...]) -> None:
    assert different(said, happened(*BOTH, gone=gone)) == {}


def test_the_prediction_is_that_of_the_report(said: Said) -> None:
    (one,) = said.nodes
    assert {pod.name: (pod.verdict, pod.worst.code, pod.best.evicted_at) for pod in one.pods} == {
        "shop/db-1": ("blocked-for-ever", 429, None),
        "shop/web-1": ("evicted", 201, 0.0),
        "shop/web-2": ("waits", 429, 5.0),
    }


def test_which_of_those_that_share_a_budget_goes_is_chance(said: Said) -> None:
    other = (Request("evict", "shop/web-2", 201), Request("evict", "shop/web-1", 429, (VIOLATES, "any")), REFUSED)
    found = list(compared(said, happened(*other, gone=("shop/web-2",)), LINE, Replacements.SOME))
    assert [each for each in found if not each.equal] == []
    assert [(each.of, each.about) for each in found if each.by_chance] == [
        ("evicted", "shop/web-1"),
        ("waits", "shop/web-2"),
        ("let go at first", "shop/web on n1"),
        ("gone of those that share", "shop/web on n1"),
        ("time", ""),
    ]


FAULTS: list[tuple[str, Seen, dict[str, tuple[str, str]]]] = [
    (
        "a pod that is not asked for",
        happened(GOES, REFUSED, gone=("shop/web-1",)),
        {"waits shop/web-2": ("asked for: evict; gone or there", "asked for by none; there")},
    ),
    (
        "a pod that is deleted, not evicted",
        happened(*BOTH[:2], REFUSED._replace(how="delete"), gone=("shop/web-1",)),
        {
            "blocked-for-ever shop/db-1": (
                f"asked for: evict; 429 {VIOLATES} {NEEDS.format('db', 2, 2)}; there",
                f"asked for: delete; 429 {VIOLATES} {NEEDS.format('db', 2, 2)}; there",
            )
        },
    ),
    (
        "a budget that says something else",
        happened(*BOTH[:2], REFUSED._replace(words=(VIOLATES, NEEDS.format("db", 1, 1))), gone=("shop/web-1",)),
        {
            "blocked-for-ever shop/db-1": (
                f"asked for: evict; 429 {VIOLATES} {NEEDS.format('db', 2, 2)}; there",
                f"asked for: evict; 429 {VIOLATES} {NEEDS.format('db', 1, 1)}; there",
            )
        },
    ),
    (
        "a pod that goes though it is blocked for ever",
        happened(*BOTH, gone=("shop/web-1", "shop/db-1")),
        {
            "blocked-for-ever shop/db-1": (
                f"asked for: evict; 429 {VIOLATES} {NEEDS.format('db', 2, 2)}; there",
                f"asked for: evict; 429 {VIOLATES} {NEEDS.format('db', 2, 2)}; gone",
            )
        },
    ),
    (
        "none of those that share a budget goes",
        happened(BOTH[1], Request("evict", "shop/web-1", 429, (VIOLATES,)), REFUSED),
        {"let go at first shop/web on n1": ("1 to 2", "0"), "gone of those that share shop/web on n1": ("1 to 2", "0")},
    ),
    (
        "a refusal of kubectl",
        happened(*BOTH, gone=("shop/web-1",), stderr="error: cannot delete Pods with local storage: shop/web-1, continuing command..."),
        {"refusals": ("", "Pods with local storage: shop/web-1")},
    ),
    (
        "a warning",
        happened(*BOTH, gone=("shop/web-1",), stderr="Warning: ignoring DaemonSet-managed Pods: shop/a-1, shop/a-2\n"),
        {"warnings": ("", "ignoring DaemonSet-managed Pods: shop/a-1, shop/a-2")},
    ),
    ("another exit code", happened(*BOTH, gone=("shop/web-1",), code=0), {"exit code": ("1", "0")}),
    ("an end where there is none", happened(*BOTH, gone=("shop/web-1",), code=None), {"exit code": ("1", "never ends")}),
    ("more time", happened(*BOTH, gone=("shop/web-1",), seconds=60.0), {"time": ("20 s to 28 s", "60.0 s")}),
    (
        "a pod of another node that goes",
        happened(*BOTH, gone=("shop/web-1", "shop/db-2")),
        {"pods of other nodes": ("all are there", "gone: shop/db-2")},
    ),
    (
        "a pod that was not there",
        happened(*BOTH, Request("evict", "shop/web-4", 201), gone=("shop/web-1",)),
        {"asked for besides": ("replacements that tolerate a cordon", "shop/web-4")},
    ),
]


@pytest.mark.parametrize(("seen", "differs"), [pytest.param(*each, id=name) for name, *each in FAULTS])
def test_a_difference_is_seen(said: Said, seen: Seen, differs: dict[str, tuple[str, str]]) -> None:
    assert different(said, seen) == differs


def test_where_no_replacement_is_ready_none_may_go_that_waits_for_one(said: Said) -> None:
    both = happened(*BOTH, gone=("shop/web-1", "shop/web-2"))
    assert different(said, happened(*BOTH, gone=("shop/web-1",)), Replacements.NEVER) == {}
    assert different(said, both, Replacements.NEVER) == {"gone of those that share shop/web on n1": ("1", "2")}


def test_where_all_replacements_are_ready_at_once_it_has_to_go(said: Said) -> None:
    both = happened(*BOTH, gone=("shop/web-1", "shop/web-2"))
    assert different(said, both, Replacements.AT_ONCE) == {}
    one = different(said, happened(*BOTH, gone=("shop/web-1",)), Replacements.AT_ONCE)
    assert one == {"gone of those that share shop/web on n1": ("2", "1")}


def test_kubectl_then_ends_as_it_does_where_they_are(tmp_path: Path) -> None:
    web = (each for each in WORLD if each["metadata"]["name"] not in ("db", "db-1", "db-2"))
    said = said_of(tmp_path, [*LINE, "--grace-period=1"], *web)
    seen = happened(*BOTH[:2], gone=("shop/web-1", "shop/web-2"), seconds=6.5)
    assert different(said, seen) == {}
    assert different(said, seen, Replacements.AT_ONCE) == {"exit code": ("0", "1")}


def test_a_drain_is_not_quicker_than_was_said(tmp_path: Path) -> None:
    said = said_of(tmp_path, LINE, *(each for each in WORLD if each["metadata"]["name"] not in ("web", "web-1", "web-2", "web-3")))
    assert different(said, happened(REFUSED, seconds=9.0))["time"] == ("20 s to 28 s", "9.0 s")


def test_a_second_node_may_be_asked_about_before_or_after_replacements_are_ready(tmp_path: Path) -> None:
    said = said_of(tmp_path, ["drain", "n1", "n2", "--timeout=16s"])
    answers = {
        "worst": Request("evict", "shop/web-3", 429, (VIOLATES, NEEDS.format("web", 2, 2))),
        "best": Request("evict", "shop/web-3", 201),
        "between": Request("evict", "shop/web-3", 429, (VIOLATES, NEEDS.format("web", 3, 3))),
        "worse": Request("evict", "shop/web-3", 429, (VIOLATES, NEEDS.format("web", 2, 1))),
        "for good": Request("evict", "shop/web-3", 500, ("no",)),
    }
    (web,) = (pod for pod in said.nodes[1].pods if pod.name == "shop/web-3")
    assert (web.verdict, web.worst.code, web.best.code) == ("waits", 429, 201)
    last = REFUSED._replace(pod="shop/db-2")
    found = {
        name: "waits shop/web-3" in different(said, happened(*BOTH, answer, last, gone=("shop/web-1",))) for name, answer in answers.items()
    }
    assert found == {"worst": False, "best": False, "between": False, "worse": True, "for good": True}


def test_a_pod_that_was_going_before_is_not_compared_in_the_end(said: Said) -> None:
    seen = happened(*BOTH, gone=("shop/web-1",))
    seen = seen._replace(before={**seen.before, "shop/db-1": seen.before["shop/db-1"]._replace(is_going=True)})
    found = [each for each in compared(said, seen, LINE, Replacements.SOME) if each.left_out]
    assert [(each.about, each.left_out) for each in found] == [("shop/db-1", ("whether a pod goes that was going before",))]


def test_a_pod_that_was_going_before_may_be_gone_when_kubectl_gets_to_its_node(said: Said) -> None:
    for is_going, gone, is_equal in ((True, True, True), (True, False, False), (False, True, False)):
        seen = happened(*BOTH[:2], gone=("shop/web-1", *(["shop/db-1"] if gone else [])))
        before = seen.before["shop/db-1"]._replace(is_going=is_going)
        found = different(said, seen._replace(before={**seen.before, "shop/db-1": before}))
        assert ("blocked-for-ever shop/db-1" not in found) is is_equal


def test_a_report_that_does_not_say_what_was_judged_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.truth.drains.prediction._WORDS", dict.fromkeys(DrainVerdict, "stays"))
    with pytest.raises(FrontDoorError, match="is reported as"):
        said_of(tmp_path, LINE)
