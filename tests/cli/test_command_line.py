"""How a command line is read: kubectl's words and flags, our own among them, and what is refused."""

from __future__ import annotations

import gzip
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from preflight import __version__
from tests.builders import write_list
from tests.cli.program import program
from tests.paths import VECTORS

ERROR = (
    "calm/agent.yaml:8:5: error[PF102] lost-on-recreation: storage/agent will not come back on n1 when its pods are re-created: "
    "no toleration for dedicated=rdma:NoSchedule\n"
)
RECORDING = VECTORS / "cluster-seed1.jsonl.gz"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("taint nodes n1 dedicated=rdma:NoSchedule --from calm -o concise", id="our own flags at the end"),
        pytest.param("taint --from calm -o concise nodes n1 dedicated=rdma:NoSchedule", id="our own flags first"),
        pytest.param("taint nodes --from=calm n1 -oconcise dedicated=rdma:NoSchedule", id="our own flags in between"),
        pytest.param("--from calm -o concise taint nodes n1 dedicated=rdma:NoSchedule", id="our own flags before the verb"),
        pytest.param("taint nodes -l pool=rdma dedicated=rdma:NoSchedule --from calm -o concise", id="-l and its value"),
        pytest.param("taint nodes -lpool=rdma dedicated=rdma:NoSchedule --from calm -o concise", id="-l with its value"),
        pytest.param("taint nodes -l=pool=rdma dedicated=rdma:NoSchedule --from calm -o concise", id="-l, = and its value"),
        pytest.param("taint nodes --selector=pool=rdma dedicated=rdma:NoSchedule --from calm -o concise", id="--selector="),
        pytest.param("taint nodes --selector 'pool in (rdma)' dedicated=rdma:NoSchedule --from calm -o concise", id="--selector"),
        pytest.param("taint -l pool=rdma nodes dedicated=rdma:NoSchedule --from calm -o concise", id="-l before the resource"),
        pytest.param("taint node n1 dedicated=rdma:NoSchedule --from calm -o concise", id="node"),
        pytest.param("taint no n1 dedicated=rdma:NoSchedule --from calm -o concise", id="no"),
        pytest.param("taint nodes n1 dedicated=rdma:NoSchedule --overwrite --from calm -o concise", id="--overwrite"),
        pytest.param(
            "taint nodes n1 dedicated=rdma:NoSchedule --dry-run=server --from calm -o concise", id="--dry-run changes nothing here"
        ),
        pytest.param("taint nodes n1 dedicated=rdma:NoSchedule --field-manager me --from calm -o concise", id="--field-manager neither"),
        pytest.param("taint nodes n1 dedicated=rdma:NoSchedule -v=6 --from calm -o concise", id="a verbosity of kubectl's neither"),
        pytest.param("taint nodes n1 dedicated=rdma:NoSchedule --context prod --from calm -o concise", id="--context neither"),
        pytest.param(
            "taint -n kube-system nodes n1 dedicated=rdma:NoSchedule --from calm -o concise", id="-n changes no judgement of nodes"
        ),
        pytest.param("taint --from calm -o concise -- nodes n1 dedicated=rdma:NoSchedule", id="-- ends the flags"),
        pytest.param(
            "taint --from calm/agent.yaml --from calm/nodes.yaml -o concise nodes n1 dedicated=rdma:NoSchedule", id="--from twice"
        ),
    ],
)
def test_one_command_line_in_many_words(line: str) -> None:
    assert program(*shlex.split(line)) == (1, ERROR, "")


@pytest.mark.parametrize(
    "line",
    [
        "set image ds/agent agent=agent:2 -n storage",
        "set image -n storage ds/agent agent=agent:2",
        "set -n storage image ds/agent agent=agent:2",
        "-n storage set image ds/agent agent=agent:2",
        "--namespace=storage set image ds agent agent=agent:2",
        "-nstorage set image daemonset.apps/agent *=agent:2",
    ],
)
def test_the_namespace_may_stand_anywhere(line: str) -> None:
    result = program(*shlex.split(line), "--from", "calm", "-o", "json")
    report = json.loads(result.out)
    assert (result.code, report["problems"], report["findings"]) == (0, [], [])
    assert [(row["daemonset"], row["outcome"], row["nodes"]) for row in report["coverage"]] == [("storage/agent", "kept", ["n1", "n2"])]


