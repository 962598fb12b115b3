"""A real promtool: rules checked, and fired at series minute by minute."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.paths import ROOT

EVER = -1
LABELS = "alertname, daemonset, node, resource"
_FETCHED = ROOT / "build/promtool/usr/bin/promtool"


def promtool() -> str:
    """Where it is. Where it is not, a test is skipped, and fails in CI: PREFLIGHT_NEEDS_PROMTOOL says so."""
    found = shutil.which("promtool") or (str(_FETCHED) if _FETCHED.exists() else "")
    if not found:
        why = "no promtool: it is in the package prometheus of Debian and Ubuntu"
        if os.environ.get("PREFLIGHT_NEEDS_PROMTOOL"):
            pytest.fail(why)
        pytest.skip(why)
    return found


def run(*argv: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([promtool(), *map(str, argv)], capture_output=True, text=True, check=False)


def check(rules: Path) -> None:
    """The rules are what Prometheus takes."""
    done = run("check", "rules", rules)
    assert done.returncode == 0, done.stdout + done.stderr


def differs(folder: Path, rules: Sequence[Path], series: Mapping[str, str], minutes: int, alerts: Mapping[int, Sequence[str]]) -> str:
    """What promtool says of series of a sample a minute: "" where at each of these minutes exactly these alerts fire.

    An alert is written `Name{daemonset="d", node="n"}`, with its labels daemonset (or created_by_name), node and resource; those that are
    alike in these count once. The minute EVER stands for "at any time at all".
    """
    tests = []
    for minute, expected in alerts.items():
        source = 'ALERTS{alertstate="firing"}'
        source = f"max_over_time({source}[{minutes}m])" if minute == EVER else source
        expr = f'group by ({LABELS}) (label_replace({source}, "daemonset", "$1", "created_by_name", "(.+)"))'
        samples = [{"labels": _labels(each), "value": 1} for each in expected]
        tests.append({"expr": expr, "eval_time": f"{minutes if minute == EVER else minute}m", "exp_samples": samples})
    inputs = [{"series": name, "values": values} for name, values in series.items()]
    story = {"interval": "1m", "input_series": inputs, "promql_expr_test": tests}
    document = {"rule_files": [str(rule) for rule in rules], "evaluation_interval": "1m", "tests": [story]}
    path = folder / "test.yaml"
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    done = run("test", "rules", path)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def _labels(alert: str) -> str:
    name, _, rest = alert.partition("{")
    inside = rest.removesuffix("}")
    return f'{{alertname="{name}"{", " + inside if inside else ""}}}'
