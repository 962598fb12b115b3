"""Help pages: what each says, that its examples run as they are, and that nothing of it is read before somebody asks."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from preflight.cli.main import COMMANDS, VERBS, cli
from preflight.kubectl.flags import FLAGS_BY_VERB
from preflight.messages.help import find_help_page
from tests.builders import list_daemonset_pod, make_budget, make_daemonset, make_deployment, make_node, make_pod, write_list, write_manifest
from tests.cli.program import Result, program
from tests.paths import ROOT

POLICY_COMMANDS = ("policy schema", "policy check", "policy show")
PAGES = ("", *VERBS, *COMMANDS, *POLICY_COMMANDS)
EXAMPLES = [pytest.param(line, id=line) for name in PAGES if name != "completion" for _, line in find_help_page(name).examples]
"""Those of `completion` change the settings of shells: tests/cli/complete loads the scripts into real ones."""
DIALECT = ("nobody", "is no fault", "in the folder of now", "the world", "somebody", "anew", "for ever", "meant")


def ask(name: str, flag: str = "--help") -> Result:
    """The help of a command."""
    return program(*name.split(), flag)


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("name", PAGES)
def test_every_command_has_help(name: str, flag: str) -> None:
    result = ask(name, flag)
    page = find_help_page(name)
    assert (result.code, result.err) == (0, "")
    assert " ".join(result.out.split()).startswith(f"{page.summary}. Usage: preflight {name}".rstrip())
    assert "-h, --help" in result.out


@pytest.mark.parametrize("name", [*VERBS, *COMMANDS])
def test_the_line_of_a_command_in_the_help_of_all_is_the_first_of_its_own(name: str) -> None:
    line = VERBS.get(name) or COMMANDS[name]
    assert find_help_page(name).summary.startswith(line.partition(" (")[0].partition(": ")[0])
    assert line in " ".join(ask("").out.split())


@pytest.mark.parametrize("name", PAGES)
def test_a_page_begins_with_an_imperative_and_has_two_examples(name: str) -> None:
    page = find_help_page(name)
    assert page.summary.split()[0] in {
        "Show",
        "Check",
        "Print",
        "List",
        "Add",
        "Save",
        "Compare",
        "Diagnose",
        "Count",
        "Generate",
        "Explain",
    }
    assert not page.summary.endswith(".")
    assert len(page.examples) >= 2
    assert all(f"preflight {name}".rstrip() in line for _, line in page.examples)


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("name", PAGES)
def test_no_line_is_wider_than_the_terminal_but_what_is_to_be_pasted(name: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = ask(name).out.splitlines()
    examples = {f"  {line}" for _, line in find_help_page(name).examples}
    assert [line for line in lines if len(line) > width and line not in examples and "# " not in line and "Usage:" not in line] == []
    assert {line for line in lines if line in examples} == examples


@pytest.mark.parametrize("name", PAGES)
def test_the_words_are_plain(name: str) -> None:
    text = " ".join(ask(name).out.split())
    assert [word for word in DIALECT if re.search(rf"\b{word}\b", text)] == []


def test_the_help_of_taint_says_how_a_taint_is_written() -> None:
    text = " ".join(ask("taint").out.split())
    assert (
        "TAINT KEY=VALUE:EFFECT or KEY:EFFECT (no value) adds a taint; KEY:EFFECT- removes that taint, KEY- the taints of all effects."
        in text
    )
    assert "EFFECT NoSchedule (new pods stay away), PreferNoSchedule (new pods avoid the node) or NoExecute" in text


@pytest.mark.parametrize("verb", FLAGS_BY_VERB)
def test_the_help_of_a_verb_names_every_flag_of_kubectl(verb: str) -> None:
    page = find_help_page(verb.split()[0])
    text = ask(verb.split()[0]).out
    assert [flag.name for flag in FLAGS_BY_VERB[verb] if f"--{flag.name}" not in text] == []
    named = set(re.findall(r"--[a-z-]+", " ".join(flag for flag, _ in page.flags))) | set(page.unsupported)
    known = {f"--{flag.name}" for flag in FLAGS_BY_VERB[verb]} | {"--namespace"}
    assert named - known == set()


def test_options_stand_in_groups_and_those_about_the_cluster_state_come_first() -> None:
    headings = re.findall(r"^(\S.*):$", ask("taint").out, re.MULTILINE)
    assert headings == [
        *("Arguments", "Examples", "Flags of kubectl taint"),
        *("Cluster state", "Output", "Exit code", "Policy and exemptions", "Other options"),
    ]
    first = ask("taint").out.partition("Cluster state:\n")[2].split()
    assert first[0] == "--from"


@pytest.mark.parametrize("name", [name for name in PAGES if name])
def test_every_option_is_shown_once(name: str) -> None:
    command: click.Command | None = cli
    for word in name.split():
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    assert command is not None
    context = click.Context(command, info_name=name, help_option_names=["-h", "--help"])
    names = re.findall(
        r"^  (-[^\s,]+(?:, --\S+)?)", ask(name).out.partition("Flags of")[2].partition("\n\n")[2] or ask(name).out, re.MULTILINE
    )
    for option in command.get_params(context):
        if isinstance(option, click.Option):
            assert names.count(", ".join(option.opts)) == 1, option.opts


def test_help_is_imported_only_when_it_is_asked_for() -> None:
    code = (
        "import sys; sys.argv = ['preflight', 'rules']\n"
        "from preflight.cli.main import main\n"
        "parts = ('preflight.messages.help', 'preflight.cli.help_page')\n"
        "main(lambda code: sys.exit(any(name.startswith(parts) for name in sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.DEVNULL, check=False).returncode == 0


@pytest.fixture
def workplace() -> None:
    """The files that the examples name, around the folder of the test."""
    status = {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110", "nvidia.com/gpu": "8"}}
    node, other = ({**make_node(name, labels={"pool": "rdma"}), "status": status} for name in ("gpu-1", "gpu-2"))
    agent = make_daemonset("agent", "storage")
    listed = list_daemonset_pod(agent, "gpu-1")
    web = make_deployment("web", "shop", 2)
    pods = [{**listed, "metadata": {**listed["metadata"], "name": "agent-x1"}}, make_pod("web-1", "shop", node="gpu-1", owner=None)]
    everything = write_list([node, other, agent, web, *pods, make_budget("web", "shop", app="web", maxUnavailable=1)])
    Path("cluster.json").write_text(everything, encoding="utf-8")
    Path("nodes.yaml").write_text(write_manifest(node, other), encoding="utf-8")
    Path("agent.yaml").write_text(write_manifest(agent), encoding="utf-8")
    for folder in ("manifests", "changed"):
        Path(folder).mkdir()
        Path(folder, "all.yaml").write_text(write_manifest(node, other, agent, web), encoding="utf-8")
    Path("plan.yaml").write_text("- kubectl cordon gpu-1\n", encoding="utf-8")
    Path("maintenance.sh").write_text("#!/bin/bash\nkubectl cordon gpu-1\n", encoding="utf-8")
    Path(".preflight.yaml").write_text("extends: default\n", encoding="utf-8")
    for name in ("before.json", "after.json"):
        assert program("snapshot", "-o", name, "--from", "cluster.json").code == 0
    for line in ("init -q -b main", "add .", "-c user.name=a -c user.email=a@example.com commit -qm one", "checkout -qb change"):
        subprocess.run(["git", *shlex.split(line)], check=True)


@pytest.mark.usefixtures("workplace")
@pytest.mark.parametrize("line", EXAMPLES)
def test_an_example_can_be_pasted(line: str) -> None:
    """With files it answers; without, it is accepted as far as there is a cluster to ask. Other programs of a pipe are left out."""
    before, _, after = line.rpartition("preflight ")
    words = shlex.split(re.split(r"\)| \| | >", after)[0])
    stdin = Path("agent.yaml" if before.startswith("helm") else "cluster.json").read_bytes() if before else b""
    result = program(*words, stdin=stdin)
    has_files = (
        before or "--from" in words or words[0] in {*COMMANDS} - {"plan", "upgrade", "doctor", "capacity", "alerts", "snapshot", "verify"}
    )
    needs_cluster = not has_files or "--live" in words
    assert result.code in ((3,) if needs_cluster else (0, 1)), result.err
    assert ("no cluster to read" in result.err) is bool(needs_cluster)
