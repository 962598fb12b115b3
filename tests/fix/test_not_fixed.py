"""What `preflight fix` leaves as it is, and why; and what it takes for a toleration that was meant."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import yaml

from tests.cli.program import program
from tests.fix.example_folder import AGENT, CONTAINERS, NODES, TAINT, fix, left, world


def test_a_wildcard_stays_where_no_node_is_known() -> None:
    world("      tolerations: [{operator: Exists}]\n")
    Path("nodes.yaml").write_text("", encoding="utf-8")
    code, said = left()
    assert code == 1
    assert said == [
        "warning[PF201] ops/agent tolerates every taint, including NoExecute without a time limit",
        "no nodes in the input, so their taints are unknown: add the output of `kubectl get nodes -o json`",
    ]


def test_a_wildcard_stays_where_a_node_cannot_do_without_the_pod() -> None:
    world("      priorityClassName: system-node-critical\n      tolerations: [{operator: Exists}]\n", "{key: a, effect: NoSchedule}")
    assert left() == (0, [])
    code, said = left("--rule", "tolerates-everything")
    assert code == 1
    assert said[1] == "its priority class is system-node-critical: a wildcard is correct for a pod that every node needs"


def test_a_wildcard_of_a_network_stays() -> None:
    volumes = "      volumes: [{name: cni, hostPath: {path: /etc/cni/net.d}}, {name: bin, hostPath: {path: /opt/cni/bin}}]\n"
    world(f"      tolerations: [{{operator: Exists}}]\n{volumes}", "{key: a, effect: NoSchedule}")
    mounts = "volumeMounts: [{name: cni, mountPath: /etc/cni/net.d}, {name: bin, mountPath: /opt/cni/bin}]"
    text = Path("m/agent.yaml").read_text(encoding="utf-8")
    Path("m/agent.yaml").write_text(text.replace("image: 'agent:1'", f"image: 'agent:1', {mounts}"), encoding="utf-8")
    code, said = left()
    assert code == 1
    assert said[1].endswith("which must start on nodes with temporary taints, so its wildcard stays")


def test_notes_are_the_owners_decision() -> None:
    world("      tolerations: [{key: dedicated, operator: Exists}]\n", "{key: dedicated, value: rdma, effect: NoSchedule}")
    result = fix()
    assert (result.code, result.out, result.err) == (0, "", "nothing to fix\n")


def test_a_label_is_no_toleration() -> None:
    world("      nodeSelector: {pool: rdma}\n")
    code, said = left("--for", "label nodes n1 pool-")
    assert code == 1
    assert said[1] == "a toleration does not fix this: its node selection keeps it off, or the cause is temporary"


def test_what_another_repeats_is_left() -> None:
    world("      tolerations: &t []\n      x: *t\n")
    code, said = left("--for", TAINT)
    assert (code, said[1]) == (1, "an alias refers to the anchor &t: an edit would change that place too")


def test_standard_input_cannot_be_edited_but_patched() -> None:
    world()
    text = Path("m/agent.yaml").read_bytes()
    result = program("fix", "-", "--from", "nodes.yaml", "--for", TAINT, stdin=text)
    assert result.code == 1
    assert "it came from standard input, which cannot be edited: --patch prints a patch" in result.err
    patched = program("fix", "-", "--from", "nodes.yaml", "--for", TAINT, "--patch", stdin=text)
    assert patched.code == 0
    assert patched.out.startswith("kubectl patch daemonset agent -n ops --type=json -p ")


def test_surroundings_are_not_edited() -> None:
    world()
    Path("empty").mkdir()
    result = program("fix", "empty", "--from", "nodes.yaml", "--from", "m", "--for", TAINT)
    assert result.code == 1
    assert "its file was given only as context (--from): pass it as a PATH, or use --patch" in result.err


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "{key: dedicated, effect: NoSchedule}", "{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}", id="no operator"
        ),
        pytest.param("{key: dedicated, operator: Equal}", "{key: dedicated, operator: Equal, value: rdma}", id="no value"),
        pytest.param(
            "{key: dedicated, value: gpu}",
            "{key: dedicated, value: gpu}, {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}",
            id="another value: it is for another pool",
        ),
        pytest.param(
            "{key: dedicated, operator: Equal, value: '', effect: NoSchedule}",
            "{key: dedicated, operator: Equal, value: '', effect: NoSchedule}, "
            "{key: 'dedicated', operator: Equal, value: 'rdma', effect: NoSchedule}",
            id="an empty value that is stated",
        ),
        pytest.param(
            "{key: dedicated}, {key: dedicated, effect: NoSchedule}",
            "{key: dedicated}, {key: dedicated, effect: NoSchedule}, {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}",
            id="two of them: which was meant is not known",
        ),
    ],
)
def test_a_near_miss(before: str, after: str) -> None:
    world(f"      tolerations: [{before}]\n")
    assert fix("--for", TAINT, "--write").code == 0
    found = Path("m/agent.yaml").read_text(encoding="utf-8")
    assert found.replace("'dedicated'", "dedicated") == f"{AGENT}      tolerations: [{after}]\n{CONTAINERS}".replace(
        "'dedicated'", "dedicated"
    )


def test_a_near_miss_that_tolerates_another_taint_stays() -> None:
    world("      tolerations: [{key: dedicated, effect: NoSchedule}]\n")
    nodes = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n3}\nspec: {taints: [{key: dedicated, effect: NoSchedule}]}\n"
    Path("nodes.yaml").write_text(NODES % "" + nodes, encoding="utf-8")
    assert fix("--for", TAINT, "--write").code == 0
    assert "[{key: dedicated, effect: NoSchedule}, {key: dedicated, operator: Equal" in Path("m/agent.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        pytest.param(
            "agent.yaml.gz", gzip.compress((AGENT + CONTAINERS).encode()), ("its file is compressed: decompress it first"), id="packed"
        ),
        pytest.param(
            "agent.yaml",
            (AGENT + CONTAINERS).encode() + b"# \xe9\n",
            "its file is not UTF-8: save it as UTF-8 first",
            id="not UTF-8",
        ),
        pytest.param(
            "agent.json",
            json.dumps(yaml.safe_load(AGENT + CONTAINERS)).encode(),
            "JSON files are not edited: print a patch with --patch",
            id="JSON",
        ),
    ],
)
def test_a_file_that_is_no_text_of_yaml(name: str, data: bytes, reason: str) -> None:
    world()
    Path("m/agent.yaml").unlink()
    Path("m", name).write_bytes(data)
    code, said = left("--for", TAINT)
    assert (code, said[1]) == (3 if "UTF-8" in reason else 1, reason)


@pytest.mark.parametrize("way", [(), ("--patch",), ("--patch", "kustomize")], ids=["a manifest", "a patch", "a patch for kustomize"])
@pytest.mark.parametrize(
    "tolerations",
    [
        "[[not, a, map], {key: dedicated, effect: NoSchedule}]",
        "[5]",
        "[null]",
        "{key: dedicated}",
        "dedicated",
        "[{key: dedicated, effect: NoSchedule, value: true}]",
    ],
)
def test_a_list_that_is_not_understood_is_left(tolerations: str, way: tuple[str, ...]) -> None:
    world(f"      tolerations: {tolerations}\n")
    result = fix("--for", TAINT, *way)
    assert (result.code, result.out) == (1, "")
    assert "error[PF102]" in result.err
    assert "    the API server refuses one of its tolerations: fix that first\n" in result.err
