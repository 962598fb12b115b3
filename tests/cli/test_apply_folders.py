"""`apply -f FOLDER`: what kubectl reads of it is judged, on the command line, in plans and in scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.program import program

OFF_N1 = (
    '{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "agent", "namespace": "storage"}, "spec": {"selector": '
    '{"matchLabels": {"app": "agent"}}, "template": {"metadata": {"labels": {"app": "agent"}}, "spec": {"nodeSelector": {"pool": "cpu"}, '
    '"containers": [{"name": "agent", "image": "agent:2"}]}}}}'
)
"""The agent of the cluster, moved off the node n1."""

OTHER = "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: storage}\n"
LOST = "error[PF101] lost-now: storage/agent loses n1 now"


def put(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, encoding="utf-8")


def link(path: str, target: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).symlink_to(target)


def lay_out(place: str) -> None:
    """A folder `new` with a Service, and the moved DaemonSet somewhere in it."""
    put("new/service.yaml", OTHER)
    if place.startswith("link"):
        put("moved.yaml", OFF_N1)
        link(f"new/{place}", "../moved.yaml")
    else:
        put(f"new/{place}", OFF_N1)


@pytest.mark.parametrize("place", ["a.yaml", ".hidden.yaml", "link.yaml", ".yml"])
@pytest.mark.parametrize("path", ["new", "new/", "./new", "ne?", "new/*"])
def test_a_folder(place: str, path: str) -> None:
    lay_out(place)
    result = program("apply", "-f", path, "--from", "calm")
    assert result.code == 1
    assert LOST in result.out


@pytest.mark.parametrize("place", ["sub/a.yaml", "sub/.deep/er/a.json", ".git/a.yml"])
def test_what_is_below_counts_only_with_recursion(place: str) -> None:
    lay_out(place)
    plain = program("apply", "-f", "new", "--from", "calm")
    assert LOST not in plain.out
    for argv in (["-R", "-f", "new"], ["-Rf", "new"], ["--filename=new", "--recursive"]):
        result = program("apply", *argv, "--from", "calm")
        assert result.code == 1
        assert LOST in result.out


def test_a_deletion_of_a_folder() -> None:
    lay_out("sub/a.yaml")
    assert "storage/agent" not in program("delete", "-f", "new", "--from", "calm").out
    result = program("delete", "-R", "-f", "new", "--from", "calm")
    assert "delete new" in result.out
    assert "storage/agent" in result.out


@pytest.mark.parametrize("name", ["plan.yaml", "run.sh"])
def test_a_plan_and_a_script(name: str) -> None:
    lay_out("sub/.a.yaml")
    Path("new").rename("ops")
    dash = "- " if name.endswith(".yaml") else ""
    put(f"ops/{name}", f"{dash}kubectl apply -R -f .\n")
    if name == "plan.yaml":
        Path("ops", name).rename(name)
        put(name, "- kubectl apply -R -f ops\n")
    result = program("plan", name if name == "plan.yaml" else f"ops/{name}", "--from", "calm")
    assert (result.code, result.err) == (1, "")
    assert LOST in result.out


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("kubectl apply -Rf -", "it reads from a pipe or a here document: write that input to a file"),
        ("kubectl apply -f new/service.yaml,-", "it reads from a pipe or a here document: write that input to a file"),
        ("cat > new/more.yaml < x\nkubectl apply -f new", "the script itself creates new/more.yaml"),
        ("cat > new/more.yaml < x\nkubectl apply -f './new/*.yaml'", "the script itself creates new/more.yaml"),
        ("cp x.yaml new/\nkubectl apply -f new/service.yaml", "the script itself creates new/"),
        (
            "kubectl apply -f https://example.com/x.yaml",
            "preflight does not download files: download https://example.com/x.yaml and give the file",
        ),
        ("kubectl apply -k new", "preflight does not build kustomizations: render it first, with `kubectl kustomize new | ... -f -`"),
        ("kubectl apply -k new -R", "the -k flag can't be used with -f or -R"),
        ("kubectl apply -f /dev/zero", "/dev/zero: cannot be read: not a regular file"),
    ],
)
def test_a_line_of_a_script_that_cannot_be_judged_is_unknown(line: str, why: str) -> None:
    lay_out("a.txt")
    put("run.sh", f"{line}\n")
    result = program("plan", "run.sh", "--from", "calm")
    assert result.code == 3
    assert result.err.splitlines()[0].endswith(f": {why}")


def test_a_script_that_writes_elsewhere_is_judged() -> None:
    lay_out("a.yaml")
    put("run.sh", "echo x > /tmp/log\nsed s/a/b/ x > y\ncat > newer.yaml < x\nkubectl apply -f new\n")
    result = program("plan", "run.sh", "--from", "calm")
    assert (result.code, result.err) == (1, "")
    assert LOST in result.out


def test_standard_input() -> None:
    result = program("apply", "-f", "-", "--from", "calm", stdin=OFF_N1.encode())
    assert result.code == 1
    assert LOST in result.out


def test_lint_counts_what_it_leaves_out_of_a_folder() -> None:
    put("calm/.agent.yaml", OFF_N1)
    put("calm/.pre-commit-config.yaml", "repos: []\n")
    result = program("lint", "calm")
    assert "1 hidden file (not read, although `kubectl apply -f` reads hidden files: give its path to read it)" in result.out
