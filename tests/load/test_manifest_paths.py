"""Which files `-f PATH` means to kubectl, and what of them is read; the tables were recorded from `kubectl label --local -f PATH`."""

from __future__ import annotations

import io
import json
import os
import threading
from pathlib import Path

import pytest

from preflight.errors import InputError
from preflight.kubectl.commands import FolderDepth
from preflight.load import command_input, load_world, read_objects, read_patch, read_plan
from preflight.load.manifest_paths import find_manifests
from preflight.model.core import Node
from tests.load.plain_objects import node, skipped, write


@pytest.fixture
def tree(folder: Path) -> Path:
    """Folders with hidden files, links to files and folders, and files of other names."""
    write(folder, d__b_yaml=node("b"), d__sub__c_yaml=node("c"), d__sub_a_yaml=node("sub-a"), d__readme_md="", other__x_yml=node("x"))
    (folder / "d" / ".hidden.yaml").write_text(json.dumps(node("hidden")))
    (folder / "d" / "link.yaml").symlink_to("../other/x.yml")
    (folder / "d" / "named-otherwise").symlink_to("../other/x.yml")
    (folder / "d" / "linked-folder").symlink_to("../other")
    (folder / "d" / ".git").mkdir()
    (folder / "d" / ".git" / "g.json").write_text(json.dumps(node("g")))
    (folder / "to-d").symlink_to("d")
    return folder


def files(path: str, depth: FolderDepth = FolderDepth.TOP, base: str = "") -> list[str]:
    return [source.file for source in find_manifests(path, base, depth)]


def test_a_folder_gives_hidden_files_and_linked_ones(tree: Path) -> None:
    assert files("d") == ["d/.hidden.yaml", "d/b.yaml", "d/link.yaml", "d/sub_a.yaml"]
    assert files(f"{tree}/d/") == [f"{tree}/d/{name}" for name in (".hidden.yaml", "b.yaml", "link.yaml", "sub_a.yaml")]
    assert [value.name for value in read_objects("d").given_objects if isinstance(value, Node)] == ["hidden", "b", "x", "sub-a"]


def test_recursion_goes_into_hidden_folders_and_through_no_link_to_one(tree: Path) -> None:
    below = ["d/.git/g.json", "d/.hidden.yaml", "d/b.yaml", "d/link.yaml", "d/sub/c.yaml", "d/sub_a.yaml"]
    assert files("d", FolderDepth.ALL) == below
    assert files(".", FolderDepth.ALL) == [*below, "other/x.yml"]
    assert tree.exists()


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("d/*.yaml", ["d/.hidden.yaml", "d/b.yaml", "d/link.yaml", "d/sub_a.yaml"]),
        ("d/[!b].yaml", ["d/b.yaml"]),
        ("d/[^b]*.yaml", ["d/.hidden.yaml", "d/link.yaml", "d/sub_a.yaml"]),
        ("*/?.y*ml", ["d/b.yaml", "other/x.yml", "to-d/b.yaml"]),
        ("d/[a-c].yaml", ["d/b.yaml"]),
        ("d/\\b.yaml", ["d/b.yaml"]),
        ("d/r*", ["d/readme.md"]),
        ("oth*", ["other/x.yml"]),
        ("to-d/", ["to-d/.hidden.yaml", "to-d/b.yaml", "to-d/link.yaml", "to-d/sub_a.yaml"]),
        ("d/named-otherwise", ["d/named-otherwise"]),
        ("to-d/link.yaml", ["to-d/link.yaml"]),
    ],
)
def test_patterns_and_links_that_are_named(tree: Path, path: str, wanted: list[str]) -> None:
    assert files(path) == wanted
    assert tree.exists()


def test_a_pattern_starts_from_the_plan_that_names_it(folder: Path) -> None:
    write(folder, **{"p[1]__a_yaml": node("a"), "p[1]__b_json": node("b")})
    assert files("*.yaml", base="p[1]/plan.yaml") == ["p[1]/a.yaml"]
    assert files("p[1]/a.yaml") == ["p[1]/a.yaml"]


