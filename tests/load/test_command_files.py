"""The files that a command line names: manifests of `apply -f`, and plans."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from preflight.errors import InputError
from preflight.kubectl.commands import FolderDepth
from preflight.load import Other, read_objects, read_plan
from preflight.model.apps import DaemonSet
from preflight.model.core import Node, Pod
from preflight.model.meta import Origin
from tests.builders import make_list
from tests.load.plain_objects import daemonset, node, pod, write

SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: x}\n"


def test_the_objects_of_a_file_in_order(folder: Path) -> None:
    write(folder, a_yaml=f"{SERVICE}---\n{json.dumps(make_list(daemonset(), pod('p', node='n1')))}\n---\n{json.dumps(node())}\n")
    result = read_objects("a.yaml")
    service, first, second, third = result.given_objects
    assert service == Other("v1", "Service", "x", "s", Origin("a.yaml", 0, 1))
    assert isinstance(first, DaemonSet)
    assert first.origin == Origin("a.yaml", 1, 5, ("items", 0))
    assert isinstance(second, Pod)
    assert isinstance(third, Node)
    assert (result.files, result.objects, result.sources) == (1, 4, frozenset({"a.yaml"}))
    assert result.locate(first.origin, ("metadata", "name")).line == 5


def test_a_part_of_an_object_is_what_it_states(folder: Path) -> None:
    write(folder, a_yaml="apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d}\nspec: {minReadySeconds: 5}\n")
    (value,) = read_objects("a.yaml").given_objects
    assert isinstance(value, DaemonSet)
    assert value.spec.minReadySeconds == 5
    assert value.data["spec"] == {"minReadySeconds": 5}


def test_a_kind_of_another_group_is_another_kind(folder: Path) -> None:
    write(folder, a_json=node() | {"apiVersion": "longhorn.io/v1"})
    assert read_objects("a.json").given_objects == (Other("longhorn.io/v1", "Node", "", "n1", Origin("a.json", 0, 1)),)


def test_a_folder_is_read_as_kubectl_reads_it(folder: Path) -> None:
    write(folder, m__b_yaml=node("b"), m__a_json=node("a"), m__c_jsonl="{", m__sub__d_yaml=node("d"))
    names = [value.name for value in read_objects("m").given_objects if isinstance(value, Node)]
    assert names == ["a", "b"]
    assert len(read_objects("m", depth=FolderDepth.ALL).given_objects) == 3


def test_a_path_starts_from_the_plan_that_names_it(folder: Path) -> None:
    write(folder, plans__a_yaml="[]", plans__m__b_yaml=node())
    assert read_objects("m/b.yaml", "plans/a.yaml").sources == {"plans/m/b.yaml"}
    assert read_objects(f"{folder}/plans/m/b.yaml", "plans/a.yaml").sources == {f"{folder}/plans/m/b.yaml"}


def test_objects_from_standard_input(folder: Path) -> None:
    result = read_objects("-", "plans/a.yaml", stdin=io.BytesIO(json.dumps(node()).encode()))
    assert [value.origin.file for value in result.given_objects if isinstance(value, Node)] == ["-"]
    assert folder.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\n", "a.yaml:1: not a Kubernetes object: it has no kind"),
        ("- a\n", "a.yaml:1: not a Kubernetes object: it has no kind"),
        ("kind: Node\napiVersion: v1\n", "a.yaml:1: the Node has no name"),
        ("kind: Thing\nmetadata: []\n", "a.yaml:1: the Thing has no name"),
        ("kind: Node\nmetadata: {name: {}}\n", "a.yaml:1: the Node has no name"),
        ("kind: Node\nmetadata: {name: [a]}\n", "a.yaml:1: Node cannot be checked: name must be a string: it is a list"),
        (
            "kind: Node\nmetadata: {name: '{{ a }}'}\n",
            "a.yaml:1: unrendered chart template: render it first: helm template CHARTDIR | preflight lint - (other commands: --from -)",
        ),
        (
            "kind: Node\nmetadata: {name: {{ a }}\n",
            "a.yaml:2: unrendered chart template: render it first: helm template CHARTDIR | preflight lint - (other commands: --from -)",
        ),
    ],
)
def test_what_kubectl_would_refuse(folder: Path, text: str, message: str) -> None:
    write(folder, a_yaml=text)
    with pytest.raises(InputError) as raised:
        read_objects("a.yaml")
    assert str(raised.value) == message


def test_a_broken_document_is_named_with_its_place(folder: Path) -> None:
    write(folder, a_yaml=f"{SERVICE}---\nkind: [\n", b_yaml=b"\xff")
    with pytest.raises(InputError, match=r"^a\.yaml:\d+:\d+: "):
        read_objects("a.yaml")
    with pytest.raises(InputError, match=r"^b\.yaml: not UTF-8 from byte 0 on"):
        read_objects("b.yaml")


@pytest.mark.parametrize(
    ("path", "message"), [("x.yaml", "x.yaml: cannot be read: no such file or directory"), (".", ".: no .yaml, .yml or .json file in it")]
)
def test_a_path_without_manifests(folder: Path, path: str, message: str) -> None:
    write(folder, readme_md="")
    with pytest.raises(InputError) as raised:
        read_objects(path)
    assert str(raised.value) == message


def test_a_plan_has_the_lines_of_its_entries(folder: Path) -> None:
    write(folder, plan_yaml="# first\n- taint nodes a b=c:NoSchedule\n\n- drain a\n- {a: b}\n- 5\n")
    assert read_plan("plan.yaml") == [
        (Origin("plan.yaml", 0, 2, (0,)), "taint nodes a b=c:NoSchedule"),
        (Origin("plan.yaml", 0, 4, (1,)), "drain a"),
        (Origin("plan.yaml", 0, 5, (2,)), {"a": "b"}),
        (Origin("plan.yaml", 0, 6, (3,)), 5),
    ]


def test_an_empty_plan(folder: Path) -> None:
    write(folder, plan_yaml="[]\n")
    assert read_plan("plan.yaml") == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "plan.yaml: is empty: a plan is a YAML list of command lines"),
        ("\n# x\na: b\n", "plan.yaml:1: a plan is one YAML list of command lines, each after `- `"),
        ("drain a\n", "plan.yaml:1: a plan is one YAML list of command lines, each after `- `"),
        ("- drain a\n---\n- drain b\n", "plan.yaml:3: a plan is one YAML list of command lines, each after `- `"),
    ],
)
def test_what_is_no_plan(folder: Path, text: str, message: str) -> None:
    write(folder, plan_yaml=text)
    with pytest.raises(InputError) as raised:
        read_plan("plan.yaml")
    assert str(raised.value) == message


@pytest.mark.parametrize("path", ["missing.yaml", "."])
def test_a_plan_that_cannot_be_read(folder: Path, path: str) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_plan(path)
    assert folder.exists()
