"""The hooks as people run them: a real pre-commit builds their environment from this repository and judges commits with them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.builders import write_daemonset
from tests.paths import ROOT

MANIFEST = ROOT / ".pre-commit-hooks.yaml"
HOOKS: dict[str, dict[str, Any]] = {hook["id"]: hook for hook in yaml.safe_load(MANIFEST.read_text(encoding="utf-8"))}
PACKAGED = ("preflight", "policies", ".pre-commit-hooks.yaml", "pyproject.toml", "README.md", "LICENSE")
"""What a hook's environment is built from."""

GOOD = write_daemonset("agent", "storage", "", "tolerations: [{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}]")
BAD = GOOD.replace("{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}", "{operator: Exists}")
TEMPLATE = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {{ include "agent.fullname" . }}
spec:
  template:
    spec:
      {{- with .Values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
"""
QUOTED_TEMPLATE = GOOD.replace("name: agent, n", 'name: "{{ .Release.Name }}", n')
VALUES = "tolerations:\n  - operator: Exists\nkind: DaemonSet\n"
COMPOSE = "services:\n  web:\n    image: nginx\n    deploy: {mode: global}\n"
WORKFLOW = "on: push\njobs:\n  a:\n    runs-on: x\n    steps: [{run: 'echo ${{ github.sha }}'}]\n"
TAGGED = "Resources:\n  Role: !GetAtt Other.Arn\n---\n- !include more.yaml\n"
COMMENTED = '{\n  // no JSON\n  "compilerOptions": {"strict": true,},\n}\n'
POLICY = "exemptions:\n  - rule: PF201\n    match: {name: elsewhere}\n    reason: it is about another file\n"


# What a hook takes.


@pytest.mark.parametrize(
    ("hook", "name", "takes"),
    [
        pytest.param("preflight-lint", "ds.yaml", True, id="a manifest"),
        pytest.param("preflight-lint", "deploy/a b/ds.yml", True, id="a manifest in a folder"),
        pytest.param("preflight-lint", "deploy/list.json", True, id="JSON"),
        pytest.param("preflight-lint", "a\nb.yaml", True, id="a name of two lines"),
        pytest.param("preflight-lint", "README.md", False, id="prose"),
        pytest.param("preflight-lint", "ds.yaml.bak", False, id="an ending that only looks like one"),
        pytest.param("preflight-lint", "dsyaml", False, id="no ending"),
        pytest.param("preflight-lint", "--write-baseline=x.yaml", False, id="a name that would be an option"),
        pytest.param("preflight-lint", "-o.json", False, id="a name that would be a short option"),
        pytest.param("preflight-lint", "a/-o.json", True, id="the same in a folder is none"),
        pytest.param("preflight-lint-all", "deploy/ds.yaml", True, id="a manifest starts the whole"),
        pytest.param("preflight-lint-all", ".preflight.yaml", True, id="so does the policy"),
        pytest.param("preflight-lint-all", "main.go", False, id="code does not"),
        pytest.param("preflight-policy", ".preflight.yaml", True, id="the policy"),
        pytest.param("preflight-policy", "team/.preflight.yaml", True, id="the policy of a folder"),
        pytest.param("preflight-policy", "my.preflight.yaml", False, id="a name that ends like it"),
        pytest.param("preflight-policy", "preflight.yaml", False, id="a name without its dot"),
        pytest.param("preflight-policy", ".preflight.yml", False, id="a name that preflight does not look for"),
    ],
)
def test_a_hook_takes(hook: str, name: str, takes: bool) -> None:
    """As pre-commit matches: by `re.search`."""
    assert bool(re.search(HOOKS[hook]["files"], name)) == takes


def test_no_hook_runs_beside_itself_and_no_name_becomes_an_option() -> None:
    assert list(HOOKS) == ["preflight-lint", "preflight-lint-all", "preflight-policy"]
    assert {name for name, hook in HOOKS.items() if not hook["require_serial"] or hook["language"] != "python"} == set()
    assert {name for name, hook in HOOKS.items() if hook.get("pass_filenames", True) and re.search(hook["files"], "-x.yaml")} == set()


# The real pre-commit.


def run(*command: str | Path, at: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=at, env=env, capture_output=True, text=True, check=False)


def git(*arguments: str | Path, at: Path, env: dict[str, str]) -> str:
    result = run("git", *arguments, at=at, env=env)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout.strip()


def committed(folder: Path, files: dict[str, str], env: dict[str, str]) -> Path:
    """A repository whose index has these files."""
    folder.mkdir(exist_ok=True)
    git("init", "--quiet", at=folder, env=env)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    git("add", "--all", at=folder, env=env)
    return folder


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> dict[str, str]:
    """The environment of every run: a home of pre-commit of its own, no settings of a person's git, and wheels that were fetched once."""
    folder = tmp_path_factory.mktemp("pre-commit")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT", "PYTHON", "COV_"))}
    who = {f"GIT_{role}_{what}": "a@example.com" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return {
        **kept,
        **who,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_NO_INDEX": "1",
        "PIP_NO_COMPILE": "0",  # as a variable it says whether to compile: pip keeps it so for those who rely on it
        "PRE_COMMIT_HOME": str(folder / "home"),
        "PRE_COMMIT_COLOR": "never",
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, env: dict[str, str]) -> Path:
    """This repository as a commit of its own: what people name in `repo:`."""
    folder = tmp_path_factory.mktemp("project")
    for name in PACKAGED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, folder)
    committed(folder, {}, env)
    git("commit", "--quiet", "--message", "all", at=folder, env=env)
    return folder


def commit(folder: Path, files: dict[str, str], project: Path, env: dict[str, str], *hooks: str) -> tuple[int, str]:
    """A commit of these files in a repository with the hooks; answers with git's exit code and what was said."""
    config = {
        "repos": [{"repo": str(project), "rev": git("rev-parse", "HEAD", at=project, env=env), "hooks": [{"id": hook} for hook in hooks]}]
    }
    committed(folder, {".pre-commit-config.yaml": yaml.safe_dump(config)}, env)
    git("commit", "--quiet", "--message", "config", at=folder, env=env)
    installed = run(sys.executable, "-m", "pre_commit", "install", at=folder, env=env)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    committed(folder, files, env)
    result = run("git", "commit", "--message", "more", at=folder, env=env)
    return result.returncode, result.stdout + result.stderr


def test_the_manifest_is_one(env: dict[str, str]) -> None:
    result = run(sys.executable, "-m", "pre_commit", "validate-manifest", MANIFEST, at=ROOT, env=env)
    assert (result.returncode, result.stdout) == (0, "")


@pytest.fixture(scope="module")
def tries(project: Path, env: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, subprocess.Popen[str]]]:
    """`try-repo` on a good and a bad tree. Each builds an environment, which takes a while: they run beside the other tests."""
    started = {}
    for name, text in {"good": GOOD, "bad": BAD}.items():
        others = {"chart/templates/ds.yaml": TEMPLATE, "chart/values.yaml": VALUES}
        tree = committed(tmp_path_factory.mktemp(name), {"deploy/ds.yaml": text, **others}, env)
        command = [sys.executable, "-m", "pre_commit", "try-repo", str(project), "preflight-lint", "--all-files"]
        started[name] = subprocess.Popen(command, cwd=tree, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    yield started
    for each in started.values():
        if each.poll() is None:
            each.kill()
            each.communicate()


EVERY = tuple(HOOKS)


@pytest.mark.parametrize(
    ("files", "hooks", "said"),
    [
        pytest.param({"values.yaml": VALUES}, EVERY, [], id="only values"),
        pytest.param({"templates/ds.yaml": TEMPLATE}, EVERY, [], id="only a chart's template"),
        pytest.param({"Chart.yaml": "name: a\n", "templates/ds.yaml": QUOTED_TEMPLATE}, EVERY, [], id="a template that reads as YAML"),
        pytest.param({"compose.yaml": COMPOSE}, EVERY, [], id="only compose"),
        pytest.param(
            {".github/workflows/a.yaml": WORKFLOW, "stack.yml": TAGGED, "tsconfig.json": COMMENTED}, EVERY, [], id="others' files"
        ),
        pytest.param({"--write-baseline=taken.yaml": BAD}, ["preflight-lint"], [], id="a name that would be an option"),
        pytest.param({"a.py": "", "b.md": ""}, EVERY, [], id="no manifest"),
        pytest.param({"ds.yaml": GOOD, ".preflight.yaml": POLICY}, ["preflight-lint", "preflight-policy"], [], id="a policy about others"),
        pytest.param({"ds.yaml": BAD}, EVERY, ["warning[PF201]", "ds.yaml:10:"], id="a wildcard"),
        pytest.param({"ds.json": '{"kind": "DaemonSet", "apiVersion": "apps/v1"'}, ["preflight-lint"], ["ds.json:1:"], id="a broken file"),
        pytest.param(
            {".preflight.yaml": "rules:\n  PF999: off\n"},
            ["preflight-policy"],
            [".preflight.yaml:2:"],
            id="a policy with a rule that is none",
        ),
    ],
)
@pytest.mark.usefixtures("tries")
def test_a_commit(
    files: dict[str, str], hooks: tuple[str, ...], said: list[str], project: Path, env: dict[str, str], tmp_path: Path
) -> None:
    code, output = commit(tmp_path / "tree", files, project, env, *hooks)
    assert code == (1 if said else 0), output
    assert [words for words in said if words not in output] == [], output
    assert not (tmp_path / "tree" / "taken.yaml").exists()


def test_the_whole_is_judged_when_one_file_changes(project: Path, env: dict[str, str], tmp_path: Path) -> None:
    tree = committed(tmp_path / "tree", {"old.yaml": BAD}, env)
    git("commit", "--quiet", "--message", "old", at=tree, env=env)
    code, output = commit(tree, {"new.yaml": GOOD.replace("agent", "other")}, project, env, "preflight-lint", "preflight-lint-all")
    assert code == 1
    assert re.search(r"changed manifests\)\.+Passed\n.*all manifests\)\.+Failed\n.*old\.yaml:10:", output, re.DOTALL), output


def test_try_repo_on_a_good_and_a_bad_tree(tries: dict[str, subprocess.Popen[str]]) -> None:
    said = {name: each.communicate()[0] for name, each in tries.items()}
    assert {name: each.returncode for name, each in tries.items()} == {"good": 0, "bad": 1}, said
    assert re.search(r"^preflight lint \(changed manifests\)\.+Passed$", said["good"], re.MULTILINE), said["good"]
    assert re.search(r"^deploy/ds\.yaml:10:\d+: warning\[PF201\] .*\nnot shown: 1 note", said["bad"], re.MULTILINE), said["bad"]
