"""What must hold of the repository as a whole, whatever the program does."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import preflight
from tests.builders import write_daemonset
from tests.paths import ROOT

PROGRAM = ROOT / "preflight"


# No file speaks of the machine that it was written on, or of where its packages came from.

MACHINE = re.compile(
    r"(?<![\w.~-])/(work|root|opt/wheels|(home|Users)/(?!kubernetes/)\w+)/"  # somebody's folders (some nodes do have a home of that name)
    r"|://[\w.-]*(pypi|pythonhosted|npmjs|crates|maven|debian)\b"  # a package registry
    r"|(?<!no-emit-)\b(index-url|find-links|trusted-host)\b[\s=]"  # where pip looks
)


def repository_files() -> Iterator[Path]:
    """The files that git tracks, or would if they were added."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    for name in sorted(set(listed.stdout.split("\0")) - {""}):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            yield path


def machine_words(text: str) -> list[str]:
    return [match.group() for match in MACHINE.finditer(text)]


def test_no_file_names_a_machine_or_a_registry() -> None:
    found = {}
    for path in repository_files():
        content = path.read_bytes()
        if b"\0" not in content and (words := machine_words(content.decode("utf-8", "replace"))):
            found[str(path.relative_to(ROOT))] = words
    assert found == {}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("hostPath: {path: |opt|cni|bin|}, {path: |home|kubernetes|bin|}", [], id="a path on a node is none"),
        pytest.param("see docs|work| and home|", [], id="a path inside the repository is none"),
        pytest.param("pip-compile --no-emit-index~url --output-file", [], id="asking for no index is none"),
        pytest.param("read |work|plan.yaml", ["|work|"], id="a work folder"),
        pytest.param("'|home|ann|x'", ["|home|ann|"], id="a home folder"),
        pytest.param("https:||files.pythonhosted.example|x", [":||files.pythonhosted"], id="a registry"),
        pytest.param("--index~url mirror", ["index~url "], id="an index"),
    ],
)
def test_a_machine_or_a_registry_is_noticed(text: str, words: list[str]) -> None:
    """This file must pass too, so `|` stands for a slash here, and `~` for a hyphen."""
    as_written = str.maketrans("|~", "/-")
    assert machine_words(text.translate(as_written)) == [word.translate(as_written) for word in words]


def test_every_pinned_requirement_has_hashes_and_no_url() -> None:
    for name in ("requirements.txt", "requirements-live.txt", "requirements-dev.txt", "requirements-docs.txt"):
        text = (ROOT / name).read_text(encoding="utf-8")
        lines = [line for line in text.replace("\\\n", "").splitlines() if line and not line.lstrip().startswith("#")]
        assert [line for line in lines if not re.match(r"[\w.-]+==\S+( ; [^#]+)?\s+--hash=sha256:[0-9a-f]{64}", line)] == []
        assert "://" not in text


# Only these modules of the program may write a file.

WRITERS = {
    "file_write.py": "files of the user: whole or not at all, and never through a link",
    "cli/complete/background.py": "a cache of its own",
    "load/live/access/tls.py": "a private key for the TLS library, in a file that nobody else may read",
    "load/live/access/credential_plugin.py": "nothing: it looks for a program (shutil.which)",
    "load/live/access/plugin_policy.py": "nothing: it looks for a program (shutil.which)",
    "cli/streams.py": "streams that were closed, on the null device",
    "cli/main.py": "the null device, for a reader that has enough",
}
WRITING_MODE = re.compile(r"[rbt]*[wax+][rwaxbt+]*")
WRITING_MODULES = {"shutil", "tempfile"}
WRITING_METHODS = {"write_text", "write_bytes", "touch", "mkdir", "makedirs", "unlink", "rmdir", "symlink_to", "hardlink_to", "symlink"}
WRITING_OS_FUNCTIONS = {"open", "fdopen", "write", "remove", "rename", "replace", "link", "truncate", "chmod", "mknod", "mkfifo"}


def writes(tree: ast.AST) -> list[str]:
    """What in this code writes, or may write, a file."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found += [name.name for name in names if name.name.partition(".")[0] in WRITING_MODULES]
            case ast.ImportFrom(module=str(module)) if module.partition(".")[0] in WRITING_MODULES:
                found.append(module)
            case ast.ImportFrom(module="os", names=names):
                found += [f"os.{name.name}" for name in names if name.name in WRITING_OS_FUNCTIONS | WRITING_METHODS]
            case ast.Call(func=ast.Attribute(value=ast.Name(id="os"), attr=attr)) if attr in WRITING_OS_FUNCTIONS:
                found.append(f"os.{attr}")
            case ast.Call(func=ast.Name(id="open") | ast.Attribute(attr="open")) if _opens_to_write(node):
                found.append(ast.unparse(node))
            case ast.Call(func=ast.Attribute(attr=attr)) if attr in WRITING_METHODS:
                found.append(attr)
    return found


def _opens_to_write(call: ast.Call) -> bool:
    """Tells by the mode, which is the second argument of a function and the first of a method; one that can't be read counts as writing."""
    is_function = isinstance(call.func, ast.Name)
    modes = [keyword.value for keyword in call.keywords if keyword.arg in ("mode", None)]
    modes += call.args[1:2] if is_function else call.args[:2]
    for mode in modes:
        if isinstance(mode, ast.Constant):
            if isinstance(mode.value, str) and WRITING_MODE.fullmatch(mode.value):
                return True
        elif is_function or mode not in call.args:
            return True
    return False


