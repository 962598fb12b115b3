"""Steps that take a CSI driver away, and pods that a later step lets go: each step meets what the one before left."""

from __future__ import annotations

import pytest

from preflight.engine.simulate import make_start_state, simulate_commands
from preflight.kubectl.parser import parse_command
from preflight.model.termination_reasons import HangReason
from tests.evictions.clusters import node, world
from tests.evictions.storage import ANY, claim, csi_node, csi_pod, database, volume

WORLD = (node("n1"), node("n2"), csi_node(), csi_pod("n1"), csi_pod("n2"), claim(), volume(), ANY, *database())
GONE = "taint nodes n1 a=b:NoExecute"


@pytest.mark.parametrize(
    ("lines", "wanted"),
    [
        pytest.param(["drain n1 --ignore-daemonsets"], None, id="the driver is there"),
        pytest.param([GONE, "drain n1 --ignore-daemonsets"], HangReason.MISSING_DRIVER, id="a taint took it away"),
        pytest.param([GONE, "delete pod db-0 -n shop"], HangReason.MISSING_DRIVER, id="and then the pod is deleted by name"),
        pytest.param(
            ["label nodes n1 a=b", "taint nodes n2 a=b:NoExecute", "drain n1 --ignore-daemonsets"], None, id="it was taken away elsewhere"
        ),
        pytest.param([GONE, "taint nodes n1 a-", "drain n1 --ignore-daemonsets"], None, id="it came back"),
    ],
)
def test_a_step_meets_the_drivers_that_the_one_before_left(lines: list[str], wanted: HangReason | None) -> None:
    commands = [parse_command(line.split()) for line in lines]
    *_, last = simulate_commands(commands, make_start_state(world(*WORLD)), lambda _: ())
    assert last.evictions is not None
    (found,) = [pod for shown in last.evictions.nodes for pod in shown.pods]
    assert (found.hang.cause if found.hang else None) == wanted
