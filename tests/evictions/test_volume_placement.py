"""Where the replacements of pods with volumes go: as far as the node affinity of a PersistentVolume decides."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.eviction_reasons import StaysPending
from tests.builders import Object
from tests.evictions.clusters import node, owned, pod, pods
from tests.evictions.storage import ANY, claim, claimed, csi_node, csi_pod, database, volume

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
DRAIN = "drain n1 --ignore-daemonsets"
SPEC = claimed(tolerations=[])


def zoned(name: str, zone: str = "") -> Object:
    return node(name, labels={HOST: name, **({ZONE: zone} if zone else {})})


def bound(*terms: dict[str, list[str]], **more: Any) -> Object:
    """The volume of the claim; each term asks for labels."""
    made = [{"matchExpressions": [{"key": key, "operator": "In", "values": values} for key, values in term.items()]} for term in terms]
    return volume(nodeAffinity={"required": {"nodeSelectorTerms": made}}, **more)


ZONES = (zoned("n1", "a"), zoned("n2", "a"), zoned("n3", "b"))
WEB = (owned("ReplicaSet", "db"), pod("db-0", "n1", "ReplicaSet/db", spec=SPEC))


@pytest.mark.parametrize(
    ("bound_volume", "replacement", "where"),
    [
        pytest.param(volume(), "fits", ("n2", "n3"), id="a volume that every node has"),
        pytest.param(bound({ZONE: ["a"]}), "fits", ("n2",), id="a volume of a zone"),
        pytest.param(bound({ZONE: ["c"]}, {ZONE: ["b"]}), "fits", ("n3",), id="a volume of several terms"),
        pytest.param(bound({HOST: ["n1"]}, local={"path": "/disk"}), "pending", (), id="a local volume of the drained node"),
        pytest.param(bound({HOST: ["n3"]}, local={"path": "/disk"}), "fits", ("n3",), id="a local volume of another node"),
    ],
)
def test_where_a_replacement_goes(bound_volume: Object, replacement: str, where: tuple[str, ...]) -> None:
    driver = (csi_node(), *(csi_pod(name) for name in ("n1", "n2", "n3")))
    for owner in (WEB, database(spec=SPEC)):
        found = pods(DRAIN, *ZONES, *driver, ANY, claim(), bound_volume, *owner)["db-0"]
        assert (found.replacement, found.where) == (replacement, where)


def test_a_pod_with_a_local_volume_of_a_drained_node_has_nowhere_to_go() -> None:
    local = bound({HOST: ["n1"]}, local={"path": "/disk"})
    found = pods(DRAIN, *ZONES, ANY, claim(), local, *database(spec=SPEC))["db-0"]
    assert (
        StaysPending("0/3 nodes are available: 1 node(s) were unschedulable, 2 node(s) didn't match PersistentVolume's node affinity.")
        in found.reasons
    )


def test_a_volume_that_was_not_given_may_be_tied_to_a_zone() -> None:
    assert pods(DRAIN, *ZONES, ANY, claim(), *WEB)["db-0"].replacement == "unknown"
