"""`preflight diff` where a side is the list of a cluster: drift, applying over it, and two snapshots."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import yaml

from tests.change.diff.trees import (
    DEDICATED,
    EVERYTHING,
    NODES,
    diff,
    findings,
    headline,
    listed,
    manifest,
    node,
    notes,
    outcomes,
    pod,
    report,
    write,
)

AGENT, TOLERANT = manifest("agent"), manifest("agent", DEDICATED)
ELSEWHERE = manifest("operator-made", namespace="operators")
PODS = (pod("agent", "n1"), pod("agent", "rdma-1"))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test runs in a folder of its own."""
    monkeypatch.chdir(tmp_path)


def drift(stated: str, live: str) -> tuple[str, str]:
    """A folder of manifests and a snapshot."""
    write(Path(), {"git/a.yaml": stated, "live.json": live})
    return "git", "live.json"


# Drift: BASE is manifests, HEAD is what a cluster has. Nothing to report first.

SAME = {
    "a cluster that is as it is stated": (AGENT, listed(NODES, AGENT, pods=PODS[:1])),
    "what only the cluster has": (AGENT, listed(NODES, AGENT, ELSEWHERE, pods=(*PODS[:1], pod("operator-made", "n1", "operators")))),
    "fields that the manifest does not state": (
        AGENT,
        listed(NODES, manifest("agent", terminationGracePeriodSeconds=30, hostNetwork=True), pods=PODS[:1]),
    ),
    "a manifest without a namespace": (manifest("agent", namespace=None), listed(NODES, AGENT, pods=PODS[:1])),
    "a node whose manifest states less than there is": (
        f"{AGENT}---\n{node('n1')}",
        listed(node("n1", zone="a"), AGENT, pods=PODS[:1]),
    ),
    "a cluster without pods in its list": (AGENT, listed(NODES, AGENT)),
}


@pytest.mark.parametrize(("stated", "live"), SAME.values(), ids=SAME)
def test_nothing_has_drifted_for(stated: str, live: str) -> None:
    result = diff(*drift(stated, live))
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("no findings\n\nChecked ")
    assert result.out.count("\n") == 3


def test_a_toleration_that_somebody_removed_by_hand() -> None:
    given = report(*drift(TOLERANT, listed(NODES, AGENT, ELSEWHERE, pods=PODS)))
    assert headline(given) == "drift of live.json from git: DaemonSets 1 different; 1 only in the cluster, not compared"
    assert notes(given) == [
        "different template: apps/agent",
        "apps/agent no longer tolerates dedicated=rdma:NoSchedule",
    ]
    assert outcomes(given) == {("apps/agent", "n1"): "kept", ("apps/agent", "rdma-1"): "lost-on-recreation"}
    assert findings(given) == ["PF102 apps/agent rdma-1"]
    assert given["exit"] == 1


def test_the_same_where_the_pod_is_gone_already() -> None:
    given = report(*drift(TOLERANT, listed(NODES, AGENT, pods=PODS[:1])))
    assert outcomes(given) == {("apps/agent", "n1"): "kept", ("apps/agent", "rdma-1"): "lost-now"}
    assert findings(given) == ["PF101 apps/agent rdma-1"]
    assert [row["assumed"] for row in given["coverage"]] == [False, False]


def test_another_image_has_drifted_and_costs_nothing() -> None:
    given = report(*drift(AGENT, listed(NODES, manifest("agent", image="agent:2"), pods=PODS[:1])))
    assert headline(given) == "drift of live.json from git: DaemonSets 1 different"
    assert (findings(given), given["exit"]) == ([], 0)


def test_what_the_cluster_lacks() -> None:
    given = report(*drift(f"{AGENT}---\n{manifest('other')}", listed(NODES, AGENT, pods=PODS[:1])))
    assert headline(given) == "drift of live.json from git: DaemonSets 1 missing, 1 equal"
    assert notes(given) == ["not in live.json: apps/other"]
    assert findings(given) == ["PF101 apps/other n1"]


def test_a_wildcard_that_somebody_added_is_said_and_one_of_another_object_is_not() -> None:
    live = listed(NODES, manifest("agent", EVERYTHING), manifest("operator-made", EVERYTHING, namespace="operators"), pods=PODS[:1])
    given = report(*drift(TOLERANT, live))
    assert {finding["subject"]["name"] for finding in given["findings"]} == {"agent"}
    assert "PF201 apps/agent" in findings(given)


