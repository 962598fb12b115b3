"""Archives and folders that support cases bring: they say what the plain dump says, and hostile ones end in a clear error."""

from __future__ import annotations

import io
import json
import lzma
import os
import re
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import program
from tests.load.bundles import Files, Object, make_cluster_info_dump, make_cluster_info_text, make_must_gather, make_support_bundle
from tests.paths import ROOT

NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
FORMS: dict[str, Callable[[list[Object]], Files]] = {
    "must-gather": make_must_gather,
    "cluster-info": make_cluster_info_dump,
    "support-bundle": make_support_bundle,
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read_objects(form: str) -> list[Object]:
    """The cluster of an example, as far as a form has room for it; a snapshot has less of a Deployment than there was."""
    items: list[Object] = json.loads((ROOT / "examples/gpu-13-free/cluster.json").read_text(encoding="utf-8"))["items"]
    left_out = {
        "must-gather": {"Deployment"},
        "cluster-info": {"Deployment", "Job", "CSINode"},
        "support-bundle": {"Deployment", "CSINode"},
    }
    return [item for item in items if item["kind"] not in left_out[form]]


def ask_doctor(path: str) -> list[tuple[object, ...]]:
    """What doctor finds: rule, subject, nodes and message."""
    result = program("doctor", "--from", path, "-o", "json")
    report = json.loads(result.out)
    assert (result.code, report["problems"]) == (1, [])
    return sorted((finding["rule"], str(finding["subject"]), str(finding["nodes"]), finding["message"]) for finding in report["findings"])


def write_files(files: Files, folder: str) -> str:
    for path, text in files.items():
        file = Path(folder, path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def write_tar(path: str, members: Files | list[tarfile.TarInfo], mode: str = "w:gz") -> str:
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member, io.BytesIO(b"x" * member.size))
            else:
                data = members[member].encode()  # type: ignore[call-overload]
                info = tarfile.TarInfo(member)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))
    return path


