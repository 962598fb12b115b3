"""What the API server's own libraries make of random patches.

`recorded-merges.jsonl.gz` holds what StrategicMergePatch of apimachinery 0.37.2 (for the type DaemonSet) and json-patch 4.13.0 made of
each. It has no patch that makes a list of the whole object, which the server refuses later, and none whose result is left to chance.
"""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from preflight.errors import UsageError
from preflight.kubectl.patch import json_patch
from preflight.kubectl.patch.strategic_merge import apply_strategic_patch

RECORDED: list[dict[str, Any]] = [
    json.loads(line) for line in gzip.decompress((Path(__file__).parent / "recorded-merges.jsonl.gz").read_bytes()).splitlines()
]


def made(row: dict[str, Any]) -> dict[str, Any]:
    return (
        apply_strategic_patch(row["before"], row["patch"])
        if row["kind"] == "strategic"
        else json_patch.apply_json_patch(row["before"], row["patch"])
    )


@pytest.mark.parametrize("kind", ["strategic", "json"])
def test_a_patch_makes_what_the_servers_library_makes(kind: str) -> None:
    rows = [row for row in RECORDED if row["kind"] == kind and "after" in row]
    assert len(rows) >= 150
    for row in rows:
        given = copy.deepcopy(row)
        assert json.dumps(made(given), sort_keys=True) == json.dumps(row["after"], sort_keys=True), row
        assert given == row


@pytest.mark.parametrize("kind", ["strategic", "json"])
def test_a_patch_is_refused_where_the_servers_library_refuses_it(kind: str) -> None:
    rows = [row for row in RECORDED if row["kind"] == kind and "refused" in row]
    assert len(rows) >= 150
    for row in rows:
        with pytest.raises(UsageError):
            made(row)


def test_what_an_operation_adds_is_another_each_time() -> None:
    """A patch of two DaemonSets is one list of operations, of which a later one may change what an earlier one added."""
    operations = [{"op": "add", "path": "/list", "value": []}, {"op": "add", "path": "/list/-", "value": 1}]
    assert json_patch.apply_json_patch({}, operations) == {"list": [1]}
    assert json_patch.apply_json_patch({}, operations) == {"list": [1]}


def test_an_operation_changes_one_of_two_places_that_share_what_they_hold() -> None:
    """So it is in a manifest where one place has an anchor and another an alias of it."""
    shared = {"cpu": "1"}
    after = json_patch.apply_json_patch({"one": shared, "other": shared}, [{"op": "replace", "path": "/one/cpu", "value": "2"}])
    assert after == {"one": {"cpu": "2"}, "other": {"cpu": "1"}}


def test_a_list_and_what_to_delete_from_it_are_not_judged_together() -> None:
    with pytest.raises(UsageError, match="in no certain order"):
        apply_strategic_patch({}, {"finalizers": ["a"], "$deleteFromPrimitiveList/finalizers": ["a"]})
    ordered = {"finalizers": ["b"], "$setElementOrder/finalizers": ["b"], "$deleteFromPrimitiveList/finalizers": ["a"]}
    assert apply_strategic_patch({"finalizers": ["a"]}, ordered) == {"finalizers": ["b"]}


@pytest.mark.parametrize("value", [True, 1, "text", None])
def test_nothing_but_a_map_or_a_list_takes_the_place_of_the_object(value: object) -> None:
    with pytest.raises(UsageError, match="must be object or array"):
        json_patch.apply_json_patch({}, [{"op": "replace", "path": "", "value": value}, {"op": "remove", "path": "/list/0"}])
