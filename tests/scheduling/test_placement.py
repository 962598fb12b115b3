"""Where the DaemonSet controller runs a pod, and where it leaves one: semantics 2, with all reasons."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.core import Node, NodeSpec, PodSpec, Taint, Toleration
from preflight.model.meta import Metadata
from preflight.model.reasons import SelectorMismatch
from preflight.scheduling.affinity import AffinityMatch
from preflight.scheduling.placement import Placement, evaluate_placement
from preflight.scheduling.tolerations import NEVER, add_implicit_tolerations

SOFT, STOP, EMPTY = Taint("soft", "", "PreferNoSchedule"), Taint("stop", "x", "NoSchedule"), Taint("empty", "", "NoExecute")
CORDON = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")
LEVEL = Taint("level", "7", "NoSchedule")
QUICK = Taint("level", "7", "NoExecute")
FITS = AffinityMatch(True)
ELSEWHERE = AffinityMatch(False, (SelectorMismatch("pool", "rdma", None),))


def node(*taints: Taint, partial: bool = False, cordoned: bool = False, **labels: str) -> Node:
    return Node(metadata=Metadata(name="n1", labels=labels), spec=NodeSpec(taints, cordoned), is_partial=partial)


def tolerating(*tolerations: Toleration, **fields: Any) -> PodSpec:
    return PodSpec(tolerations=tolerations, **fields)


def greater(effect: str) -> Toleration:
    return Toleration("level", "Gt", "5", effect)


@pytest.mark.parametrize(
    ("spec", "there", "gate", "placement"),
    [
        pytest.param(PodSpec(), node(), None, Placement(True, True, True, FITS, eviction_delay=NEVER), id="nothing is in the way"),
        pytest.param(
            PodSpec(), node(SOFT), None, Placement(True, True, True, FITS, eviction_delay=NEVER), id="PreferNoSchedule is never looked at"
        ),
        pytest.param(
            PodSpec(),
            node(CORDON, cordoned=True),
            None,
            Placement(True, True, True, FITS, eviction_delay=NEVER),
            id="a cordon is tolerated implicitly",
        ),
        pytest.param(
            PodSpec(),
            node(cordoned=True),
            None,
            Placement(True, True, True, FITS, eviction_delay=NEVER),
            id="spec.unschedulable itself is never looked at",
        ),
        pytest.param(
            PodSpec(nodeName="n1"), node(), None, Placement(True, True, True, FITS, eviction_delay=NEVER), id="its nodeName is this node"
        ),
        pytest.param(
            PodSpec(nodeName="n2"),
            node(),
            None,
            Placement(False, False, False, FITS, "n2", eviction_delay=NEVER),
            id="its nodeName is another node",
        ),
        pytest.param(
            PodSpec(nodeSelector={"pool": "rdma"}),
            node(),
            None,
            Placement(False, False, False, ELSEWHERE, eviction_delay=NEVER),
            id="its selector does not match: it may not even stay",
        ),
        pytest.param(
            PodSpec(),
            node(STOP),
            None,
            Placement(False, True, True, FITS, untolerated_taints=(STOP,), eviction_delay=NEVER),
            id="NoSchedule: it may stay",
        ),
        pytest.param(
            PodSpec(),
            node(EMPTY),
            None,
            Placement(False, False, True, FITS, untolerated_taints=(EMPTY,), eviction_delay=0.0),
            id="NoExecute: it may not stay",
        ),
        pytest.param(
            PodSpec(),
            node(STOP, SOFT, EMPTY),
            None,
            Placement(False, False, True, FITS, untolerated_taints=(STOP, EMPTY), eviction_delay=0.0),
            id="every taint that is not tolerated is a reason",
        ),
        pytest.param(
            PodSpec(nodeName="n2", nodeSelector={"pool": "rdma"}),
            node(STOP, EMPTY),
            None,
            Placement(False, False, False, ELSEWHERE, "n2", (STOP, EMPTY), eviction_delay=0.0),
            id="the first reason hides no other",
        ),
        pytest.param(
            tolerating(Toleration("empty", "Exists", "", "NoExecute", 300)),
            node(EMPTY),
            None,
            Placement(True, True, True, FITS, eviction_delay=300.0),
            id="the controller does not look at seconds",
        ),
        pytest.param(
            tolerating(Toleration("empty", "Exists", "", "NoExecute", 0)),
            node(EMPTY),
            None,
            Placement(True, True, True, FITS, eviction_delay=0.0),
            id="not even at 0",
        ),
        pytest.param(
            tolerating(greater("NoSchedule")),
            node(LEVEL),
            True,
            Placement(True, True, True, FITS, eviction_delay=NEVER),
            id="Gt where the gate is on",
        ),
        pytest.param(
            tolerating(greater("NoSchedule")),
            node(LEVEL),
            False,
            Placement(False, True, True, FITS, untolerated_taints=(LEVEL,), eviction_delay=NEVER),
            id="Gt where the gate is off",
        ),
        pytest.param(
            tolerating(greater("NoSchedule")),
            node(LEVEL),
            None,
            Placement(None, True, True, FITS, unsure_taints=(LEVEL,), eviction_delay=NEVER),
            id="Gt where the gate is unknown: it may stay in any case",
        ),
        pytest.param(
            tolerating(greater("NoExecute")),
            node(QUICK),
            None,
            Placement(None, None, True, FITS, unsure_taints=(QUICK,), eviction_delay=None),
            id="Gt and NoExecute where the gate is unknown",
        ),
        pytest.param(
            tolerating(greater("NoExecute")),
            node(QUICK, STOP),
            None,
            Placement(False, None, True, FITS, untolerated_taints=(STOP,), unsure_taints=(QUICK,), eviction_delay=None),
            id="what is certain decides beside what is not",
        ),
        pytest.param(
            PodSpec(nodeSelector={"pool": "rdma"}),
            node(partial=True),
            None,
            Placement(None, None, None, AffinityMatch(None, unknown_labels=("pool",)), eviction_delay=NEVER),
            id="a label that is not known",
        ),
        pytest.param(
            PodSpec(nodeSelector={"pool": "rdma"}),
            node(STOP, partial=True),
            None,
            Placement(False, None, None, AffinityMatch(None, unknown_labels=("pool",)), untolerated_taints=(STOP,), eviction_delay=NEVER),
            id="a label that is not known, and a taint that keeps it out anyway",
        ),
        pytest.param(
            PodSpec(nodeSelector={"pool": "rdma"}),
            node(EMPTY, partial=True),
            None,
            Placement(False, False, None, AffinityMatch(None, unknown_labels=("pool",)), untolerated_taints=(EMPTY,), eviction_delay=0.0),
            id="a label that is not known, and a taint that ends it anyway",
        ),
    ],
)
def test_place(spec: PodSpec, there: Node, gate: bool | None, placement: Placement) -> None:
    assert evaluate_placement(spec, add_implicit_tolerations(spec), there, gate) == placement
