"""`preflight components`, as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import write_daemonset
from tests.cli.program import program

DEVICE_PLUGIN = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: quantum, namespace: lab}
spec:
  selector: {matchLabels: {app: quantum}}
  template:
    metadata: {labels: {app: quantum}}
    spec:
      containers:
        - name: c
          image: registry.example/quantum:1
          args: ["--token=hunter2"]
          volumeMounts: [{name: dp, mountPath: /dp}]
      volumes:
        - name: dp
          hostPath: {path: /var/lib/kubelet/device-plugins}
"""
SHOP = write_daemonset("shop")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quantum.yaml").write_text(DEVICE_PLUGIN, encoding="utf-8")
    (tmp_path / "shop.yaml").write_text(SHOP, encoding="utf-8")
    return tmp_path


def test_the_folder_of_now_is_listed_worst_first() -> None:
    result = program("components")
    assert result.out == (
        "DAEMONSET    IS             PROVIDES           BECAUSE\n"
        "lab/quantum  device-plugin  unknown resources  writes /var/lib/kubelet/device-plugins: quantum.yaml:16\n"
        "-/shop       -                                 not recognized: shop.yaml:1\n"
        "\n"
        "2 DaemonSets, 1 not recognized.\n"
    )
    assert (result.code, result.err) == (0, "")


def test_from_adds_to_what_is_listed_and_standard_input_is_read() -> None:
    named = program("components", "quantum.yaml", "--from", "shop.yaml")
    assert named.out == program("components").out
    piped = program("components", "--from", "-", stdin=SHOP.encode())
    assert "not recognized: -:1" in piped.out


def test_json_holds_every_piece_of_evidence_with_its_place() -> None:
    document = json.loads(program("components", "-o", "json").out)
    assert document["version"] == 1
    quantum, shop = document["daemonsets"]
    assert shop["components"] == []
    (component,) = quantum["components"]
    assert component["kind"] == "device-plugin"
    assert component["critical"] is True
    path = "spec.template.spec.volumes[0].hostPath.path"
    place = {"file": "quantum.yaml", "line": 16, "path": path}
    assert component["evidence"] == [{"words": "writes /var/lib/kubelet/device-plugins", "location": place}]


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_value_of_an_argument_is_printed(form: str) -> None:
    assert "hunter2" not in program("components", "-o", form).out


def test_a_file_takes_the_output(folder: Path) -> None:
    result = program("components", "-o", "json=out.json")
    assert (result.code, result.out) == (0, "")
    assert json.loads((folder / "out.json").read_text(encoding="utf-8"))["version"] == 1


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        pytest.param(["-o", "yaml"], 2, 'unknown output format "yaml": must be text or json', id="another format"),
        pytest.param(["nowhere"], 3, "nowhere", id="a path that is not there"),
        pytest.param(["-o", "text=no/such/folder"], 3, "cannot write no/such/folder", id="a file that cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said(argv: list[str], code: int, says: str) -> None:
    result = program("components", *argv)
    assert result.code == code
    assert says in result.err


def test_no_daemonset_is_a_fault_unless_it_may_be(folder: Path) -> None:
    (folder / "empty").mkdir()
    assert program("components", "empty").code == 3
    allowed = program("components", "empty", "--allow-empty")
    assert (allowed.code, allowed.out) == (0, "0 DaemonSets, 0 not recognized.\n")


def test_names_that_a_terminal_would_obey_are_made_plain(folder: Path) -> None:
    (folder / "shop.yaml").write_text(SHOP.replace("name: shop}", 'name: "a\\e[31m"}'), encoding="utf-8")
    assert "\x1b" not in program("components", "shop.yaml").out


def test_what_a_policy_states_goes_before_what_is_recognised(folder: Path) -> None:
    (folder / ".preflight.yaml").write_text(
        "components: [{image: shop, kinds: [log-agent]}, {match: {name: quantum}, kinds: []}]\n", "utf-8"
    )
    result = program("components")
    assert result.out == (
        "DAEMONSET    IS         PROVIDES  BECAUSE\n"
        "-/shop       log-agent            stated by .preflight.yaml:1: shop.yaml:1\n"
        "lab/quantum  -                    not recognized: quantum.yaml:1\n"
        "\n"
        "2 DaemonSets, 1 not recognized.\n"
    )
    assert "device-plugin" in program("components", "--no-policy").out
    assert "device-plugin" in program("components", "--policy", "strict").out
