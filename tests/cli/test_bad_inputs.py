"""Paths that a person names and that cannot be what was meant: missing, empty, unreadable, broken. One line, and no answer."""

from __future__ import annotations

import gzip
import shlex
from pathlib import Path

import pytest

from tests.cli.program import program

CHANGE = "taint nodes n1 a=b:NoSchedule"
BROKEN = "broken.yaml:2:4: {}expected `,` or `]` here, for the list that line 2 opens"


@pytest.fixture(autouse=True)
def files(cluster: Path) -> None:
    """Next to the folders of `cluster`."""
    del cluster
    texts = {
        "broken.yaml": "kind: DaemonSet\na: [1\n",
        "service.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: a}\n",
        "blank.yaml": "\n",
        "values.yaml": "a:\n  b: c\n d: e\n",
        "alerts.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: '{{ $labels.x }}'\n  y: [1\n",
        "budgets.yaml": "apiVersion: v1\nkind: List\nitems: []\n",
    }
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("cut.json.gz").write_bytes(gzip.compress(b'{"kind": "List"}')[:20])


@pytest.mark.parametrize(
    "command",
    [
        "lint {}",
        f"{CHANGE} --from {{}}",
        f"{CHANGE} --from calm --from {{}}",
        "lint calm --from {}",
        "fix {}",
        "doctor --from {}",
        "components {}",
        "capacity --request cpu=1 --from {}",
        "alerts --from {}",
        "snapshot -o x.json --from {}",
        "verify {} --from calm",
        "doctor --from calm --since {}",
    ],
)
@pytest.mark.parametrize(
    ("path", "why"),
    [("manifest", "no such file or directory"), ("manifest/", "no such directory"), ("calm/nodes.yaml/x", "not a directory")],
)
def test_a_path_that_is_not_there(command: str, path: str, why: str) -> None:
    assert program(*shlex.split(command.format(path))) == (3, "", f"error: cannot read {path}: {why}\n")


@pytest.mark.parametrize("name", ["text", "json", "concise", "sarif"])
def test_it_stops_there_in_every_format(name: str) -> None:
    assert program("lint", "calm", "missing", "-o", name) == (3, "", "error: cannot read missing: no such file or directory\n")


def test_a_packed_file_that_is_cut_off() -> None:
    result = program(*shlex.split(CHANGE), "--from", "cut.json.gz", "--from", "calm")
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith("error: cannot read cut.json.gz: broken gzip data")


@pytest.mark.parametrize(
    "command",
    [
        f"{CHANGE} --from {{}}",
        f"{CHANGE} --from calm --from {{}}",
        "doctor --from {}",
        "lint calm --from {}",
        "set image ds/agent agent=a -n storage --from {}",
    ],
)
@pytest.mark.parametrize("path", ["empty", "blank.yaml", "-"])
def test_a_path_that_holds_nothing(command: str, path: str) -> None:
    named = "standard input" if path == "-" else path
    assert program(*shlex.split(command.format(path))) == (3, "", f"error: no Kubernetes objects in {named}\n")


@pytest.mark.parametrize("command", [f"{CHANGE} --from empty", "lint empty", "lint calm --from empty"])
def test_what_may_be_empty_is_no_fault(command: str) -> None:
    assert program(*shlex.split(command), "--allow-empty").code == 0


def test_lint_leaves_an_empty_file_among_others_alone() -> None:
    """A hook names whatever was changed."""
    assert program("lint", "calm", "blank.yaml").code == 0
    assert program("lint", "empty", "blank.yaml") == (3, "", "error: no Kubernetes objects in empty, blank.yaml\n")


def test_an_empty_list_is_an_answer() -> None:
    """`kubectl get pdb -A -o yaml` prints one where there is nothing."""
    assert program(*shlex.split(CHANGE), "--from", "calm", "--from", "budgets.yaml").code == 1


def test_objects_that_are_not_checked_are_named() -> None:
    for command in ("lint service.yaml", f"{CHANGE} --from service.yaml"):
        result = program(*shlex.split(command))
        assert (result.code, result.out) == (3, "")
        assert result.err.startswith("error: no Kubernetes objects to check in service.yaml: 1 document skipped (")


@pytest.mark.parametrize(
    "command",
    [
        f"{CHANGE} --from broken.yaml",
        "set image ds/a b=c --from broken.yaml",
        "doctor --from broken.yaml",
        "plan plan.yaml --from broken.yaml",
    ],
)
def test_a_broken_file_alone_shows_its_error_and_nothing_else(command: str) -> None:
    Path("plan.yaml").write_text("- cordon n1\n", encoding="utf-8")
    assert program(*shlex.split(command)) == (3, "", f"{BROKEN.format('error: ')}\n")


def test_lint_reports_it_to_machines_too() -> None:
    assert program("lint", "broken.yaml") == (3, "", f"{BROKEN.format('error: ')}\n")
    assert program("components", "broken.yaml") == (3, "", f"{BROKEN.format('error: ')}\n")
    assert program("fix", "broken.yaml") == (3, "", f"{BROKEN.format('error: ')}\n")
    assert "::error file=broken.yaml,line=2" in program("lint", "broken.yaml", "-o", "github").out


@pytest.mark.parametrize(
    ("path", "place"),
    [("values.yaml", "values.yaml:3:2: error: expected a key here"), ("alerts.yaml", "alerts.yaml:6:6: error: expected `,` or `]` here")],
)
def test_a_named_file_shows_its_syntax_error_whatever_its_kind(path: str, place: str) -> None:
    for words in (("lint", path), ("lint", "calm", path), ("cordon", "n1", "--from", "calm", "--from", path)):
        result = program(*words)
        assert result.code == 3
        assert result.err.startswith(place)
    folder = program("lint", "calm", ".", "--allow-empty", "--no-policy")
    assert place not in folder.err
    assert program("lint", "calm", path, "--allow-empty").code == 0


def test_a_template_of_a_chart_names_the_command_that_renders_it() -> None:
    Path("logs/templates").mkdir(parents=True)
    Path("logs/Chart.yaml").write_text("name: logs\n", encoding="utf-8")
    Path("logs/templates/ds.yaml").write_text(Path("chart/ds.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    hint = "unrendered chart template: render it first: helm template {} | preflight lint - (other commands: --from -)\n"
    assert program("lint", "logs/templates/ds.yaml").err == f"logs/templates/ds.yaml:4: error: {hint.format('logs')}"
    assert program("lint", "chart/ds.yaml").err == f"chart/ds.yaml:4: error: {hint.format('CHARTDIR')}"