def test_the_namespace_is_default_and_the_one_elsewhere_is_named() -> None:
    result = program("set", "image", "ds/agent", "agent=agent:2", "--from", "calm")
    assert result == (2, "", 'error: daemonsets.apps "agent" not found: did you mean -n storage?\n')


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("taint nodes n1", "at least one taint update is required", id="no taint"),
        pytest.param("taint nodes", "at least one taint update is required", id="neither node nor taint"),
        pytest.param(
            "taint nodes a=b:NoSchedule", "at least one resource name must be specified since 'all' parameter is not set", id="no node"
        ),
        pytest.param("taint nodes n1 a=b:Never", "invalid taint effect: Never, unsupported taint effect", id="no effect of Kubernetes"),
        pytest.param("taint pods n1 a=b:NoSchedule", "invalid resource type pods, only node types are supported", id="no nodes"),
        pytest.param(
            "taint nodes --all -l pool=rdma a=b:NoSchedule",
            "setting 'all' parameter with a non empty selector is prohibited",
            id="--all and a selector",
        ),
        pytest.param("taint nodes n1 a=b:NoSchedule --bogus", "unknown flag: --bogus", id="a flag that is none"),
        pytest.param("taint nodes n1 a=b:NoSchedule -x", "unknown shorthand flag: 'x' in -x", id="a short flag that is none"),
        pytest.param("taint nodes n1 a=b:NoSchedule -l", "flag needs an argument: 'l' in -l", id="a flag without its value"),
        pytest.param(
            "taint nodes n1 a=b:NoSchedule --dry-run=maybe",
            'Invalid dry-run value (maybe). Must be "none", "server", or "client".',
            id="a flag with a value that is none",
        ),
        pytest.param(
            "taint nodes n1 a=b:NoSchedule -v=x",
            'invalid argument "x" for "-v, --v" flag: strconv.ParseInt: parsing "x": invalid syntax',
            id="a verbosity that is no number",
        ),
        pytest.param("label nodes n1", "at least one label update is required", id="no label"),
        pytest.param("drain", "USAGE: drain NODE [flags]", id="no node to drain"),
        pytest.param("drain n1 -l pool=rdma", "cannot specify both a node name and a --selector option", id="a name and a selector"),
        pytest.param("cordon pod/n1", "expected resource of type node, got pods", id="no node to cordon"),
        pytest.param("set image ds/agent -n storage", "at least one image update is required", id="no image"),
        pytest.param(
            "set env ds/agent A=b", "preflight does not check `kubectl set env`: it checks `kubectl set image`", id="set of something else"
        ),
        pytest.param(
            "rollout status ds/agent", "preflight does not check `kubectl rollout status`: it checks `kubectl rollout restart`", id="status"
        ),
        pytest.param("apply", "must specify one of -f and -k", id="no file"),
        pytest.param(
            "delete ds agent --cascade=never",
            'invalid cascade value (never). Must be "background", "foreground", or "orphan"',
            id="a cascade",
        ),
        pytest.param("delete node", "resource(s) were provided, but no name was specified", id="no name"),
    ],
)
def test_what_kubectl_refuses_is_refused_in_its_words(line: str, words: str) -> None:
    """Before the world is read: it is refused without --from too."""
    verb, *rest = shlex.split(line)
    says = f"error: {words}\nSee 'preflight {verb} --help'\n"
    assert program(verb, "--from", "calm", *rest) == (2, "", says)
    assert program(verb, *rest) == (2, "", says)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        pytest.param("taint nodes n1 gone:NoSchedule-", 'taint "gone:NoSchedule" not found', id="a taint that is not there"),
        pytest.param("label nodes n1 pool=x", "'pool' already has a value (rdma), and --overwrite is false", id="a label that is there"),
        pytest.param(
            "delete ds gone -n storage",
            'daemonsets.apps "gone" not found in namespace storage (the input has storage/agent)',
            id="no DaemonSet",
        ),
    ],
)
def test_what_only_the_world_can_refuse(line: str, words: str) -> None:
    assert program(*shlex.split(line), "--from", "calm") == (2, "", f"error: {words}\n")


def test_a_step_of_a_plan_that_is_refused_is_named() -> None:
    Path("plan.yaml").write_text("- kubectl cordon n1\n- kubectl taint nodes n1\n", encoding="utf-8")
    says = "error: plan.yaml:2: step 2, `kubectl taint nodes n1`: at least one taint update is required\nSee 'preflight plan --help'\n"
    assert program("plan", "plan.yaml", "--from", "calm") == (2, "", says)


def test_a_file_to_apply_is_relative_to_the_plan_that_names_it() -> None:
    Path("calm/plan.yaml").write_text("- kubectl apply -f agent.yaml\n", encoding="utf-8")
    result = program("plan", "calm/plan.yaml", "--from", "calm/nodes.yaml", "-o", "concise")
    assert result == (0, "calm/agent.yaml:1:1: note[PF104] gained-coverage: storage/agent is new and gets a pod on n1, n2\n", "")


