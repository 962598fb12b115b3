"""No module of the program imports another in a circle, also not inside functions or for types alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.paths import ROOT


def name_module(path: Path, root: Path) -> str:
    """`preflight.load` of `preflight/load/__init__.py`."""
    return ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")


def list_imports(root: Path) -> dict[str, set[str]]:
    """The modules that each module below `root/preflight` imports, wherever the import stands."""
    texts = {name_module(path, root): path.read_text(encoding="utf-8") for path in (root / "preflight").rglob("*.py")}
    return {name: set(_iter_imported(text, texts)) - {name} for name, text in texts.items()}


def _iter_imported(text: str, modules: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if name in modules:
                    yield name
                elif node.module in modules:
                    yield node.module


def find_circles(imports: Mapping[str, set[str]]) -> list[set[str]]:
    """The groups of modules that reach one another, each with the modules that a chain of imports leads to and back from."""
    reached = {name: _reach(name, imports) for name in imports}
    return [
        circle
        for name in sorted(imports)
        if name in reached[name]
        for circle in [{other for other in reached[name] if name in reached[other]}]
        if name == min(circle)
    ]


def _reach(start: str, imports: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = list(imports[start])
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += imports[name]
    return found


def test_the_program_has_no_circle() -> None:
    imports = list_imports(ROOT)
    assert len(imports) > 500
    assert find_circles(imports) == []


def test_a_circle_behind_a_function_and_a_type_is_found(tmp_path: Path) -> None:
    package = tmp_path / "preflight"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "a.py").write_text("def late() -> None:\n    import preflight.b\n", encoding="utf-8")
    (package / "b.py").write_text("from preflight import c\n", encoding="utf-8")
    (package / "c.py").write_text("if TYPE_CHECKING:\n    from preflight.a import late\n", encoding="utf-8")
    (package / "d.py").write_text("from preflight.a import late\n", encoding="utf-8")
    assert find_circles(list_imports(tmp_path)) == [{"preflight.a", "preflight.b", "preflight.c"}]
