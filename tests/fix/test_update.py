"""A fix is an update, and is judged as one."""

from __future__ import annotations

from pathlib import Path

from tests.fix.folder import AGENT, CONTAINERS, TAINT, fix, pods, world


def test_the_rollout_of_the_fix_sets_off_a_time_bomb_elsewhere() -> None:
    world(taint="{key: other, effect: NoSchedule}")
    pods("n1", "n2")
    result = fix("--from", "pods.json", "--for", "taint nodes n2 dedicated=rdma:NoSchedule", "--write")
    assert result.code == 1
    assert result.out.splitlines()[-2:] == [
        "the rollout of the fix sets off:",
        "  error[PF101] ops/agent loses n1 now: its update deletes the pod and creates none: does not tolerate other:NoSchedule",
    ]


def test_under_on_delete_pods_keep_what_they_tolerate() -> None:
    world()
    Path("m/agent.yaml").write_text(
        (AGENT + CONTAINERS).replace("spec:\n  selector", "spec:\n  updateStrategy: {type: OnDelete}\n  selector"), encoding="utf-8"
    )
    result = fix("--for", TAINT, "--write")
    assert (
        "    its update strategy is OnDelete: pods that run keep their old tolerations until somebody deletes them"
        in result.out.splitlines()
    )


def test_an_object_that_stands_twice_is_fixed_twice() -> None:
    world()
    world(name="copy.yaml")
    assert fix("--for", TAINT, "--write").code == 0
    assert Path("m/agent.yaml").read_bytes() == Path("m/copy.yaml").read_bytes()
    assert fix("--for", TAINT).err == "nothing to fix\n"


def test_what_a_step_applies_is_fixed_where_it_stands() -> None:
    world()
    Path("new.yaml").write_text(AGENT.replace("name: agent\n", "name: other\n") + CONTAINERS, encoding="utf-8")
    assert fix("--for", "apply -f new.yaml", "--for", TAINT, "--write").code == 0
    assert "value: rdma" in Path("new.yaml").read_text(encoding="utf-8")
    assert "value: rdma" in Path("m/agent.yaml").read_text(encoding="utf-8")
