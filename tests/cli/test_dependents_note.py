"""Where pods are listed, it is said that what they need is not looked at: only templates tell who depends on what breaks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import Object, list_daemonset_pod, make_container, make_daemonset, make_list, make_node
from tests.cli.program import program

SOCKETS = "/var/lib/kubelet/device-plugins"
SAYS = {"what": "the needs of listed pods", "why": "only the templates of workloads are read"}


def world(*, plugin: bool, pods: bool) -> Object:
    """One node, one DaemonSet, and its pod where pods are listed."""
    container, spec = make_container(), {}
    if plugin:
        container["volumeMounts"] = [{"name": "s", "mountPath": SOCKETS}]
        spec["volumes"] = [{"name": "s", "hostPath": {"path": SOCKETS}}]
    daemonset = make_daemonset("a", "ops", containers=[container], **spec)
    listed = [list_daemonset_pod(daemonset, "n1")] if pods else []
    return make_list(make_node("n1"), daemonset, *listed)


@pytest.mark.parametrize(
    ("plugin", "pods", "taint", "says"),
    [
        pytest.param(True, True, "a=b:NoSchedule", True, id="pods are listed and a plugin is lost"),
        pytest.param(True, False, "a=b:NoSchedule", False, id="no pod is listed"),
        pytest.param(False, True, "a=b:NoSchedule", False, id="nothing is lost that anybody could depend on"),
        pytest.param(True, True, "a=b:PreferNoSchedule", False, id="nothing is lost at all"),
    ],
)
def test_what_is_not_looked_at_is_said(plugin: bool, pods: bool, taint: str, says: bool, tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    file.write_text(json.dumps(world(plugin=plugin, pods=pods)), encoding="utf-8")
    report = json.loads(program("taint", "nodes", "n1", taint, "--from", str(file), "-o", "json").out)
    assert (SAYS in report["skipped"]) is says
