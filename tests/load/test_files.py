"""Which files a path means, and what happens where one cannot be read."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path

import pytest

from preflight.errors import InputError
from preflight.load import files, load_world
from tests.builders import make_list
from tests.load.plain_objects import node, problems, skipped, write


def names(*paths: str) -> list[str]:
    return [source.file for source in files.find_files(paths).sources]


def test_a_folder_gives_its_manifests_and_those_below(folder: Path) -> None:
    write(folder, b_yaml="", a__c_yml="", a__b_json="", a__d_jsonl="", a__e__f_ndjson="", readme_md="", a__x_txt="")
    (folder / "z.yaml.gz").write_bytes(b"")
    want = ["a/b.json", "a/c.yml", "a/d.jsonl", "a/e/f.ndjson", "b.yaml", "z.yaml.gz"]
    assert names(".") == want
    assert names("./") == [f"./{name}" for name in want]
    assert names(str(folder)) == [f"{folder}/{name}" for name in want]


def test_hidden_things_and_links_are_left_alone(folder: Path) -> None:
    write(folder, a_yaml="", sub__b_yaml="")
    (folder / ".git").mkdir()
    (folder / ".git" / "c.yaml").write_text("")
    (folder / ".d.yaml").write_text("")
    (folder / "link.yaml").symlink_to("a.yaml")
    (folder / "up").symlink_to("..")
    os.mkfifo(folder / "pipe.yaml")
    assert names(".") == ["a.yaml", "sub/b.yaml"]
    assert skipped(load_world(["."], one_cluster=True)) == ["2 symbolic links: not followed: give its path to read it"]


def test_what_is_named_is_read_whatever_it_is(folder: Path) -> None:
    write(folder, readme_md=node(), sub__c_yaml=node("n2"))
    (folder / "link").symlink_to("readme.md")
    (folder / "folder").symlink_to("sub")
    assert list(load_world(["link", "folder"], one_cluster=True).world.nodes) == ["n1", "n2"]


def test_a_file_that_is_meant_twice_is_read_once(folder: Path) -> None:
    write(folder, a__b_yaml=node())
    assert names("a/b.yaml", "a", ".", "./a/b.yaml", "a/b.yaml") == ["./a/b.yaml"]


def test_the_order_of_the_paths_changes_nothing(folder: Path) -> None:
    write(folder, a_yaml=node("n2"), b_yaml=node("n1"), c__d_yaml=node("n1", unschedulable=True))
    one = load_world(["c", "b.yaml", "a.yaml"], one_cluster=True)
    other = load_world(["a.yaml", "b.yaml", "c", "a.yaml"], one_cluster=True)
    assert one == other


def test_a_named_path_that_cannot_be_read_stops_all_reading(folder: Path) -> None:
    write(folder, a_yaml=node(), b_gz=gzip.compress(b"kind: Node")[:-9], c_gz=b"\x1f\x8b\x08nonsense")
    for path, why in {
        "missing.yaml": "no such file or directory",
        "missing/": "no such directory",
        "a\0b": "embedded null byte",
        "b.gz": "broken gzip data: the file is cut off: copy or save it again",
        "c.gz": "broken gzip data: the file is ",
        "a.yaml/x": "not a directory",
    }.items():
        with pytest.raises(InputError) as error:
            load_world(["a.yaml", path], one_cluster=True)
        assert str(error.value).startswith(f"cannot read {path}: {why}")


def test_what_a_folder_has_that_cannot_be_read_is_a_problem_and_the_rest_is_judged(folder: Path) -> None:
    write(folder, a_yaml=node())
    (folder / "b.yaml.gz").write_bytes(gzip.compress(b"kind: Node")[:-9])
    result = load_world(["."], one_cluster=True)
    assert list(result.world.nodes) == ["n1"]
    assert "b.yaml.gz:0:0: cannot be read: broken gzip data: the file is cut off: copy or save it again" in problems(result)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_may_not_be_read(folder: Path) -> None:
    write(folder, a_yaml=node(), b__c_yaml=node("n2"))
    (folder / "b").chmod(0)
    assert problems(load_world(["."], one_cluster=True)) == ["b:0:0: cannot be read: permission denied"]


def test_standard_input(folder: Path) -> None:
    write(folder, a_yaml=node("n2"))
    text = json.dumps(make_list(node())).encode()
    for given in (text, gzip.compress(text), b"\xef\xbb\xbf" + text):
        result = load_world(["-", "a.yaml"], stdin=io.BytesIO(given), one_cluster=True)
        assert [(value.name, value.origin.file) for value in result.world.nodes.values()] == [("n1", "-"), ("n2", "a.yaml")]
        assert result.files == 2


def test_a_pipe_that_is_named() -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, json.dumps(node()).encode())
    os.close(write_end)
    try:
        assert list(load_world([f"/dev/fd/{read_end}"], one_cluster=True).world.nodes) == ["n1"]
    finally:
        os.close(read_end)


def test_text_that_is_not_utf8_is_a_problem_and_still_read(folder: Path) -> None:
    write(folder, a_yaml=b"# caf\xe9\nkind: Node\napiVersion: v1\nmetadata: {name: n1}\n", b_yaml="kind: Node".encode("utf-16"))
    (folder / "c.yaml.gz").write_bytes(gzip.compress("kind: Node".encode("utf-16")))
    result = load_world(["."], one_cluster=True)
    assert problems(result) == [
        "a.yaml:1:6: not UTF-8: byte 0xe9",
        "b.yaml:1:1: UTF-16: save it as UTF-8",
        "c.yaml.gz:1:1: UTF-16: save it as UTF-8",
    ]
    assert list(result.world.nodes) == ["n1"]


def test_a_file_that_unpacks_without_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_ALWAYS_UNPACKED", 1 << 20)
    write(folder, a_gz=gzip.compress(b"\0" * (3 << 20)))
    assert problems(load_world(["a.gz"], one_cluster=True)) == [
        "a.gz:0:0: a.gz: unpacks to more than 1 MiB: if that is intended, unpack it first"
    ]


def test_a_name_that_is_not_utf8_is_shown_all_the_same(folder: Path) -> None:
    (folder / os.fsdecode(b"\xff.yaml")).write_text(json.dumps(node()))
    (value,) = load_world(["."], one_cluster=True).world.nodes.values()
    assert value.origin.file == "\ufffd.yaml"


def test_a_large_file_is_mapped(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAPPED_FROM", 1)
    write(
        folder,
        a_json=make_list(node()),
        b_yaml="kind: Node\napiVersion: v1\nmetadata: {name: n2}\n",
        c_yaml="# caf\xe9\n",
        d_gz=gzip.compress(b"x: 1"),
    )
    result = load_world(["."], one_cluster=True)
    assert list(result.world.nodes) == ["n1", "n2"]
    assert problems(load_world(["d.gz"], one_cluster=True)) == []
