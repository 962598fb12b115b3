"""Custom resources with wrong types, lists for maps, unknown fields and other versions get a clear answer from every command."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from preflight.operators.facts import FieldFact, OperatorFacts, ResourceFact, load_operators
from tests.cli.program import Result, program

ODD: tuple[Any, ...] = (None, [], {}, "", "x", 7, True, 1.5, [None], [{"key": 1}], [{"operator": "exists"}], {"a": 1}, {"a": None}, [[]])
FEW = ("", 7, [None])
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"nvidia.com/gpu.present": "true"}}}
TAINT = ("taint", "nodes", "n1", "dedicated=train:NoSchedule")
OPERATORS = [pytest.param(operator, id=operator.operator) for operator in load_operators()]


def _list_fields(resource: ResourceFact) -> dict[str, tuple[Any, ...]]:
    """The fields that are read, each with the odd values to try: all for parts of a pod template, some for switches."""
    shared = resource.shared
    facts: list[FieldFact | None] = [getattr(shared, name) for name in shared.__struct_fields__]
    switches = []
    for made in resource.daemonsets:
        facts += [made.tolerations, made.node_selector, made.affinity, made.priority_class, made.update_strategy, made.host_network]
        switches += [condition.field for condition in (*made.when, *made.provides_when)]
        switches += [unread.field for unread in made.unread]
    fields = [field for fact in facts if fact is not None for field in (*fact.fields, *fact.fallback_fields)]
    return {**dict.fromkeys(sorted(switches), FEW), **dict.fromkeys(sorted(fields), ODD)} or {"spec": ODD}


def _make_odd_resources(resource: ResourceFact) -> Iterator[dict[str, Any]]:
    """One object for each field, depth and odd value; each in a namespace of its own."""
    number = 0
    for field, values in _list_fields(resource).items():
        keys = field.split(".")
        for depth in range(1, len(keys) + 1):
            for odd in values if depth == len(keys) else FEW:
                number += 1
                yield _make(resource, keys[:depth], odd, number)
    for version in ("v1", "v99beta7", "v1alpha1"):
        number += 1
        other = _make(resource, ["spec", "unknownField"], {"tolerations": "x", "deep": [{"a": {}}]}, number)
        yield other | {"apiVersion": f"{resource.group}/{version}" if resource.group else version}
    number += 1
    yield _make(resource, ["spec"], {"tolerations": [{"key": "a", "operator": "Exists", "unknown": 1}]}, number)


def _make(resource: ResourceFact, keys: list[str], odd: Any, number: int) -> dict[str, Any]:
    name = resource.names[0] if resource.names else f"odd-{number}"
    metadata = {"name": name, **({"namespace": f"ns-{number}"} if resource.is_namespaced else {})}
    version = f"{resource.group}/v1" if resource.group else "v1"
    data: dict[str, Any] = {"apiVersion": version, "kind": resource.kind, "metadata": metadata}
    place = data
    for key in keys[:-1]:
        place = place.setdefault(key, {})
    place[keys[-1]] = copy.deepcopy(odd)
    return data


def _write(folder: Path, operator: OperatorFacts) -> Path:
    resources = [odd for resource in operator.resources if resource.kind != "LonghornSettings" for odd in _make_odd_resources(resource)]
    file = folder / "odd.yaml"
    file.write_text("---\n".join(f"{json.dumps(document)}\n" for document in (NODE, *resources)))
    return file


def _check(result: Result) -> None:
    assert result.code in (0, 1, 3), result.err
    assert "Traceback" not in result.err, result.err


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_command_answers(operator: OperatorFacts, tmp_path: Path) -> None:
    file = _write(tmp_path, operator)
    before = file.read_text()

    linted = program("lint", str(file), "--no-policy", "-o", "json")
    _check(linted)
    _check(program(*TAINT, "--from", str(file), "--no-policy", "-o", "json"))
    _check(program("fix", str(file), "--for", " ".join(TAINT), "--patch"))
    _check(program("apply", "-f", str(file), "--from", str(file), "--no-policy", "-o", "concise"))
    saved = tmp_path / "saved.json"
    _check(program("snapshot", "--from", str(file), "-o", str(saved)))
    _check(program(*TAINT, "--from", str(saved), "--no-policy", "-o", "json"))
    assert file.read_text() == before


def test_a_value_of_a_wrong_type_is_a_finding_with_its_place(tmp_path: Path) -> None:
    text = """\
apiVersion: mellanox.com/v1alpha1
kind: NicClusterPolicy
metadata: {name: nic}
spec:
  nvIpam: {image: x}
  tolerations:
    - key: dedicated
      value: true
    - [a]
"""
    (tmp_path / "nic.yaml").write_text(text)

    report = json.loads(program("lint", str(tmp_path), "--no-policy", "-o", "json").out)

    assert [(item["rule"], item["location"]["line"]) for item in report["findings"]] == [("PF205", 8), ("PF205", 9)]


@pytest.mark.parametrize(
    ("kind", "version"),
    [("ClusterPolicy", "kyverno.io/v1"), ("Module", "terraform.example.com/v1"), ("Setting", "management.cattle.io/v3"), ("Agent", "v1")],
)
def test_kinds_of_the_same_name_of_other_groups_are_no_operators(kind: str, version: str, tmp_path: Path) -> None:
    other = {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": {"rules": []}}
    (tmp_path / "other.yaml").write_text(json.dumps(other))
    (tmp_path / "node.yaml").write_text(json.dumps(NODE))

    report = json.loads(program(*TAINT, "--from", str(tmp_path), "-o", "json", "--allow-empty").out)

    assert report["coverage"] == []
