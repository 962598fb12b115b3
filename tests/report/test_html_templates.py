"""The templates of the page: no text gets into the page unescaped, whatever a template does with it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import TemplateAssertionError, UndefinedError, nodes
from markupsafe import Markup

from preflight.report.html.environment import FOLDER, get_environment
from preflight.report.html.escaping import escape_text, escape_value, require_word

TEMPLATES = {path.name: path for path in sorted(FOLDER.iterdir())}
NASTY = "<b a=\"x\" c='y'>&\u202e\n::error::##[x]</b>"

# Statements and expressions that hand values on as they are. None of them joins, formats or marks text.
HARMLESS = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Block, nodes.Extends, nodes.Include, nodes.FromImport, nodes.Macro),
    *(nodes.For, nodes.If, nodes.Name, nodes.Const, nodes.Tuple, nodes.Getattr, nodes.Getitem, nodes.Call, nodes.Filter, nodes.Test),
    *(nodes.Compare, nodes.Operand, nodes.Not, nodes.And, nodes.Or),
)
UNQUOTED = ("word", "css_class", "coordinate")
"""The filters whose values may stand in a tag without quotes."""


def render(source: str, **values: object) -> str:
    return get_environment().from_string(source).render(values)


@pytest.mark.parametrize(
    "source",
    [
        "{{ x }}",
        "{% autoescape false %}{{ x }}{% endautoescape %}",
        "{% set y = x %}{{ y }}",
        "{{ x.strip() }}",
        '{{ "" ~ x }}',
        "{{ x + '' }}",
        "{% macro m(y) %}{{ y }}{% endmacro %}{{ m(x) }}",
        "{{ x|clip(100) }}",
        "{{ [x]|listed }}",
        "{{ [x]|lines }}",
    ],
)
def test_every_text_is_escaped_whoever_writes_it(source: str) -> None:
    assert render(source, x=NASTY) == escape_text(NASTY)


def test_a_text_is_cut_unless_a_filter_says_otherwise() -> None:
    assert render("{{ x }}", x="y" * 3000) == "y" * 1997 + "..."
    assert render("{{ x|clip(5000) }}", x="y" * 3000) == "y" * 3000


@pytest.mark.parametrize("name", ["safe", "join", "format", "replace", "escape", "e", "forceescape", "xmlattr", "striptags"])
def test_no_filter_marks_or_joins_text_by_other_rules(name: str) -> None:
    with pytest.raises(TemplateAssertionError, match=f"No filter named '{name}'"):
        render(f"{{{{ x|{name} }}}}", x=NASTY)


@pytest.mark.parametrize("value", [None, True, 1.5, ["x"], object()], ids=["None", "True", "1.5", "a list", "an object"])
def test_what_is_neither_text_nor_a_number_is_a_mistake(value: object) -> None:
    with pytest.raises(TypeError):
        escape_value(value)


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UndefinedError):
        render("{{ y }}")


def test_a_word_has_no_sign_that_ends_it() -> None:
    assert require_word("no-answer") == "no-answer"
    assert require_word(7) == "7"
    for text in ("", "-", "a b", "a>", 'a"', "a=b", "é", "a/"):
        with pytest.raises(ValueError, match="not a word"):
            require_word(text)


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_hands_values_on_as_they_are(name: str) -> None:
    tree = get_environment().parse(TEMPLATES[name].read_text(encoding="utf-8"))
    assert [node for node in tree.find_all(nodes.Node) if not isinstance(node, HARMLESS)] == []
    assert [call for call in tree.find_all(nodes.Call) if not isinstance(call.node, nodes.Name)] == []


def list_unquoted(source: str) -> Iterator[str]:
    """The expressions that a template writes into a tag, but not into an attribute in quotes."""
    text = re.sub(r"\{#.*?#\}", "", source, flags=re.DOTALL)
    expressions: list[str] = []

    def stand_in(found: re.Match[str]) -> str:
        expressions.append(found[1].strip())
        return chr(0xE000 + len(expressions) - 1)

    text = re.sub(r"\{\{-?(.*?)-?\}\}", stand_in, text, flags=re.DOTALL)
    text = re.sub(r"\{%.*?%\}", " ", text, flags=re.DOTALL)
    place = "text"
    for char in text:
        if place == "text":
            place = "tag" if char == "<" else "text"
        elif place == "tag":
            place = {">": "text", '"': "quoted"}.get(char, "tag")
            if "\ue000" <= char < "\uf8ff":
                yield expressions[ord(char) - 0xE000]
        elif char == '"':
            place = "tag"
    assert place == "text", place


def test_unquoted_values_are_found() -> None:
    source = '<a b={{ x }} c="{{ y }}"{% if z %} d={{ z|word }}{% endif %}>{{ w }}</a><h{{ v }}>'
    assert list(list_unquoted(source)) == ["x", "z|word", "v"]


@pytest.mark.parametrize("name", TEMPLATES)
def test_only_words_and_numbers_stand_in_a_tag_without_quotes(name: str) -> None:
    found = list(list_unquoted(TEMPLATES[name].read_text(encoding="utf-8")))
    assert [expression for expression in found if not expression.endswith(tuple(f"|{name}" for name in UNQUOTED))] == []


def test_markup_is_made_where_the_page_is_drawn_and_nowhere_else() -> None:
    """A text that is marked as markup is escaped by nobody: it comes from a template, from `escaping`, or is a file of ours."""
    root = FOLDER.parents[2]
    made = {
        path.relative_to(root).as_posix(): re.findall(r"\bMarkup\((.*)\)", path.read_text(encoding="utf-8"))
        for path in root.rglob("*.py")
        if "Markup(" in path.read_text(encoding="utf-8")
    }
    assert made.pop("report/html/escaping.py")
    assert made.pop("report/html/page.py") == ['text), f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"']
    assert {name: set(texts) for name, texts in made.items()} == {
        "report/html/cards.py": {'""'},
        "report/html/waterfall.py": {'""'},
    }


def test_nothing_but_the_page_imports_the_template_engine() -> None:
    code = (
        "import sys, preflight.cli.main; from preflight.report import FORMATS; from preflight.report.capacity import FORMATS as OTHERS\n"
        "[given[name] for given in (FORMATS, OTHERS) for name in given if name != 'html']; print('jinja2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    assert done.stdout == "False\n"


def test_markup_passes_as_it_is() -> None:
    assert escape_value(Markup("<br>")) == "<br>"
    assert render("{{ x }}", x=Markup("<br>")) == "<br>"
