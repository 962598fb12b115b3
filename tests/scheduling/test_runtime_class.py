"""What a RuntimeClass adds to a new pod."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.core import RuntimeClass
from preflight.scheduling.requests import sum_pod_requests
from preflight.scheduling.runtime_class import RuntimeClassRefusedError, apply_runtime_class
from tests.builders import read_object
from tests.scheduling.fit_objects import pod

SCHEDULING = {"nodeSelector": {"kata": "yes"}, "tolerations": [{"key": "kata", "operator": "Exists"}]}


def of(**fields: Any) -> RuntimeClass:
    found: RuntimeClass = read_object({"kind": "RuntimeClass", "metadata": {"name": "kata"}, **fields}, RuntimeClass)
    return found


def test_a_class_that_says_nothing_changes_nothing() -> None:
    for runtime_class in (of(), of(overhead={}), of(overhead={"podFixed": {}}), of(scheduling={})):
        assert apply_runtime_class(pod(cpu="1", overhead={"cpu": "1"}), runtime_class) == pod(cpu="1", overhead={"cpu": "1"})


def test_its_overhead_comes_on_top() -> None:
    found = apply_runtime_class(pod(cpu="1"), of(overhead={"podFixed": {"cpu": "250m", "memory": "128Mi"}}))
    assert sum_pod_requests(found) == {"cpu": 1250, "memory": 128 << 20}


def test_it_selects_and_tolerates_besides() -> None:
    own = pod(nodeSelector={"zone": "a", "kata": "yes"}, tolerations=[{"key": "own"}])
    found = apply_runtime_class(own, of(scheduling=SCHEDULING))
    assert found.nodeSelector == {"zone": "a", "kata": "yes"}
    assert [toleration.key for toleration in found.tolerations] == ["own", "kata"]


@pytest.mark.parametrize(
    ("spec", "fields", "why"),
    [
        (pod(nodeSelector={"kata": "no"}), {"scheduling": SCHEDULING}, "it selects kata=no, and the RuntimeClass kata kata=yes"),
        (pod(overhead={"cpu": "1"}), {"overhead": {"podFixed": {"cpu": "2"}}}, "its overhead is not that of the RuntimeClass kata"),
        (pod(overhead={"cpu": "x"}), {"overhead": {"podFixed": {"cpu": "2"}}}, "its overhead is not that of the RuntimeClass kata"),
    ],
)
def test_what_goes_against_it_is_refused(spec: Any, fields: dict[str, Any], why: str) -> None:
    with pytest.raises(RuntimeClassRefusedError) as refused:
        apply_runtime_class(spec, of(**fields))
    assert str(refused.value) == why


def test_the_same_overhead_in_other_words_is_the_same() -> None:
    found = apply_runtime_class(pod(overhead={"cpu": "1000m"}), of(overhead={"podFixed": {"cpu": "1"}}))
    assert sum_pod_requests(found) == {"cpu": 1000}
