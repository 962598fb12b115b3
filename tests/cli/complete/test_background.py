"""How names are read: from files and from a cluster, in time or for the next time, and kept for the user alone."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from preflight.cli.complete import background
from preflight.cli.complete.answer import LIMIT
from preflight.cli.complete.background import KEPT, get_names
from preflight.cli.complete.command_line import parse_command_line
from preflight.cli.complete.names import NameKind, Names, NameSource, find_source
from tests.builders import write_daemonset
from tests.cli.complete.asking import ask_in_time, ask_patiently
from tests.load.live.api_server import TOKEN, ApiServer, Asked, Fault, kubeconfig, serving, status, tls_of_server

SLACK = 5.0
"""How much longer than `LIMIT` a process may take on a machine that is busy with other tests; the server is silent for ever."""

OBJECTS = [
    *({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in ("gpu-2", "gpu-1")),
    *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in ("default", "storage")),
    *(
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": name, "namespace": "storage"}, "spec": {}}
        for name in ("csi", "other")
    ),
]


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment with a home and a cache of its own, and no kubeconfig."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "config"))
    return dict(os.environ)


@contextmanager
def serve(folder: Path, objects: Sequence[Mapping[str, Any]], fault: Fault | None = None, *, tls: bool = False) -> Iterator[ApiServer]:
    server = ApiServer(objects, fault)
    with serving(server, folder, tls_of_server() if tls else None):
        yield server


def list_kept(folder: Path) -> list[Path]:
    return sorted((folder / "cache" / "preflight" / "complete").glob("*.json"))


@pytest.fixture
def silent_server() -> Iterator[str]:
    """The address of a server that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        taken = []
        done = threading.Event()

        def take() -> None:
            while not done.is_set():
                try:
                    taken.append(server.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=take, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        done.set()
        socket.create_connection(server.getsockname()).close()
        thread.join()
        for connection in taken:
            connection.close()


def test_names_of_files(env: dict[str, str], cluster: Path) -> None:
    assert ask_patiently("taint", "--from", "calm", "nodes", "", env=env) == ["n1", "n2"]
    assert ask_patiently("set", "image", "-n", "storage", "--from=calm", "ds/", env=env) == ["ds/agent"]
    (kept,) = list_kept(cluster)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


def test_names_of_a_snapshot_of_several_files_and_of_what_lint_judges(env: dict[str, str]) -> None:
    Path("more.yaml").write_text(write_daemonset("more", "logging"), encoding="utf-8")
    assert ask_patiently("lint", "calm", "--from", "more.yaml", "--why", "", env=env) == ["logging/more/", "storage/agent/"]
    assert ask_patiently("lint", "--why", "", env=env) == []


def test_files_that_change_are_read_again(env: dict[str, str]) -> None:
    def ask() -> list[str]:
        return ask_patiently("cordon", "--from", "calm/nodes.yaml", "", env=env)

    assert ask() == ["n1", "n2"]
    text = Path("calm/nodes.yaml").read_text(encoding="utf-8")
    Path("calm/nodes.yaml").write_text(text.replace("name: n2", "name: node-two"), encoding="utf-8")
    assert ask() == ["n1", "node-two"]


@pytest.mark.parametrize("path", ["missing", "broken/broken.yaml", "-", "/dev/null"])
def test_what_cannot_be_read_has_no_names(path: str, env: dict[str, str]) -> None:
    assert ask_patiently("drain", "--from", path, "", env=env) == []


def test_names_of_a_cluster(env: dict[str, str], cluster: Path) -> None:
    with serve(cluster, OBJECTS) as server:
        kubeconfig(cluster / "config", server.url, {"token": TOKEN}, "storage")
        assert ask_patiently("drain", "", env=env) == ["gpu-1", "gpu-2"]
        assert ask_patiently("rollout", "restart", "", env=env)[:2] == ["ds/csi", "ds/other"]
        assert ask_patiently("rollout", "restart", "-n", "", env=env) == ["default", "storage"]
        (context,) = yaml.safe_load((cluster / "config").read_text(encoding="utf-8"))["contexts"]
        assert ask_patiently("drain", "--context", "", env=env) == [context["name"]]
        assert {asked.method for asked in server.asked} == {"GET"}
        assert len(server.asked) == 3
        assert ask_patiently("drain", "gpu-1", "", env=env) == ["gpu-2"]  # kept: it is not asked again
        assert len(server.asked) == 3


def test_the_daemonsets_of_a_namespace_where_all_may_not_be_listed(env: dict[str, str], cluster: Path) -> None:
    def refuse(asked: Asked) -> tuple[int, bytes] | None:
        return None if asked.namespace else status(403, "daemonsets.apps is forbidden")

    with serve(cluster, OBJECTS, fault=refuse) as server:
        kubeconfig(cluster / "config", server.url, {"token": TOKEN}, "storage")
        assert ask_patiently("rollout", "restart", "ds/", env=env) == ["ds/csi", "ds/other"]


def test_clusters_and_users_are_kept_apart(env: dict[str, str], cluster: Path) -> None:
    with serve(cluster, OBJECTS) as server:
        kubeconfig(cluster / "config", server.url, {"token": TOKEN})
        assert ask_patiently("drain", "", env=env) == ["gpu-1", "gpu-2"]
    with serve(cluster, OBJECTS[:1]) as server:
        kubeconfig(cluster / "other-config", server.url, {"token": TOKEN})
        assert ask_patiently("drain", "--kubeconfig", "other-config", "", env=env) == ["gpu-2"]
        kubeconfig(cluster / "config", server.url, {"token": TOKEN})
        assert ask_patiently("drain", "", env=env) == ["gpu-2"]
        assert ask_patiently("drain", "--as", "somebody", "", env=env) == ["gpu-2"]
    assert len(list_kept(cluster)) == 4


def test_a_server_that_never_answers_costs_the_limit_and_is_silent(env: dict[str, str], cluster: Path, silent_server: str) -> None:
    kubeconfig(cluster / "config", silent_server)
    for words in (["drain", ""], ["drain", ""], ["rollout", "restart", "ds/"], ["taint", "nodes", "--context", "nowhere", ""]):
        answer, took = ask_in_time(*words, env=env)
        assert answer == ([], 36)
        assert took < LIMIT + SLACK
    assert list_kept(cluster) == []


def test_what_comes_late_is_there_the_next_time(env: dict[str, str]) -> None:
    """Also where the process starts so slowly that no time is left."""
    wait_until(lambda: ask_patiently("drain", "--from", "calm", "", env=env, limit=0.0) == ["n1", "n2"])


def test_a_dead_server_is_not_waited_for(env: dict[str, str], cluster: Path) -> None:
    kubeconfig(cluster / "config", "http://127.0.0.1:1")
    assert ask_patiently("drain", "", env=env) == []


def write_plugin(folder: Path, mode: str) -> None:
    """A kubeconfig whose user has a plugin that says what it has: a terminal, standard input, a screen."""
    plugin = folder / "plugin"
    plugin.write_text(
        f"#!/bin/sh\n(tty; (exec </dev/tty) 2>&1; echo screen=$DISPLAY browser=$BROWSER; cat; echo end) >{folder}/said 2>&1\n"
        f'echo \'{{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {{"token": "{TOKEN}"}}}}\'\n',
        encoding="utf-8",
    )
    plugin.chmod(0o755)
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": mode}}
    config = yaml.safe_load((folder / "config").read_text(encoding="utf-8"))
    config["users"][0]["user"] = user
    (folder / "config").write_text(yaml.safe_dump(config), encoding="utf-8")


def test_a_credential_plugin_can_ask_nobody(env: dict[str, str], cluster: Path) -> None:
    with serve(cluster, OBJECTS, tls=True) as server:
        kubeconfig(cluster / "config", server.url, {"token": TOKEN})
        write_plugin(cluster, "IfAvailable")
        assert ask_patiently("drain", "", env={**env, "DISPLAY": ":0"}) == ["gpu-1", "gpu-2"]
    said = Path("said").read_text(encoding="utf-8")
    assert said.startswith("not a tty\n")
    assert "/dev/tty" in said
    assert said.endswith("screen= browser=false\nend\n")


def test_the_reading_ends_and_what_it_started_with_it(env: dict[str, str], cluster: Path) -> None:
    plugin = cluster / "plugin"
    plugin.write_text(f"#!/bin/sh\necho $$ >{cluster}/pid\nexec sleep 1000\n", encoding="utf-8")
    plugin.chmod(0o755)
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never"}}
    kubeconfig(cluster / "config", "https://127.0.0.1:1", user)
    assert ask_patiently("drain", "", env=env, longest=3.0) == []  # it comes back once the reading has ended
    if Path("pid").exists():  # else the machine is so busy that the plugin was never started
        process = int(Path("pid").read_text(encoding="utf-8"))
        wait_until(lambda: not is_running(process))


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    with contextlib.suppress(OSError):
        return ") Z " not in Path(f"/proc/{process}/stat").read_text(encoding="utf-8")
    return True


def wait_until(is_done: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_done():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_plugin_that_always_asks_is_not_run(env: dict[str, str], cluster: Path) -> None:
    with serve(cluster, OBJECTS, tls=True) as server:
        kubeconfig(cluster / "config", server.url, {"token": TOKEN})
        write_plugin(cluster, "Always")
        assert ask_patiently("drain", "", env=env) == []
    assert not Path("said").exists()


@pytest.fixture
def kept(env: dict[str, str], cluster: Path) -> tuple[NameSource, Path]:
    """A source, and the file in which its names are kept."""
    source = find_source(parse_command_line(["drain", "--from", "calm/nodes.yaml", ""]), NameKind.NODES)
    assert source is not None
    assert ask_patiently("drain", "--from", "calm/nodes.yaml", "", env=env) == ["n1", "n2"]
    (file,) = list_kept(cluster)
    return source, file


@pytest.fixture
def no_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "_lock", lambda _: None)


@pytest.mark.usefixtures("no_reading")
def test_kept_names_count_for_a_minute(kept: tuple[NameSource, Path]) -> None:
    source, file = kept
    assert get_names(source, 0.0).nodes == ("n1", "n2")
    now = time.time()
    for age, nodes in ((KEPT - 20, ("n1", "n2")), (KEPT + 1, ()), (-3600, ())):
        os.utime(file, (now - age, now - age))
        assert get_names(source, 0.0).nodes == nodes, age


@pytest.mark.usefixtures("no_reading")
def test_a_kept_file_that_is_not_ours_does_not_count(kept: tuple[NameSource, Path]) -> None:
    source, file = kept
    text = file.read_bytes()
    file.write_bytes(text[:-2])
    assert get_names(source, 0.0) == Names()
    file.unlink()
    Path("elsewhere").write_bytes(text)
    file.symlink_to(Path("elsewhere").absolute())
    assert get_names(source, 0.0) == Names()


def test_a_home_that_cannot_be_written_still_gets_names(env: dict[str, str]) -> None:
    assert ask_patiently("drain", "--from", "calm", "", env={**env, "XDG_CACHE_HOME": "/dev/null/x"}) == ["n1", "n2"]


def test_a_cache_folder_that_is_relative_is_ignored(env: dict[str, str], cluster: Path) -> None:
    relative = {**env, "XDG_CACHE_HOME": "relative"}
    assert ask_patiently("drain", "--from", "calm", "", env=relative) == ["n1", "n2"]
    assert not Path("relative").exists()
    assert len(list((cluster / ".cache" / "preflight" / "complete").glob("*.json"))) == 1
