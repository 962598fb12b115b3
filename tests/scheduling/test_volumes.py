"""On which nodes a pod can have the volumes of its claims, in the scheduler's words: node affinity and zones of PersistentVolumes."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.core import Node
from preflight.model.storage import PersistentVolume, PersistentVolumeClaim
from preflight.model.uncertainty import Uncertainty, UncertaintyKind
from preflight.scheduling.volumes import VolumeIndex
from tests.builders import make_object, read_object
from tests.scheduling.fit_objects import asked, node, on, pod, texts

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
OLD_ZONE = "failure-domain.beta.kubernetes.io/zone"
CONFLICT = "node(s) didn't match PersistentVolume's node affinity"
NO_ZONE = "node(s) had no available volume zone"
USER = pod(volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}])


def expression(key: str, *values: str, operator: str = "In") -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def term(*expressions: dict[str, Any]) -> dict[str, Any]:
    return {"matchExpressions": list(expressions)}


def volume(*terms: dict[str, Any], labels: dict[str, str] | None = None) -> PersistentVolume:
    """A volume that is bound to the claim `data`; without terms it has no node affinity."""
    affinity = {"nodeAffinity": {"required": {"nodeSelectorTerms": list(terms)}}} if terms else {}
    spec = {"claimRef": {"namespace": "default", "name": "data"}, **affinity}
    return read_object(make_object("PersistentVolume", "pv", metadata={"labels": labels or {}}, spec=spec), PersistentVolume)


def reasons(bound: PersistentVolume, one: Node) -> list[str] | None:
    """Why a node does not take the pod; [] where it does, None where that is unknown."""
    found = on(USER, one, volumes=VolumeIndex((), (bound,)).list_bound_volumes(USER, "default"))
    return None if found.fits is None else texts(found.reasons)


@pytest.mark.parametrize(
    ("bound", "one", "wanted"),
    [
        pytest.param(volume(), node(), [], id="no node affinity"),
        pytest.param(volume(term(expression(HOST, "n"))), node(), [], id="its own node"),
        pytest.param(volume(term(expression(HOST, "m"))), node(), [CONFLICT], id="another node"),
        pytest.param(volume(term(expression(ZONE, "a"))), node(labels={ZONE: "a"}), [], id="its zone"),
        pytest.param(volume(term(expression(ZONE, "a"))), node(labels={ZONE: "b"}), [CONFLICT], id="another zone"),
        pytest.param(volume(term(expression(ZONE, "a"))), node(), [CONFLICT], id="no zone"),
        pytest.param(
            volume(term(expression(ZONE, "a")), term(expression(ZONE, "b"))), node(labels={ZONE: "b"}), [], id="one of several terms"
        ),
        pytest.param(
            volume(term(expression(ZONE, "a"), expression("disk", operator="Exists"))),
            node(labels={ZONE: "a"}),
            [CONFLICT],
            id="one of two expressions",
        ),
        pytest.param(volume({}), node(), [CONFLICT], id="an empty term matches nothing"),
        pytest.param(
            volume({"matchFields": [expression("metadata.name", "n")]}), node(), [CONFLICT], id="the name of a node never matches"
        ),
        pytest.param(volume(labels={ZONE: "a__b"}), node(labels={ZONE: "b"}), [], id="a volume of two zones"),
        pytest.param(volume(labels={ZONE: "a"}), node(labels={ZONE: "b"}), [NO_ZONE], id="a label of another zone"),
        pytest.param(volume(labels={ZONE: "a"}), node(), [], id="a node without any zone takes it"),
        pytest.param(volume(labels={OLD_ZONE: "a"}), node(labels={ZONE: "a"}), [], id="the old label is the new one's"),
        pytest.param(
            volume(term(expression(ZONE, "a")), labels={ZONE: "a"}), node(labels={ZONE: "b"}), [CONFLICT, NO_ZONE], id="both of them"
        ),
    ],
)
def test_a_volume_decides_on_nodes(bound: PersistentVolume, one: Node, wanted: list[str]) -> None:
    assert reasons(bound, one) == wanted


def test_the_scheduler_says_so_once_for_each_node() -> None:
    bound = VolumeIndex((), (volume(term(expression(HOST, "a"))),)).list_bound_volumes(USER, "default")
    found = asked(USER, node("a", cordoned=True), node("b"), node("c"), volumes=bound)
    assert found.fits is False
    assert found.format_message() == f"0/3 nodes are available: 1 node(s) were unschedulable, 2 {CONFLICT}."


@pytest.mark.parametrize(
    ("claims", "volumes"),
    [
        pytest.param((), (), id="nothing was given"),
        pytest.param(({"volumeName": "gone"},), (), id="the volume was not given"),
        pytest.param(({"storageClassName": "fast"},), (), id="the claim waits for its first consumer"),
    ],
)
def test_a_claim_that_is_not_bound_to_a_known_volume_is_in_doubt(claims: tuple[dict[str, Any], ...], volumes: tuple[Any, ...]) -> None:
    read = [read_object(make_object("PersistentVolumeClaim", "data", "default", spec=spec), PersistentVolumeClaim) for spec in claims]
    found = asked(USER, node(), volumes=VolumeIndex(read, volumes).list_bound_volumes(USER, "default"))
    assert (found.fits, found.uncertainties) == (None, (Uncertainty(UncertaintyKind.VOLUMES, "d"),))


def test_a_volume_is_found_by_the_claim_too() -> None:
    other = read_object(make_object("PersistentVolume", "pv", spec={}), PersistentVolume)
    claim = read_object(make_object("PersistentVolumeClaim", "data", "default", spec={"volumeName": "pv"}), PersistentVolumeClaim)
    assert VolumeIndex((claim,), (other,)).find_volume("default", "data") is other
    assert VolumeIndex((claim,), (other,)).find_volume("other", "data") is None
