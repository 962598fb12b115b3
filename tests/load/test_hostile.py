"""No text and no structure ends in a traceback, and the order of documents changes nothing."""

from __future__ import annotations

import gzip
import io
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from preflight.errors import InputError
from preflight.load import LoadResult, load_world, read_objects
from preflight.load.kinds import CHECKED_KINDS
from preflight.model.apps import DaemonSet
from preflight.model.world import ClusterState
from tests.builders import Object
from tests.cli.program import program
from tests.load.plain_objects import daemonset, node

_WORDS = st.sampled_from(
    [
        *CHECKED_KINDS, "List", "NodeList", "PodList", "v1", "apps/v1", "batch/v1", "kind", "apiVersion", "items", "metadata", "name",
        "namespace", "labels", "spec", "template", "selector", "containers", "taints", "tolerations", "key", "value", "effect",
        "tolerationSeconds", "nodeSelector", "nodeName", "status", "conditions", "jobTemplate", "generateName", "ownerReferences",
        "updateStrategy", "rollingUpdate", "maxUnavailable", "affinity", "{{ x }}", "\ue000origin", "\x00", "a", "",
    ]
)  # fmt: skip
_SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | _WORDS | st.text(max_size=5)
_VALUES = st.recursive(_SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS, inner, max_size=6), max_leaves=20)


def shaken(data: Any) -> st.SearchStrategy[Any]:
    """The data with any part of it replaced by anything."""
    same: st.SearchStrategy[Any]
    if isinstance(data, dict):
        same = st.fixed_dictionaries({key: shaken(value) for key, value in data.items()})
    elif isinstance(data, list):
        same = st.tuples(*(shaken(value) for value in data)).map(list)
    else:
        same = st.just(data)
    return st.integers(0, 15).flatmap(lambda roll: same if roll else _VALUES)