def test_a_file_whose_name_is_a_pattern_is_that_file(folder: Path) -> None:
    write(folder, **{"*_yaml": node("star"), "a_yaml": node("a")})
    assert files("*.yaml") == ["*.yaml"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("to-d", "to-d: cannot be read: a link to a folder, which kubectl reads only with a trailing slash"),
        ("d/[", 'pattern "d/[" is not valid: syntax error in pattern'),
        ("d/[]a]", 'pattern "d/[]a]" is not valid: syntax error in pattern'),
        ("d/*/x\\", 'pattern "d/*/x\\" is not valid: syntax error in pattern'),
        ("d/[a-]", 'pattern "d/[a-]" is not valid: syntax error in pattern'),
        ("d/*.json", "d/*.json: cannot be read: no such file or directory"),
        ("d/[c-a].yaml", "d/[c-a].yaml: cannot be read: no such file or directory"),
        ("d/b.yaml/x", "d/b.yaml/x: cannot be read: not a directory"),
        ("empty", "empty: no .yaml, .yml or .json file in it"),
        ("d/gone.yaml", "d/gone.yaml: cannot be read: no such file or directory"),
    ],
)
def test_what_kubectl_refuses(tree: Path, path: str, message: str) -> None:
    (tree / "empty" / "below.yaml").mkdir(parents=True)
    with pytest.raises(InputError) as raised:
        find_manifests(path)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("../other", "is a directory"),
        ("nowhere", "no such file or directory"),
        ("loop.yaml", "too many levels of symbolic links"),
        ("/dev/zero", "not a regular file"),
        ("pipe", "not a regular file"),
    ],
)
def test_a_link_in_a_folder_that_cannot_be_read_is_named(tree: Path, target: str, reason: str) -> None:
    os.mkfifo(tree / "d" / "pipe")
    (tree / "d" / "loop.yaml").symlink_to(target)
    with pytest.raises(InputError) as raised:
        read_objects("d")
    assert str(raised.value) == f"d/loop.yaml: cannot be read: {reason}"


def test_a_pipe_in_a_folder_is_never_opened(folder: Path) -> None:
    write(folder, d__b_yaml=node("b"))
    os.mkfifo(folder / "d" / "z.yaml")
    with pytest.raises(InputError, match=r"^d/z\.yaml: cannot be read: not a regular file$"):
        read_objects("d")


def test_a_pipe_is_read_where_the_command_line_names_it_and_only_once(folder: Path) -> None:
    os.mkfifo(folder / "p")
    writer = threading.Thread(target=(folder / "p").write_text, args=(json.dumps(node("n")),))
    writer.start()
    seen: dict[str, bytes] = {}
    first = read_objects("p", earlier=seen).given_objects
    assert read_objects("p", earlier=seen).given_objects == first
    assert [value.name for value in first if isinstance(value, Node)] == ["n"]
    writer.join()
    with pytest.raises(InputError, match=r"^p: cannot be read: not a regular file$"):
        read_objects("p", "plan.yaml")


def test_standard_input_is_read_once(folder: Path) -> None:
    seen: dict[str, bytes] = {}
    stdin = io.BytesIO(json.dumps(node("n")).encode())
    assert read_objects("-", stdin=stdin, earlier=seen).given_objects == read_objects("-", stdin=stdin, earlier=seen).given_objects
    assert folder.exists()


@pytest.mark.parametrize("base", ["", "plan.yaml"])
@pytest.mark.parametrize("path", ["/dev/zero", "/dev/urandom", "/dev/null"])
def test_a_device_is_never_read(path: str, base: str) -> None:
    with pytest.raises(InputError, match=f"^{path}: cannot be read: not a regular file$"):
        read_objects(path, base)
    with pytest.raises(InputError, match=f"^{path}: cannot be read: not a regular file$"):
        read_patch(path, base)
    with pytest.raises(InputError, match=f"^{path}: cannot be read: not a regular file$"):
        read_plan(path)


def test_what_is_larger_than_a_manifest_is_not_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_input, "MAX_COMMAND_FILE", 1 << 20)
    write(folder, a_yaml=" " * (1 << 20), b_yaml=" " * ((1 << 20) + 1))
    assert read_objects("a.yaml").given_objects == ()
    for path, stdin in (("b.yaml", None), ("-", io.BytesIO(b" " * (2 << 20)))):
        with pytest.raises(InputError, match=f"^{path}: not read: larger than 1 MiB, which is too large for a manifest$"):
            read_objects(path, stdin=stdin)


def test_what_a_folder_that_is_judged_leaves_out_is_counted(tree: Path) -> None:
    (tree / "d" / ".gitlab-ci.yaml").write_text("stages: [build]\n")
    assert skipped(load_world(["d"], one_cluster=True)) == [
        "3 symbolic links: not followed: give its path to read it",
        "1 hidden file: not read, although `kubectl apply -f` reads hidden files: give its path to read it",
    ]
