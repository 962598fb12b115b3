"""The page: what it says, what it holds, and that nothing in it can do harm. What a browser makes of it is in `test_html_browser`."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from itertools import product
from pathlib import Path
from time import perf_counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from preflight.messages.verdict import describe_verdict
from preflight.model.evictions import Eviction, EvictionMechanism, EvictionReport, EvictionVerdict, NodeEvictions, ReplacementOutcome
from preflight.model.report import (
    CheckedCounts,
    ClusterIdentity,
    ExplanationLink,
    Outcome,
    Report,
    RuleInfo,
    Severity,
    SkippedCheck,
    Subject,
)
from preflight.report import html
from preflight.report.html.classes import MOST_LETTERS, REST, make_node_classes
from preflight.report.html.escaping import escape_text, render_code, render_mark, render_prose
from preflight.report.html.matrix import MOST_COLUMNS
from preflight.report.html.node_ranges import compress_names
from preflight.report.html.summary import MOST_LINES, format_page_title
from preflight.report.html.waterfall import render_waterfall
from preflight.report.verdict import decide_verdict
from tests.report.large import large
from tests.report.readers import Document, Element
from tests.report.reports import ALL, DRAIN, LINT, NO, NOTHING, PLAN, RDMA, VERIFY, covered, finding, report, step

CSS = (Path(html.__file__).parent / "page.css").read_text(encoding="utf-8")
FINE = report(step(covered("a/b", Outcome.KEPT)))


# The first sentence.


@pytest.mark.parametrize("given_", [FINE, *ALL.values()], ids=["fine", *ALL])
def test_the_verdict_is_the_one_of_the_text(given_: Report) -> None:
    page = Document(html.render(given_))
    (heading,) = page.all("h1")
    first = page.elements[page.elements.index(heading) + 2].said
    facts = re.search(r"<ul class=facts>(.*?)</ul>", html.render(given_))
    others = re.findall("<li>(.*?)</li>", facts[1]) if facts else []
    assert "; ".join([first, *others]) == describe_verdict(decide_verdict(given_))


def test_the_tab_says_the_verdict_and_the_command() -> None:
    assert format_page_title(NOTHING) == "preflight: nothing was checked"
    assert format_page_title(FINE) == "preflight: no DaemonSet loses a node · taint nodes"


def lines(page: Document, tag: str, word: str = "") -> list[str]:
    """What elements say, with all that is in them."""
    return [texts(page, element) for element in page.all(tag, word)]


def texts(page: Document, of: Element) -> str:
    depth, found = 0, []
    for element in page.elements[page.elements.index(of) :]:
        if element is not of and element.tag == of.tag:
            depth += 1
        if depth:
            break
        found.append(element.said)
    return " ".join(" ".join(found).split())


def test_the_numbers_count_each_daemonset_once_by_the_worst_that_happens_to_it() -> None:
    page = html.render(PLAN)
    tiles = re.findall(r"<li class=(\w+)>(?:<b.*?</b>)?<strong>(\d+)</strong><span>(.*?)<small>(.*?)</small>", page)
    assert tiles == [("bad", "1", "DaemonSet lost now", "on 2 nodes"), ("note", "1", "DaemonSet kept (assumed)", "on 2 nodes")]


KEPT = covered("a/b", Outcome.KEPT)
KEPT_TILES = {
    "with pods": (report(step(replace(KEPT, assumed=False))), ("ok", "DaemonSet kept")),
    "without pods": (report(step(KEPT)), ("note", "DaemonSet kept (assumed)")),
    "without a change": (report(step(replace(KEPT, assumed=False)), command=""), ("ok", "DaemonSet with all pods")),
    "some with pods": (
        report(step(replace(KEPT, assumed=False), replace(KEPT, daemonset="a/c"))),
        ("note", "DaemonSets kept (assumed)"),
    ),
}


@pytest.mark.parametrize(("given_", "tile"), KEPT_TILES.values(), ids=KEPT_TILES)
def test_what_is_kept_is_fine_only_where_pods_were_given(given_: Report, tile: tuple[str, str]) -> None:
    assert re.findall(r"<li class=(\w+)>(?:<b.*?</b>)?<strong>\d+</strong><span>(.*?)<small>", html.render(given_)) == [tile]


def test_pods_are_fine_only_if_they_find_another_node() -> None:
    """Each pod that goes is in one tile, and a replacement that stays Pending is never green."""
    pods = (
        *(Eviction(f"a/p-{at}", None, EvictionVerdict.EVICTED, replacement=ReplacementOutcome.PENDING) for at in range(48)),
        *(Eviction(f"a/f-{at}", None, EvictionVerdict.EVICTED, replacement=ReplacementOutcome.FITS, where=("n-2",)) for at in range(3)),
        Eviction("a/u", None, EvictionVerdict.EVICTED, replacement=ReplacementOutcome.UNKNOWN),
        Eviction("a/n", None, EvictionVerdict.EVICTED, replacement=ReplacementOutcome.NONE),
        Eviction("a/l", None, EvictionVerdict.EVICTED, replacement=ReplacementOutcome.NONE, lost=True),
    )
    page = html.render(report(step(evictions=EvictionReport(EvictionMechanism.DRAIN, (NodeEvictions("n-1", pods),)))))
    assert re.findall(r"<li class=(\w+)>(?:<b.*?</b>)?<strong>(\d+)</strong><span>(.*?)</span>", page) == [
        ("bad", "1", "pod lost for good"),
        ("bad", "48", "pods Pending afterwards"),
        ("unk", "1", "pod whose replacement may stay Pending"),
        ("note", "1", "pod not replaced"),
        ("ok", "3", "pods moved to another node"),
    ]


def test_the_story_tells_the_worst_findings_and_counts_the_others() -> None:
    found = tuple(finding(f"is number {at}", Severity.WARNING if at % 2 else Severity.ERROR, key=(str(at),)) for at in range(20))
    page = html.render(report(findings=(*found, finding("is a note", Severity.NOTE))))
    story = page[page.index("<ol class=worst>") : page.index("</ol>")]
    assert re.findall(r"is number (\d+)<", story) == [str(at) for at in range(0, MOST_LINES * 2, 2)]
    assert "14 more findings" in story
    assert "<ol class=worst>" not in html.render(report(findings=(finding("is a note", Severity.NOTE),)))


def test_what_makes_it_less_than_sure_stands_at_the_top() -> None:
    page = html.render(
        replace(LINT, assumptions=("coverage assumed (no pods given)",), cluster=ClusterIdentity("prod", "https://10.0.0.1", "v1"))
    )
    top = page[: page.index("</header>")]
    for text in (
        "Checked 12 objects in 3 files, and 2 DaemonSets on 3 nodes.",
        '<a href="#problems">1 file could not be read</a>',
        "coverage assumed (no pods given)",
        '<a href="#basis">not checked: ',
        '<a href="#findings">1 finding exempted</a>',
        "cluster prod (https://10.0.0.1), Kubernetes v1",
    ):
        assert text in top


# Coverage.


def cells(given_: Report) -> list[list[str]]:
    """The tables: of each row the words that a reader of the screen hears, cell by cell."""
    rows = re.findall(r"<tr data-m=.*?</tr>", html.render(given_).replace("\n", ""))
    return [[heard(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


def heard(cell: str) -> str:
    return re.sub(r"<(span|b)( class=\w+| class=\"[\w ]+\")? aria-hidden.*?</\1>|<.*?>", "", cell)


def test_the_rows_are_those_of_the_text_and_each_class_of_nodes_has_a_column() -> None:
    given_ = report(
        step(
            covered("a/lost", Outcome.LOST_ON_RECREATION, NO, nodes=["n-1", "n-2"]),
            covered("a/lost", Outcome.EXCLUDED, nodes=["n-3"]),
            covered("a/fine", Outcome.KEPT, nodes=["n-1", "n-2", "n-3"]),
            covered("a/nowhere", Outcome.EXCLUDED, nodes=["n-1", "n-2", "n-3"]),
            nodes=("n-1", "n-2", "n-3"),
        )
    )
    assert cells(given_) == [
        [f"a/lost{NO}", "2", "2", "0", "lost-on-recreation: before yes, now yes, re-created no", "left out by its selector"],
        ["a/fine", "3", "3", "3", "kept: before yes, now yes, re-created yes", "kept: before yes, now yes, re-created yes"],
    ]
    page = html.render(given_)
    heads = re.findall(r'<th scope=col data-c="(.*?)">.*?class=count>(.*?)<.*?class=who>(.*?)</span>', page)
    assert heads == [("A", "2 nodes", "n-1<br>n-2"), ("B", "1 node", "n-3")] * 2
    assert page.index("a/lost") < page.index("<summary>1 DaemonSet keeps its pods (assumed: no pods in the input)</summary>")
    assert "1 DaemonSet leaves these nodes out by its selector." in page


CELLS = {
    "lost now": (covered("a/b", Outcome.LOST_NOW), "lost-now: before yes, now no, re-created no"),
    "a loop": (covered("a/b", Outcome.LOOP), "loop: before yes, now again and again, re-created again and again"),
    "unknown": (covered("a/b", Outcome.UNKNOWN, before=2, now=2), "unknown: before yes, now unknown, re-created unknown"),
    "on some of the nodes": (covered("a/b", Outcome.KEPT, before=1), "kept: before on some, now yes, re-created yes"),
    "gained": (covered("a/b", Outcome.GAINED), "gained: before no, now yes, re-created yes"),
}


@pytest.mark.parametrize(("row", "words"), CELLS.values(), ids=CELLS)
def test_a_cell_says_before_now_and_later(row: object, words: str) -> None:
    ((*_, cell),) = cells(report(step(row)))  # type: ignore[arg-type]
    assert cell == words


def test_a_drain_has_its_own_columns_and_what_was_not_asked_is_said() -> None:
    row = covered("a/b", Outcome.KEPT, replaced=2)
    columns = ("NOW", "AFTER REBOOT", "AFTER REPLACEMENT")
    assert cells(report(step(row, columns=columns)))[0][-1] == "kept: before yes, now yes, after reboot yes, after replacement yes"
    assert cells(report(step(covered("a/b", Outcome.KEPT), columns=columns)))[0][-2:] == [
        "-",
        "kept: before yes, now yes, after reboot yes, after replacement not asked",
    ]


def test_a_comparison_says_ready_and_where_there_never_was_a_pod() -> None:
    rows = {row[0]: row[1:] for row in cells(VERIFY)}
    assert rows["logging/log-agentlost on rdma-1, n-4 (gone)"] == [
        *("3", "1", "1"),
        "lost-now: before yes, now no, ready no",
        "no pod before and now",
        "node-gone: before yes, now no, ready no",
        "kept: before yes, now yes, ready yes",
    ]


def test_more_classes_than_there_is_room_for_share_the_last_column_and_it_counts() -> None:
    nodes = [f"n-{at:02}" for at in range(30)]
    rows = [covered(f"a/b-{at:02}", Outcome.LOST_NOW, nodes=[node]) for at, node in enumerate(nodes)]
    rows += [covered(f"a/b-{at:02}", Outcome.KEPT, nodes=[*nodes[:at], *nodes[at + 1 :]]) for at in range(30)]
    first, *_, last = cells(report(step(*rows, nodes=nodes)))
    assert len(first) == 4 + MOST_COLUMNS
    assert first[4:] == [
        "lost-now: before yes, now no, re-created no",
        *["kept: before yes, now yes, re-created yes"] * 10,
        "19→19→19kept on 19 nodes",
    ]
    assert last[4:] == [*["kept: before yes, now yes, re-created yes"] * 11, "19→18→18lost-now on 1 of 19 nodes"]


def test_a_class_is_what_no_row_of_any_step_tells_apart_and_the_largest_is_first() -> None:
    one = step(covered("a/b", Outcome.KEPT, nodes=["n-1", "n-2"]), nodes=("n-1", "n-2", "n-3", "n-4", "n-5"))
    two = step(covered("a/b", Outcome.KEPT, nodes=["n-2"]), nodes=("n-2",))
    assert [tuple(node_class) for node_class in make_node_classes([one, two]).all] == [
        ("A", ("n-3", "n-4", "n-5")),
        ("B", ("n-1",)),
        ("C", ("n-2",)),
    ]
    assert make_node_classes([]).all == []


def test_nodes_are_told_by_name_by_class_or_by_the_beginning_of_their_list() -> None:
    nodes = [f"n-{at}" for at in range(9)]
    classes = make_node_classes([step(covered("a/b", Outcome.KEPT, nodes=nodes[:6]), nodes=nodes)])
    assert classes.render_nodes(nodes[:2]) == "<code>n-0</code>, <code>n-1</code>"
    assert classes.render_nodes(nodes[:6]) == '6 nodes: class <a href="#class-A">A</a>'
    assert classes.render_nodes(nodes) == '9 nodes: class <a href="#class-A">A</a>, <a href="#class-B">B</a>'
    assert classes.render_nodes(nodes[:5]) == "5 nodes: <code>n-[0-4]</code>"
    assert classes.render_nodes([*nodes[:6], "other"]) == "7 nodes: <code>n-[0-5], other</code>"
    assert (classes.get_letters(nodes[5:7]), classes.get_letters(["other"])) == ("A B", "")


def test_the_letters_end_and_the_nodes_of_all_other_classes_stand_together() -> None:
    nodes = [f"n-{at:02}" for at in range(MOST_LETTERS + 2)]
    one = step(*(covered("a/b", Outcome.KEPT, nodes=[node]) for node in nodes), nodes=nodes)
    classes = make_node_classes([one])
    assert [node_class.letter for node_class in classes.all][25:28] == ["Z", "AA", "AB"]
    assert [each.letter for each in classes.all][-3:] == ["BH", "", ""]
    assert classes.get_letters(nodes[-3:]) == f"BH {REST}"
    assert f"<code data-names={REST}>n-60, n-61</code>" in html.render(report(one))


RANGES = {
    "nothing": ([], []),
    "two": (["n-2", "n-1"], ["n-1", "n-2"]),
    "three in a row": (["n-1", "n-2", "n-3"], ["n-[1-3]"]),
    "with a gap": (["n-1", "n-2", "n-3", "n-7", "n-9", "n-10"], ["n-[1-3,7,9,10]"]),
    "nine and ten": (["n-9", "n-10", "n-11"], ["n-[9-11]"]),
    "zeros before": (["n-08", "n-09", "n-10"], ["n-[08-10]"]),
    "zeros and none": (["n-1", "n-01", "n-2", "n-3"], ["n-[1-3,01]"]),
    "a domain with numbers": ([f"ip-10-0-{at}.zone-1.example" for at in (4, 5, 6)], ["ip-10-0-[4-6].zone-1.example"]),
    "addresses": (["10.0.0.1", "10.0.0.2", "10.0.0.3"], ["10.0.0.[1-3]"]),
    "a letter behind": (["n1a", "n2a", "n3a", "n1b"], ["n[1-3]a", "n1b"]),
    "no number": (["master", "worker", "edge"], ["edge", "master", "worker"]),
    "a bracket": (["n[1", "n[2", "n[3"], ["n[1", "n[2", "n[3"]),
    "a name that is there twice": (["n-1", "n-1", "n-2"], ["n-1", "n-2"]),
}


@pytest.mark.parametrize(("names", "shown"), RANGES.values(), ids=RANGES)
def test_ranges(names: list[str], shown: list[str]) -> None:
    assert compress_names(names) == shown


def spelled(item: str) -> list[str]:
    found = re.fullmatch(r"([^\[]*)\[([\d,-]+)\](.*)", item, re.DOTALL)
    if not found:
        return [item]
    parts = [part.partition("-") for part in found[2].split(",")]
    runs = [(first, last or first) for first, _, last in parts]
    return [f"{found[1]}{number:0{len(first)}}{found[3]}" for first, last in runs for number in range(int(first), int(last) + 1)]


@given(st.lists(st.one_of(st.from_regex(r"[ab]-?[0-9]{1,3}(\.c1)?", fullmatch=True), st.text("ab0129.-[],", max_size=6))))
def test_what_is_drawn_together_is_spelled_out_again(names: list[str]) -> None:
    whole = [name for name in names if set("[], ").isdisjoint(name)]
    assert sorted(name for item in compress_names(whole) for name in spelled(item)) == sorted(set(whole))
    assert set(names) - set(whole) <= set(compress_names(names))


# Findings, pods, the chain, and what it rests on.


def test_a_finding_says_where_what_follows_and_the_fix() -> None:
    page = html.render(RDMA)
    card = page[page.index("<details id=f1") : page.index("</section>", page.index("<details id=f1"))]
    assert re.sub(r"\s+", " ", re.sub(r"<.*?>", " ", card.replace("&#10;", " "))).strip() == (
        "✕ error: storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created PF102 lost-on-recreation"
        " daemonsets/csi.yaml:31:7 31 │ tolerations : nothing here tolerates dedicated=rdma:NoSchedule"
        " impact mounts and unmounts of csi.rdma.example.com hang on these nodes; 3 workloads use it nodes rdma-1 , rdma-2"
        " fix - {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}"
    )


def test_what_the_finding_is_about_is_marked_in_its_line() -> None:
    source = re.search(r"<div class=source>(.*?)</div>", html.render(RDMA), re.DOTALL)
    assert source is not None
    assert source[1].replace("\n", "") == (
        "<pre>31 │ <mark>tolerations</mark>:</pre><p>nothing here tolerates dedicated=rdma:NoSchedule</p>"
    )


def test_a_group_of_many_objects_folds_those_beyond_the_first() -> None:
    found = tuple(
        finding(f"is number {at}", rule="PF310", name="fits-nowhere", subject=Subject("Job", "ml", f"train-{at:02}")) for at in range(60)
    )
    page = html.render(report(findings=found))
    assert "fits-nowhere: 60 Jobs" in page
    folded = page[page.index("<details class=group><summary>48 more</summary>") :]
    assert page.index("ml/train-11") < page.index("<summary>48 more</summary>")
    assert "ml/train-11" not in folded
    assert all(f"<code>ml/train-{at:02}</code> is number {at}" in folded for at in range(12, 60))


def test_an_explanation_has_no_breaks_of_a_terminal() -> None:
    text = "It is so.\n\nWhy it matters\n    One line and\n    `the next`.\nHow to fix\n    So."
    explained = RuleInfo("PF102", "x", Severity.ERROR, "It is so", text)
    page = html.render(replace(RDMA, rules=(explained,)))
    lines_ = re.findall(r"<(h5|p)>(.*?)</\1>", page[page.index("What these rules mean") :])
    assert lines_[:5] == [
        ("p", "It is so."),
        ("h5", "Why it matters"),
        ("p", "One line and <code>the next</code>."),
        ("h5", "How to fix"),
        ("p", "So."),
    ]


def test_backticks_are_code_and_only_in_pairs() -> None:
    assert render_prose("add `kubectl get <x>` to it") == "add <code>kubectl get &lt;x&gt;</code> to it"
    assert render_prose("one ` alone & more") == "one ` alone &amp; more"
    assert render_prose("`a``b`") == "<code>a</code><code>b</code>"


def test_many_findings_stand_under_their_rules_the_worst_first() -> None:
    found = [finding(rule=f"PF2{at % 3:02}", name=f"rule-{at % 3}", severity=list(Severity)[at % 3], key=(str(at),)) for at in range(60)]
    page = html.render(report(findings=tuple(reversed(found))))
    groups = re.findall(r"<details class=group( open)?><summary><h3>(?:<b.*?</b>)?(.*?)</h3> <span class=quiet>(.*?)</span>", page)
    assert groups == [(" open", "PF200 rule-0", "20 errors"), ("", "PF201 rule-1", "20 warnings"), ("", "PF202 rule-2", "20 notes")]


def test_an_exempted_finding_is_folded_at_the_end_with_its_reason() -> None:
    page = html.render(LINT)
    assert page.index("<h3>1 exempted</h3>") > page.index("<details id=f3")
    assert "<p>exempted: accepted until the move</p>" in page


def test_a_finding_with_endless_notes_counts_the_rest() -> None:
    page = html.render(report(findings=(finding(notes=(("then", "y"),) * 120),)))
    assert page.count("<dd>y</dd>") == 100
    assert "<dd>20 more (-o json has all)</dd>" in page


def test_the_pods_of_a_drain_stand_node_by_node_what_is_stuck_first() -> None:
    assert cells(DRAIN)[1:] == [
        [
            "shop/db-0",
            "StatefulSet shop/db",
            "blocked forever",
            "-",
            "PodDisruptionBudget shop/db needs 2 healthy pods and has 2 currently; its workloads do not run more pods, so it can "
            "never allow an eviction",
        ],
        ["ops/shell", "-", "evicted, lost for good", "-", "its emptyDir data is lost"],
        ["ml/big-0", "Job ml/big", "evicted", "Pending", "its replacement stays Pending: 2 Insufficient cpu"],
        [
            "shop/web-1",
            "Deployment shop/web",
            "waits for a replacement",
            "n-2, n-3",
            "PodDisruptionBudget shop/web allows no further disruption, because other pods of this drain have used up its allowance: "
            "the pod is evicted once a replacement is Ready",
        ],
    ]
    page = html.render(DRAIN)
    first = "lower minAvailable of PodDisruptionBudget shop/db, or raise its maxUnavailable, during the drain"
    assert page.index(">Before you begin</h2>") < page.index(f"<ol><li>{first}</li></ol>") < page.index(">Coverage</h2>")
    assert "<dt>note</dt><dd>assumes that replacements that fit on a node become Ready; until then kubectl retries every 5 s</dd>" in page
    assert "<p class=refusal>kubectl: cannot delete Pods: x/y</p>" in page


def drain(nodes: int, pods: int) -> Report:
    each = [
        NodeEvictions(f"n-{at}", tuple(Eviction(f"a/p-{number}", None, EvictionVerdict.EVICTED) for number in range(pods)))
        for at in range(nodes)
    ]
    return report(step(evictions=EvictionReport(EvictionMechanism.DRAIN, tuple(each))))


def test_a_drain_of_many_nodes_counts_the_pods_that_it_does_not_name() -> None:
    page = html.render(drain(200, 40))
    assert page.count("<tr data-m=") == 3000 + 1
    assert "<th scope=row><code>8000 pods</code></th>" in page
    assert page.count("10 more pods (--all-rows shows all).") == 100
    assert page.count("40 more pods (--all-rows shows all).") == 100
    assert html.render(drain(200, 40), all_rows=True).count("<tr data-m=") == 8000 + 1


def test_the_chain_comes_before_the_coverage() -> None:
    page = html.render(
        replace(RDMA, why=(ExplanationLink(1, "taint", "dedicated=rdma:NoSchedule on rdma-1"), ExplanationLink(1, "impact", "it is lost")))
    )
    chain = "<dt>taint</dt><dd>dedicated=rdma:NoSchedule on rdma-1</dd><dt class=strong>impact</dt><dd>it is lost</dd>"
    assert page.index("</header>") < page.index(chain) < page.index("Coverage")


def test_what_it_rests_on_is_whole() -> None:
    page = html.render(
        replace(LINT, skipped=(*(SkippedCheck(f"thing {at}", "not given") for at in range(30)), SkippedCheck("budgets", "")))
    )
    end = page[page.index("What was checked") :]
    assert "<li><code>broken.yaml:3:8</code>: mapping values are not allowed here</li><li>no such context</li>" in end.replace("\n", "")
    assert f"<dt>not given</dt><dd>{', '.join(f'thing {at}' for at in range(30))}</dd>" in end
    assert "<dt>no reason given</dt><dd>budgets</dd>" in end
    assert "Exit code 3: something could not be read" in end


def test_no_option_of_a_terminal_changes_the_page() -> None:
    for one in ALL.values():
        assert html.render(one, width=40, color=True) == html.render(one)


# The waterfall.


def bars(*amounts: tuple[str, float]) -> list[tuple[str, str, str, str, str]]:
    page = "".join(render_waterfall("GPUs", amounts, remainder_label="schedulable"))
    row = r"<tr class=(\w+)><th scope=row>(.*?)</th><td class=n>(.*?)</td>.*?<rect x=(\S+) width=(\S+)"
    return re.findall(row, page)


def test_no_amount_draws_nothing() -> None:
    assert list(render_waterfall("GPUs", [])) == []


def test_a_waterfall_goes_from_the_sum_to_what_is_left() -> None:
    assert bars(("allocatable", 120), ("cordoned", -8), ("ghosts", 0), ("used", -99), ("too small a rest", -13)) == [
        ("whole", "allocatable", "120", "0", "1000"),
        ("less", "cordoned", "-8", "933.3", "66.7"),
        ("less", "ghosts", "0", "933.3", "0"),
        ("less", "used", "-99", "108.3", "825"),
        ("less", "too small a rest", "-13", "0", "108.3"),
        ("rest", "schedulable", "0", "0", "0"),
    ]


def test_a_waterfall_goes_up_and_below_nothing_too() -> None:
    assert bars(("one", 4), ("two", 4), ("three", -10)) == [
        ("whole", "one", "4", "200", "400"),
        ("more", "two", "+4", "600", "400"),
        ("less", "three", "-10", "0", "1000"),
        ("rest", "schedulable", "-2", "0", "200"),
    ]


def test_a_waterfall_of_nothing_at_all() -> None:
    assert bars(("allocatable", 0)) == [("whole", "allocatable", "0", "0", "0"), ("rest", "schedulable", "0", "0", "0")]


def test_a_waterfall_writes_amounts_as_it_is_told_and_escapes_its_words() -> None:
    page = "".join(render_waterfall("<b>", [("<i>", 5000), ("x", -1)], format_value=lambda amount: f"{amount:g} <GiB>"))
    assert "<caption>&lt;b&gt;</caption>" in page
    assert "<th scope=row>&lt;i&gt;</th><td class=n>5000 &lt;GiB&gt;</td>" in page
    assert "<td class=n>-1 &lt;GiB&gt;</td>" in page
    Document(page)
    assert "<td class=n>5,000</td>" in "".join(render_waterfall("", [("all", 5000)]))


# What may not happen.

SAFE = {
    "nothing": ("", ""),
    "markup": ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
    "quotes and an ampersand": ("\"a' & b", "&quot;a&#x27; &amp; b"),
    "an end of CDATA": ("]]>", "]]&gt;"),
    "bidi": ("a\u202eb", r"a\u202eb"),
    "no width": ("a\u200bb", r"a\u200bb"),
    "a line": ("a\n::error::b", r"a\n:&#58;error:&#58;b"),
    "a command of old": ("##[error]", "#&#35;[error]"),
    "no UTF-8": ("\udc80", r"\udc80"),
}


@pytest.mark.parametrize(("text", "shown"), SAFE.values(), ids=SAFE)
def test_safe(text: str, shown: str) -> None:
    assert escape_text(text) == shown
    assert render_code(text) == f"<code>{shown}</code>"


def test_a_long_text_is_cut_before_it_is_escaped() -> None:
    assert escape_text("&" * 10, 5) == "&amp;&amp;..."


def test_what_needs_no_sign_has_none() -> None:
    assert render_mark(" ") == ""
    assert render_mark("x") == '<b class="m bad" aria-hidden="true">✕</b>'


@pytest.mark.parametrize("given_", ALL.values(), ids=ALL)
def test_the_policy_names_the_style_and_the_script_of_the_page_and_nothing_else(given_: Report) -> None:
    page = Document(html.render(given_))
    (policy,) = (each.attributes["content"] for each in page.all("meta") if each.attributes.get("http-equiv") == "Content-Security-Policy")
    hashes = {}
    for tag in ("style", "script"):
        (element,) = page.all(tag)
        hashes[tag] = f"'sha256-{b64encode(sha256(element.said.encode()).digest()).decode()}'"
    assert policy == (
        f"default-src 'none'; style-src {hashes['style']}; script-src {hashes['script']};"
        " img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_no_address_is_in_a_page() -> None:
    for one in ALL.values():
        assert re.findall(r"\b(?:https?|ftp|wss?):|//\w|@import|url\(", html.render(one).replace("://10.0.0.1", "")) == []


@pytest.mark.parametrize(
    "text",
    [
        '<p onclick="x">',
        '<p style="x">',
        "<img>",
        "<!-- x -->",
        '<a href="https://forged.example">x</a>',
        '<p id="a"></p><p id="a"></p>',
        "<p>",
        "<p></b></p>",
    ],
)
def test_what_could_do_harm_would_be_noticed(text: str) -> None:
    with pytest.raises((AssertionError, IndexError)):
        Document(text)


# Who sees little or no colour reads it too.


def palette(dark: bool) -> dict[str, str]:
    blocks = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)
    return {name: value for block in blocks[: 2 if dark else 1] for name, value in re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)}


def luminance(color: str) -> float:
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, two: str) -> float:
    light, dim = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dim + 0.05)


def test_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_all_text_has_the_contrast_that_wcag_asks_for(dark: bool) -> None:
    colors = palette(dark)
    signs = ("bad", "unk", "warn", "gain", "ok")
    pairs = [*product(("ink", "soft", "link"), ("ground", "card", "faint")), *product(signs, ("ground", "card"))]
    pairs += [*(("ink", f"{sign}-g") for sign in signs), *((sign, f"{sign}-g") for sign in signs)]
    ratios = {pair: round(contrast(colors[pair[0]], colors[pair[1]]), 2) for pair in pairs}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}


# Size and speed.


def test_a_page_of_5000_nodes_and_60_daemonsets_is_small_and_has_each_name_once_in_its_lists() -> None:
    given_ = large()
    start = perf_counter()
    page = html.render(given_)
    assert perf_counter() - start < 10
    assert len(page.encode()) < 1_000_000
    listed = [
        name for names in re.findall(r"<code data-names=\w+>(.*?)</code>", page) for item in names.split(", ") for name in spelled(item)
    ]
    assert sorted(listed) == sorted(given_.steps[0].nodes)


def test_not_even_nodes_that_share_nothing_make_a_page_large() -> None:
    assert len(html.render(large(scattered=0.2)).encode()) < 3_000_000


def test_the_order_of_rows_and_nodes_changes_nothing_but_their_own_order() -> None:
    (one,) = large(9, 100).steps
    turned = replace(one, coverage=tuple(reversed(one.coverage)), nodes=tuple(reversed(one.nodes)))
    assert html.render(report(turned)) == html.render(report(one))


def test_an_empty_report_says_so() -> None:
    page = html.render(replace(NOTHING, judged=CheckedCounts()))
    assert "nothing was checked" in page
    assert "id=filter" not in page[: page.index("<script>")]