def _whole(name: str) -> Object:
    kind = CHECKED_KINDS[name]
    spec: Any = {"containers": [{"name": "c"}], "tolerations": [{"key": "a", "operator": "Exists"}], "nodeSelector": {"a": "b"}}
    for step in reversed(kind.pod_spec):
        spec = {step: spec, "selector": {}, "metadata": {}}
    spec = spec if kind.pod_spec else {"spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]}}
    return {
        "apiVersion": f"{kind.groups[0]}/v1".lstrip("/"),
        "kind": name,
        **spec,
        "metadata": {"name": "x", "labels": {"a": "b"}},
        "status": {"phase": "x"},
    }


_OBJECTS = st.sampled_from(sorted(CHECKED_KINDS)).flatmap(lambda name: shaken(_whole(name)))
_STREAMS = st.lists(_OBJECTS | _VALUES, max_size=4)
_LISTS = st.fixed_dictionaries({"apiVersion": st.just("v1"), "items": _STREAMS, "kind": st.sampled_from(["List", "PodList", "NodeList"])})


def take(text: bytes) -> LoadResult:
    try:
        result = load_world(["-"], stdin=io.BytesIO(text), one_cluster=True)
    except InputError as error:
        assert str(error).startswith("cannot read -: broken gzip data")  # noqa: PT017 (what is read is tried below)
        return LoadResult(ClusterState())
    assert result == load_world(["-"], stdin=io.BytesIO(text), one_cluster=True)
    for workload in (*result.world.workloads, *result.nodes):
        result.locate(workload.origin, ("spec", "taints", 0))
        for refusal in workload.refusals:
            result.locate(workload.origin, refusal.path)
    with suppress(InputError):
        read_objects("-", stdin=io.BytesIO(text))
    return result


@given(st.binary(max_size=200))
def test_any_bytes(text: bytes) -> None:
    take(text)
    take(b"\x1f\x8b" + text)
    take(gzip.compress(text))


@given(st.text(alphabet="{}[]\":,-&*!|> \n#ab01.'\\\t", max_size=60))
def test_any_text(text: str) -> None:
    take(text.encode())
    take(b"kind: Node\nmetadata: " + text.encode())
    take(b'{"kind": "List", "items": [' + text.encode())


@given(_VALUES | _LISTS | _OBJECTS)
@settings(max_examples=300)
def test_any_structure(data: Any) -> None:
    text = json.dumps(data)
    take(text.encode())
    take(b"---\n" + text.encode())


@given(_STREAMS, st.sampled_from(["\n", "", "\n---\n"]))
def test_any_stream(values: list[Any], between: str) -> None:
    take(between.join(json.dumps(value) for value in values).encode())


def _known(value: DaemonSet) -> DaemonSet:
    """The DaemonSet with only the fields that one has at its top: the quick way knows no others."""
    fields = ("apiVersion", "kind", "metadata", "spec", "status")
    return msgspec.structs.replace(value, data={name: value.data[name] for name in fields if name in value.data})


@given(_LISTS)
def test_the_quick_and_the_slow_way_agree(data: Object) -> None:
    assume(not any(isinstance(item, dict) and item.get("kind") == "Pod" and item.get("apiVersion") != "v1" for item in data["items"]))
    quick = take(json.dumps(data).encode())
    slow = take(json.dumps({**data, "items": [*data["items"], {"kind": None}]}).encode())
    assert quick.world.nodes == slow.world.nodes
    assert [_known(value) for value in quick.world.daemonsets.values()] == [_known(value) for value in slow.world.daemonsets.values()]
    assert [(pod.metadata.name, pod.spec.nodeName) for pod in quick.world.pods] == [
        (each.metadata.name, each.spec.nodeName) for each in slow.world.pods
    ]
    assert [problem.message for problem in quick.problems] == [each.message for each in slow.problems]


@given(
    st.permutations(
        [node("a"), node("b", taints=[{"key": "a", "effect": "NoSchedule"}]), daemonset("c"), daemonset("d"), node("a", unschedulable=True)]
    )
)
def test_the_order_of_documents_changes_nothing_but_places(values: list[Object]) -> None:
    world = take("\n---\n".join(json.dumps(value) for value in values).encode()).world
    assert list(world.nodes) == ["b"]
    assert [str(key) for key in world.daemonsets] == ["kube-system/c", "kube-system/d"]
    assert len(world.ambiguities) == 1


def test_what_nests_deeper_than_yaml_may_is_refused_in_json_too() -> None:
    for depth, workloads in ((190, 2), (210, 0), (900, 0), (5000, 0)):
        for text in ("{}\n{}", '{{"apiVersion": "v1", "kind": "List", "items": [{}, {}]}}', "---\n{}\n---\n{}"):
            both = (
                json.dumps(daemonset(hostNetwork=each)).replace('"selector"', f'"deep": {"[" * depth}{"]" * depth}, "selector"', 1)
                for each in (True, False)
            )
            result = take(text.format(*both).encode())
            assert (len(result.world.workloads), bool(result.problems)) == (workloads, True)


def test_aliases_nested_deep_and_wide() -> None:
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join(['*' + chr(97 + n)] * 9)}]\n" for n in range(9)
    )
    deep = "[" * 100_000
    for text in (
        f"kind: Node\nmetadata: {{name: a}}\n{bomb}",
        f"kind: Node\nmetadata: {deep}",
        f'{{"kind": "Node", "metadata": {deep}',
        "kind: &a [*a]",
    ):
        result = take(text.encode())
        assert (len(result.problems), result.objects) == (1, 0)


BROKEN_POD = (
    b'{"apiVersion": "v1", "kind": "List", "items": ['
    b'{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}},'
    b'{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "x"}, '
    b'"spec": {"nodeName": "n1", "containers": [{"name": "c", "image": "i", "command": ["\xff"]}]}, "status": {"phase": "Running"}}]}'
)


@pytest.mark.parametrize("line", ["doctor --from world.json", "drain n1 --force --from world.json", "lint world.json"])
def test_bytes_of_a_pod_that_are_read_late_are_no_crash(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("world.json").write_bytes(BROKEN_POD)
    result = program(*line.split())
    assert result.code in (0, 3)
    assert "bug in preflight" not in result.err
