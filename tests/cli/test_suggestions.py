"""What was meant: verbs, flags, values, rules, packs, contexts, nodes, pods and namespaces; and kubectl's commands that are not judged."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from preflight.messages.kubectl_verbs import KUBECTL_COMMANDS
from preflight.messages.suggestions import find_nearest
from tests.builders import list_daemonset_pod, make_daemonset, make_node, write_list
from tests.cli.program import program
from tests.load.live.api_server import ApiServer, kubeconfig, serving


@pytest.mark.parametrize(
    ("word", "names", "nearest"),
    [
        pytest.param("", ["a"], "", id="no word"),
        pytest.param("x", [], "", id="no names"),
        pytest.param("rdma-l", ["rdma-1", "rdma-2"], "rdma-1", id="a letter that looks like a digit"),
        pytest.param("gpu-O1", ["gpu-01", "gpu-11"], "gpu-01", id="another one"),
        pytest.param("Agent", ["agent"], "agent", id="another case"),
        pytest.param("gpu-9", ["gpu-1", "gpu-2"], "", id="another number is as likely as a third"),
        pytest.param("taimt", ["taint", "drain"], "taint", id="a wrong letter"),
        pytest.param("worker", ["worker-a.example.com", "control-a.example.com"], "worker-a.example.com", id="the only one that begins so"),
        pytest.param("worker", ["worker-a.example.com", "worker-b.example.com"], "", id="two that begin so"),
        pytest.param("zebra", ["taint", "drain"], "", id="nothing near"),
    ],
)
def test_the_nearest_name(word: str, names: list[str], nearest: str) -> None:
    assert find_nearest(word, names) == nearest
    assert find_nearest(word, list(reversed(names))) == nearest


@pytest.mark.parametrize(
    ("line", "says", "help_of"),
    [
        pytest.param("tain nodes n1 a=b:NoSchedule", 'unknown command "tain" for "preflight": did you mean taint?', "", id="a verb"),
        pytest.param("dokter", 'unknown command "dokter" for "preflight": did you mean doctor?', "", id="a command"),
        pytest.param("paint nodes", 'unknown command "paint" for "preflight": did you mean taint?', "", id="a word that is near a verb"),
        pytest.param("xyzzy", 'unknown command "xyzzy" for "preflight"', "", id="a word that is near nothing"),
        pytest.param("policy chek", 'unknown command "chek" for "policy": did you mean check?', "policy", id="a command of policy"),
        pytest.param(
            "drain n1 --ignore-daemonset", "unknown flag: --ignore-daemonset: did you mean --ignore-daemonsets?", "drain", id="a flag"
        ),
        pytest.param("taint nodes n1 a=b:NoSchedule --form calm", "unknown flag: --form: did you mean --from?", "taint", id="ours"),
        pytest.param(
            "taint nodes n1 a=b:NoSchedule -context x",
            "unknown shorthand flag: 'c' in -context: did you mean --context?",
            "taint",
            id="one dash",
        ),
        pytest.param("lint --fail-onn error", "unknown flag: --fail-onn: did you mean --fail-on?", "lint", id="of lint"),
        pytest.param("lint --bogus", "unknown flag: --bogus", "lint", id="no flag is near"),
        pytest.param("lint -x", "unknown shorthand flag: 'x' in -x", "lint", id="a short flag"),
        pytest.param("--bogus", "unknown flag: --bogus", "", id="a flag of no command"),
        pytest.param("lint --from", "flag needs an argument: --from", "lint", id="a flag without its value"),
        pytest.param("taint nodes n1 --from", "flag needs an argument: --from", "taint", id="so under a verb"),
        pytest.param("plan", "FILE is required", "plan", id="no argument"),
        pytest.param("explain", "RULE is required", "explain", id="no rule"),
        pytest.param("snapshot", "-o, --output is required", "snapshot", id="no option that is required"),
        pytest.param(
            "lint --fail-on fatal", 'invalid value "fatal" for --fail-on: must be one of error, warning, note', "lint", id="a choice"
        ),
        pytest.param("lint --fail-on eror", 'invalid value "eror" for --fail-on: did you mean error?', "lint", id="nearly a choice"),
        pytest.param("lint -o jsn", 'unknown output format "jsn": did you mean json?', "lint", id="a format"),
        pytest.param("rules extra", "got unexpected extra argument (extra)", "rules", id="one argument too many"),
        pytest.param("explain lost-on-recration", 'no rule "lost-on-recration": did you mean lost-on-recreation?', "explain", id="a rule"),
        pytest.param("explain PF1O2", 'no rule "PF1O2": did you mean PF102?', "explain", id="the id of a rule"),
        pytest.param(
            "fix calm --rule lost-on-recration", 'no rule "lost-on-recration": did you mean lost-on-recreation?', "fix", id="of fix"
        ),
        pytest.param(
            "taint nodes n1 a=b:NoSchedul --from calm",
            "invalid taint effect: NoSchedul, unsupported taint effect: did you mean NoSchedule?",
            "taint",
            id="an effect",
        ),
        pytest.param(
            "taint n1 a=b:NoSchedule --from calm",
            'the server doesn\'t have a resource type "n1" (the word "nodes" is missing: taint nodes n1 ...)',
            "taint",
            id="no word nodes",
        ),
        pytest.param(
            "taint nodse n1 a=b:NoSchedule",
            'the server doesn\'t have a resource type "nodse": did you mean nodes?',
            "taint",
            id="a resource",
        ),
    ],
)
def test_a_wrong_command_line_says_what_was_meant_and_whose_help_to_read(line: str, says: str, help_of: str) -> None:
    result = program(*shlex.split(line))
    assert result == (2, "", f"error: {says}\nSee '{f'preflight {help_of}'.rstrip()} --help'\n")


@pytest.mark.parametrize("command", [name for name in KUBECTL_COMMANDS if name not in ("diff", "explain", "completion")])
def test_another_command_of_kubectl_says_what_preflight_does_instead(command: str) -> None:
    result = program(command, "pods")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error: preflight does not check `kubectl {command}`: ")
    assert result.err.endswith("\nSee 'preflight --help'\n")
    for name in ("get", "scale", "top"):
        assert "preflight " in KUBECTL_COMMANDS[name]


def test_a_pack_that_is_nearly_one() -> None:
    result = program("lint", "calm", "--policy", "stric")
    assert result.code == 2
    assert result.err.startswith('error: no pack "stric": did you mean "strict"?')


def test_a_context_that_is_nearly_one(tmp_path: Path) -> None:
    config = kubeconfig(tmp_path / "config", "http://127.0.0.1:1")
    known = next(entry["name"] for entry in json.loads(config.read_text())["contexts"])
    result = program("cordon", "n1", "--kubeconfig", str(config), "--context", f"{known}x")
    assert result == (3, "", f"error: kubeconfig {config} has no context {known}x: did you mean {known}?\n")
    far = program("cordon", "n1", "--kubeconfig", str(config), "--context", "zzzzzzzz")
    assert far == (3, "", f"error: kubeconfig {config} has no context zzzzzzzz (it has {known})\n")


AGENT = make_daemonset("agent", "storage")
NODES = [make_node(name, labels={"pool": "rdma"}) for name in ("rdma-1", "rdma-2")]


@pytest.fixture
def saved() -> str:
    """A snapshot of two nodes with one DaemonSet."""
    Path("all.json").write_text(write_list([*NODES, AGENT, *(list_daemonset_pod(AGENT, node) for node in ("rdma-1", "rdma-2"))]))
    assert program("snapshot", "-o", "saved.json", "--from", "all.json").code == 0
    return "saved.json"


MISSING = [
    pytest.param("taint nodes rdma-l a=b:NoSchedule", 'nodes "rdma-l" not found: did you mean rdma-1?', id="a node to taint"),
    pytest.param("drain rdma1 --ignore-daemonsets", 'nodes "rdma1" not found: did you mean rdma-1?', id="a node to drain"),
    pytest.param("delete node rdma-9", 'nodes "rdma-9" not found', id="a node to delete, and none is near"),
    pytest.param("cordon rdma-1 gone", 'nodes "gone" not found', id="one node of two"),
    pytest.param("label nodes -l pool=nope a=b", "no node matches -l pool=nope", id="a selector"),
    pytest.param("cordon -l pool=rdam", "no node matches -l pool=rdam: did you mean pool=rdma?", id="a selector that nearly matches"),
    pytest.param("reboot -l pol=rdma", "no node matches -l pol=rdma: did you mean pool=rdma?", id="a label that is nearly there"),
    pytest.param("uncordon -l 'pool in (x, y)'", "no node matches -l 'pool in (x,y)'", id="a selector in quotes"),
    pytest.param(
        "rollout restart ds/agnt -n storage", 'daemonsets.apps "agnt" not found in namespace storage: did you mean agent?', id="a name"
    ),
    pytest.param("delete pod agent-rdma-l -n storage", 'pods "agent-rdma-l" not found: did you mean agent-rdma-1?', id="a pod"),
    pytest.param("doctor --node rdma-l", 'nodes "rdma-l" not found: did you mean rdma-1?', id="a node of doctor"),
    pytest.param(
        "doctor --pod storag/agent-rdma-1", 'pods "storag/agent-rdma-1" not found: did you mean storage/agent-rdma-1?', id="a pod of doctor"
    ),
]


@pytest.mark.parametrize(("line", "says"), MISSING)
def test_what_does_not_exist_where_all_is_known_is_refused_as_kubectl_does(line: str, says: str, saved: str) -> None:
    assert program(*shlex.split(line), "--from", saved) == (2, "", f"error: {says}\n")


@pytest.mark.parametrize(("line", "says"), [case for case in MISSING if case.id != "a pod"])  # its pods are asked for by name
def test_so_in_a_live_cluster(line: str, says: str, saved: str, tmp_path: Path) -> None:
    server = ApiServer(json.loads(Path("all.json").read_text())["items"])
    with serving(server, tmp_path) as config:
        assert program(*shlex.split(line), "--kubeconfig", str(config)) == (2, "", f"error: {says}\n")
    del saved


def test_a_namespace_without_a_daemonset_names_the_one_that_is_near(saved: str) -> None:
    result = program("rollout", "restart", "ds", "-n", "storag", "--from", saved)
    assert result == (3, "", "error: no DaemonSet in namespace storag: did you mean -n storage?\n")


@pytest.mark.parametrize("line", ["taint nodes rdma-l a=b:NoSchedule", "taint nodes -l pool=nope a=b:NoSchedule"])
def test_a_bare_list_of_nodes_is_never_all_of_them(line: str, saved: str) -> None:
    """There a node that is not listed is partly known, as before."""
    result = program(*shlex.split(line), "--from", "all.json", "-o", "json")
    assert json.loads(result.out)["change"]["steps"][0]["notes"]
    assert result.code in (1, 3)
    del saved


def test_a_refused_step_of_a_plan_is_named_without_a_look_at_the_help(saved: str) -> None:
    Path("plan.yaml").write_text("- kubectl cordon rdma-1\n- kubectl taint nodes rdma-l a=b:NoSchedule\n")
    says = 'error: step 2, `taint nodes rdma-l a=b:NoSchedule`: nodes "rdma-l" not found: did you mean rdma-1?\n'
    assert program("plan", "plan.yaml", "--from", saved) == (2, "", says)


def test_an_error_commands_no_terminal() -> None:
    result = program("lint", "--\x1b[31mred")
    assert result.code == 2
    assert "\x1b" not in result.err
