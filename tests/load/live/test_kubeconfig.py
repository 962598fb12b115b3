"""Kubeconfigs: which server, as whom; what is wrong with one, without a secret in the message."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from preflight.load.live import kubeconfig as kubeconfig_module
from preflight.load.live.access import in_cluster
from preflight.load.live.target import ClusterTarget
from tests.cli.program import program
from tests.load.live.api_server import TOKEN, ApiServer, Asked, kubeconfig, serving, status, tls_of_server
from tests.load.live.listed_objects import cluster

LINE = ("cordon", "a-1")


def _headers(server: ApiServer) -> list[dict[str, str]]:
    return [
        {name: value for name, value in asked.headers.items() if name in ("Authorization", "Impersonate-User")} for asked in server.asked
    ]


def test_the_token_goes_to_the_server_and_nowhere_else(tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path, tls_of_server()) as config:
        result = program(*LINE, "--kubeconfig", str(config), "-v")
    assert result.code == 0
    assert _headers(server) == [{"Authorization": f"Bearer {TOKEN}"}] * len(server.asked)
    assert TOKEN not in result.out + result.err


def test_kubeconfig_is_found_in_the_environment_and_files_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        other = tmp_path / "other"
        other.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "contexts": [], "clusters": [], "users": []}))
        monkeypatch.setenv("KUBECONFIG", f"{other}{os.pathsep}{tmp_path / 'absent'}{os.pathsep}{config}")
        result = program(*LINE)
    assert (result.code, result.err) == (0, "")


def test_of_several_files_the_first_that_names_a_context_chooses_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As kubectl has it."""
    (tmp_path / "none").write_text("{kind: Config, current-context: '', clusters: null, contexts: null, users: null}")
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        data = json.loads(kubeconfig(tmp_path / "other", "http://127.0.0.1:1").read_text())
        data.update({"current-context": "other", "contexts": [{"name": "other", "context": {"cluster": "c", "user": "u"}}]})
        (tmp_path / "other").write_text(json.dumps(data))
        monkeypatch.setenv("KUBECONFIG", os.pathsep.join(str(each) for each in (tmp_path / "none", config, tmp_path / "other")))
        result = program(*LINE)
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("cluster test ")


@pytest.mark.parametrize(
    ("given", "name", "group"),
    [
        pytest.param(ClusterTarget(), "joe", "sre", id="it alone"),
        pytest.param(ClusterTarget(user="jane"), "jane", "sre", id="another user takes the place of the user alone"),
        pytest.param(ClusterTarget(user="jane", groups=("dev",)), "jane", "dev", id="and groups that of the groups"),
    ],
)
def test_all_that_a_kubeconfig_says_of_whom_it_impersonates_counts(given: ClusterTarget, name: str, group: str, tmp_path: Path) -> None:
    extra = {"scopes": ["view", "list"], "example.com/team": ["a"]}
    user = {"token": TOKEN, "as": "joe", "as-uid": "7", "as-groups": ["sre"], "as-user-extra": extra}
    config = str(kubeconfig(tmp_path / "config", "https://127.0.0.1:1", user))
    access = kubeconfig_module.open_access(replace(given, kubeconfig=config))
    assert access.build_headers()[:-1] == [
        ("Impersonate-User", name),
        ("Impersonate-Group", group),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Extra-scopes", "view"),
        ("Impersonate-Extra-scopes", "list"),
        ("Impersonate-Extra-example.com%2Fteam", "a"),
    ]
    access.close()


def test_somebody_is_impersonated(tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        program(*LINE, "--kubeconfig", str(config), "--as", "jane", "--as-group", "sre")
        config.write_text(json.dumps(_with_user(config, {"token": TOKEN, "as": "joe"})))
        program(*LINE, "--kubeconfig", str(config))
    assert [asked.headers.get("Impersonate-User") for asked in server.asked] == ["jane"] * 6 + ["joe"] * 6
    assert server.asked[0].headers["Impersonate-Group"] == "sre"


def test_groups_alone_are_refused(tmp_path: Path) -> None:
    result = program(*LINE, "--kubeconfig", str(kubeconfig(tmp_path / "config", "http://127.0.0.1:1")), "--as-group", "sre")
    assert (result.code, result.err) == (3, "error: context test: --as-group needs --as\n")


def _with_user(config: Path, user: dict[str, Any]) -> Any:
    data = json.loads(config.read_text())
    data["users"][0]["user"] = user
    return data


def test_the_way_leads_through_the_proxy_of_the_kubeconfig(tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        data = json.loads(config.read_text())
        data["clusters"][0]["cluster"] = {"server": "http://api.invalid:6443", "proxy-url": server.url}
        config.write_text(json.dumps(data))
        result = program(*LINE, "--kubeconfig", str(config))
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("cluster test (http://api.invalid:6443), ")


def test_in_a_pod_its_service_account_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("token", f"{TOKEN}\n"), ("ca.crt", "certificate"), ("namespace", "monitoring\n")):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(in_cluster, "FOLDER", str(tmp_path))
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "1")
    access = kubeconfig_module.open_access(ClusterTarget())
    assert (access.context, access.namespace, access.host) == ("in-cluster", "monitoring", "https://127.0.0.1:1")
    assert access.build_headers() == [("Authorization", f"Bearer {TOKEN}")]


