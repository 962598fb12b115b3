"""preflight against a real API server: what it asks, with which rights, as whom, and that it changes nothing."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest

from preflight.kubectl.parser import VERBS
from preflight.load.live.resources import ALL_RESOURCES
from tests.cli.program import Result, program
from tests.cluster.bed import Bed
from tests.load.live.listed_objects import daemonset, node

pytestmark = pytest.mark.cluster

_NODES = ("gpu-1", "gpu-2", "cpu-1")
_MOUNTS = [{"name": "settings", "configMap": {"name": "plugin-settings"}}]
_GATED = [{"key": "level", "operator": "Gt", "value": "5", "effect": "NoSchedule"}]

LINES = (
    "taint nodes gpu-1 team=x:NoSchedule",
    "taint nodes -l pool=gpu team=x:NoExecute",
    "taint nodes --all team=x:NoSchedule",
    "label nodes gpu-1 pool-",
    "cordon gpu-1",
    "uncordon gpu-1",
    "drain gpu-1 --ignore-daemonsets",
    "reboot gpu-2 --graceful",
    "replace gpu-2",
    "set image -n devices ds/plugin main=registry.example/c:2",
    "rollout restart -n devices ds",
    "apply -f {folder}/plugin.json",
    "delete -f {folder}/plugin.json",
    "patch ds plugin -n devices -p 'spec: {{minReadySeconds: 5}}'",
    "patch node gpu-1 -p 'metadata: {{labels: {{a: b}}}}'",
    "delete ds -n devices plugin",
    "delete node cpu-1",
    "delete pod -n devices {pod}",
    "delete pod -n devices --field-selector spec.nodeName=gpu-2",
    "delete namespace devices",
    "plan {folder}/plan.yaml",
    "lint --live",
    "lint {folder} --live",
    "diff live {folder}",
    "diff {folder} live",
    "components --live",
    "snapshot -o {folder}/world.snapshot",
    "verify {folder}/world.snapshot",
    "doctor",
    "doctor --node gpu-1 --since {folder}/world.snapshot",
    "doctor --pod devices/{pod}",
    "capacity --request cpu=1",
    "alerts -o {folder}/rules.yaml",
)


VERBS_OF_ONE_WORD = {verb.split()[0] for verb in VERBS} | {"plan"}


@pytest.fixture(scope="module")
def bed() -> Iterator[Bed]:
    with Bed(rbac=True, audit=True, users={"sre": [], "team": [], "nobody": []}) as started:
        plugin = daemonset("devices", "plugin", image="registry.example/c:1", volumes=_MOUNTS, nodeSelector={"pool": "gpu"})
        agent = daemonset("logging", "agent", image="registry.example/c:1")
        labels = {"app": "alone"}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "registry.example/c:1"}]}}
        alone = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "alone", "namespace": "shop"}}
        alone["spec"] = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
        started.create([*(_ready(name) for name in _NODES), plugin, agent, alone])
        started.wait(lambda: len([pod for pod in started.list("pods") if pod["spec"].get("nodeName")]) == 6, 60, "six pods")
        role = program("rbac").out
        started.kubectl("apply", "-f", "-", stdin=role)
        started.kubectl("create", "clusterrolebinding", "preflight", "--clusterrole=preflight", "--user=sre")
        started.kubectl("create", "role", "team", "-n", "logging", "--verb=list", "--resource=daemonsets.apps,pods")
        started.kubectl("create", "rolebinding", "team", "-n", "logging", "--role=team", "--user=team")
        yield started


def _ready(name: str) -> dict[str, Any]:
    made = node(name, pool=name.partition("-")[0])
    made["status"]["allocatable"] = made["status"]["capacity"] = {"cpu": "4", "memory": "8Gi", "pods": "50"}
    return made


@pytest.fixture(scope="module")
def folder(bed: Bed, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("manifests")
    gated = daemonset("devices", "plugin", image="registry.example/c:2", volumes=_MOUNTS, nodeSelector={"pool": "gpu"})
    (made / "plugin.json").write_text(json.dumps(gated))
    (made / "plan.yaml").write_text("- taint nodes gpu-1 team=x:NoSchedule\n- rollout restart -n devices ds/plugin\n")
    del bed
    return made


def _run(bed: Bed, line: str, folder: Path, user: str = "sre", *more: str) -> Result:
    pods = bed.list("pods", "devices")
    words = shlex.split(line.format(folder=folder, pod=pods[0]["metadata"]["name"]))
    if words[0] in ("components", "capacity", "alerts"):
        more = ()
    return program(*words, "--kubeconfig", str(bed.kubeconfig_of(user)), *more)


def test_every_command_only_gets_and_lists_with_the_role_that_rbac_prints(bed: Bed, folder: Path) -> None:
    before = _state(bed)
    for line in LINES:
        result = _run(bed, line, folder, "sre", "-v")
        assert result.code in (0, 1), f"{line}: {result.err}"
        assert not [
            splitline for splitline in result.err.splitlines() if not splitline.startswith(("asked bed (https://127.0.0.1:", "wrote "))
        ]
        assert "right to list" not in result.out
        assert bed.token_of("sre") not in result.out + result.err
    logged = [each for each in bed.audit() if each["user"]["username"] == "sre"]
    assert {each["verb"] for each in logged} == {"get", "list"}
    assert {each["responseStatus"]["code"] for each in logged} == {200}
    asked = {(each["objectRef"].get("apiGroup", ""), each["objectRef"]["resource"]) for each in logged if "objectRef" in each}
    assert asked == {(resource.group, resource.plural) for resource in ALL_RESOURCES if not resource.is_custom}
    assert {each["requestURI"] for each in logged if "objectRef" not in each} == {"/version", "/apis"}
    assert _state(bed) == before


def test_the_lines_have_every_verb() -> None:
    spoken = {" ".join(line.split()[:2]) for line in LINES} | {line.split()[0] for line in LINES}
    assert set(VERBS) <= spoken


def _state(bed: Bed) -> list[tuple[str, str]]:
    kinds = ("nodes", "daemonsets", "pods")
    return sorted((each["metadata"]["uid"], json.dumps(each.get("spec", {}), sort_keys=True)) for kind in kinds for each in bed.list(kind))


@pytest.mark.parametrize("line", [line for line in LINES if line.split()[0] in VERBS_OF_ONE_WORD])
def test_the_answer_is_that_of_kubectls_dump(bed: Bed, folder: Path, tmp_path: Path, line: str) -> None:
    dump = tmp_path / "dump.json"
    dump.write_text(bed.kubectl("get", "nodes,ds,pods", "-A", "-o", "json").out)
    live = json.loads(_run(bed, line, folder, "sre", "-o", "json").out)
    pod = bed.list("pods", "devices")[0]["metadata"]["name"]
    files = json.loads(program(*shlex.split(line.format(folder=folder, pod=pod)), "--from", str(dump), "-o", "json").out)
    judged = {name for step in live["change"]["steps"] for name in step["nodes"]}
    assert _pairs(live) == {pair: outcome for pair, outcome in _pairs(files).items() if pair[2] in judged}


def _pairs(report: dict[str, Any]) -> dict[tuple[int, str, str], str]:
    return {(row["step"], row["daemonset"], name): row["outcome"] for row in report["coverage"] for name in row["nodes"]}


def test_without_any_right_the_missing_one_is_named(bed: Bed, folder: Path) -> None:
    result = _run(bed, LINES[0], folder, "nobody")
    assert (result.code, result.out) == (3, "")
    assert "no DaemonSet can be checked: no permission to list daemonsets.apps: `preflight rbac` prints the role" in result.err


def test_with_rights_in_one_namespace_its_daemonsets_are_judged_and_the_rest_is_said(bed: Bed, tmp_path: Path) -> None:
    config = json.loads(bed.kubeconfig_of("team").read_text())
    config["contexts"][0]["context"]["namespace"] = "logging"
    (tmp_path / "config").write_text(json.dumps(config))
    result = program(*shlex.split(LINES[0]), "--kubeconfig", str(tmp_path / "config"), "-o", "json")
    report = json.loads(result.out)
    assert result.code == 3
    assert [(row["daemonset"], row["outcome"]) for row in report["coverage"]] == [("logging/agent", "lost-on-recreation")]
    assert report["problems"][0]["message"].startswith("not all DaemonSets are checked: only those in namespace logging: ")


def test_somebody_is_impersonated(bed: Bed, folder: Path) -> None:
    assert _run(bed, LINES[0], folder, "admin", "--as", "sre").code == 1
    assert _run(bed, LINES[0], folder, "admin", "--as", "nobody").code == 3
    assert {each["impersonatedUser"]["username"] for each in bed.audit() if "impersonatedUser" in each} == {"sre", "nobody"}


def test_a_token_that_is_not_accepted_says_so(bed: Bed, tmp_path: Path) -> None:
    config = json.loads(bed.kubeconfig_of("sre").read_text())
    config["users"][0]["user"]["token"] = "wrong-token-of-nobody"
    (tmp_path / "config").write_text(json.dumps(config))
    result = program("cordon", "gpu-1", "--kubeconfig", str(tmp_path / "config"))
    assert result.code == 3
    assert result.err.endswith("401 Unauthorized: the credentials of context bed are not accepted\n")


def test_a_certificate_that_is_not_trusted_says_so(bed: Bed, tmp_path: Path) -> None:
    config = json.loads(bed.kubeconfig_of("sre").read_text())
    del config["clusters"][0]["cluster"]["certificate-authority"]
    (tmp_path / "config").write_text(json.dumps(config))
    result = program("cordon", "gpu-1", "--kubeconfig", str(tmp_path / "config"))
    assert result.code == 3
    assert ": its certificate is not trusted: " in result.err


def test_a_drain_asks_for_the_pods_of_its_node_their_peers_and_nodes_that_they_select(bed: Bed) -> None:
    """The server takes every selector and version: no answer but 200 (404 for a group that it does not have), and the replacement fits."""
    labels = {"app": "web"}
    selector = {"matchLabels": labels, "matchExpressions": [{"key": "old", "operator": "DoesNotExist"}]}
    spec = {"containers": [{"name": "c", "image": "registry.example/c:1"}], "nodeSelector": {"pool": "gpu"}}
    body = {"replicas": 2, "selector": selector, "template": {"metadata": {"labels": labels}, "spec": spec}}
    budget = {"maxUnavailable": 1, "selector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web", "shop"]}]}}
    bed.create(
        [
            {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "team"}, "spec": body},
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web", "namespace": "team"}, "spec": budget},
        ]
    )
    bed.wait(lambda: len([pod for pod in bed.list("pods", "team") if pod["status"]["phase"] == "Running"]) == 2, 60, "two pods")
    node = bed.list("pods", "team")[0]["spec"]["nodeName"]
    before = len(bed.audit())
    result = program("drain", node, "--ignore-daemonsets", "--kubeconfig", str(bed.kubeconfig_of("sre")), "-o", "json")
    evictions = json.loads(result.out)["change"]["steps"][0]["evictions"]["nodes"][0]
    assert {pod["replacement"] for pod in evictions["pods"] if pod["pod"].startswith("team/")} == {"fits"}
    logged = [each for each in bed.audit()[before:] if each["user"]["username"] == "sre"]
    assert {each["responseStatus"]["code"] for each in logged} <= {200, 404}
    asked = [unquote_plus(each["requestURI"]).removeprefix("/api/v1/") for each in logged]
    other = next(name for name in ("gpu-1", "gpu-2") if name != node)
    assert {
        f"nodes?fieldSelector=metadata.name={node}&resourceVersion=0",
        "nodes?labelSelector=pool=gpu&limit=32",
        "namespaces/team/pods?labelSelector=app in (web,shop)&limit=500",
        "namespaces/team/pods?labelSelector=app=web,!old&limit=500",
        "pods?fieldSelector=spec.nodeName=&resourceVersion=0",
    } <= set(asked)
    versions = {uri.partition("&")[0]: uri.partition("&resourceVersion=")[2] for uri in asked if uri.startswith("pods?fieldSelector")}
    assert [
        versions[f"pods?fieldSelector=spec.nodeName={name}"].endswith("&resourceVersionMatch=NotOlderThan") for name in (node, other)
    ] == [
        True,
        True,
    ]
    assert "pods?limit=500" not in asked
