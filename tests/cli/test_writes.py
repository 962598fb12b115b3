"""What is written to files: whole or not at all, never through a link, with the owner, mode, names and attributes that a file has."""

from __future__ import annotations

import errno
import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from preflight.file_write import LinkError, write_file
from tests.cli.program import program

NODES = "{apiVersion: v1, kind: Node, metadata: {name: n1}}\n"
DAEMONSET = """apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: storage}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      containers: [{name: agent, image: "agent:1"}]
"""
WRITERS = (
    "lint in -o json={}",
    "lint in -o text -o sarif={}",
    "lint in --write-baseline {}",
    "snapshot --from in -o {}",
    "components in -o json={}",
    "alerts --from in -o {}",
    "capacity --request cpu=1 --from in -o json={}",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder `checkout`, with `outside` next to it."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "checkout/in").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "checkout")
    Path("in/nodes.yaml").write_text(NODES, encoding="utf-8")
    Path("in/ds.yaml").write_text(DAEMONSET, encoding="utf-8")


@pytest.mark.parametrize("command", WRITERS)
def test_no_output_follows_a_link(command: str) -> None:
    """A stranger's branch may hold any link: to a file, to a folder, to nothing yet."""
    outside = Path("../outside/kept")
    outside.write_text("kept", encoding="utf-8")
    Path("file.out").symlink_to(outside)
    Path("folder").symlink_to("../outside")
    Path("dangling.out").symlink_to("../outside/new")
    for path, link in (("file.out", "file.out"), ("folder/kept", "folder"), ("dangling.out", "dangling.out"), ("in/../folder/x", "folder")):
        result = program(*shlex.split(command.format(path)))
        assert result.code == 3, path
        assert f"error: cannot write {path}: {link} is a symbolic link: name the file or folder" in result.err
    absolute = program(*shlex.split(command.format(f"{os.getcwd()}/folder/kept")))  # noqa: PTH109
    assert absolute.code == 3
    assert outside.read_text(encoding="utf-8") == "kept"
    assert [path.name for path in Path("../outside").iterdir()] == ["kept"]


@pytest.mark.parametrize("command", WRITERS)
def test_a_full_disk_leaves_what_was_there(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out").write_text("before", encoding="utf-8")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.fsync", fail)
    result = program(*shlex.split(command.format("out")))
    assert (result.code, "error: cannot write out: No space left on device" in result.err) == (3, True)
    assert Path("out").read_text(encoding="utf-8") == "before"
    assert sorted(path.name for path in Path().iterdir()) == ["in", "out"]


def test_pipes_and_devices_are_written_as_they_are() -> None:
    assert program("lint", "in", "-o", "json=/dev/null", "-o", "text").code == 0
    assert Path("/dev/null").is_char_device()
    assert program("lint", "in", "-o", "json=/dev/full").code == 3
    reading, writing = os.pipe()
    assert program("lint", "in", "-o", f"json=/dev/fd/{writing}").code == 0
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        assert pipe.read(1) == b"{"


@pytest.mark.parametrize("outputs", [("json=out", "sarif=out"), ("json=out", "text=./out"), ("json=out", "text=in/../out", "text")])
def test_two_outputs_to_one_file_are_refused(outputs: tuple[str, ...]) -> None:
    result = program("lint", "in", *(word for output in outputs for word in ("-o", output)))
    assert result.code == 2
    assert "twice: the second output would replace the first one" in result.err
    assert not Path("out").exists()


def test_a_file_keeps_its_mode_and_its_attributes() -> None:
    path = Path("out")
    path.write_text("before", encoding="utf-8")
    path.chmod(0o640)
    has_attributes = True
    try:
        os.setxattr(path, "user.owner", b"team")
    except OSError:
        has_attributes = False
    assert write_file("out", [b"aft", b"er"]) == 5
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert not has_attributes or os.getxattr(path, "user.owner") == b"team"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_leaves_a_file_to_its_owner() -> None:
    """`sudo preflight fix --write` in somebody's checkout."""
    Path("out").write_text("before", encoding="utf-8")
    os.chown("out", 1234, 4321)
    Path("out").chmod(0o2664)
    write_file("out", [b"after"])
    status = Path("out").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (1234, 4321, 0o2664)


@pytest.mark.parametrize("text", [b"", b"a", b"longer than before" * 9000])
def test_a_file_with_two_names_keeps_both(text: bytes) -> None:
    Path("out").write_text("before", encoding="utf-8")
    Path("other").hardlink_to("out")
    write_file("out", [text])
    assert Path("other").read_bytes() == Path("out").read_bytes() == text
    assert Path("out").stat().st_nlink == 2


def test_a_file_whose_owner_cannot_be_kept_is_written_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out").write_text("before", encoding="utf-8")
    number = Path("out").stat().st_ino

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr("os.fchmod", refuse)
    write_file("out", [b"after"])
    assert (Path("out").read_bytes(), Path("out").stat().st_ino) == (b"after", number)


def test_in_place_a_full_disk_puts_back_what_was_there(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out").write_text("before", encoding="utf-8")
    Path("other").hardlink_to("out")
    real, calls = os.pwrite, iter((OSError(errno.ENOSPC, "full"),))

    def fill(descriptor: int, data: bytes, at: int) -> int:
        if at == 0 and (error := next(calls, None)):
            real(descriptor, b"aft", 0)
            raise error
        return real(descriptor, data, at)

    monkeypatch.setattr("os.pwrite", fill)
    with pytest.raises(OSError, match="full"):
        write_file("out", [b"after, and much more"])
    assert Path("other").read_bytes() == b"before"


def test_what_fails_on_the_way_leaves_nothing() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"part"
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        write_file("out", pieces())
    assert [path.name for path in Path().iterdir()] == ["in"]


def test_a_link_outside_the_working_folder_is_refused_as_a_file_and_not_as_a_folder() -> None:
    """`/tmp/report.json` may be anybody's link; `/var/run` is the system's."""
    folder = Path("../outside").resolve()
    (folder / "real").mkdir()
    (folder / "folder").symlink_to(folder / "real")
    (folder / "file").symlink_to(folder / "real/x")
    write_file(str(folder / "folder/x"), [b"x"])
    assert (folder / "real/x").read_bytes() == b"x"
    with pytest.raises(LinkError):
        write_file(str(folder / "file"), [b"y"])


def fix(*words: str) -> tuple[int, str]:
    result = program("fix", *words, "--write")
    return result.code, result.err


def plan_for(path: str) -> None:
    Path("plan.yaml").write_text(f"- apply -f {path}\n- taint nodes n1 y=rdma:NoExecute\n", encoding="utf-8")


@pytest.mark.parametrize("relative", [False, True])
def test_fix_writes_no_file_outside_that_only_a_plan_names(relative: bool) -> None:
    outside = Path("../outside/ds.yaml")
    outside.write_text(DAEMONSET, encoding="utf-8")
    named = str(outside if relative else outside.resolve())
    plan_for(named)
    code, err = fix("in/nodes.yaml", "--plan", "plan.yaml")
    assert (code, "is outside this folder, and only the plan names it" in err) == (3, True)
    assert outside.read_text(encoding="utf-8") == DAEMONSET
    fix(named, "in/nodes.yaml", "--plan", "plan.yaml")
    assert outside.read_text(encoding="utf-8") != DAEMONSET


def test_fix_writes_through_no_folder_that_is_a_link() -> None:
    outside = Path("../outside/ds.yaml")
    outside.write_text(DAEMONSET, encoding="utf-8")
    Path("linked").symlink_to("../outside")
    Path("in/ds.yaml").unlink()
    code, err = fix("linked/ds.yaml", "--from", "in/nodes.yaml", "--for", "taint nodes n1 y=rdma:NoExecute")
    assert (code, "symbolic link to a file outside this folder" in err) == (3, True)
    assert outside.read_text(encoding="utf-8") == DAEMONSET
