"""The documentation says what is so: its output is real, and what it names exists."""

from __future__ import annotations

import importlib
import re
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from preflight.cli.main import COMMANDS, VERBS, cli
from preflight.kubectl.flags import FLAGS_BY_VERB, GLOBAL_FLAGS
from preflight.model.report import Outcome, Severity
from preflight.report import FORMATS
from preflight.report.table import MARKERS
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.select_rules import common_rules, load_all_rules
from tests import docs_update
from tests.cli.program import program
from tests.docs_site import CONFIG, copy_pages
from tests.docs_update import blocks, pages, prose, replayed
from tests.paths import ROOT

PAGES = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages()}
README = PAGES["README.md"]
EXAMPLE = ROOT / "examples" / "rdma-incident"


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that the pages show runs in the root of the repository, and without colour."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")


# What is printed.

CONSOLE = [(name, block) for name, text in PAGES.items() for block in blocks(text, "console")]


@pytest.mark.parametrize(("name", "block"), CONSOLE, ids=[f"{name}: {block.splitlines()[0]}" for name, block in CONSOLE])
def test_output_is_what_the_program_prints(name: str, block: str) -> None:
    assert replayed(block) == block, f"{name}: `python -m tests.docs_update` writes it anew"


def test_both_readmes_show_output_and_exit_codes() -> None:
    for name in ("README.md", "examples/rdma-incident/README.md"):
        shown = [line for block in blocks(PAGES[name], "console") for line in docs_update.commands(block)]
        assert "echo $?" in shown, name
        assert any(line.startswith("preflight taint") for line in shown), name


def test_stale_output_is_noticed_and_written_anew() -> None:
    page = "text\n\n```console\n$ preflight lint nowhere\nall is well\n$ echo $?\n0\n```\n\nmore\n"
    after = docs_update.updated(page)
    assert after.startswith("text\n\n```console\n$ preflight lint nowhere\n")
    assert after.endswith("\n$ echo $?\n3\n```\n\nmore\n")
    assert "all is well" not in after
    assert docs_update.updated(after) == after


def test_a_console_block_runs_nothing_but_preflight() -> None:
    with pytest.raises(AssertionError, match="not 'rm -rf x'"):
        replayed("$ rm -rf x\n")


# What the pages name.


def commands_named(text: str) -> set[str]:
    """The commands that a page names in code, after `preflight` as the first word."""
    spans = [*re.findall(r"`([^`]+)`", prose(text)), *blocks(text, "sh"), *blocks(text, "console")]
    return set(re.findall(r"(?:^|(?<=\$ )|(?<=\| ))preflight ([a-z]+)", "\n".join(spans), re.MULTILINE))


@pytest.mark.parametrize("name", PAGES)
def test_every_command_that_a_page_names_exists(name: str) -> None:
    assert commands_named(PAGES[name]) <= {*VERBS, *COMMANDS}


def test_a_command_is_found_wherever_a_page_names_it() -> None:
    page = "A preflight check, `preflight one`\n```sh\npreflight two x\ny | preflight three\n```\n```console\n$ preflight four\n```\n"
    assert commands_named(page) == {"one", "two", "three", "four"}


def own_flags() -> set[str]:
    """The flags of our own commands."""
    context = cli.make_context("preflight", [], resilient_parsing=True)
    commands = [cli.get_command(context, name) for name in cli.list_commands(context)]
    return {flag for command in (cli, *filter(None, commands)) for option in command.get_params(context) for flag in option.opts}


FOREIGN_FLAGS = {
    *("--help", "--version"),  # of every program
    *("--require-hashes", "--no-deps"),  # of pip
    *("--namespace", "--clusterrole", "--user", "--privileged"),  # of helm, kubectl create
    *("--additional-sync-machine-labels", "--upload-pack"),  # of Cluster API, git
}
OWN_PAGES = [name for name in PAGES if not name.startswith(("CONTRIBUTING", "docs/performance", "docs/semantics", "docs/rules"))]


