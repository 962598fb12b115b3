"""Where a field is: lines, columns and paths, built when somebody asks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from preflight.load import collector, json_stream, load_world
from preflight.load.locations import format_path
from preflight.model.meta import Origin
from preflight.model.report import Location
from tests.builders import make_list
from tests.load.plain_objects import daemonset, loaded, node, pod, write

TEXT = """# a comment
apiVersion: v1
kind: Node
metadata:
  name: n1
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata:
    name: n2
    labels: {a.b/c: x}
  spec:
    taints:
    - key: a
      effect: NoSchedule
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ((), ""),
        (("spec", "template", "spec", "tolerations", 0, "key"), "spec.template.spec.tolerations[0].key"),
        (("items", 3, "metadata", "labels", "a.b/c"), 'items[3].metadata.labels["a.b/c"]'),
        (("metadata", "labels", ""), 'metadata.labels[""]'),
        (("metadata", "labels", 'a"\n'), r'metadata.labels["a\"\n"]'),
        ((0, "a-b_c"), "[0].a-b_c"),
    ],
)
def test_a_path_as_text(path: tuple[str | int, ...], text: str) -> None:
    assert format_path(path) == text


def test_the_place_of_a_field_and_of_its_nearest_parent(folder: Path) -> None:
    result = loaded(TEXT, folder=folder)
    first, second = (result.world.nodes[name].origin for name in ("n1", "n2"))
    assert result.locate_all(
        [(second, ("metadata", "labels", "a.b/c")), (first, ("spec", "taints")), (second, ("spec", "taints", 0, "value"))]
    ) == [
        Location("0.yaml", 14, 14, 'items[0].metadata.labels["a.b/c"]', "    labels: {a.b/c: x}"),
        Location("0.yaml", 2, 1, "spec.taints", "apiVersion: v1"),
        Location("0.yaml", 17, 7, "items[0].spec.taints[0].value", "    - key: a"),
    ]
    assert result.locate(first, ["metadata", "name"]) == Location("0.yaml", 5, 3, "metadata.name", "  name: n1")


def test_json_has_places_too(folder: Path) -> None:
    result = loaded(json.dumps(make_list(node("n1"), daemonset()), indent=2), folder=folder)
    (value,) = result.world.daemonsets.values()
    where = result.locate(value.origin, ("metadata", "name"))
    assert (where.path, where.source.strip()) == ("items[1].metadata.name", '"name": "ds",')


def test_a_large_document_has_no_places(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "MAX_LOCATED", 10)
    monkeypatch.setattr(json_stream, "MAX_LOCATED", 10)
    result = loaded(TEXT, make_list(node("n3")), folder=folder)
    assert result.locate(result.world.nodes["n2"].origin, ("spec",)) == Location("0.yaml", 7, 0, "items[0].spec", "")
    assert result.locate(result.world.nodes["n3"].origin, ("spec",)) == Location("1.yaml", 1, 0, "items[0].spec", "")


def test_a_long_line_is_not_shown(folder: Path) -> None:
    result = loaded(make_list(node(), pod(), *(pod(f"p{index}") for index in range(20))), folder=folder)
    where = result.locate(result.world.nodes["n1"].origin, ("metadata", "name"))
    assert (where.line, where.column > 1, where.source) == (1, True, "")


def test_what_no_file_holds_has_no_place(folder: Path) -> None:
    (folder / "a.yaml").write_text("")
    assert load_world(["a.yaml"], one_cluster=True).locate(Origin("<pool>"), ("spec",)) == Location("<pool>", 0, 0, "spec", "")


def test_only_documents_with_objects_keep_their_text(folder: Path) -> None:
    result = loaded(f"kind: Pod\nspec: {{}}\n---\n{TEXT}", folder=folder)
    assert list(result.texts) == [("0.yaml", 1), ("0.yaml", 2)]


@pytest.mark.parametrize(
    ("head", "template"),
    [
        pytest.param("", "", id="no comment"),
        pytest.param("# Source of it all\n", "", id="another comment"),
        pytest.param("# Source: a/templates/ds.yaml\n", "a/templates/ds.yaml", id="as helm writes it"),
        pytest.param("# Source: a/templates/ds.yaml\r\n", "a/templates/ds.yaml", id="with the line ends of Windows"),
        pytest.param("---\n\n# ours\n# Source: a/charts/b/templates/ds.yaml\n", "a/charts/b/templates/ds.yaml", id="under others"),
        pytest.param("# Source: a b\n", "", id="no path"),
    ],
)
def test_the_template_that_a_document_was_rendered_from(folder: Path, head: str, template: str) -> None:
    write(folder, a_yaml=f"# Source: other.yaml\n---\n{head}kind: Node\napiVersion: v1\nmetadata: {{name: n1}} # Source: c\n# Source: d\n")
    result = load_world(["."], one_cluster=True)
    assert [result.find_source_template(node.origin) for node in result.nodes] == [template]
