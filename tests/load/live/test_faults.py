"""What can go wrong with a server: a clear error or an honest unknown, in bounded time, and no secret in any output."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from preflight.errors import InputError
from preflight.load.live import connection
from preflight.load.live.target import ClusterTarget
from tests.builders import make_budget, make_owner, make_pod
from tests.cli.program import Result, program
from tests.load.live.api_server import TOKEN, ApiServer, Asked, Fault, kubeconfig, serving, status
from tests.load.live.listed_objects import cluster, node

LINE = ("taint", "nodes", "a-1", "team=x:NoSchedule")


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LONGEST_WAIT", 0.01)


def _run(fault: Fault, folder: Path, *line: str) -> tuple[Result, ApiServer]:
    server = ApiServer(cluster(), fault)
    with serving(server, folder) as config:
        began = time.monotonic()
        result = program(*(line or LINE), "--kubeconfig", str(config), "--request-timeout", "1s")
        assert time.monotonic() - began < 15
    assert TOKEN not in result.out + result.err
    return result, server


def _of(resource: str, answer: tuple[int, bytes] | str, times: int = 100) -> Fault:
    """The first answers for a resource are these."""
    left = [times]

    def fault(asked: Asked) -> tuple[int, bytes] | str | None:
        if asked.resource == resource and left[0]:
            left[0] -= 1
            return answer
        return None

    return fault


_NO_ANSWER = {
    "401": (_of("daemonsets", status(401, "Unauthorized")), "401 Unauthorized: the credentials of context test are not accepted"),
    "403 on DaemonSets, everywhere": (
        _of("daemonsets", status(403, "forbidden")),
        "no DaemonSet can be judged: the right to list daemonsets.apps is missing: `preflight rbac` prints the role",
    ),
    "500 for ever": (
        _of("daemonsets", status(500, "etcd leader changed")),
        "no DaemonSet can be judged: the server answers 500: etcd leader changed",
    ),
    "429 for ever": (
        _of("daemonsets", status(429, "too many requests")),
        "no DaemonSet can be judged: the server answers 429: too many requests",
    ),
    "half a response, each time": (_of("daemonsets", "half"), "the connection broke off in the middle of the answer"),
    "nonsense": (
        _of("daemonsets", (200, b"<html>Log in to the hotel</html>")),
        "is no list of daemonsets: is it the API server",
    ),
    "another list": (_of("daemonsets", (200, b'{"kind": "PodList", "items": []}')), "is no list of daemonsets: is it the API server"),
    "items that are no list": (_of("daemonsets", (200, b'{"kind": "DaemonSetList", "items": 3}')), "the list of daemonsets cannot be read"),
    "nothing": (_of("daemonsets", "nothing"), "no answer within 1 seconds (--request-timeout)"),
    "a redirection": (_of("daemonsets", (302, b"")), "no DaemonSet can be judged: the server answers 302"),
}


@pytest.mark.parametrize(("fault", "message"), [pytest.param(*case, id=name) for name, case in _NO_ANSWER.items()])
def test_no_answer_is_an_error_that_says_why(fault: Fault, message: str, tmp_path: Path) -> None:
    result, _ = _run(fault, tmp_path)
    assert (result.code, result.out) == (3, "")
    assert message in result.err
    assert len(result.err.splitlines()) == 1


_MENDED = {
    "a 429": _of("daemonsets", status(429, "slow down"), 2),
    "a 500": _of("nodes", status(500, "oops"), 3),
    "a 503": _of("pods", status(503, "starting"), 2),
    "half a response": _of("daemonsets", "half", 2),
    "a list that has expired": _of("daemonsets", status(410, "the provided continue parameter is too old"), 2),
}


@pytest.mark.parametrize("fault", [pytest.param(fault, id=name) for name, fault in _MENDED.items()])
def test_what_passes_is_tried_again(fault: Fault, tmp_path: Path) -> None:
    result, _ = _run(fault, tmp_path)
    assert (result.code, result.err) == (1, "")
    assert "storage/csi loses a-1" in result.out


def test_a_list_that_expires_in_the_middle_is_asked_for_anew_and_nothing_stands_twice(tmp_path: Path) -> None:
    expired = [True]

    def fault(asked: Asked) -> tuple[int, bytes] | None:
        if asked.resource == "nodes" and asked.query.get("continue") == "4" and expired[0]:
            expired[0] = False
            return status(410, "the provided continue parameter is too old")
        return None

    server = ApiServer(cluster(), fault, page=2)
    with serving(server, tmp_path) as config:
        result = program("taint", "nodes", "--all", "x=y:PreferNoSchedule", "--kubeconfig", str(config), "-o", "json")
    assert json.loads(result.out)["judged"]["nodes"] == 5
    assert [request.query.get("continue", "") for request in server.asked if request.resource == "nodes"] == ["", "2", "4", "", "2", "4"]


def test_a_list_that_expires_each_time_is_asked_for_in_one_piece(tmp_path: Path) -> None:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        return status(410, "too old") if asked.resource == "nodes" and "continue" in asked.query else None

    server = ApiServer(cluster(), fault, page=2)
    with serving(server, tmp_path) as config:
        result = program("taint", "nodes", "--all", "x=y:PreferNoSchedule", "--kubeconfig", str(config), "-o", "json")
    assert json.loads(result.out)["judged"]["nodes"] == 5


_LESS = {
    "no right to list pods: they are assumed": (
        _of("pods", status(403, "forbidden")),
        (
            "No pods in the input: assumed that each DaemonSet runs where it should",
            "error: not all Pods are judged: the right to list pods is missing: `preflight rbac` prints the role",
        ),
    ),
    "no right to list nodes: the one that is named is partly known": (
        _of("nodes", status(403, "forbidden")),
        (
            "note: no nodes are given: a-1 is judged as a partly known node",
            "not all Nodes are judged: the right to list nodes is missing",
        ),
    ),
    "no right to list Deployments: who depends is not judged": (
        _of("deployments", status(403, "forbidden")),
        ("Deployments (the right to list deployments.apps is missing",),
    ),
    "pods that never come: they are assumed": (
        _of("pods", "nothing"),
        ("No pods in the input: assumed that each DaemonSet runs where it should", "no answer within 1 seconds"),
    ),
}


@pytest.mark.parametrize(("fault", "said"), [pytest.param(*case, id=name) for name, case in _LESS.items()])
def test_a_right_that_is_missing_makes_the_answer_smaller_and_is_named(fault: Fault, said: tuple[str, ...], tmp_path: Path) -> None:
    result, _ = _run(fault, tmp_path)
    for words in said:
        assert words in " ".join((result.out + result.err).split())


def test_with_rights_in_one_namespace_only_that_one_is_judged_and_the_answer_is_incomplete(tmp_path: Path) -> None:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        mine = asked.namespace == "storage" or asked.resource in ("version", "nodes")
        return None if mine else status(403, "forbidden")

    server = ApiServer(cluster(), fault)
    with serving(server, tmp_path) as config:
        kubeconfig(config, server.url, namespace="storage")
        result = program(*LINE, "--kubeconfig", str(config), "-o", "json")
    report = json.loads(result.out)
    assert result.code == 3
    assert [(row["daemonset"], row["assumed"]) for row in report["coverage"]] == [("storage/csi", False)]
    assert [problem["message"] for problem in report["problems"]] == [
        f"not all {plural} are judged: only those of namespace storage: the right to list {resource} is missing: "
        "`preflight rbac` prints the role"
        for plural, resource in (("DaemonSets", "daemonsets.apps"), ("Pods", "pods"))
    ]


def test_pods_of_an_updated_daemonset_that_may_not_be_listed_are_assumed_and_not_missing(tmp_path: Path) -> None:
    line = ("set", "image", "-n", "storage", "ds/csi", "main=example.com/agent:2", "-o", "json")
    result, _ = _run(_of("pods", status(403, "forbidden")), tmp_path, *line)
    assert [(load["outcome"], load["assumed"]) for load in json.loads(result.out)["coverage"]] == [("kept", True)]


def test_one_node_whose_pods_cannot_be_had_leaves_no_namespace_listed(tmp_path: Path) -> None:
    """Whatever is answered for the nodes after it."""

    def fault(asked: Asked) -> tuple[int, bytes] | None:
        if asked.resource != "pods":
            return None
        if asked.namespace != "storage":
            return status(403, "forbidden")
        return status(400, "no") if asked.query["fieldSelector"] == "spec.nodeName=a-0" else None

    server = ApiServer(cluster(), fault)
    with serving(server, tmp_path) as config:
        kubeconfig(config, server.url, namespace="storage")
        result = program("cordon", "a-0", "a-1", "--kubeconfig", str(config), "-o", "json")
    report = json.loads(result.out)
    found = [(row["daemonset"], row["nodes"], row["outcome"], row["assumed"]) for row in report["coverage"]]
    assert found == [("logging/agent", ["a-0", "a-1"], "kept", True), ("storage/csi", ["a-0", "a-1"], "kept", True)]
    why = "only those of namespace storage: the right to list pods is missing: `preflight rbac` prints the role"
    assert [problem["message"] for problem in report["problems"]] == [f"not all Pods are judged: {why}"]


def test_with_the_budgets_of_one_namespace_nobody_knows_what_a_drain_meets(tmp_path: Path) -> None:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        is_refused = asked.resource == "poddisruptionbudgets" and asked.namespace != "storage"
        return status(403, "forbidden") if is_refused else None

    web = make_pod("web", "shop", node="a-0", owner=make_owner("ReplicaSet", "web-1", "u"))
    server = ApiServer([*cluster(), make_budget("b", "storage"), web], fault)
    with serving(server, tmp_path) as config:
        kubeconfig(config, server.url, namespace="storage")
        result = program("drain", "a-0", "--ignore-daemonsets", "--kubeconfig", str(config))
    assert result.code == 3
    assert "nobody knows which budgets there are" in result.out


@pytest.mark.parametrize("sides", [("live", "tree"), ("tree", "live")])
def test_a_comparison_with_a_part_of_the_daemonsets_says_so(
    sides: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        is_refused = asked.resource == "daemonsets" and asked.namespace != "storage"
        return status(403, "forbidden") if is_refused or asked.resource == "pods" else None

    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "csi.json").write_text(json.dumps(cluster()[5]))
    monkeypatch.chdir(tmp_path)
    server = ApiServer(cluster(), fault)
    with serving(server, tmp_path) as config:
        kubeconfig(config, server.url, namespace="storage")
        result = program("diff", *sides, "--kubeconfig", str(config), "-o", "json")
    report = json.loads(result.out)
    only = "only those of namespace storage: the right to list daemonsets.apps is missing: `preflight rbac` prints the role"
    assert result.code == 3
    assert [(problem["kind"], problem["message"]) for problem in report["problems"]] == [
        ("DaemonSet", f"not all DaemonSets are judged: {only}"),
        ("Pod", "not all Pods are judged: the right to list pods is missing: `preflight rbac` prints the role"),
    ]
    assert report["cluster"] == {"context": "test", "server": server.url, "version": "v1.37.2"}


def test_a_server_that_dribbles_has_no_longer_than_one_that_says_nothing(tmp_path: Path) -> None:
    def dribble(listening: socket.socket) -> None:
        with contextlib.suppress(OSError), listening.accept()[0] as peer:
            peer.recv(4096)
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            for _ in range(80):
                peer.sendall(b" ")
                time.sleep(0.05)

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = threading.Thread(target=dribble, args=(listening,))
        server.start()
        config = kubeconfig(tmp_path / "config", f"http://127.0.0.1:{listening.getsockname()[1]}")
        asked = connection.ApiConnection(ClusterTarget(kubeconfig=str(config), timeout=0.5))
        began = time.monotonic()
        with pytest.raises(InputError, match=r"no answer within 0\.5 seconds"):
            asked.get("/version")
        assert time.monotonic() - began < 3
        asked.close()
        server.join()


def test_a_list_that_goes_on_at_the_same_place_is_followed_no_further(tmp_path: Path) -> None:
    again = json.dumps({"kind": "DaemonSetList", "metadata": {"continue": "x"}, "items": []}).encode()
    result, server = _run(_of("daemonsets", (200, again)), tmp_path)
    assert result.err.endswith("the list of daemonsets does not end: the server begins it again\n")
    assert len([asked for asked in server.asked if asked.resource == "daemonsets"]) == 2


def test_a_server_that_is_silent_three_times_is_asked_nothing_more(tmp_path: Path) -> None:
    objects = [*cluster(), *(node(f"c-{number}", pool="c") for number in range(40))]
    server = ApiServer(objects, lambda asked: "nothing" if "spec.nodeName=c" in asked.query.get("fieldSelector", "") else None)
    with serving(server, tmp_path) as config:
        began = time.monotonic()
        result = program(
            *("taint", "nodes", "-l", "pool=c", "x=y:PreferNoSchedule", "--kubeconfig", str(config), "--request-timeout", "1s")
        )
        assert time.monotonic() - began < 8
    assert "No pods in the input: assumed that each DaemonSet runs where it should" in " ".join(result.out.split())


def test_nobody_listens(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    result = program(*LINE, "--kubeconfig", str(kubeconfig(tmp_path / "config", f"http://127.0.0.1:{port}")))
    assert (result.code, result.err) == (3, f"error: http://127.0.0.1:{port}: cannot be reached: Connection refused\n")


def test_a_server_with_a_user_name_in_its_address_does_not_show_it(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    config = kubeconfig(tmp_path / "config", f"http://me:{TOKEN}@127.0.0.1:{port}")
    result = program(*LINE, "--kubeconfig", str(config))
    assert TOKEN not in result.err
    assert result.code == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_it_at_once_and_leaves_no_credential_behind(number: int, tmp_path: Path) -> None:
    """A server that says nothing, and a person, or a job's time limit, that has enough."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    server = ApiServer(cluster(), _of("daemonsets", "nothing"))
    with serving(server, tmp_path) as config:
        data = json.loads(config.read_text())
        data["users"][0]["user"] = {"token": TOKEN, "client-certificate-data": "Y2VydA==", "client-key-data": "a2V5"}
        config.write_text(json.dumps(data))
        words = [sys.executable, "-m", "preflight", *LINE, "--kubeconfig", str(config)]
        was = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it, and its children do too
        process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(folder)})
        signal.signal(signal.SIGINT, was)
        while not any(asked.resource == "daemonsets" for asked in server.asked):
            assert process.poll() is None
            time.sleep(0.02)
        began = time.monotonic()
        process.send_signal(number)
        _, error = process.communicate(timeout=20)
        assert time.monotonic() - began < 3
    assert (process.returncode, error) == (130, "\ninterrupted\n")  # click ends the line of the ^C
    assert list(folder.iterdir()) == []
