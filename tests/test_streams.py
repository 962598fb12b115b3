"""Every place that writes to a stream, told by the syntax tree: one module does, and what it prints is inert."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from tests.paths import ROOT

PACKAGE = ROOT / "preflight"
STREAMS = "cli/streams.py"
PRINTERS = {
    *("print", "print_exc", "print_exception", "echo", "secho", "echo_via_pager"),
    *("warn", "showwarning", "show", "write", "writelines"),
}
"""Names of functions and methods that write; `write` and `show` of anything."""

WRITES = {
    "cli/streams.py": "the streams themselves",
    "file_write.py": "files",
    "cli/complete/background.py": "a cache of its own, and a pipe to itself",
    "cli/help_page.py": "click's formatter: the program's own words",
    "load/live/access/tls.py": "a file",
    "load/live/cluster.py": "progress on a terminal",
    "load/live/access/credential_plugin.py": "what is being waited for",
    "load/git/revisions.py": "standard input of git",
    "report/html/environment.py": "the source that a template is compiled to",
}
"""The modules that may write, and what."""

RENDERERS = {"known_formats[name]", "render_problems", "_format_json", "_format_table", "render"}
"""What makes text that is printed as it is: the formats of `preflight.report`, each tested with names that are commands."""


@cache
def parse_modules() -> dict[str, ast.Module]:
    paths = sorted(PACKAGE.rglob("*.py"))
    return {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def find_name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""


def find_writes(tree: ast.AST) -> Iterator[str]:
    """Calls that write, by their text."""
    return (ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call) and find_name(node.func) in PRINTERS)


def find_streams(tree: ast.AST) -> Iterator[str]:
    """Uses of standard output and standard error that are not a question about them or an argument of one."""
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr in ("stdout", "stderr", "__stdout__", "__stderr__")
            and find_name(node.value) == "sys"
        ):
            parent = parents[node]
            asks = isinstance(parent, ast.Attribute) and parent.attr in ("isatty", "fileno", "flush", "encoding")
            asks = asks or (isinstance(parent, ast.Call) and find_name(parent.func) == "uses_color")
            if not asks:
                yield ast.unparse(parent)


def test_only_these_modules_write() -> None:
    found = {name for name, tree in parse_modules().items() for _ in find_writes(tree)}
    assert found == WRITES.keys(), "print through preflight.cli.streams"


def test_only_these_modules_touch_a_stream() -> None:
    found = {name: sorted(set(find_streams(tree))) for name, tree in parse_modules().items()}
    found.pop(STREAMS)
    assert {name: uses for name, uses in found.items() if uses} == {
        "cli/complete/background.py": [
            "(sys.__stdin__, sys.__stdout__, sys.__stderr__)",
            "(sys.stdin, sys.stdout, sys.stderr)",
        ],
        "cli/main.py": ["(sys.stdout, sys.stderr)"],
        "load/live/access/credential_plugin.py": ["sys.stderr.write"],
        "load/live/cluster.py": ["sys.stderr.write"],
    }


@pytest.mark.parametrize("name", ["load/live/access/credential_plugin.py", "load/live/cluster.py"])
def test_what_is_written_beside_that_module_is_inert(name: str) -> None:
    """Constants, and what `make_inert` answers, cut or not."""
    for node in ast.walk(parse_modules()[name]):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "sys.stderr.write":
            text = node.args[0]
            assert isinstance(text, ast.JoinedStr)
            for part in text.values:
                value = part.value if isinstance(part, ast.FormattedValue) else part
                value = value.value if isinstance(value, ast.Subscript) else value
                is_inert = isinstance(value, ast.Call) and find_name(value.func) == "make_inert"
                assert is_inert or isinstance(value, ast.Constant), ast.unparse(node)


def test_what_is_printed_as_it_is_comes_from_a_renderer() -> None:
    """The argument of `print_rendered` is a renderer's answer, or a name that is only ever bound to one."""
    for name, tree in parse_modules().items():
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            calls = [node for node in ast.walk(function) if isinstance(node, ast.Call) and find_name(node.func) == "print_rendered"]
            for argument in (call.args[0] for call in calls):
                assert all(map(is_rendered, find_values(function, argument))), f"{name}: {ast.unparse(argument)}"


def find_values(function: ast.FunctionDef, argument: ast.expr) -> list[ast.expr]:
    if not isinstance(argument, ast.Name):
        return [argument]
    bound = [node for node in ast.walk(function) if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == argument.id]
    assert bound, f"{argument.id} is not bound where it is printed"
    return [node.value for node in bound]


def is_rendered(value: ast.expr) -> bool:
    match value:
        case ast.IfExp(body=body, orelse=orelse):
            return is_rendered(body) and is_rendered(orelse)
        case ast.Constant():
            return True
        case ast.Call(func=called):
            return ast.unparse(called) in RENDERERS
        case ast.JoinedStr(values=parts):  # an error: its label in color, the rest inert
            texts = [ast.unparse(part.value) for part in parts if isinstance(part, ast.FormattedValue)]
            return all(text.startswith(("make_inert(", "Ink(")) for text in texts)
        case _:
            return False


@pytest.mark.parametrize(
    "text",
    [
        "print(name)",
        "click.echo(name)",
        "logging.warn(name)",
        "error.show()",
        "traceback.print_exc()",
        "stream.write(name)",
    ],
)
def test_a_writer_is_noticed(text: str) -> None:
    assert list(find_writes(ast.parse(text)))


@pytest.mark.parametrize("text", ["out = sys.stdout", "print(x, file=sys.stderr)", "sys.stdout.buffer.write(x)", "use(sys.stderr)"])
def test_a_stream_is_noticed(text: str) -> None:
    assert list(find_streams(ast.parse(text)))
