"""`preflight diff` of git revisions: real repositories, read by plumbing alone."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from preflight.errors import InputError
from preflight.load.git import revisions
from preflight.load.git.plumbing import RevisionError
from preflight.load.git.revisions import resolve_revision
from tests.change.diff.trees import (
    DEDICATED,
    NODES,
    Files,
    commit,
    diff,
    findings,
    git,
    headline,
    manifest,
    node,
    notes,
    report,
    repository,
    write,
)

NARROW, WIDE = manifest("agent"), manifest("agent", DEDICATED)
OTHER = manifest("other")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three commits: v1, v2 with an agent that tolerates less, v3 with its file moved."""
    folder = repository(
        tmp_path / "repo",
        {"deploy/agent.yaml": WIDE, "deploy/other.yaml": OTHER, "README.md": "x"},
        {"deploy/agent.yaml": NARROW, "deploy/other.yaml": OTHER, "README.md": "x"},
        {"apps/agent/daemonset.yaml": NARROW, "deploy/other.yaml": OTHER, "README.md": "y"},
    )
    write(tmp_path, {"nodes.yaml": NODES})
    monkeypatch.chdir(folder)
    return folder


# Nothing to report first.


@pytest.mark.usefixtures("repo")
@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param("v2", "v2", id="a revision and itself"),
        pytest.param("HEAD", "main", id="two names of one commit"),
        pytest.param("HEAD~1", "HEAD", id="a file that moved"),
        pytest.param("HEAD", ".", id="a revision and its checkout"),
        pytest.param(".", "HEAD", id="a checkout and its revision"),
        pytest.param("v2:deploy/", "HEAD~1:deploy", id="one folder of it"),
        pytest.param("v2:deploy/agent.yaml", "main:apps/agent/daemonset.yaml", id="one file of it, under another name"),
        pytest.param("v3^{tree}", "v3^{/v3}", id="a tree, and a commit by its message"),
        pytest.param("v3:./", "v3", id="a path from here"),
    ],
)
def test_nothing_is_said_of(base: str, head: str) -> None:
    result = diff(base, head, "--from", "../nodes.yaml")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("no findings\n\nChecked ")
    assert result.out.count("\n") == 3


@pytest.mark.usefixtures("repo")
def test_a_commit_that_costs_coverage() -> None:
    given = report("v1", "v2", "--from", "../nodes.yaml")
    assert (given["exit"], headline(given)) == (1, "from v1 to v2: DaemonSets 1 changed, 1 unchanged")
    assert findings(given) == ["PF101 apps/agent rdma-1"]


def test_files_of_head_are_named_as_in_the_repository_and_those_of_base_by_their_revision(repo: Path) -> None:
    given = report("v2", "v1", "--from", "../nodes.yaml")
    assert [finding["location"]["file"] for finding in given["findings"]] == ["deploy/agent.yaml"]
    commit(repo, {"deploy/other.yaml": OTHER}, "v4")
    given = report("v3", "v4", "--from", "../nodes.yaml")
    assert [(each["rule"], each["location"]["file"]) for each in given["findings"]] == [("PF101", "v3:apps/agent/daemonset.yaml")]


@pytest.mark.usefixtures("repo")
def test_a_name_that_another_file_has_keeps_its_revision() -> None:
    given = report("deploy", "v1:deploy", "--from", "../nodes.yaml")
    assert [finding["location"]["file"] for finding in given["findings"]] == ["v1:deploy/agent.yaml"]


def test_a_subfolder_reads_the_whole_revision_and_a_dot_the_folder(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo / "deploy")
    assert headline(report("v1", "v2")) == "from v1 to v2: DaemonSets 1 changed, 1 unchanged"
    assert headline(report("v1:.", "v2:./agent.yaml")) == "from v1:. to v2:./agent.yaml: DaemonSets 1 changed, 1 deleted"


def test_the_merge_base_leaves_out_what_the_others_did(repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "topic", "v2")
    commit(repo, {"deploy/agent.yaml": NARROW, "deploy/other.yaml": manifest("other", image="other:2")}, "t1")
    git(repo, "checkout", "-q", "main")
    commit(repo, {"deploy/agent.yaml": NARROW, "deploy/other.yaml": OTHER, "deploy/new.yaml": manifest("new")}, "v4")
    assert headline(report("main", "topic")) == "from main to topic: DaemonSets 1 changed, 1 deleted, 1 unchanged"
    assert headline(report("--merge-base", "main", "topic")) == "from main to topic: DaemonSets 1 changed, 1 unchanged"
    assert (
        headline(report("--merge-base", "main:deploy", "topic:deploy"))
        == "from main:deploy to topic:deploy: DaemonSets 1 changed, 1 unchanged"
    )
    git(repo, "checkout", "-q", "--orphan", "alone")
    git(repo, "commit", "-q", "--allow-empty", "-m", "alone")
    assert "main and alone have no commit in common" in diff("--merge-base", "main", "alone").err


# Which is which.


