"""A fix is an update, and is judged as one."""

from __future__ import annotations

from pathlib import Path

from tests.cli.program import program
from tests.fix.example_folder import AGENT, CONTAINERS, NODES, TAINT, fix, pods, world


def test_the_rollout_of_the_fix_sets_off_a_time_bomb_elsewhere() -> None:
    world(taint="{key: other, effect: NoSchedule}")
    pods("n1", "n2")
    result = fix("--from", "pods.json", "--for", "taint nodes n2 dedicated=rdma:NoSchedule", "--write")
    assert result.code == 1
    assert result.out.splitlines()[-2:] == [
        "the rollout of the fix triggers:",
        (
            "  error[PF101] ops/agent loses n1 now through its update, which deletes the pod and creates no new one: no "
            "toleration for other:NoSchedule"
        ),
    ]


def test_under_on_delete_pods_keep_what_they_tolerate() -> None:
    world()
    Path("m/agent.yaml").write_text(
        (AGENT + CONTAINERS).replace("spec:\n  selector", "spec:\n  updateStrategy: {type: OnDelete}\n  selector"), encoding="utf-8"
    )
    result = fix("--for", TAINT, "--write")
    assert "    its update strategy is OnDelete: running pods keep their old tolerations until they are deleted" in result.out.splitlines()


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


def test_a_second_wave_goes_with_the_loss_that_it_follows_from() -> None:
    world()
    producer = AGENT + "      containers: [{name: worker, image: 'registry.example/nfd/nfd-worker:v1', command: [nfd-worker]}]\n"
    label = "feature.node.kubernetes.io/pci-15b3.present"
    consumer = AGENT.replace("name: agent\n", "name: driver\n") + f"      nodeSelector: {{{label}: 'true'}}\n" + CONTAINERS
    toleration = "      tolerations: [{key: dedicated, operator: Equal, value: rdma, effect: NoExecute}]\n"
    Path("m/agent.yaml").write_text(producer, encoding="utf-8")
    Path("m/driver.yaml").write_text(consumer + toleration, encoding="utf-8")
    Path("nodes.yaml").write_text((NODES % "").replace("pool: rdma", f"pool: rdma, {label}: 'true'"), encoding="utf-8")
    before = program("taint", "nodes", "n1", "dedicated=rdma:NoExecute", "--from", "m", "--from", "nodes.yaml", "-o", "concise")
    assert "ops/driver loses n1" in before.out
    result = fix("--for", "taint nodes n1 dedicated=rdma:NoExecute", "--write")
    assert (result.code, result.err) == (0, "")
    assert [line for line in result.out.splitlines() if line.startswith("  ops/")] == [
        "  ops/agent in m/agent.yaml (PF101): adds {key: dedicated, operator: Equal, value: rdma, effect: NoExecute}"
    ]


def test_a_fix_that_would_cost_another_node_is_none() -> None:
    """The manifest states no tolerations, so an apply leaves those that somebody patched in; one that states some would replace them."""
    world("      tolerations: [{key: x, operator: Exists}]\n", taint="{key: x, effect: NoSchedule}")
    live = Path("m/agent.yaml").read_text(encoding="utf-8").replace("  namespace: ops\n", "  namespace: ops\n  uid: '1'\n")
    Path("m/agent.yaml").write_text(live, encoding="utf-8")
    Path("new.yaml").write_text(AGENT + CONTAINERS.replace("agent:1", "agent:2"), encoding="utf-8")
    before = Path("new.yaml").read_bytes()
    result = fix("--for", "apply -f new.yaml", "--for", "taint nodes n2 dedicated=rdma:NoSchedule", "--write")
    assert result.code == 1
    assert "    the fix would remove it from n1: edit it by hand" in result.out.splitlines()
    assert Path("new.yaml").read_bytes() == before
