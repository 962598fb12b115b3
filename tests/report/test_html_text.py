"""The page and the text of one run say the same: the verdict, the numbers, the findings, what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.report.pages import MORE_RUNS, RUNS, Pair, read_all, run, squeeze

REPORTS = {name: argv for name, argv in (RUNS | MORE_RUNS).items() if argv[0] != "capacity"}
LOST = ("DaemonSet lost", "DaemonSets lost", "DaemonSet in a loop", "DaemonSets in a loop")
POD_TILES = {
    "blocked forever": "blocked forever",
    "lost for good": "evicted, lost for good",
    "Pending afterwards": "Pending",
    "refused by kubectl": "refused by kubectl",
    "blocked for now": "blocked for now",
}
"""What a tile of pods says, and the cell of their rows in the text."""


@pytest.fixture(params=list(REPORTS.values()), ids=list(REPORTS))
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Pair:
    return run(request.param, tmp_path, "--all-rows")


def read_verdict(page: str) -> str:
    return "; ".join(
        [*read_all(page, r"<h1>.*?<span>(.*?)</span></h1>"), *read_all(_part(page, "<ul class=facts>", "</ul>"), r"<li>(.*?)</li>")]
    )


def read_tiles(page: str) -> list[tuple[str, int, str]]:
    """The class of each tile, its number, and what it counts."""
    found = re.findall(r"<li class=(\w+)>(?:<b.*?</b>)?<strong>([\d,]+)</strong><span>([^<]*)", _part(page, "<ul class=tiles>", "</ul>"))
    return [(css, int(number.replace(",", "")), label.strip()) for css, number, label in found]


def _part(page: str, start: str, end: str) -> str:
    at = page.find(start)
    return page[at : page.index(end, at)] if at >= 0 else ""


def _after(text: str, heading: str) -> list[str]:
    """The lines below a heading, up to an empty line."""
    lines = text.splitlines()
    found = lines[lines.index(heading) + 1 :] if heading in lines else []
    return [line.strip() for line in found[: [*found, ""].index("")]]


def test_the_verdict(pair: Pair) -> None:
    lines = [line.removeprefix(marker) for line in map(squeeze, pair.text.splitlines()) for marker in ("x ", "? ", "! ", "")]
    assert read_verdict(pair.page) in lines
    assert all(verdict in lines for verdict in read_all(pair.page, r'<p class="verdict \w+">(?:<b.*?</b>)?(.*?)</p>'))


def test_the_sign_of_the_verdict_is_never_better_than_the_exit_code(pair: Pair) -> None:
    (sign,) = re.findall(r'<header class="story (\w+)">', pair.page)
    assert (sign == "ok") <= (pair.code == 0)


def test_the_findings(pair: Pair) -> None:
    def read(part: str) -> list[str]:
        cards = re.findall(r"<span class=v>(\w+): </span>(.*?)</h\d>\s*<p class=rule>(PF\d+) ([\w-]+)", part, re.DOTALL)
        found = []
        for severity, said, rule, name in cards:
            (sentence,) = read_all(f"<h3>{said}</h3>", "<h3>(.*?)</h3>")
            found.append(f"{severity}[{rule}] {name}: {sentence.removeprefix(f'{name}: ')}")
        return sorted(found)

    page = re.split(r"<details class=group><summary><h3>[^<]*(?:not caused by this change|exempted)", pair.page)[0]
    assert read(page) == sorted(squeeze(line) for line in pair.text.splitlines() if re.match(r"(error|warning|note)\[PF", line))


def test_what_to_do(pair: Pair) -> None:
    first = _part(pair.page, "Before you begin", "</section>")
    advice = [re.sub(r"^\d+\. ", "", squeeze(line)) for line in _after(pair.text, "Before you begin:")]
    assert read_all(first, "<li>(.*?)</li>") == advice
    assert not first or pair.page.index("Before you begin") < pair.page.index("<h2", pair.page.index("id=filter"))
    steps = read_all(_part(pair.page, "<section class=next", "</section>"), "<li>(.*?)</li>")
    assert steps == [squeeze(line).replace("# ", "", 1) for line in _after(pair.text, "Next:")]


def test_the_numbers(pair: Pair) -> None:
    tiles = read_tiles(pair.page)
    lost = sum(number for _, number, label in tiles if label.startswith(LOST))
    rows = {line.split()[1] for line in pair.text.splitlines() if re.match(r"x \S+/\S+ +\d+ ", line)}
    assert lost == len(rows) or not lost
    cells = [re.split(" {2,}", line) for line in pair.text.splitlines() if re.match(r"[x?! ] \S+/\S+ ", line)]
    pods = {word: sum(cell in row for row in cells) for word, cell in POD_TILES.items()}
    assert {label.split(" ", 1)[1]: number for _, number, label in tiles if label.split(" ", 1)[1] in pods} == {
        word: number for word, number in pods.items() if number
    }
    assert read_all(pair.page, r"<section id=basis.*?</h2>\s*<p>(.*?)</p>") == [squeeze(pair.text.splitlines()[-1])]


def test_nothing_that_stays_pending_or_is_assumed_is_green(pair: Pair) -> None:
    green = [label for css, _, label in read_tiles(pair.page) if css == "ok"]
    assert all(re.fullmatch(r"DaemonSets? (kept|with all pods)|pods? moved to another node", label) for label in green)
    if "no pods in the input" in pair.page.lower():
        assert not any(label.startswith("DaemonSet") for label in green)


def test_the_sentence_on_a_refused_drain_names_how_much_is_refused(tmp_path: Path) -> None:
    argv = MORE_RUNS["a drain that kubectl refuses on one node of several"]
    said = read_verdict(run(argv, tmp_path).page)
    assert said.startswith("kubectl refuses to drain n-2: add --force; 2 pods are evicted: 2 replacements stay Pending")
    assert "this drain" not in said
    assert read_verdict(run(("drain", "n-2", *argv[4:]), tmp_path).page).startswith("kubectl refuses this drain: add --force")


def test_what_keeps_its_pods_is_counted_alike(tmp_path: Path) -> None:
    page, text, _ = run(RUNS["a change"], tmp_path)
    assert "  3 DaemonSets keep their pods (--all-rows lists them)" in text.splitlines()
    assert ("note", 3, "DaemonSets kept (assumed)") in read_tiles(page)
    assert "<summary>3 DaemonSets keep their pods (assumed: no pods in the input)</summary>" in page


def test_two_daemonsets_of_one_port_are_not_said_to_be_fine(tmp_path: Path) -> None:
    """Without pods coverage is assumed, and no port is part of it: a finding says that two cannot run on one node."""
    page, text, _ = run(MORE_RUNS["lint without pods"], tmp_path)
    assert "error[PF221] shared-host-port: ops/agent-2" in text
    assert ("note", 3, "DaemonSets with all pods (assumed)") in read_tiles(page)
    assert "(assumed: no pods in the input)</summary>" in page
    assert read_verdict(page) == "1 error: shared-host-port"


def test_faults_of_all_clusters_are_one_sum(tmp_path: Path) -> None:
    page, text, _ = run(MORE_RUNS["two clusters"], tmp_path)
    assert read_verdict(page) == "7 faults found, root causes first"
    assert "x 7 faults found, root causes first" in text.splitlines()
    assert read_all(page, r'<p class="verdict \w+">(?:<b.*?</b>)?(.*?)</p>') == [
        "2 faults found",
        "5 faults found, root causes first",
    ]
    assert "step 1 of 2" not in page


def test_the_page_of_one_pod_tells_its_chain_and_no_number_of_faults(tmp_path: Path) -> None:
    argv = ("doctor", "--pod", "research/train-0", "--from", RUNS["doctor"][-1])
    page, text, _ = run(argv, tmp_path)
    said = read_verdict(page)
    assert said.startswith("research/train-0 has had no node since")
    assert squeeze(text.splitlines()[0]).startswith(f"pod {said}")
    assert "faults found" not in page
    links = read_all(_part(page, "<section id=why", "</section>"), "<dd>(.*?)</dd>")
    assert links == [squeeze(line[11:]) for line in text.split("\n\n")[0].splitlines()]


def test_the_answer_of_capacity(tmp_path: Path) -> None:
    page, text, _ = run(RUNS["capacity"], tmp_path)
    lines = " ".join(map(squeeze, text.splitlines()))
    for said in (*read_all(page, r"<h1>.*?<span>(.*?)</span></h1>"), *read_all(page, "<p class=answer>(.*?)</p>")):
        assert said in lines