def test_a_revision_wins_over_a_path_and_says_so(repo: Path) -> None:
    git(repo, "branch", "deploy", "v1")
    given = report("deploy", "v2")
    assert headline(given) == "from deploy to v2: DaemonSets 1 changed, 1 unchanged"
    assert notes(given)[0] == "deploy is read as a git revision: use ./deploy for the file or folder of that name"
    assert headline(report("./deploy", "v1:deploy")) == "from ./deploy to v1:deploy: DaemonSets 1 new, 1 unchanged"


@pytest.mark.usefixtures("repo")
def test_a_path_that_is_no_revision_is_read() -> None:
    assert headline(report("v1:deploy", "deploy")) == "from v1:deploy to deploy: DaemonSets 1 deleted, 1 unchanged"


WRONG = {
    "a revision that is not there": (
        "nope",
        "nope: no such file or folder, and not a git revision: the repository has no revision nope",
    ),
    "a path that is not there": ("./nope", "./nope: no such file or folder"),
    "a path that the revision lacks": (
        "main:nope",
        "main:nope: no such file or folder, and not a git revision: main has no nope",
    ),
    "a path out of the repository": ("main:../../x", "../../x is not in the repository"),
    "an option of git": ("--upload-pack=touch pwned", "not a git revision: the repository has no revision --upload-pack=touch pwned"),
    "a short option": ("-x", "not a git revision: the repository has no revision -x"),
    "an option that writes": ("--output=pwned", "not a git revision: the repository has no revision --output=pwned"),
    "a newline that would ask twice": ("nope\nmain", "the name of a revision has no control characters"),
    "a path with a newline": ("main:a\nb", "the name of a revision has no control characters"),
    "a path that git would take for a pattern": ("main::(top)deploy", "main has no :(top)deploy"),
    "an empty text": ("", "a revision needs a name before the colon"),
    "the index": (":deploy", "a revision needs a name before the colon"),
    "a range": ("v1..v2", "the repository has no revision v1..v2"),
    "the live cluster": ("live", "no kubeconfig found"),
}


@pytest.mark.parametrize(("text", "says"), WRONG.values(), ids=WRONG)
def test_is_refused(repo: Path, text: str, says: str) -> None:
    for sides in ([text, "main"], ["main", text]):
        result = diff("--", *sides)
        assert (result.code, result.out) == (3, "")
        assert says in result.err
        assert "Traceback" not in result.err
    assert not list(repo.glob("pwned*"))


def test_without_a_repository_only_paths_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path, {"a/x.yaml": WIDE, "b/x.yaml": WIDE}))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert diff("a", "b").code == 0
    result = diff("main", "b")
    assert result.code == 3
    assert "main: no such file or folder, and not a git revision: not a git repository" in result.err


def test_without_git_only_paths_are_read(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo))
    assert diff("deploy", "deploy").code == 0
    assert "not a git revision: git is not installed" in diff("main", "deploy").err


# What a tree may hold.


def test_links_submodules_hidden_files_and_other_files_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = repository(tmp_path / "inner", {"agent.yaml": WIDE})
    outside = write(tmp_path, {"outside.yaml": WIDE}) / "outside.yaml"
    folder = repository(tmp_path / "repo", {"a.yaml": OTHER, ".hidden/x.yaml": WIDE, ".x.yaml": WIDE, "x.txt": WIDE, "dir.yaml/notes": "x"})
    (folder / "link.yaml").symlink_to(outside)
    (folder / "linked").symlink_to(tmp_path)
    git(folder, "submodule", "--quiet", "add", str(inner), "sub")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "more")
    monkeypatch.chdir(folder)
    assert [entry.path for entry in revisions.list_revision_files(resolve_revision("main")).entries] == ["a.yaml"]
    given = report("v1", "main")
    assert (given["exit"], headline(given)) == (0, "")
    assert {(check["what"], check["why"]) for check in given["skipped"]} == {
        ("2 symbolic links", "not followed: give its path to read it"),
        ("1 submodule", "not read: give its own repository as a folder"),
        ("1 hidden file", "not read, although `kubectl apply -f` reads hidden files: give its path to read it"),
    }
    assert "main:link.yaml: is a symbolic link: give its target" in diff("v1", "main:link.yaml").err
    assert "main:sub: is a submodule: give its own repository as a folder" in diff("v1", "main:sub").err
    assert "main has no linked/outside.yaml" in diff("main", "main:linked/outside.yaml").err


def test_no_filter_hook_or_configured_command_runs(repo: Path) -> None:
    planted = repo / "pwned"
    touch = f"touch '{planted}'; cat"
    for key in (
        "core.fsmonitor",
        "core.pager",
        "filter.evil.smudge",
        "filter.evil.clean",
        "diff.evil.textconv",
        "core.sshCommand",
        "pager.ls-tree",
    ):
        git(repo, "config", key, touch)
    git(repo, "config", "alias.cat-file", f"!{touch}")
    hooks = write(repo / ".git" / "hooks", {"post-checkout": f"#!/bin/sh\n{touch}\n", "post-index-change": f"#!/bin/sh\n{touch}\n"})
    for hook in hooks.iterdir():
        hook.chmod(0o755)
    subprocess.run(["git", "-c", "core.fsmonitor=false", "tag", "kept"], cwd=repo, check=True)
    write(repo, {".gitattributes": "*.yaml filter=evil diff=evil\n"})
    assert not planted.exists()
    assert findings(report("v1", "v2", "--from", "../nodes.yaml")) == ["PF101 apps/agent rdma-1"]
    assert not planted.exists()


