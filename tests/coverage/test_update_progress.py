"""Whether an update that is under way goes on, and whether pods that are new stay new."""

from __future__ import annotations

import pytest

from preflight.coverage.update_progress import keeps_template
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from tests.builders import read_object
from tests.coverage.impacts import daemonset


def numbered(number: str) -> DaemonSet:
    data = daemonset("d").data
    return read_object({**data, "metadata": {**data["metadata"], "annotations": {TEMPLATE_GENERATION: number}}}, DaemonSet)


SAME = daemonset("d")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(SAME, SAME, True, id="nothing changes"),
        pytest.param(None, SAME, False, id="a new DaemonSet"),
        pytest.param(SAME, None, False, id="a deleted one"),
        pytest.param(None, None, False, id="none"),
        pytest.param(numbered("3"), numbered("3"), True, id="the same number"),
        pytest.param(numbered("3"), numbered("4"), False, id="another number"),
        pytest.param(daemonset("d"), daemonset("d"), False, id="manifests have no number"),
    ],
)
def test_a_template_is_kept(before: DaemonSet | None, after: DaemonSet | None, expected: bool) -> None:
    assert keeps_template(before, after) is expected
