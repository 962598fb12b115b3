"""One line a finding, and nothing else."""

from __future__ import annotations

import pytest

from preflight.model.report import Report
from preflight.report.concise import render
from tests.report.reports import LINT, NOTHING, PLAN, RDMA

CASES = {
    "nothing is found": (NOTHING, ""),
    "a finding with its place": (
        RDMA,
        "daemonsets/csi.yaml:31:7: error[PF102] lost-on-recreation: "
        "storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created\n",
    ),
    "findings of a plan say their step; without a place they start with their subject": (
        PLAN,
        "storage/csi-rdma-node: error[PF102] lost-on-recreation: storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created"
        " (step 1 of 2)\n"
        "storage/csi-rdma-node: error[PF101] lost-now: storage/csi-rdma-node loses rdma-1, rdma-2 now (step 2 of 2)\n"
        "-/web: warning[PF201] tolerates-everything: -/web tolerates every taint\n",
    ),
    "exempted findings are left out, and so are problems": (
        LINT,
        "a.yaml:3: error[PF103] evict-loop: storage/csi-rdma-node is deleted and re-created every 300 s\n"
        "n-3: error[PF206] invalid-taint: n-3 has an invalid taint\n",
    ),
}


@pytest.mark.parametrize(("given", "text"), CASES.values(), ids=CASES)
def test_concise(given: Report, text: str) -> None:
    assert render(given) == text