def test_contents_are_the_bytes_that_were_committed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dos = WIDE.replace("\n", "\r\n")
    folder = repository(tmp_path / "repo", {"a.yaml": WIDE}, {"a.yaml": dos, ".gitattributes": "* -text\n"})
    monkeypatch.chdir(folder)
    assert list(revisions.iter_blob_contents(entry.blob for entry in revisions.list_revision_files(resolve_revision("v2")).entries)) == [
        dos.encode()
    ]
    result = diff("v1", "v2")
    assert (result.code, result.out.startswith("no findings\n")) == (0, True)


@pytest.mark.parametrize(
    "name",
    [
        "with space.yaml",
        "ünïcode.yaml",
        "new\nline.yaml",
        "-x.yaml",
        "--upload-pack=x.yaml",
        ":(glob)*.yaml",
        'tab\tquote".yaml',
        "a:b.yaml",
        b"\xff.yaml",
    ],
)
def test_a_file_is_read_whatever_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | bytes) -> None:
    text = name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name
    folder = repository(tmp_path / "repo", {f"d/{text}": WIDE}, {f"d/{text}": NARROW})
    monkeypatch.chdir(folder)
    result = diff("v1", "v2", "--from", str(write(tmp_path, {"n.yaml": NODES}) / "n.yaml"))
    assert result.code == 1
    assert "loses rdma-1 now" in result.out
    assert "\nline" not in result.out


@pytest.mark.usefixtures("repo")
def test_what_is_too_large_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(revisions, "MAX_FILE", 100)
    given = report("v1", "v2", "--allow-empty")
    assert given["problems"] == []  # BASE has these problems too
    assert {check["why"] for check in given["skipped"]} == {"could not be read in v1 either"}
    monkeypatch.setattr(revisions, "MAX_FILE", 1 << 20)
    monkeypatch.setattr(revisions, "MAX_TREE", 300)
    with pytest.raises(InputError, match="give a folder, as REV:FOLDER"):
        list(revisions.iter_blob_contents(entry.blob for entry in revisions.list_revision_files(resolve_revision("v1")).entries * 9))


def test_a_chart_is_named_and_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chart = {"charts/x/Chart.yaml": "name: x\n", "charts/x/templates/ds.yaml": "{{ if .Values.a }}\n" + WIDE}
    monkeypatch.chdir(repository(tmp_path / "repo", {**chart, "a.yaml": OTHER}))
    why = "unrendered chart template: render it first: helm template charts/x | preflight lint - (other commands: --from -)"
    assert {"what": "1 file of the chart charts/x", "why": why} in report("v1", "main")["skipped"]
    given = report("v1:charts/x/templates", "main", "--allow-empty")
    assert any(check["what"].endswith("of the chart charts/x") for check in given["skipped"])
    assert "render it first" in diff("v1", "main:charts/x/templates/ds.yaml").err


@pytest.mark.usefixtures("repo")
@pytest.mark.parametrize(
    ("text", "name", "path"),
    [
        ("main", "main", ""),
        ("main:", "main", ""),
        ("main:.", "main", ""),
        ("main:deploy/", "main", "deploy"),
        ("main:./deploy//other.yaml", "main", "deploy/other.yaml"),
        ("HEAD@{0}:deploy", "HEAD@{0}", "deploy"),
        ("main^{/v3}:deploy", "main^{/v3}", "deploy"),
    ],
)
def test_a_revision_is_parted_from_its_path(text: str, name: str, path: str) -> None:
    found = resolve_revision(text)
    assert (found.text, found.display_name, found.path) == (text, name, path)


@pytest.mark.usefixtures("repo")
def test_an_ambiguous_or_missing_revision_has_its_reason() -> None:
    with pytest.raises(RevisionError, match="a shallow clone has few"):
        resolve_revision("origin/main")


# Speed.

MANY = 2000


def test_two_thousand_files_are_compared_in_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    tree: Files = {f"apps/{number % 50}/ds-{number}.yaml": manifest(f"ds-{number}", DEDICATED) for number in range(MANY)}
    folder = repository(tmp_path / "repo", tree, {**tree, "apps/7/ds-7.yaml": manifest("ds-7")})
    write(tmp_path, {"nodes.yaml": "---\n".join(node(f"n{number}") for number in range(20)) + "---\n" + NODES})
    monkeypatch.chdir(folder)
    start = time.perf_counter()
    given = report("v1", "v2", "--from", "../nodes.yaml")
    took = time.perf_counter() - start
    record_property("seconds", took)
    assert headline(given) == f"from v1 to v2: DaemonSets 1 changed, {MANY - 1} unchanged"
    assert findings(given) == ["PF101 apps/ds-7 rdma-1"]
    assert took < 30