def test_only_some_modules_write_files() -> None:
    found = {}
    for path in sorted(PROGRAM.rglob("*.py")):
        if calls := writes(ast.parse(path.read_bytes())):
            found[path.relative_to(PROGRAM).as_posix()] = calls
    assert {name: calls for name, calls in found.items() if name not in WRITERS} == {}
    assert found.keys() == WRITERS.keys()


@pytest.mark.parametrize(
    ("code", "found"),
    [
        pytest.param("open(path)", [], id="reading by default"),
        pytest.param("open(path, 'rb')", [], id="reading bytes"),
        pytest.param("path.open('r', encoding='utf-8')", [], id="a path that reads"),
        pytest.param("gzip.open(path)", [], id="a module's open that reads"),
        pytest.param("text.replace('a', 'b')", [], id="replacing in a text"),
        pytest.param("open(path, 'w')", ["open(path, 'w')"], id="writing"),
        pytest.param("open(path, mode='r+b')", ["open(path, mode='r+b')"], id="writing in place"),
        pytest.param("open(path, mode)", ["open(path, mode)"], id="a mode that only the run knows"),
        pytest.param("path.open('a')", ["path.open('a')"], id="a path that appends"),
        pytest.param("gzip.open(path, 'xb')", ["gzip.open(path, 'xb')"], id="a module's open that writes"),
        pytest.param("path.write_text(report)", ["write_text"], id="a path that writes text"),
        pytest.param("Path('x').mkdir()", ["mkdir"], id="a new folder"),
        pytest.param("os.replace(a, b)", ["os.replace"], id="renaming"),
        pytest.param("from os import remove", ["os.remove"], id="an imported function"),
        pytest.param("import tempfile", ["tempfile"], id="a module that is for writing"),
        pytest.param("from shutil import copy", ["shutil"], id="a function of a module that is for writing"),
    ],
)
def test_a_write_is_noticed(code: str, found: list[str]) -> None:
    assert writes(ast.parse(code)) == found


# The program starts fast: what few runs need is imported by those runs.

SLOW = {"jinja2", "jsonschema", "kubernetes", "rich", "ruamel", "tree_sitter", "tree_sitter_bash"}
MANIFESTS = f"""\
apiVersion: v1
kind: Node
metadata: {{name: n1}}
---
{write_daemonset("agent", "default")}"""


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "preflight", *arguments], capture_output=True, text=True, check=False, cwd=ROOT
    )


def imported(result: subprocess.CompletedProcess[str]) -> set[str]:
    """The top-level modules that the run imported, as `-X importtime` lists them."""
    lines = [line for line in result.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


def test_help_imports_nothing_slow() -> None:
    result = run("--help")
    assert result.returncode == 0
    assert "click" in imported(result)
    assert imported(result) & SLOW == set()


def test_a_run_over_files_imports_nothing_slow(tmp_path: Path) -> None:
    file = tmp_path / "manifests.yaml"
    file.write_text(MANIFESTS, encoding="utf-8")
    result = run("taint", "nodes", "n1", "a=b:NoSchedule", "--from", file)
    assert "default/agent" in result.stdout
    assert result.returncode == 1
    assert "yaml" in imported(result)
    assert imported(result) & SLOW == set()


def test_the_program_says_the_version_of_the_package() -> None:
    assert run("--version").stdout.split()[-1:] == [preflight.__version__]


# What the program imports, its package declares, and nothing else.

DISTRIBUTIONS = {
    "jinja2": "Jinja2",
    "markupsafe": "MarkupSafe",
    "yaml": "PyYAML",
    "ruamel": "ruamel.yaml",
    "tree_sitter": "tree-sitter",
    "tree_sitter_bash": "tree-sitter-bash",
}


EXTRAS = {"live": PROGRAM / "load" / "live"}
"""The folder of the program that may import what an extra brings."""


def imported_distributions(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            modules = [node.module]
        found |= {module.partition(".")[0] for module in modules}
    return {DISTRIBUTIONS.get(name, name) for name in found - sys.stdlib_module_names - {"preflight"}}


def test_the_packages_that_are_imported_are_declared_and_no_others() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    declared = {name: {re.split(r"[\[<>=]", line)[0] for line in lines} for name, lines in {"": project["dependencies"], **extras}.items()}
    assert set(extras) == set(EXTRAS)
    found: dict[str, set[str]] = {name: set() for name in declared}
    for path in PROGRAM.rglob("*.py"):
        extra = next((name for name, folder in EXTRAS.items() if path.is_relative_to(folder)), "")
        found[extra] |= imported_distributions(path) - (declared[""] if extra else set())
    assert found == declared
