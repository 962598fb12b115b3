"""Real failures that a look at two versions of a tree predicts; the numbers are those of the project's list of cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.change.diff.trees import (
    EVERYTHING,
    Files,
    findings,
    headline,
    listed,
    manifest,
    node,
    notes,
    outcomes,
    pod,
    report,
    repository,
    write,
)

MASTER = {"key": "node-role.kubernetes.io/master", "operator": "Exists", "effect": "NoSchedule"}
CONTROL_PLANE = {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists", "effect": "NoSchedule"}
NOT_READY = {"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoSchedule"}
CUSTOM = {"key": "dedicated", "value": "myapp", "effect": "NoSchedule"}
LEGACY = {"key": "node-role.kubernetes.io/master", "effect": "NoSchedule"}
RENAMED = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}


def versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *trees: Files, live: str = "") -> None:
    """A repository whose tags v1, v2 are these trees, and what is around it."""
    monkeypatch.chdir(repository(tmp_path / "repo", *trees))
    write(tmp_path, {"live.json": live})


def lost(found: list[str]) -> list[str]:
    """The findings that say that coverage is lost."""
    return sorted(each for each in found if each.startswith(("PF101", "PF102")))


def test_47_an_upgrade_narrows_kube_proxy_flannel_and_calico_from_everything_to_known_taints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("calico-node", "flannel", "kube-proxy")
    before = {f"{name}.yaml": manifest(name, EVERYTHING, namespace="kube-system") for name in names}
    after = {f"{name}.yaml": manifest(name, NOT_READY, MASTER, namespace="kube-system") for name in names}
    nodes = f"{node('custom-1', CUSTOM)}---\n{node('master-1', LEGACY)}---\n{node('plain-1')}"
    versions(tmp_path, monkeypatch, before, after, live=listed(nodes))
    given = report("v1", "v2", "--from", "../live.json")
    assert headline(given) == "from v1 to v2: DaemonSets 3 changed"
    assert [note for note in notes(given) if "no longer" in note] == [
        f"kube-system/{name} no longer tolerates everything; now tolerates node.kubernetes.io/not-ready:NoSchedule, "
        "node-role.kubernetes.io/master:NoSchedule"
        for name in names
    ]
    assert lost(findings(given)) == [f"PF101 kube-system/{name} custom-1" for name in names]
    assert {pair for pair, outcome in outcomes(given).items() if outcome != "kept"} == {
        (f"kube-system/{name}", "custom-1") for name in names
    }
    assert given["exit"] == 1


def test_49_a_z_stream_upgrade_replaces_everything_by_master_and_dedicated_nodes_lose_their_dns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = (manifest("dns-default", toleration, namespace="openshift-dns") for toleration in (EVERYTHING, MASTER))
    nodes = f"{node('app-1', CUSTOM)}---\n{node('plain-1')}"
    live = listed(nodes, old, pods=(pod("dns-default", "app-1", "openshift-dns"), pod("dns-default", "plain-1", "openshift-dns")))
    versions(tmp_path, monkeypatch, {"dns.yaml": old}, {"dns.yaml": new}, live=live)
    given = report("v1", "v2", "--from", "../live.json")
    assert lost(findings(given)) == ["PF101 openshift-dns/dns-default app-1"]
    assert outcomes(given) == {("openshift-dns/dns-default", "app-1"): "lost-now", ("openshift-dns/dns-default", "plain-1"): "kept"}
    # The operator reverts an edit by hand: the cluster has drifted back from what the tree states.
    write(tmp_path, {"after.json": listed(nodes, new)})
    back = report("v1", "../after.json")
    assert headline(back) == "drift of ../after.json from v1: DaemonSets 1 different"
    assert lost(findings(back)) == ["PF102 openshift-dns/dns-default app-1"]


def test_71_the_taint_of_control_planes_is_renamed_under_a_daemonset_that_knows_the_old_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter = manifest("exporter", MASTER, namespace="monitoring")
    selecting = manifest("etcd-backup", EVERYTHING, namespace="backup", nodeSelector={"node-role.kubernetes.io/master": ""})
    good = manifest("good", MASTER, CONTROL_PLANE, namespace="monitoring")
    before = node("cp-1", LEGACY, **{"node-role.kubernetes.io/master": "", "node-role.kubernetes.io/control-plane": ""})
    after = node("cp-1", RENAMED, **{"node-role.kubernetes.io/control-plane": ""})
    same = {"exporter.yaml": exporter, "backup.yaml": selecting, "good.yaml": good}
    versions(tmp_path, monkeypatch, {**same, "nodes.yaml": before}, {**same, "nodes.yaml": after})
    given = report("v1", "v2")
    assert headline(given) == "from v1 to v2: DaemonSets 3 unchanged; nodes 1 changed"
    assert outcomes(given) == {
        ("backup/etcd-backup", "cp-1"): "lost-now",
        ("monitoring/exporter", "cp-1"): "lost-on-recreation",
        ("monitoring/good", "cp-1"): "kept",
    }
    assert lost(findings(given)) == ["PF101 backup/etcd-backup cp-1", "PF102 monitoring/exporter cp-1"]
