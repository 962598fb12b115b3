"""The page of `preflight capacity`: what it says first, its drawing, and its tables."""

from __future__ import annotations

import re

import pytest

from preflight.model.capacity import (
    CapacityReport,
    CapacityStep,
    ClusterCapacity,
    ClusterCapacityAnswer,
    NodeCapacity,
    NodeClassCapacity,
    StaleAllocationRow,
)
from preflight.model.capacity_reasons import CapacityLossCause, StaleReason
from preflight.report.capacity import html
from tests.capacity.snapshots import GPU
from tests.report.readers import Document


def room(copies: int = 0, most: int | None = None, nodes: int = 1, **more: object) -> ClusterCapacity:
    """8 GPUs, of which all but the copies are used."""
    alike = {"kind": "big", "allocatable": 8, "used": 8 - copies, "ghosts": 0, "free": copies, "copies": copies, "atMost": most}
    return ClusterCapacity(
        resource=GPU,
        wanted=1,
        requests={GPU: 1},
        allocatable=8,
        free=copies,
        copies=copies,
        atMost=most,
        largest=copies,
        largestOn=("n-0",),
        steps=(CapacityStep(CapacityLossCause.USED, 8 - copies, 0, ("n-0",)),),
        classes=(NodeClassCapacity(nodes=("n-0",), **alike),),  # type: ignore[arg-type]
        nodes=tuple(NodeCapacity(node=f"n-{at}", takes=bool(copies), **alike) for at in range(nodes)),  # type: ignore[arg-type]
        **more,  # type: ignore[arg-type]
    )


def answer(*rooms: ClusterCapacity | None, least: int = 1) -> CapacityReport:
    named = (
        ClusterCapacityAnswer(f"c-{at}", f"a pod with {GPU}=1", room=capacity, error="" if capacity else "no route")
        for at, capacity in enumerate(rooms)
    )
    return CapacityReport("0.1.0", "a pod", least, tuple(named), 1)


VERDICTS = {
    "it fits": (answer(room(3, 3)), "ok", "3 copies fit now"),
    "it does not fit": (answer(room(0, 0)), "bad", "0 copies fit now"),
    "fewer than have to": (answer(room(3, 3), least=4), "bad", "3 copies fit now"),
    "perhaps": (answer(room(0, 4)), "unk", "at least 0 copies fit, at most 4"),
    "nobody can tell": (answer(room(0, None)), "unk", "at least 0 copies fit, upper limit unknown"),
    "it could not be asked": (answer(None), "unk", "c-0 could not be queried"),
    "in one of several": (answer(room(3, 3), room(0, 0)), "ok", "1 of 2 clusters has capacity"),
    "in none of several": (answer(room(0, 0), room(0, 0)), "bad", "0 of 2 clusters have capacity"),
    "one of several could not be asked": (
        answer(room(0, 0), None),
        "unk",
        "0 of 2 clusters have capacity; 1 of 2 clusters could not be queried",
    ),
}


@pytest.mark.parametrize(("report", "kind", "text"), VERDICTS.values(), ids=VERDICTS)
def test_the_verdict(report: CapacityReport, kind: str, text: str) -> None:
    page = Document(html.render(report))
    assert page.all("header", "story")[0].attributes["class"] == f"story {kind}"
    assert page.elements[page.elements.index(page.all("h1")[0]) + 2].said == text


def test_the_way_is_drawn_with_the_words_of_the_text() -> None:
    rows = re.findall(r"<th scope=row>([^<]*)</th><td class=n>(.*?)</td><td class=bar>", html.render(answer(room(2, 2))))
    assert rows == [(f"{GPU} on 1 node", "8"), ("requested by pods: n-0", "-6"), ("capacity for 2 copies", "2")]


def test_ghosts_are_named() -> None:
    page = html.render(answer(room(ghosts=(StaleAllocationRow("a/p", "n-0", 1, StaleReason.PENDING),))))
    assert f"<dt>stale allocation</dt><dd>a/p holds 1 {GPU} on n-0: Pending there, its containers have not started</dd>" in page


def test_an_error_of_one_cluster_hides_nothing_of_the_others() -> None:
    page = html.render(answer(room(2, 2), None))
    assert "error: no route" in page
    assert page.count("<table class=waterfall>") == 1


def test_many_nodes_are_cut_and_counted() -> None:
    many = answer(room(nodes=1010))
    assert html.render(many).count("<th scope=row>n-") == 1000
    assert "10 more rows not shown (--all-rows)." in html.render(many)
    assert html.render(many, all_rows=True).count("<th scope=row>n-") == 1010