@pytest.mark.parametrize("name", OWN_PAGES)
def test_every_flag_that_a_page_names_exists(name: str) -> None:
    kubectls = {f"--{flag.name}" for flags in (*FLAGS_BY_VERB.values(), GLOBAL_FLAGS) for flag in flags}
    said = re.sub(r"```(console|text)\n.*?```", "", PAGES[name], flags=re.DOTALL)  # what the program prints shows other people's flags
    named = set(re.findall(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*", said))
    assert named - own_flags() - kubectls - FOREIGN_FLAGS == set()


def test_the_page_on_options_lists_every_option_of_a_run() -> None:
    context = cli.make_context("preflight", [], resilient_parsing=True)
    options = {param for name in ("taint", "lint", "plan") for param in _params(name, context) if param != "--help"}
    rows = {flag for row in OPTIONS for flag in re.findall(r"(?<![\w-])--?[a-z]+(?:-[a-z]+)*", row["option"])}
    assert {next((flag for flag in option.split() if flag in rows), option) for option in options} == rows


def _params(name: str, context: Any) -> Iterator[str]:
    command = cli.get_command(context, name)
    assert command is not None
    for param in command.params:
        if param.param_type_name == "option":
            yield " ".join(param.opts)


# Tables.


def tables(text: str, first: str) -> list[dict[str, str]]:
    """The rows of all tables whose first column is headed so."""
    lines = text.splitlines()
    found = []
    for start in (number for number, line in enumerate(lines) if line.startswith(f"| {first} |")):
        rows = []
        for line in (lines[start], *lines[start + 2 :]):
            if not line.startswith("|"):
                break
            cells = re.split(r"(?<!\\)\|", line)[1:-1]
            rows.append([cell.strip() for cell in cells])
        found += [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]
    return found


OPTIONS = tables(PAGES["docs/options.md"], "option")


def test_the_table_of_outcomes_is_that_of_the_program() -> None:
    shown = {row["outcome"]: row["marker"].strip("`") for row in tables(PAGES["docs/output.md"], "marker")}
    assert shown == {outcome.value: MARKERS.get(outcome, " ") for outcome in Outcome}


def test_formats_and_severities_are_those_of_the_program() -> None:
    does = {row["option"]: row["meaning"] for row in OPTIONS}
    assert re.findall(r"`(\w+)`", does["`-o FORMAT[=PATH]`"]) == list(FORMATS)
    assert re.findall(r"^\| \[?`(\w+)`", PAGES["docs/formats.md"].partition("## sarif")[0], re.MULTILINE) == list(FORMATS)
    severities = "\\|".join(severity.value for severity in Severity)
    assert f"`--fail-on {severities}`" in does


CLUSTER = ["--from", "examples/rdma-incident/cluster"]
TAINT = ["taint", "nodes", "rdma-1", "dedicated=rdma:NoSchedule"]
UNKNOWN = ["taint", "nodes", "gpu-1", "dedicated=rdma:NoSchedule"]
NO_DAEMONSET = ["--from", "examples/rdma-incident/cluster/nodes.yaml"]

EXITS = [
    pytest.param([*TAINT, *CLUSTER, "--exit-zero"], 0, id="findings with --exit-zero: 0"),
    pytest.param(["cordon", "rdma-1", *CLUSTER], 0, id="nothing found: 0"),
    pytest.param(["lint", *CLUSTER[1:]], 0, id="nothing at or above error: 0"),
    pytest.param(["lint", *CLUSTER[1:], "--fail-on", "warning"], 1, id="a finding at --fail-on: 1"),
    pytest.param([*TAINT, *CLUSTER], 1, id="findings: 1"),
    pytest.param([*TAINT, *CLUSTER, "-o", "json"], 1, id="the format changes nothing: 1"),
    pytest.param(["taint", "nodes", "rdma-1", "dedicated=rdma:Never", *CLUSTER], 2, id="kubectl would refuse it: 2"),
    pytest.param(["taint", "nodes", "rdma-1", "a:NoSchedule", *CLUSTER, "-o", "yaml"], 2, id="a format that is none: 2"),
    pytest.param(["scale", "ds", "x"], 2, id="a command that is none: 2"),
    pytest.param(["lint", "nowhere"], 3, id="a file that is not there: 3"),
    pytest.param([*TAINT, *NO_DAEMONSET], 3, id="nothing to judge: 3"),
    pytest.param([*TAINT, *NO_DAEMONSET, "--allow-empty"], 0, id="nothing to judge with --allow-empty: 0"),
    pytest.param([*UNKNOWN, *CLUSTER], 3, id="an unknown pair, and findings: 3"),
    pytest.param([*UNKNOWN, *CLUSTER, "--exit-zero"], 0, id="an unknown pair with --exit-zero: 0"),
    pytest.param([*TAINT, *CLUSTER, "--from", "nowhere", "--exit-zero"], 3, id="what cannot be read, with --exit-zero: 3"),
    pytest.param(TAINT, 3, id="no --from: 3"),
]


@pytest.mark.parametrize(("argv", "code"), EXITS)
def test_exit_codes_are_as_the_readme_says(argv: list[str], code: int) -> None:
    assert program(*argv).code == code


def test_a_crash_goes_before_all_other_exit_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(_: Context) -> Iterator[Hit]:
        raise KeyError("rdma-1")

    rules = (*common_rules()[1:], Rule("PF101", "lost-now", Severity.ERROR, crash, module=common_rules()[0].module))
    monkeypatch.setattr("preflight.engine.rule_runner.select_rules", lambda _: rules)
    assert program(*UNKNOWN, *CLUSTER).code == 4


def test_the_table_of_exit_codes_has_them_all() -> None:
    assert [row["code"] for row in tables(README, "code")] == ["0", "1", "2", "3", "4"]
    assert {str(param.values[1]) for param in EXITS} | {"4"} == {"0", "1", "2", "3", "4"}


# What the pages name.


def anchors(text: str) -> set[str]:
    """The anchors of a page's headings, as the usual renderers make them."""
    headings = re.findall(r"^#+ (.+)$", prose(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(folder: Path, text: str) -> list[str]:
    """The relative links of a page in a folder that lead to no file, or to no heading of it."""
    broken = []
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", prose(text)):
        path = folder / target
        there = text if not target else path.read_text(encoding="utf-8") if path.is_file() else ""
        if not path.exists() or (anchor and anchor not in anchors(there)):
            broken.append(f"{target}#{anchor}" if anchor else target)
    return broken


@pytest.mark.parametrize("name", PAGES)
def test_every_link_leads_somewhere(name: str) -> None:
    assert broken_links((ROOT / name).parent, PAGES[name]) == []


def test_a_broken_link_is_noticed() -> None:
    page = """# One thing
[a](docs/json.md), [b](docs), [c](#one-thing), [d](docs/json.md#exit-codes); [e](docs/none.md), [f](#two), [g](docs/json.md#none)
```sh
[h](in a block)
```
"""
    assert broken_links(ROOT, page) == ["docs/none.md", "#two", "docs/json.md#none"]


def renderer_traps(text: str) -> list[str]:
    """Lines that GitHub and the generator of the website render differently: short indents in lists, and lists in a paragraph."""
    lines = prose(text).splitlines()
    found = [line for line in lines if re.match(r" {1,3}(\||```|- |\d+\. )", line)]
    for before, line in pairwise(lines):
        if re.match(r"(-|\d+\.) ", line) and before and not re.match(r"(-|\d+\.| +|#)", before):
            found.append(line)
    return found


@pytest.mark.parametrize("name", PAGES)
def test_every_page_reads_the_same_on_the_website(name: str) -> None:
    assert renderer_traps(PAGES[name]) == []


def test_a_table_or_list_that_the_website_breaks_is_noticed() -> None:
    page = "1. one\n\n   | a | b |\n\n2. two\n    - fine\n\ntext:\n- a list\n- more\n"
    assert renderer_traps(page) == ["   | a | b |", "- a list"]


def test_the_website_has_every_page_and_file_that_a_page_links_to(tmp_path: Path) -> None:
    copy_pages(tmp_path)
    for name, text in PAGES.items():
        assert broken_links((tmp_path / name).parent, text) == [], name


def test_the_website_lists_every_page() -> None:
    config = tomllib.loads(CONFIG.read_text(encoding="utf-8"))["project"]
    listed = [page for section in config["nav"] for part in section.values() for page in ([part] if isinstance(part, str) else part)]
    assert sorted(listed) == sorted(PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_no_page_names_a_host(name: str) -> None:
    assert re.findall(r"\bhttps?:|\bwww\.", PAGES[name]) == []


@pytest.mark.parametrize("name", PAGES)
def test_every_rule_that_a_page_names_exists(name: str) -> None:
    rules = {rule.id: rule.name for rule in load_all_rules()}
    assert set(re.findall(r"\bPF\d{3}\b", PAGES[name])) <= rules.keys()
    assert [(number, word) for number, word in re.findall(r"\[(PF\d{3})\] ([\w-]+):", PAGES[name]) if rules[number] != word] == []


OWN_PATH = re.compile(r"`((?:preflight|tests|examples|docs|benchmarks)/[\w./*-]*)`")


@pytest.mark.parametrize("name", ["docs/semantics.md", "docs/architecture.md", "README.md"])
def test_every_file_that_a_page_names_exists(name: str) -> None:
    assert [path for path in OWN_PATH.findall(PAGES[name]) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", ["docs/semantics.md", "docs/architecture.md"])
def test_every_function_is_in_the_module_that_a_page_names(name: str) -> None:
    found = re.findall(r"`(\w+)`\s+in\s+`(preflight/[\w/]+)\.py`", PAGES[name])
    assert found
    missing = [(what, where) for what, where in found if not hasattr(importlib.import_module(where.replace("/", ".")), what)]
    assert missing == []


def test_the_page_on_semantics_names_all_recorded_evidence() -> None:
    files = {path.name for path in (ROOT / "tests" / "data" / "vectors").iterdir()}
    named = set(re.findall(r"`([\w.-]+\.jsonl?(?:\.gz)?)`", PAGES["docs/semantics.md"]))
    assert named == files


def test_the_page_on_architecture_names_all_packages() -> None:
    there = {f"preflight/{path.name}/" for path in (ROOT / "preflight").iterdir() if (path / "__init__.py").exists()}
    named = {row["package"].strip("`") for row in tables(PAGES["docs/architecture.md"], "package")}
    assert named == there | {"preflight/errors.py", "preflight/file_write.py", "preflight/inert_text.py", "preflight/version.py"}


def test_the_page_on_architecture_orders_packages_as_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["id"] == "layers")
    wanted = [re.findall(r"\w+", layer) for layer in layers if layer != "(__main__)"]
    (shown,) = (block for block in blocks(PAGES["docs/architecture.md"], "") if block.startswith("cli > "))
    assert [part.split(", ") for part in shown.strip().split(" > ")] == wanted


# The example.


def test_the_fixed_manifests_differ_in_their_tolerations_alone() -> None:
    for path in sorted((EXAMPLE / "fixed").glob("*.yaml")):
        before, after = (yaml.safe_load(each.read_text(encoding="utf-8")) for each in (EXAMPLE / "cluster" / path.name, path))
        assert before["spec"]["template"]["spec"].pop("tolerations", []) != after["spec"]["template"]["spec"].pop("tolerations")
        assert before == after, path.name


def test_make_demo_runs_the_plan_that_the_example_shows() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (line,) = re.findall(r"^EXAMPLE := (.+)$", makefile, re.MULTILINE)
    shown = [command for _, block in CONSOLE for command in docs_update.commands(block)]
    assert f"preflight {line.replace('--exit-zero ', '')}" in shown
