"""What a real Chromium makes of the page: it opens at once, asks for nothing, filters, and is read without its script."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from preflight.model.report import Outcome, Report
from preflight.report import html
from tests.capacity.snapshots import GPU, node, pod, snapshot
from tests.cli.program import program
from tests.report.browser import Browser, Tab, chromium, opened
from tests.report.large import large
from tests.report.pages import RUNS, run
from tests.report.reports import ALL, DRAIN, LINT, NO, PLAN, RDMA, covered, finding, report, step
from tests.report.test_every_format import NASTY
from tests.report.test_hostile import _spoil

POOLS = report(
    step(
        covered("storage/csi", Outcome.LOST_ON_RECREATION, NO, nodes=["gpu-1", "gpu-2", "gpu-3"]),
        covered("storage/csi", Outcome.KEPT, nodes=["cpu-1", "cpu-2"]),
        covered("kube-system/proxy", Outcome.KEPT, nodes=["cpu-1", "cpu-2", "gpu-1", "gpu-2", "gpu-3"]),
        covered("a/other", Outcome.UNKNOWN, "a label is not known", nodes=["cpu-1", "cpu-2"]),
        nodes=("cpu-1", "cpu-2", "gpu-1", "gpu-2", "gpu-3"),
    ),
    findings=(
        finding("loses gpu-1, gpu-2, gpu-3", nodes=("gpu-1", "gpu-2", "gpu-3")),
        finding("may lose cpu-1, cpu-2", rule="PF109", name="unknown-coverage", nodes=("cpu-1", "cpu-2")),
    ),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


def written(folder: Path, given: Report) -> Path:
    path = folder / "report.html"
    path.write_text(html.render(given), encoding="utf-8")
    return path


def quiet(tab: Tab) -> bool:
    return tab.complaints == [] and tab.requests == []


@pytest.mark.parametrize("given", ALL.values(), ids=ALL)
def test_it_opens_without_a_complaint_and_asks_for_nothing(browser: Browser, tmp_path: Path, given: Report) -> None:
    with opened(browser, written(tmp_path, given)) as tab:
        assert quiet(tab)
        assert tab.run("document.compatMode") == "CSS1Compat"
        assert tab.run("document.documentElement.scrollWidth <= innerWidth")


def test_the_page_of_capacity_draws_its_way(browser: Browser, tmp_path: Path) -> None:
    world, page = tmp_path / "w.json", tmp_path / "capacity.html"
    world.write_text(snapshot([node("a"), node("b", state="cordoned"), pod("p", "a", 6)]), encoding="utf-8")
    assert program("capacity", "--request", f"{GPU}=1", "--from", str(world), "-o", f"html={page}").code == 0
    with opened(browser, page) as tab:
        assert quiet(tab)
        assert tab.shown("h1 span") == ["2 copies fit now"]
        widths = tab.run(
            "[...document.querySelectorAll('.waterfall rect:not(.ground)')].map(e => Math.round(e.getBoundingClientRect().width))"
        )
        whole = tab.run("Math.round(document.querySelector('.waterfall svg').getBoundingClientRect().width)")
        assert widths == pytest.approx([whole, whole * 8 / 16, whole * 6 / 16, whole * 2 / 16], abs=1)


def test_a_complaint_and_a_request_would_be_noticed(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, RDMA)
    with opened(browser, path) as tab:
        assert "Failed to fetch" in tab.run("fetch('http://127.0.0.1:9/').catch(error => error.message)")
        assert any("Content Security Policy" in complaint for complaint in tab.complaints)
    with opened(browser, path) as tab:
        tab.run("document.body.setAttribute('onclick', 'window.forged = 1'); document.body.click(); document.body.style")
        assert tab.run("typeof window.forged") == "undefined"
        assert any("Content Security Policy" in each for each in tab.complaints)
    path.write_text(path.read_text(encoding="utf-8").replace("default-src 'none'", "default-src *", 1), encoding="utf-8")
    with opened(browser, path) as tab:
        tab.run("fetch('http://127.0.0.1:9/').catch(() => 0)")
        assert tab.requests == ["http://127.0.0.1:9/"]


@pytest.mark.parametrize("nasty", NASTY.values(), ids=NASTY)
def test_a_hostile_name_does_nothing(browser: Browser, tmp_path: Path, nasty: str) -> None:
    elements = (
        "[...document.querySelectorAll('*')].filter(e => !['SPAN', 'B', 'BR', 'CODE'].includes(e.tagName)).map(e => e.tagName).join()"
    )
    with opened(browser, written(tmp_path, LINT)) as tab:
        clean = tab.run(elements)
    with opened(browser, written(tmp_path, _spoil(LINT, nasty))) as tab:
        assert quiet(tab)
        assert tab.run(elements) == clean
        assert tab.run("document.querySelector('h1').checkVisibility()")
        assert tab.run("document.documentElement.scrollWidth <= innerWidth")


def test_5000_nodes_and_60_daemonsets_open_within_two_seconds(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, large())
    assert path.stat().st_size < 3_000_000
    seconds = []
    for _ in range(3):
        with opened(browser, path) as tab:
            assert tab.run("document.querySelectorAll('tr[data-m]').length") == 60
            assert quiet(tab)
            seconds.append(tab.opened)
    assert min(seconds) < 2


def names(tab: Tab) -> tuple[list[str], list[str], int]:
    """The DaemonSets, the classes and the number of findings that can be seen."""
    return tab.shown(".matrix tbody th code"), tab.shown(".matrix thead .letter"), len(tab.shown(".f"))


def test_the_filter_finds_rows_nodes_and_losses(browser: Browser, tmp_path: Path) -> None:
    every = (["storage/csi", "a/other"], ["A", "B"], 2)
    with opened(browser, written(tmp_path, POOLS)) as tab:
        assert names(tab) == every
        tab.type("#words", "CSI")
        assert names(tab) == (["storage/csi"], ["A", "B"], 2)
        assert tab.run("shown.value") == "1 of 3 rows, 2 of 2 findings"
        tab.type("#words", "label is not")
        assert names(tab) == (["a/other"], ["A", "B"], 0)
        tab.type("#words", "")
        tab.type("#node", "gpu-2")
        assert names(tab) == (["storage/csi", "a/other", "kube-system/proxy"], ["A", "A"], 1)
        assert tab.run("shown.value") == "3 of 3 rows, 1 of 2 findings, node in 1 class"
        tab.type("#node", "none-such")
        assert names(tab) == (["storage/csi", "a/other", "kube-system/proxy"], [], 0)
        tab.type("#node", "")
        for value, rows in (("bad", ["storage/csi"]), ("open", ["storage/csi", "a/other"]), ("all", every[0])):
            tab.run(f"least.value = {json.dumps(value)}; least.dispatchEvent(new Event('input'))")
            assert names(tab)[0] == rows
        assert names(tab) == every
        assert tab.run("shown.value") == ""
        assert quiet(tab)


def test_the_filter_finds_each_of_5000_nodes_and_opens_what_is_folded(browser: Browser, tmp_path: Path) -> None:
    given = large()
    with opened(browser, written(tmp_path, given)) as tab:
        assert tab.shown(".group:not([open]) .f") == []
        tab.type("#node", given.steps[0].nodes[4321])
        assert tab.run("shown.value").endswith("node in 1 class")
        assert len(set(tab.shown(".matrix thead .letter"))) == 1
        tab.type("#node", "")
        tab.type("#words", "agent-07")
        assert tab.shown(".matrix tbody th code") == ["team-7/agent-07"]
        assert tab.shown(".f") != []
        assert all("team-7/agent-07" in card for card in tab.shown(".f"))


def test_all_of_it_is_reached_with_the_keyboard(browser: Browser, tmp_path: Path) -> None:
    what = "(e => e.id || e.className || e.getAttribute('href') || e.tagName)(document.activeElement)"
    with opened(browser, written(tmp_path, POOLS)) as tab:
        tab.press("Tab")
        assert tab.run(what) == "skip"
        assert tab.run("document.activeElement.getBoundingClientRect().left >= 0")
        reached = []
        for _ in range(12):
            tab.press("Tab")
            reached.append(tab.run(what))
        before = ["#f1", "#f2", "copier", "words", "node", "least"]
        assert reached == [*before, "scroll", "#class-A", "#class-B", "SUMMARY", "SUMMARY", "SUMMARY"]
        assert tab.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        tab.run("document.querySelector('#f1 summary').focus()")
        assert tab.run("document.querySelector('#f1').open")
        tab.press("Enter")
        assert not tab.run("document.querySelector('#f1').open")


def test_who_hears_it_gets_names_for_everything(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, DRAIN)) as tab:
        tree = tab.ask("Accessibility.getFullAXTree")["nodes"]
        roles = ("textbox", "searchbox", "combobox", "region", "link", "DisclosureTriangle", "heading", "search")
        found = [(node["role"]["value"], node["name"]["value"]) for node in tree if not node["ignored"] and node["role"]["value"] in roles]
        assert [each for each in found if not each[1].strip()] == []
        assert {("searchbox", "Name or reason"), ("searchbox", "Node"), ("combobox", "Show"), ("search", "Filter the page")} <= set(found)
        assert next(name for role, name in found if role == "heading").startswith("the drain never ends: kubectl is stuck on n-1")


def test_it_is_read_without_its_script(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, POOLS)
    with opened(browser, path, scripts=False) as tab:
        nodes = tab.ask("DOMSnapshot.captureSnapshot", computedStyles=["display"])
        strings, document = nodes["strings"], nodes["documents"][0]
        drawn = " ".join(strings[at] for at in document["layout"]["text"] if at >= 0)
    for text in ("3 nodes", "storage/csi", "●●○", "loses gpu-1, gpu-2, gpu-3", "What was checked"):
        assert text in drawn
    assert "Name or reason" not in drawn


def test_it_is_dark_where_the_system_is_and_light_on_paper(browser: Browser, tmp_path: Path) -> None:
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    path = written(tmp_path, RDMA)
    colors = []
    for dark, media in ((False, "screen"), (True, "screen"), (True, "print")):
        with opened(browser, path, dark=dark, media=media) as tab:
            colors.append(tab.run(ground))
    assert colors == ["rgb(251, 250, 247)", "rgb(20, 23, 26)", "rgb(255, 255, 255)"]


def test_on_paper_everything_is_open_and_the_filter_is_gone(browser: Browser, tmp_path: Path) -> None:
    many = replace(RDMA, findings=tuple(finding(f"is number {at}", notes=(("then", f"follows {at}"),), key=(str(at),)) for at in range(20)))
    with opened(browser, written(tmp_path, many), media="print", scripts=False) as tab:
        assert b64decode(tab.ask("Page.printToPDF")["data"]).startswith(b"%PDF")
    with opened(browser, written(tmp_path, many), media="print") as tab:
        assert tab.shown("#filter") == []
        tab.run("dispatchEvent(new Event('beforeprint'))")
        assert len(tab.shown(".f dd")) == 20
        tab.run("dispatchEvent(new Event('afterprint'))")
        assert tab.run("document.querySelectorAll('.f[open]').length") == 12


@pytest.mark.parametrize("width", [320, 390, 768, 1920])
@pytest.mark.parametrize("given", [PLAN, DRAIN, large(12, 400)], ids=["a plan", "a drain", "many nodes"])
def test_no_width_makes_the_page_wider_than_the_window(browser: Browser, tmp_path: Path, width: int, given: Report) -> None:
    with opened(browser, written(tmp_path, given), width=width) as tab:
        assert tab.run("document.documentElement.scrollWidth") <= width


def test_a_command_is_copied_with_the_keyboard_and_said(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, RDMA)) as tab:
        tab.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        commands = tab.run("[...document.querySelectorAll('.copy')].map(e => e.textContent)")
        assert commands[-1] == "- {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}"
        names = tab.run("[...document.querySelectorAll('button.copier')].map(e => e.textContent)")
        assert names == [f"Copy: {command}" for command in commands]
        tab.run("[...document.querySelectorAll('button.copier')].at(-1).focus()")
        tab.press("Enter")
        assert tab.run("new Promise(done => setTimeout(() => done(document.activeElement.firstChild.data), 100))") == "Copied"
        assert tab.run("document.querySelector('output.v').value") == "Copied"
        assert tab.run("navigator.clipboard.readText()") == commands[-1]
        assert quiet(tab)


def test_without_a_clipboard_a_command_is_selected_and_copied(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, RDMA)) as tab:
        tab.ask("Browser.grantPermissions", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        tab.run(
            "globalThis.read = navigator.clipboard.readText.bind(navigator.clipboard);"
            " Object.defineProperty(navigator, 'clipboard', {value: undefined})"
        )
        tab.run("document.querySelector('button.copier').focus()")
        tab.press(" ")
        command = tab.run("document.querySelector('.copy').textContent")
        assert tab.run("new Promise(done => setTimeout(() => done(document.activeElement.firstChild.data), 100))") == "Copied"
        assert tab.run("read()") == command


def test_without_its_script_and_on_paper_no_button_is_there(browser: Browser, tmp_path: Path) -> None:
    path = written(tmp_path, RDMA)
    assert "<button" not in path.read_text(encoding="utf-8").partition("<script>")[0]
    with opened(browser, path, media="print") as tab:
        assert tab.shown("button") == []


@pytest.mark.parametrize("width", [320, 800, 1400])
@pytest.mark.parametrize("argv", RUNS.values(), ids=RUNS)
def test_no_kind_of_page_is_wider_than_the_window(browser: Browser, tmp_path: Path, argv: tuple[str, ...], width: int) -> None:
    run(argv, tmp_path)
    with opened(browser, tmp_path / "report.html", width=width) as tab:
        tab.run("document.querySelectorAll('details').forEach(each => { each.open = true; })")
        assert tab.run("document.documentElement.scrollWidth") <= width
        assert tab.run("[...document.querySelectorAll('pre')].filter(each => each.scrollWidth > each.clientWidth).length") == 0


def test_on_paper_no_line_is_broken_twice(browser: Browser, tmp_path: Path) -> None:
    """Only a fix and a line of source keep their own breaks; all other text is set in the width of the paper."""
    run(RUNS["a drain"], tmp_path)
    with opened(browser, tmp_path / "report.html", media="print", width=720) as tab:
        shown = "[...document.querySelectorAll('main *')].filter(each => each.checkVisibility())"
        kept = f"{shown}.filter(each => getComputedStyle(each).whiteSpace.startsWith('pre'))"
        assert set(tab.run(f"{kept}.map(each => each.closest('pre, code').tagName)")) <= {"PRE", "CODE"}
        assert tab.run(f"{kept}.filter(each => each.textContent.includes('\\n')).length") == 0
        assert tab.run("document.documentElement.scrollWidth") <= 720


def test_a_link_opens_what_it_leads_to(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, written(tmp_path, large())) as tab:
        assert not tab.run("document.querySelector('#class-A + dd details').open")
        tab.run("location.hash = '#class-A'; new Promise(done => setTimeout(done, 50))")
        assert tab.run("document.querySelector('#class-A + dd details').open")
        last = tab.run("[...document.querySelectorAll('.f')].at(-1).id")
        tab.run(f"location.hash = '#{last}'; new Promise(done => setTimeout(done, 50))")
        assert tab.run(f"document.getElementById('{last}').checkVisibility({{contentVisibilityAuto: false}})")
        assert tab.run(f"document.getElementById('{last}').open")


def test_without_a_browser_it_is_said_what_to_install_and_fails_where_one_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("PREFLIGHT_NEEDS_BROWSER", raising=False)
    with pytest.raises(pytest.skip.Exception, match="apt-get install chromium"):
        chromium()
    for name in ("CI", "PREFLIGHT_NEEDS_BROWSER"):
        monkeypatch.setenv(name, "1")
        with pytest.raises(pytest.fail.Exception, match="apt-get install chromium"):
            chromium()
        monkeypatch.delenv(name)
