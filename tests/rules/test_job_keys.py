"""What tells findings about one Job from one another: the key of a rule of its failure policy, and of a refused field."""

from __future__ import annotations

import io
import json
from typing import Any

from preflight import load
from preflight.rules.api import Context
from preflight.rules.jobs import dead_failure_rule, invalid_job

CODES = {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [3, 4]}}
SHADOWED = {"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}}
IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}


def context(**spec: Any) -> Context:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x"}]}}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train"}, "spec": {"template": template, **spec}}
    loaded = load.load_world(["-"], stdin=io.BytesIO(json.dumps(job).encode()), one_cluster=True)
    return Context(loaded.world, None, is_lint=True, workloads=loaded.world.workloads, nodes=(), taints=())


def keys(*rules: Any) -> list[tuple[str, ...]]:
    return [hit.key for hit in dead_failure_rule.check(context(podFailurePolicy={"rules": list(rules)}))]


def test_a_rule_keeps_its_key_when_it_moves() -> None:
    assert keys(CODES, SHADOWED) == keys(CODES, IGNORE, SHADOWED) == [("Count", "", "In", "1", "shadowed")]


def test_two_equal_rules_have_two_keys() -> None:
    assert keys(CODES, SHADOWED, SHADOWED) == [("Count", "", "In", "1", "shadowed"), ("Count", "", "In", "1", "2", "shadowed")]


def test_two_refusals_of_one_field_have_two_keys() -> None:
    spec = {"completionMode": "Indexed", "completions": 200_000, "parallelism": 100_001, "backoffLimitPerIndex": 1, "maxFailedIndexes": 1}
    found = [hit.key for hit in invalid_job.check(context(**spec))]
    assert found == [("parallelism",), ("parallelism", "2")]
