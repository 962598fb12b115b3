"""Real shells load their script and complete lines with it, and so does a real kubectl."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.complete.asking import Answer, ask_patiently, parse_answer
from tests.cli.complete.shells import SHELLS, make_home, needs_shell, open_shell
from tests.cli.program import program
from tests.paths import ROOT

LINES = {
    "preflight tai\t": ["taint"],
    "preflight rollout r\t": ["rollout", "restart"],
    "preflight taint --from=cal\t": ["taint", "--from=calm"],
    "preflight taint --from cal\t": ["taint", "--from", "calm"],
    "preflight taint --from=calm nodes n1\t dedicated=rdma:NoE\t": ["taint", "--from=calm", "nodes", "n1", "dedicated=rdma:NoExecute"],
    "preflight taint nodes n1 gpu:Pref\t": ["taint", "nodes", "n1", "gpu:PreferNoSchedule"],
    "preflight drain --from calm node-w\t": ["drain", "--from", "calm", "node-with-long-name"],
    "preflight set image -n storage --from calm ds/ag\t": ["set", "image", "-n", "storage", "--from", "calm", "ds/agent"],
    "preflight --from calm rollout restart -n sto\t": ["--from", "calm", "rollout", "restart", "-n", "storage"],
    "preflight lint calm --why sto\tnode\t": ["lint", "calm", "--why", "storage/agent/node-with-long-name"],
    "preflight lint -ojs\t": ["lint", "-ojson"],
    "preflight lint -o json=one-of-\t": ["lint", "-o", "json=one-of-us.json"],
    "preflight lint --fail-on=w\t": ["lint", "--fail-on=warning"],
    "preflight lint --exit\t": ["lint", "--exit-zero"],
    "preflight policy show gp\t": ["policy", "show", "gpu-rdma"],
    "preflight explain lost-on\t": ["explain", "lost-on-recreation"],
    "preflight diff li\t": ["diff", "live"],
    "preflight diff cal\t": ["diff", "calm"],
    "preflight verify one-of-\t": ["verify", "one-of-us.json"],
    "preflight drain n1 --context pro\t": ["drain", "n1", "--context", "prod"],
    "preflight drain n1 --context=arn:aws:eks:eu:1:c\t": ["drain", "n1", "--context=arn:aws:eks:eu:1:cluster/test"],
    "preflight drain n1 --context admin@\t": ["drain", "n1", "--context", "admin@home"],
    "preflight drain n1 --context admin@h\t": ["drain", "n1", "--context", "admin@home"],
    "preflight drain n1 --context my\t": ["drain", "n1", "--context", "my $cluster"],
    'preflight lint --fail-on "warn\t': ["lint", "--fail-on", "warning"],
    "preflight lint --bogus x\t": ["lint", "--bogus", "x"],
    "preflight explain PF99999\t": ["explain", "PF99999"],
}
"""What is typed, and the words that the program gets, but for a slash at the end of a folder."""


@pytest.fixture
def home(tmp_path: Path, cluster: Path) -> dict[str, str]:
    node = "---\n{apiVersion: v1, kind: Node, metadata: {name: node-with-long-name}}\n"
    with (cluster / "calm" / "nodes.yaml").open("a", encoding="utf-8") as file:
        file.write(node)
    (cluster / "one-of-us.json").write_text("{}", encoding="utf-8")
    names = ("prod", "arn:aws:eks:eu:1:cluster/test", "admin@home", "my $cluster")
    contexts = [{"name": name, "context": {"cluster": "c", "user": "u"}} for name in names]
    (cluster / "config").write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "contexts": contexts}), encoding="utf-8")
    return {**make_home(tmp_path / "home"), "KUBECONFIG": str(cluster / "config")}


@pytest.mark.parametrize("name", SHELLS)
def test_a_shell_completes_lines(name: str, home: dict[str, str], cluster: Path) -> None:
    needs_shell(name)
    with open_shell(name, cluster, home) as shell:
        got = {line: [word.removesuffix("/") for word in shell.complete(line)] for line in LINES}
    assert got == LINES


@pytest.mark.parametrize("name", ["bash", "zsh"])
def test_a_shell_shows_what_it_can_choose_from(name: str, home: dict[str, str], cluster: Path) -> None:
    needs_shell(name)
    with open_shell(name, cluster, home) as shell:
        said = shell.list_candidates("preflight cordon --from calm n\t\t")
    assert [node for node in ("n1", "n2", "node-with-long-name") if node not in said] == []


def test_fish_shows_descriptions(home: dict[str, str], cluster: Path) -> None:
    needs_shell("fish")
    script = "complete -C 'preflight ta'; complete -C 'preflight lint --fail-on='"
    done = subprocess.run(["fish", "-c", script], cwd=cluster, env=home, capture_output=True, text=True, check=True)
    first, *rest = done.stdout.splitlines()
    assert first.startswith("taint\t")
    assert rest == ["--fail-on=error", "--fail-on=warning", "--fail-on=note"]


@pytest.mark.parametrize("name", SHELLS)
def test_the_script_is_printed(name: str) -> None:
    result = program("completion", name)
    assert (result.code, result.err) == (0, "")
    assert result.out == (ROOT / "preflight/cli/complete/scripts" / f"preflight.{name}").read_text(encoding="utf-8")
    assert f"preflight completion {name}" in program("completion", "--help").out


@pytest.mark.parametrize("name", SHELLS)
def test_the_script_is_one_of_its_shell(name: str) -> None:
    needs_shell(name)
    script = ROOT / "preflight/cli/complete/scripts" / f"preflight.{name}"
    done = subprocess.run([name, "-n", script], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_shell_that_has_no_script() -> None:
    result = program("completion", "tcsh")
    assert (result.code, result.out) == (2, "")
    assert "tcsh" in result.err


# kubectl


def write_plugin(folder: Path) -> None:
    """The two programs that an installation has, as console scripts start them."""
    for name, module in (
        ("kubectl-change_preflight", "preflight.cli.main"),
        ("kubectl_complete-change_preflight", "preflight.cli.complete.plugin"),
    ):
        (folder / name).write_text(f"#!{sys.executable}\nfrom {module} import main\nmain()\n", encoding="utf-8")
        (folder / name).chmod(0o755)


@pytest.fixture
def plugin(cluster: Path) -> dict[str, str]:
    """An environment that has the plugin."""
    folder = cluster / "plugins"
    folder.mkdir()
    write_plugin(folder)
    path = os.pathsep.join([str(folder), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(cluster / "cache"), "HOME": str(cluster)}


def run(*command: str, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "values"),
    [
        pytest.param(["tai"], ["taint"], id="a verb"),
        pytest.param(
            ["taint", "nodes", "n1", "a=b:"], [f"a=b:{effect}" for effect in ("NoSchedule", "PreferNoSchedule", "NoExecute")], id="effects"
        ),
        pytest.param(["lint", "--fail-on=w"], ["warning"], id="a value behind ="),
        pytest.param(["lint", "--exit"], ["--exit-zero"], id="an option"),
        pytest.param(["drain", "--from", "calm", ""], ["n1", "n2"], id="nodes"),
    ],
)
def test_kubectl_asks_the_completion_of_the_plugin(words: list[str], values: list[str], plugin: dict[str, str]) -> None:
    ask_patiently("drain", "--from", "calm", "", env=plugin)  # so that the names are kept, however busy this machine is
    done = run("kubectl_complete-change_preflight", *words, env=plugin)
    assert (done.returncode, done.stderr) == (0, "")
    assert parse_answer(done.stdout) == Answer(values, 36)
    if shutil.which("kubectl") is None:
        pytest.skip("no kubectl: the plugin alone was asked")
    asked = run("kubectl", "__complete", "change-preflight", *words, env=plugin)
    assert parse_answer(asked.stdout) == Answer(values, 36)


def test_the_plugin_says_how_it_was_called(plugin: dict[str, str]) -> None:
    done = run("kubectl-change_preflight", "taint", "--help", env=plugin)
    assert "Usage: kubectl change-preflight taint " in done.stdout
    done = run("kubectl-change_preflight", "lint", "--bogus", env=plugin)
    assert done.returncode == 2
    assert "kubectl change-preflight lint --help" in done.stderr


def test_the_plugin_does_what_the_program_does(plugin: dict[str, str]) -> None:
    line = ["taint", "nodes", "n1", "a=b:NoSchedule", "--from", "calm", "-o", "concise"]
    expected = program(*line)
    done = run("kubectl-change_preflight", *line, env=plugin)
    assert (done.returncode, done.stdout, done.stderr) == expected
    if shutil.which("kubectl") is not None:
        done = run("kubectl", "change-preflight", *line, env=plugin)
        assert (done.returncode, done.stdout) == (expected.code, expected.out)
