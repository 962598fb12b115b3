"""Small batches of `make truth` with fixed seeds: the cluster does what the program said, pair by pair, and drain by drain."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster.bed import Bed
from tests.truth.batch import Batch
from tests.truth.drains.batch import Drains
from tests.truth.drains.seen import AUDIT
from tests.truth.faults import Faults

KINDS = (
    *("taint NoSchedule", "set image", "label --overwrite", "apply: tolerations gained", "delete ds", "cordon", "taint NoExecute"),
    *("apply: strategy", "rollout restart", "apply: new", "delete pod", "untaint", "apply: selection", "plan"),
)


@pytest.mark.cluster
def test_a_random_cluster_does_what_was_said(bed: Bed, tmp_path: Path) -> None:
    account = Batch(bed, 1, tmp_path / "truth", (40, 16), owned=True).run(KINDS)
    kept = "\n".join(path.read_text() for path in sorted(tmp_path.glob("truth/*/mismatches.jsonl")))
    assert account.mismatches == 0, f"{account.table()}\n{kept}"
    assert account.changes.total() + account.refused.total() >= len(KINDS)
    assert {"kept", "excluded", "never", "lost-on-recreation", "lost-now", "gained", "missing"} <= {key[1] for key in account.by_outcome}


@pytest.mark.cluster
def test_random_drains_do_what_was_said(tmp_path: Path) -> None:
    with Bed(node_lifecycle=True, audit=AUDIT) as bed:
        account = Drains(bed, 1, tmp_path / "drains", each=2).run(4)
    kept = "\n".join(path.read_text() for path in sorted(tmp_path.glob("drains/*/mismatches.jsonl")))
    assert account.mismatches == 0, f"{account.table()}\n{kept}"
    assert account.drains.total() == 4


@pytest.mark.cluster
def test_faults_that_are_planted_are_named(tmp_path: Path) -> None:
    with Bed(node_lifecycle=True, grace=15) as bed:
        found = list(Faults(bed, 1, tmp_path).run(3))
    assert [each.false for each in found] == [()] * 3
    assert [kind for each in found for kind, is_named in each.faults.items() if not is_named] == []