@pytest.mark.parametrize(
    ("own", "pod", "namespace"),
    [
        pytest.param("team", {}, "team", id="the context names one"),
        pytest.param("", {}, "monitoring", id="the context names none: that of the pod"),
        pytest.param("", {"POD_NAMESPACE": "stated"}, "stated", id="the pod states another"),
        pytest.param("default", {}, "default", id="the context names the default"),
    ],
)
def test_in_a_pod_a_kubeconfig_without_a_namespace_means_that_of_the_pod(
    own: str, pod: dict[str, str], namespace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in kubectl (client-go `tools/clientcmd/merged_client_builder.go`, Namespace)."""
    for name, text in (("token", TOKEN), ("namespace", "monitoring\n")):
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(in_cluster, "FOLDER", str(tmp_path))
    for name, value in {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "1", **pod}.items():
        monkeypatch.setenv(name, value)
    config = kubeconfig(tmp_path / "config", "http://127.0.0.1:1", namespace=own)
    assert kubeconfig_module.open_access(ClusterTarget(kubeconfig=str(config))).namespace == namespace


_BROKEN = {
    "no such file": (None, "kubeconfig {path} does not exist"),
    "an empty file": ("", "kubeconfig {path} has no current context: choose one with --context"),
    "no YAML": ("a: b: c", "kubeconfig {path}:1:5: a key's `: ` cannot stand here: check the indentation, or quote the value"),
    "a list": ("[]", "kubeconfig {path}: the file must be a mapping, not a list"),
    "no current context": (
        "{kind: Config, contexts: [], clusters: [], users: []}",
        "kubeconfig {path} has no current context: choose one with --context",
    ),
    "a context that is not there": (
        "{kind: Config, current-context: x, contexts: [], clusters: [], users: []}",
        "kubeconfig {path} has no context x",
    ),
    "a cluster that is not there": (
        f"{{kind: Config, current-context: x, contexts: [{{name: x, context: {{cluster: c, user: u}}}}], clusters: [{{name: d}}], "
        f"users: [{{name: u, user: {{token: {TOKEN}}}}}]}}",
        "context x: there is no cluster c",
    ),
}


_CLUSTERS = {
    "no server": ({}, "context test: cluster c has no server"),
    "an address that is none": (
        {"server": "http://[x"},
        "context test: the server of cluster c is not an address like https://HOST:PORT",
    ),
    "another scheme": (
        {"server": f"ftp://127.0.0.1?token={TOKEN}"},
        "context test: the server of cluster c is not an address like https://HOST:PORT",
    ),
    "a proxy of a kind that cannot be spoken to": (
        {"server": "https://127.0.0.1:1", "proxy-url": f"socks4://me:{TOKEN}@127.0.0.1:1"},
        "context test: the proxy-url of cluster c is not an http, https or socks5 address",
    ),
}


@pytest.mark.parametrize(("cluster", "message"), [pytest.param(*case, id=name) for name, case in _CLUSTERS.items()])
def test_a_cluster_that_cannot_be_asked(cluster: dict[str, str], message: str, tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config", "")
    data = json.loads(path.read_text())
    data["clusters"][0]["cluster"] = cluster
    path.write_text(json.dumps(data))
    result = program(*LINE, "--kubeconfig", str(path))
    assert (result.code, result.err) == (3, f"error: {message}\n")


@pytest.mark.parametrize(("text", "message"), [pytest.param(*case, id=name) for name, case in _BROKEN.items()])
def test_a_kubeconfig_that_leads_nowhere(text: str | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "config"
    if text is not None:
        path.write_text(text)
    result = program(*LINE, "--kubeconfig", str(path))
    assert result.code == 3
    assert result.err.startswith(f"error: {message.format(path=path)}")
    assert TOKEN not in result.err


def test_without_a_kubeconfig_both_ways_are_named() -> None:
    result = program(*LINE)
    assert result.code == 3
    assert result.err.startswith("error: no --from, and no cluster to read: no kubeconfig found")


@pytest.mark.parametrize("user", [{"token": f"{TOKEN}\nX-Evil: 1"}, {"username": "me", "password": TOKEN}])
def test_no_credential_is_shown_whatever_it_looks_like(user: dict[str, str], tmp_path: Path) -> None:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        return status(401, f"no user {TOKEN}") if asked.headers.get("Authorization") else None

    with serving(ApiServer(cluster(), fault), tmp_path, tls_of_server()) as config:
        config.write_text(json.dumps(_with_user(config, user)))
        result = program(*LINE, "--kubeconfig", str(config), "-v")
    assert result.code == 3
    assert TOKEN not in result.out + result.err


def test_a_time_that_is_none_is_refused(tmp_path: Path) -> None:
    config = kubeconfig(tmp_path / "config", "http://127.0.0.1:1")
    result = program(*LINE, "--kubeconfig", str(config), "--request-timeout", "soon")
    assert (result.code, result.err) == (
        2,
        'error: invalid value "soon" for --request-timeout: must be a time such as 5, 5s or 1m30s, or 0 for no limit\n'
        f"See 'preflight {LINE[0]} --help'\n",
    )


def test_files_and_a_cluster_exclude_one_another(tmp_path: Path) -> None:
    result = program("lint", "--from", str(tmp_path), "--context", "x")
    assert (result.code, result.err) == (
        2,
        "error: --from and --context exclude each other: cluster state comes from files or from a cluster\nSee 'preflight lint --help'\n",
    )