def write_zip(path: str, files: Files, method: int = zipfile.ZIP_DEFLATED) -> str:
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize("form", FORMS)
def test_a_bundle_says_what_the_plain_dump_says(form: str) -> None:
    objects = read_objects(form)
    Path("plain.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}), encoding="utf-8")
    expected = ask_doctor("plain.json")
    assert len(expected) > 4
    files = FORMS[form](objects)
    assert ask_doctor(write_files(files, "folder")) == expected
    for mode, ending in (("w:gz", "tar.gz"), ("w:bz2", "tbz2"), ("w:xz", "tar.xz"), ("w", "tar")):
        assert ask_doctor(write_tar(f"bundle.{ending}", files, mode)) == expected
    assert ask_doctor(write_zip("bundle.zip", files)) == expected


def test_what_cluster_info_dump_prints_says_what_the_plain_dump_says() -> None:
    objects = read_objects("cluster-info")
    Path("plain.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}), encoding="utf-8")
    Path("dump.txt").write_text(make_cluster_info_text(objects), encoding="utf-8")
    assert ask_doctor("dump.txt") == ask_doctor("plain.json")


def test_the_name_decides_nothing() -> None:
    write_tar("support", {"n.yaml": NODE})
    assert program("lint", "support").out == "no findings\n\nChecked 1 object in 1 file.\n"


def test_each_pod_of_a_must_gather_is_evidence_and_no_manifest() -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a", "namespace": "x", "uid": "u"},
        "spec": {"containers": [{"name": "c", "image": "i"}], "tolerations": [{"operator": "Exists"}]},
    }
    pod |= {"status": {"phase": "Running"}}
    as_manifest = program("lint", write_files({"pods/a.yaml": json.dumps(pod)}, "manifests"), "-o", "json").out
    assert [finding["rule"] for finding in json.loads(as_manifest)["findings"]] == ["PF201"]
    gathered = program("lint", write_files(make_must_gather([pod]), "gathered"), "-o", "json").out
    assert json.loads(gathered)["findings"] == []


def test_hidden_files_links_devices_and_other_files_are_left_out() -> None:
    members = []
    for name, kind in (("l.yaml", tarfile.SYMTYPE), ("h.yaml", tarfile.LNKTYPE), ("d.yaml", tarfile.CHRTYPE), ("f.yaml", tarfile.FIFOTYPE)):
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, "/etc/passwd"
        members.append(info)
    with tarfile.open("a.tar", "w") as archive:
        for info in members:
            archive.addfile(info)
        for name in (".hidden.yaml", ".git/x.yaml", "._apple.yaml", "a.txt", "../n.yaml"):
            info = tarfile.TarInfo(name)
            info.size = len(NODE)
            archive.addfile(info, io.BytesIO(NODE.encode()))
    result = program("lint", "a.tar", "-o", "json")
    assert json.loads(result.out)["judged"]["objects"] == 1
    with zipfile.ZipFile("a.zip", "w") as zipped:
        link = zipfile.ZipInfo("l.yaml")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        zipped.writestr(link, "/etc/passwd")
        zipped.writestr("../../n.yaml", NODE)
    assert json.loads(program("lint", "a.zip", "-o", "json").out)["judged"]["objects"] == 1
    assert sorted(path.name for path in Path().iterdir()) == ["a.tar", "a.zip"]


def test_names_in_an_archive_are_inert() -> None:
    write_tar("a.tar", {"\x1b]52;c;eA==\x07::error::x/n.yaml": "kind: Node\n  broken: [\n"}, "w")
    result = program("lint", "a.tar")
    assert result.code == 3
    assert "\x1b" not in result.out + result.err


@pytest.mark.parametrize("write", [lambda text: write_tar("a", {"n.yaml": text}), lambda text: write_zip("a", {"n.yaml": text})])
def test_a_bomb_ends_soon_and_small(write: Callable[[str], str]) -> None:
    write("#" * (300 << 20))
    tracemalloc.start()
    result = program("lint", "a")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (result.code, "unpacks to more than 256 MiB" in result.out + result.err) == (3, True)
    assert peak < 320 << 20


def test_a_sparse_member_takes_no_memory() -> None:
    """GNU tar states the size of a sparse file, most of which stands nowhere."""
    info = tarfile.TarInfo("n.yaml")
    info.type, info.size = tarfile.GNUTYPE_SPARSE, 512
    header = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    header[386:398], header[398:410] = b"00000000000\0", b"00000001000\0"
    header[483:495] = b"37777777777\0"
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    Path("a.tar").write_bytes(bytes(header) + b"x" * 512 + bytes(1024))
    result = program("lint", "a.tar")
    assert result.code == 3
    assert "no Kubernetes objects in a.tar" in result.err


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def overwrite(data: bytes) -> bytes:
    return data[:600] + bytes(200) + data[800:]


@pytest.mark.parametrize("damage", [cut, overwrite])
@pytest.mark.parametrize("ending", ["tar.gz", "tar.xz", "zip", "tar"])
def test_a_damaged_archive_is_a_problem(ending: str, damage: Callable[[bytes], bytes]) -> None:
    files = {f"n{at}.yaml": NODE.replace("n1", f"n{at}") + "# " + os.urandom(300).hex() + "\n" for at in range(20)}
    modes = {"tar.gz": "w:gz", "tar.xz": "w:xz", "tar": "w"}
    path = write_zip("a.zip", files) if ending == "zip" else write_tar(f"a.{ending}", files, modes[ending])
    Path(path).write_bytes(damage(Path(path).read_bytes()))
    result = program("lint", path)
    assert result.code == 3
    assert re.search("broken archive|broken gzip|U[+]0000 is not allowed", result.out + result.err)


def test_an_extension_header_is_not_read_whole() -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 64 << 20
    with lzma.open("a.tar.xz", "wb") as file:
        file.write(info.tobuf(tarfile.PAX_FORMAT) + b" " * (64 << 20) + bytes(1024))
    tracemalloc.start()
    result = program("lint", "a.tar.xz")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.code == 3
    assert "the header of a member is too large" in result.out + result.err
    assert peak < 32 << 20


def test_an_archive_on_standard_input_says_what_to_do() -> None:
    data = Path(write_tar("a.tar.gz", {"n.yaml": NODE})).read_bytes()
    result = program("lint", "-", stdin=data)
    assert result.code == 3
    assert "is an archive, which is read only from a file" in result.out + result.err


def test_an_archive_is_never_written() -> None:
    daemonset = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "d", "namespace": "x"}}
    daemonset |= {
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": []}}}
    }
    write_tar("a.tar", {"d.yaml": json.dumps(daemonset), "n.yaml": NODE}, "w")
    before = Path("a.tar").read_bytes()
    result = program("fix", "a.tar", "--for", "taint nodes n1 a=b:NoSchedule", "--write")
    assert Path("a.tar").read_bytes() == before
    assert sorted(path.name for path in Path().iterdir()) == ["a.tar"]
    assert result.code != 4
