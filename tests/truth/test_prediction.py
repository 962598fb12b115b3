"""The prediction of a small dump: what the front door says, and what can be seen of it within the time of a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import list_daemonset_pod, make_daemonset, write_list
from tests.truth.drawing import Object
from tests.truth.prediction import Placed, Said, prediction
from tests.truth.worlds import registered

GENERATION = "deprecated.daemonset.template.generation"


def daemonset(name: str, *tolerations: Object) -> Object:
    metadata = {"uid": f"{name}-0", "annotations": {GENERATION: "1"}}
    return make_daemonset(name, "storage", metadata=metadata, tolerations=list(tolerations))


def pod(of: Object, node: str) -> Object:
    labels = {"app": of["metadata"]["name"], "pod-template-generation": "1"}
    return list_daemonset_pod(of, node, labels=labels, ready="True")


def other_namespace() -> Object:
    found: dict[str, Any] = pod(daemonset("lonely"), "n1")
    found["metadata"] |= {"namespace": "network", "ownerReferences": []}
    return found


PLAIN, SOON, LATER = (
    daemonset("plain"),
    *(
        daemonset(name, {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": seconds})
        for name, seconds in (("soon", 5), ("later", 3600))
    ),
)


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "dump.json"
    nodes = [registered("n1", {}, []), registered("n2", {}, [])]
    daemonsets = [PLAIN, SOON, LATER]
    items = [*nodes, *daemonsets, *(pod(each, node) for each in daemonsets for node in ("n1", "n2")), other_namespace()]
    path.write_text(write_list(items))
    return path


def test_a_taint_that_evicts_now_soon_and_beyond_what_can_be_seen(dump: Path) -> None:
    (step,) = prediction(["taint", "nodes", "n1", "a:NoExecute"], dump).steps
    assert step.pairs == {
        ("storage", "plain", "n1"): Said("lost-now", True, False, False, None, "absent", False, True, "none"),
        ("storage", "soon", "n1"): Said("loop", True, True, True, 5, "loop", False, True, "loop"),
        ("storage", "later", "n1"): Said("loop", True, True, True, 3600, "same", True, True, "a pod"),
    }
    assert step.gone == {("network", "lonely", "n1")}
    assert step.placed == {
        ("storage", "plain"): Placed(frozenset(["n2"]), frozenset(["n2"])),
        ("storage", "soon"): Placed(frozenset(["n1", "n2"]), frozenset(["n1", "n2"])),
        ("storage", "later"): Placed(frozenset(["n1", "n2"]), frozenset(["n1", "n2"])),
    }


def test_each_step_of_a_plan_starts_where_the_one_before_has_led(dump: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("- kubectl taint nodes n1 a:NoSchedule\n- kubectl rollout restart ds/plain -n storage\n")
    first, second = prediction(["plan", str(plan)], dump).steps
    assert first.command == "taint nodes n1 a:NoSchedule"
    assert first.pairs["storage", "plain", "n1"].outcome == "lost-on-recreation"
    assert {pair[2]: (said.outcome, said.pod) for pair, said in second.pairs.items()} == {
        "n1": ("lost-now", "absent"),
        "n2": ("kept", "new"),
    }


def test_a_line_that_is_refused_has_no_steps(dump: Path) -> None:
    found = prediction(["taint", "nodes", "n1", "b:NoSchedule-"], dump)
    assert (found.result.code, found.steps) == (2, [])


def test_pods_that_an_update_takes_by_chance_and_that_find_no_room_again(tmp_path: Path) -> None:
    """The report counts one of two as lost, and the pairs say that either may be."""
    holder, apart = (make_daemonset(name, "storage", metadata={"uid": f"{name}-0"}) for name in ("holder", "apart"))
    holder["spec"]["template"]["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 9100}]
    dump, file = tmp_path / "dump.json", tmp_path / "apart.json"
    pods = [list_daemonset_pod(each, node, ready="True") for each in (holder, apart) for node in ("n1", "n2")]
    for each in pods[:2]:
        each["spec"]["containers"] = holder["spec"]["template"]["spec"]["containers"]
    dump.write_text(write_list([registered("n1", {}, []), registered("n2", {}, []), holder, apart, *pods]))
    apart["spec"]["template"]["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 9100}]
    file.write_text(json.dumps(apart))
    (step,) = prediction(["apply", "-f", str(file)], dump).steps
    pairs = frozenset(("storage", "apart", node) for node in ("n1", "n2"))
    assert {pair: (step.pairs[pair].outcome, step.pairs[pair].may_be_lost) for pair in pairs} == dict.fromkeys(
        pairs, ("lost-on-recreation", True)
    )
    assert step.losses == ((pairs, (1, 1)),)


@pytest.mark.parametrize(
    ("command", "seen"),
    [
        pytest.param("label nodes n1 color=red", ("kept", "same", False), id="it is held up still"),
        pytest.param("apply -f 1.json", ("kept", "same", True), id="a rollback finds some of each"),
        pytest.param("apply -f 3.json", ("kept", "new", False), id="a third template replaces all"),
    ],
)
def test_pods_that_an_update_may_have_reached_are_neither_old_nor_new_for_certain(
    command: str, seen: tuple[str, str, bool], tmp_path: Path
) -> None:
    """On n1 the second template finds no room, so that its update stops there, and which of the others it reached before is chance."""
    for number, cpu in ((1, "100m"), (2, "4"), (3, "200m")):
        agent = make_daemonset("agent", "storage", metadata={"uid": "agent-0", "annotations": {GENERATION: "1"}})
        agent["spec"]["template"]["spec"]["containers"][0]["resources"] = {"requests": {"cpu": cpu}}
        (tmp_path / f"{number}.json").write_text(json.dumps(agent))
    first = json.loads((tmp_path / "1.json").read_text())
    nodes = [registered(name, {}, [], {"cpu": cpu, "memory": "8Gi", "pods": "99"}) for name, cpu in (("n1", "1"), ("n2", "8"), ("n3", "8"))]
    dump, plan = tmp_path / "dump.json", tmp_path / "plan.yaml"
    dump.write_text(write_list([*nodes, first, *(pod(first, node) for node in ("n1", "n2", "n3"))]))
    lines = [line.replace("-f ", f"-f {tmp_path}/") for line in ("apply -f 2.json", command)]
    plan.write_text("".join(f"- kubectl {line}\n" for line in lines))
    steps = prediction(["plan", str(plan)], dump).steps
    found = [[said for pair, said in step.pairs.items() if pair[1:] in (("agent", "n2"), ("agent", "n3"))] for step in steps]
    assert [{(said.outcome, said.pod, said.chance) for said in there} for there in found if there] == [
        {("kept", "same", True)},
        {seen},
    ]
