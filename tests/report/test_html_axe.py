"""axe finds nothing to complain of on any kind of page: light and dark, wide and narrow, folded and open."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from preflight.report import html
from tests.report.axe import fetch_axe, find_violations
from tests.report.browser import Browser, opened
from tests.report.large import large
from tests.report.pages import MORE_RUNS, RUNS, run
from tests.report.reports import ALL

SCHEMES = pytest.mark.parametrize("is_dark", [False, True], ids=["light", "dark"])
OPEN = "dispatchEvent(new Event('beforeprint')); document.querySelectorAll('details').forEach(each => { each.open = true; })"


@pytest.fixture(scope="module")
def axe() -> str:
    return fetch_axe()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


def check(browser: Browser, axe: str, page: Path, *, is_dark: bool, width: int) -> None:
    with opened(browser, page, dark=is_dark, width=width) as tab:
        assert find_violations(tab, axe) == []
        tab.run(OPEN)
        assert find_violations(tab, axe) == []


@SCHEMES
@pytest.mark.parametrize("argv", RUNS.values(), ids=RUNS)
def test_every_kind_of_page(browser: Browser, axe: str, tmp_path: Path, argv: tuple[str, ...], is_dark: bool) -> None:
    run(argv, tmp_path)
    for width in (1280, 320):
        check(browser, axe, tmp_path / "report.html", is_dark=is_dark, width=width)


@SCHEMES
@pytest.mark.parametrize("name", ["a drain that kubectl refuses on one node of several", "a healthy cluster", "a time bomb"])
def test_more_runs(browser: Browser, axe: str, tmp_path: Path, name: str, is_dark: bool) -> None:
    run(MORE_RUNS[name], tmp_path)
    check(browser, axe, tmp_path / "report.html", is_dark=is_dark, width=1280)


@SCHEMES
@pytest.mark.parametrize("given", [*ALL.values(), large(20, 300)], ids=[*ALL, "many nodes"])
def test_reports_that_have_everything(browser: Browser, axe: str, tmp_path: Path, given: object, is_dark: bool) -> None:
    path = tmp_path / "report.html"
    path.write_text(html.render(given), encoding="utf-8")  # type: ignore[arg-type]
    check(browser, axe, path, is_dark=is_dark, width=1280)


def test_a_violation_would_be_noticed(browser: Browser, axe: str, tmp_path: Path) -> None:
    run(RUNS["a diff"], tmp_path)
    with opened(browser, tmp_path / "report.html") as tab:
        tab.run("document.querySelector('#words').parentElement.replaceWith(document.querySelector('#words'))")
        tab.run("document.querySelector('h1 span').setAttribute('aria-rolle', 'x'); document.documentElement.removeAttribute('lang')")
        assert {broken.rule for broken in find_violations(tab, axe)} == {"html-has-lang", "label", "aria-valid-attr"}


def test_the_script_is_pinned_by_its_hash_and_is_no_part_of_the_repository() -> None:
    pinned = (Path(__file__).parent / "axe.txt").read_text(encoding="utf-8")
    assert "--hash=sha256:" in pinned
    assert "://" not in pinned
