"""The templates of the page: what they write is escaped by the environment, and none of them has a way around that."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import Extension
from markupsafe import Markup

from preflight.report.html import escaping

FOLDER = Path(__file__).parent / "templates"
"""The templates, which are part of the package."""

_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


class _WithoutIndent(Extension):
    """Templates are indented for who reads them; the page is not."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The template without the blanks at the start of its lines."""
        del name, filename
        return _INDENT.sub("", source)


class _EscapeOnce(CodeGenerator):
    """Writes what `escape_value` makes of a value as it is: Jinja would escape that again, which changes nothing and takes time."""

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: CodeGenerator._FinalizeInfo) -> None:
        if finalize.src is None:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write(f"({finalize.src}")


class _PageEnvironment(Environment):
    code_generator_class = _EscapeOnce


@cache
def get_environment() -> Environment:
    """The one environment of all pages.

    1. Every value that a template writes passes through `escape_value`, whoever wrote the template: text becomes what `escape_text` makes
       of it. Only what templates and the filters below made is markup already.
    2. There are no filters but these, so neither `safe` nor one that joins or formats by other rules of escaping; no global functions
       and no tests of values but those of the language.
    3. A name that is not there is an error.
    """
    environment = _PageEnvironment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        finalize=escaping.escape_value,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        extensions=(_WithoutIndent,),
    )
    environment.globals = {}
    environment.filters = {
        "clip": escaping.escape_text,
        "code": escaping.render_code,
        "command": escaping.render_command,
        "coordinate": escaping.format_coordinate,
        "css_class": escaping.get_css_class,
        "grouped": escaping.format_grouped_count,
        "lines": escaping.render_lines,
        "listed": escaping.render_list,
        "mark": escaping.render_mark,
        "prose": escaping.render_prose,
        "number": escaping.format_number,
        "word": escaping.require_word,
    }
    return environment


def render_template(name: str, values: dict[str, object]) -> str:
    """A template as text, with the names that it may use."""
    return get_environment().get_template(name).render(values)


def render_macro(template: str, name: str, *values: object) -> Markup:
    """What a macro of a template makes of some values."""
    made: Markup = getattr(get_environment().get_template(template).module, name)(*values)
    return made
