"""`preflight plan runbook.sh`: exit codes, what is said of lines that are not understood, and of those after them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import program


def run(text: str, name: str = "runbook.sh") -> tuple[int, str, str]:
    Path(name).write_text(text)
    return program("plan", name, "--from", "calm")


def test_a_script_that_changes_nothing_that_matters() -> None:
    code, out, err = run("kubectl cordon n1\nkubectl uncordon n1\n")
    assert (code, err) == (0, "")
    assert "step 1 of 2: cordon n1" in out
    assert "step 2 of 2: uncordon n1" in out


def test_a_loss_in_a_script_is_a_finding() -> None:
    code, out, _ = run("#!/bin/sh\nkubectl get nodes\nkubectl taint nodes -l pool=rdma a=b:NoSchedule\n", "runbook")
    assert code == 1
    assert "error[PF102] lost-on-recreation: storage/agent will not come back on n1 when its pods are re-created" in out
    assert "Not checked: 1 kubectl command (no change)" in out


def test_a_line_that_is_not_understood_is_named_and_the_rest_is_judged() -> None:
    code, out, err = run(
        "kubectl cordon $N\nkubectl taint nodes n1 a=b:NoSchedule\nkubectl taint nodes n1 a=b:NoSchedule\nexit\nkubectl drain n1\n"
    )
    assert code == 3
    assert "note: assumes that runbook.sh:1 (not analyzed or refused) changes nothing here" in out
    assert "error[PF102]" in out
    assert "2 lines were not checked." in out
    assert "the lines after runbook.sh:4 (the script ends there)" in out
    assert err.splitlines() == [
        "runbook.sh:1: error: not checked: `kubectl cordon $N`: $N is not expanded: write its value",
        "runbook.sh:3: error: not checked: `taint nodes n1 a=b:NoSchedule`: "
        "node n1 already has a taint(s) with same effect(s) and --overwrite is false",
    ]


@pytest.mark.parametrize("text", ["", "echo hello\n", "kubectl get nodes\n"], ids=["empty", "no kubectl", "only questions"])
def test_a_script_with_nothing_to_judge(text: str) -> None:
    code, _, err = run(text)
    assert (code, err) == (3, "error: runbook.sh has no line that preflight can check\n")
    assert program("plan", "runbook.sh", "--from", "calm", "--allow-empty").code == 0


def test_a_yaml_list_is_a_plan_as_before() -> None:
    assert run("- cordon n1\n", "plan.yaml")[0] == 0


def test_a_script_that_is_not_there() -> None:
    assert program("plan", "nope.sh", "--from", "calm") == (3, "", "error: nope.sh: cannot be read: no such file or directory\n")


def test_a_file_of_a_script_is_one_beside_it() -> None:
    Path("ops").mkdir()
    Path("ops/new.yaml").write_text(Path("calm/agent.yaml").read_text().replace("agent:1", "agent:2"))
    Path("ops/run.sh").write_text("kubectl apply -f new.yaml\n")
    code, out, err = program("plan", "ops/run.sh", "--from", "calm")
    assert (code, err) == (0, "")
    assert "apply new.yaml" in out


LOST = '{"spec":{"template":{"spec":{"nodeSelector":{"pool":"none"}}}}}'


@pytest.mark.parametrize(
    "line",
    [f"kubectl patch ds agent -n storage -p '{LOST}'", "kubectl -n storage patch ds/agent --patch-file lost.yaml"],
    ids=["in the line", "in a file beside the script"],
)
def test_a_patch_in_a_script_is_judged(line: str) -> None:
    Path("ops").mkdir()
    Path("ops/lost.yaml").write_text(LOST)
    code, out, err = run(f"{line}\n", "ops/run.sh")
    assert (code, err) == (1, "")
    assert "error[PF101] lost-now: storage/agent loses n1 now: its nodeSelector requires pool=none (the node has pool=rdma)" in out


def test_a_patch_in_quotes_of_bash_is_not_understood() -> None:
    code, _, err = run("kubectl patch node n1 -p $'spec:\\n unschedulable: true'\n")
    assert code == 3
    assert "$'spec:\\n unschedulable: true' is not expanded: write its value" in err


def test_a_patch_of_a_file_that_the_script_writes_is_not_understood() -> None:
    code, _, err = run("echo x > p.yaml\nkubectl patch ds agent -n storage --patch-file p.yaml\n")
    assert code == 3
    assert "the script itself creates p.yaml" in err


def test_a_patch_file_that_is_not_there() -> None:
    line = ["patch", "ds", "agent", "-n", "storage", "--patch-file", "nope.yaml", "--from", "calm"]
    assert program(*line) == (3, "", "error: unable to read patch file: nope.yaml: no such file or directory\n")
    Path("bytes.yaml").write_bytes(b"\xff")
    assert program(*line[:-3], "bytes.yaml", *line[-2:]) == (3, "", "error: bytes.yaml: not UTF-8 from byte 0 on: save it as UTF-8\n")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ('curl -H "Authorization: Bearer s3cret" https://x', "curl ..."),
        ("helm upgrade a b --set token=s3cret", "helm ..."),
        ("kubectl create secret generic x --from-literal=k=s3cret", "kubectl create secret generic x --from-literal=..."),
        ("kubectl create secret generic x --from-literal k=s3cret", "kubectl create secret generic x --from-literal ..."),
        ("sudo kubectl --token=s3cret cordon $N", "sudo kubectl --token=... cordon $N"),
        ("sudo kubectl --server https://me:s3cret@h cordon $N", "sudo kubectl --server ... cordon $N"),
        ("kubectl --server https://h?token=s3cret cordon n1", "kubectl --server ... cordon n1"),
        ("sudo kubectl --proxy-url=http://me:s3cret@h cordon $N", "sudo kubectl --proxy-url=... cordon $N"),
    ],
)
def test_a_line_that_is_not_understood_shows_no_secret(line: str, shown: str) -> None:
    _, out, err = run(f"{line}\nkubectl cordon n1\n")
    assert f"not checked: `{shown}`: " in err
    assert "s3cret" not in out + err