def test_a_taint_that_somebody_set_by_hand() -> None:
    given = report(*drift(f"{AGENT}---\n{node('n1', {'key': 'a', 'effect': 'NoSchedule'})}", listed(node("n1"), AGENT, pods=PODS[:1])))
    assert headline(given) == "drift of live.json from git: DaemonSets 1 equal; nodes 1 different"
    assert notes(given) == ["different node: n1"]


def test_a_manifest_of_a_node_that_the_cluster_lacks_is_not_compared() -> None:
    given = report(*drift(f"{TOLERANT}---\n{node('n9')}", listed(NODES, AGENT, pods=PODS)))
    assert "not compared, because the cluster does not have the node: n9" in notes(given)
    assert {name for _, name in outcomes(given)} == {"n1", "rdma-1"}


@pytest.mark.parametrize("how", ["json", "yaml", "gz", "stdin"])
def test_a_snapshot_is_one_however_it_is_written(how: str) -> None:
    base, _ = drift(TOLERANT, text := listed(NODES, AGENT, pods=PODS))
    contents = {"yaml": yaml.safe_dump(json.loads(text)).encode(), "gz": gzip.compress(text.encode())}
    write(Path(), {f"s.{how}": contents.get(how, text.encode())})
    given = report(base, "-" if how == "stdin" else f"s.{how}", stdin=text.encode())
    assert findings(given) == ["PF102 apps/agent rdma-1"]


# BASE is what a cluster has: what applying HEAD costs.


def test_applying_the_same_says_nothing() -> None:
    stated, live = drift(AGENT, listed(NODES, AGENT, ELSEWHERE, pods=PODS))
    result = diff(live, stated)
    assert (result.code, result.out.startswith("no findings\n"), result.out.count("\n")) == (0, True, 3)


def test_an_image_bump_over_a_cluster_sets_off_a_time_bomb_and_leaves_the_rest_alone() -> None:
    stated, live = drift(manifest("agent", image="agent:2"), listed(NODES, AGENT, ELSEWHERE, pods=PODS))
    given = report(live, stated)
    assert headline(given) == "apply git over live.json: DaemonSets 1 changed; 1 only in the cluster, untouched"
    assert findings(given) == ["PF101 apps/agent rdma-1"]


def test_what_a_manifest_does_not_state_stays() -> None:
    stated, live = drift(manifest("agent", image="agent:2"), listed(NODES, TOLERANT, pods=PODS))
    given = report(live, stated)
    assert "apps/agent: not in the manifest, so unchanged in the cluster: tolerations" in notes(given)
    assert findings(given) == []


# Two lists.


def test_two_equal_snapshots_say_nothing() -> None:
    write(Path(), {"old.json": listed(NODES, AGENT, pods=PODS), "new.json": listed(NODES, AGENT, pods=PODS[:1])})
    result = diff("old.json", "new.json")
    assert (result.code, result.out.startswith("no findings\n"), result.out.count("\n")) == (0, True, 3)


def test_two_snapshots_are_compared_in_everything() -> None:
    old = listed(NODES, AGENT, ELSEWHERE, pods=(*PODS, pod("operator-made", "n1", "operators")))
    new = listed(
        node("n1", {"key": "a", "effect": "NoSchedule"}),
        node("rdma-1", {"key": "dedicated", "value": "rdma", "effect": "NoSchedule"}),
        AGENT,
    )
    write(Path(), {"old.json": old, "new.json": new})
    given = report("old.json", "new.json")
    assert headline(given) == "from old.json to new.json: DaemonSets 1 deleted, 1 unchanged; nodes 1 changed"
    assert sorted(findings(given)) == ["PF101 operators/operator-made n1", "PF102 apps/agent n1"]


# The side that standard input is.


def test_standard_input_is_read_once_only() -> None:
    write(Path(), {"a.yaml": AGENT})
    assert (diff("-", "-").code, diff("-", "a.yaml", "--from", "-").code) == (2, 2)
    assert "standard input (-) can be read only once" in diff("-", "-").err