def test_a_file_to_apply_that_is_not_there() -> None:
    result = program("apply", "-f", "missing.yaml", "--from", "calm")
    assert result == (3, "", "error: missing.yaml: cannot be read: no such file or directory\n")


def test_a_word_that_ends_like_a_flag_takes_no_value() -> None:
    assert program(*shlex.split("rollout restart -n storage ds --from calm")).code == 0


@pytest.mark.parametrize(
    "line",
    [
        "taint nodes n1 dedicated=rdma:NoSchedule",
        "taint nodes -l 'pool in (rdma, cpu)' dedicated=rdma:NoSchedule --overwrite",
        "-n storage set image ds/agent agent=agent:2",
    ],
)
def test_without_from_the_pipe_that_works_is_shown_and_works(line: str) -> None:
    result = program(*shlex.split(line), "-o", "concise")
    assert (result.code, result.out) == (3, "")
    first, second = result.err.splitlines()
    assert first.startswith("error: no --from, and no cluster to read: no kubeconfig found ($KUBECONFIG, ~/.kube/config).")
    listing, _, command = second.strip().partition(" | ")
    assert listing == "kubectl get nodes,ds,pods -A -o json"
    name, dots, *words = shlex.split(command)
    assert (name, dots) == ("preflight", "...")
    piped = program(*shlex.split(line), *words, "-o", "json", stdin=cluster_list())
    assert piped.code in (0, 1)
    assert [row["daemonset"] for row in json.loads(piped.out)["coverage"]] == ["storage/agent"]


def cluster_list() -> bytes:
    """What `kubectl get nodes,ds,pods -A -o json` writes, of a cluster like the one in the folder."""
    metadata: dict[str, Any] = {"namespace": "storage", "uid": "2", "name": "agent"}
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "2", "controller": True, "blockOwnerDeletion": True}
    template = {"metadata": {"labels": {"app": "agent"}}, "spec": {"containers": [{"name": "agent", "image": "agent:1"}]}}
    items: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "1", "labels": {"pool": "rdma"}}, "spec": {}, "status": {}},
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "metadata": metadata,
            "spec": {"selector": {"matchLabels": {"app": "agent"}}, "template": template},
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": "agent-x1", "namespace": "storage", "ownerReferences": [owner]},
            "spec": {"nodeName": "n1", "tolerations": []},
            "status": {"phase": "Running"},
        },
    ]
    return json.dumps({"apiVersion": "v1", "kind": "List", "metadata": {"resourceVersion": ""}, "items": items}, indent=4).encode()


def test_a_recorded_cluster_through_standard_input_says_what_it_says_from_a_file() -> None:
    with gzip.open(RECORDING, "rt", encoding="utf-8") as lines:
        recording = json.loads(next(lines))
    text = write_list([*recording["nodesBefore"], *recording["daemonsets"]])
    Path("list.json").write_text(text, encoding="utf-8")
    name = recording["nodesBefore"][0]["metadata"]["name"]
    words = ("taint", "nodes", name, "preflight=test:NoExecute", "-o", "json", "--from")
    piped, read = program(*words, "-", stdin=text.encode()), program(*words, "list.json")
    report = json.loads(piped.out)
    assert {row["daemonset"].partition("/")[2] for row in report["coverage"]} == {
        daemonset["metadata"]["name"] for daemonset in recording["daemonsets"]
    }
    assert report["problems"] == []
    assert (piped.code, piped.out.replace('"-"', '"list.json"'), piped.err) == read


def test_without_a_path_lint_judges_the_folder_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("wild")
    says = (
        "wild.yaml:10:21: warning[PF201] tolerates-everything: storage/wild tolerates every taint, "
        "including NoExecute without a time limit\n"
        "wild.yaml:8:5: note[PF213] lands-anywhere: storage/wild gets pods on Windows and virtual nodes too: "
        "it has a wildcard toleration and no nodeSelector or node affinity\n"
    )
    assert program("lint", "-o", "concise") == (0, says, "")
    assert program("lint", ".", "-o", "concise") == (0, says, "")


def test_what_is_only_around_gets_no_findings() -> None:
    result = program("lint", "calm", "--from", "wild/wild.yaml", "-o", "json")
    assert result.code == 0
    assert json.loads(result.out)["findings"] == []


def test_the_help_is_what_no_argument_prints() -> None:
    bare, asked = program(), program("--help")
    assert asked.code == 0
    assert bare == (2, "", asked.out)


def test_the_version() -> None:
    assert program("--version") == (0, f"preflight, version {__version__}\n", "")
