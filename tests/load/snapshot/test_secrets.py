"""No argument, no environment, no Secret and no foreign annotation comes into a snapshot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.program import program
from tests.load.snapshot.marked_cluster import MARK, cluster, dump, save, text, write


def with_nulls(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The same, with a null in each object, so that none is decoded the fast way."""
    return [{**each, "metadata": {**each["metadata"], "labels": {**each["metadata"].get("labels", {}), "x": None}}} for each in objects]


FORMS = {
    "a List": lambda: dump(cluster()),
    "a List with nulls": lambda: dump(with_nulls(cluster())),
    "values one after another": lambda: "\n".join(map(json.dumps, cluster())),
    "YAML": lambda: yaml.dump_all(cluster(), Dumper=yaml.CSafeDumper),
    "a List in YAML": lambda: yaml.dump(json.loads(dump(cluster())), Dumper=yaml.CSafeDumper),
}


@pytest.mark.parametrize("form", FORMS)
def test_nothing_that_was_planted_is_in_it(form: str, tmp_path: Path) -> None:
    given = FORMS[form]()
    assert given.count(MARK) > 100
    (tmp_path / "world").write_text(given, encoding="utf-8")
    save(tmp_path / "w.json", str(tmp_path / "world"))
    kept = text(tmp_path / "w.json")
    assert MARK not in kept
    kinds = {load["kind"] for load in json.loads(kept)["items"]}
    assert kinds == {item["kind"] for item in cluster()} - {"Secret", "Service"}


def test_a_snapshot_of_a_snapshot_holds_no_more(tmp_path: Path) -> None:
    save(tmp_path / "one.json", write(tmp_path / "world.json", cluster()))
    save(tmp_path / "two.json", str(tmp_path / "one.json"))
    assert text(tmp_path / "two.json") == text(tmp_path / "one.json")


@pytest.mark.parametrize(
    "annotation",
    [
        pytest.param(f"{MARK}: no JSON", id="no JSON"),
        pytest.param(f'["{MARK}"]', id="a list"),
        pytest.param(json.dumps({"spec": MARK, "kind": MARK}), id="a text for a spec"),
        pytest.param(json.dumps({"spec": {"template": {"spec": {"containers": {"x": MARK}, "nodeName": [MARK]}}}}), id="wrong shapes"),
        pytest.param(json.dumps({"data": {"password": MARK}, MARK: MARK, "metadata": {"annotations": {MARK: MARK}}}), id="other fields"),
    ],
)
def test_what_kubectl_applied_last_is_kept_only_as_far_as_it_is_read(annotation: str, tmp_path: Path) -> None:
    objects = cluster()
    for item in objects:
        if item["kind"] == "DaemonSet":
            item["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = annotation
    save(tmp_path / "w.json", write(tmp_path / "world.json", objects))
    assert MARK not in text(tmp_path / "w.json")


def test_values_of_a_wrong_shape_are_no_way_in(tmp_path: Path) -> None:
    """A map where a word is wanted may hold anything."""
    objects = [item for item in cluster() if item["kind"] in ("Node", "DaemonSet", "Deployment")]
    for each in objects:
        template = each["spec"].get("template", {"spec": {}})
        template["spec"] |= {"nodeName": {"x": MARK}, "tolerations": [{"key": [MARK], "operator": "Exists"}], "priorityClassName": [MARK]}
        template["spec"] |= {"schedulerName": {MARK: 1}, "nodeSelector": {"a": {"b": MARK}}}
        each["metadata"]["labels"] = {"a": {"b": MARK}}
    save(tmp_path / "w.json", write(tmp_path / "world.json", objects))
    assert MARK not in text(tmp_path / "w.json")


def test_no_report_of_it_holds_any(tmp_path: Path) -> None:
    save(tmp_path / "w.json.gz", write(tmp_path / "world.json", cluster()))
    for line in ("lint {}", "taint nodes --all a=b:NoSchedule --from {}", "components {}", "verify {0} --from {0}"):
        result = program(*line.format(tmp_path / "w.json.gz").split())
        assert MARK not in result.out + result.err, line
