"""Which pods a DaemonSet would adopt."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.change.orphaned_pods import selects_pods
from preflight.model.apps import DaemonSet
from tests.builders import read_leniently
from tests.change.changes import manifest


@pytest.mark.parametrize(
    ("selector", "namespace", "labels", "expected"),
    [
        pytest.param({"matchLabels": {"app": "a"}}, "default", {"app": "a", "more": "b"}, True, id="its labels"),
        pytest.param({"matchLabels": {"app": "a"}}, "default", {"app": "b"}, False, id="other labels"),
        pytest.param({"matchLabels": {"app": "a"}}, "other", {"app": "a"}, False, id="another namespace"),
        pytest.param({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, "default", {"app": "b"}, True, id="an expression"),
        pytest.param({}, "default", {"app": "a"}, False, id="an empty selector selects nothing"),
        pytest.param(None, "default", {"app": "a"}, False, id="so does none"),
    ],
)
def test_a_daemonset_selects(selector: Any, namespace: str, labels: dict[str, str], expected: bool) -> None:
    data = manifest("d1")
    data["spec"]["selector"] = selector
    assert selects_pods(read_leniently(data, DaemonSet), namespace, labels) is expected
