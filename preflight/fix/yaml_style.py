"""How tolerations are written: as the list that they join is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from preflight.fix.yaml_tree import YamlNode, YamlTree
from preflight.rules.merged_groups import format_scalar

PlainToleration = Mapping[str, Any]

FIELDS = ("key", "operator", "value", "effect", "tolerationSeconds")
_UNQUOTED = re.compile(r"[A-Za-z0-9_./-]*")


class TolerationStyle(Struct, frozen=True):
    """How a toleration is written.

    1. `quotes` are those of each field's value, `detect_key_quote` those of the keys: `"`, `'` or "" for none unless YAML needs them.
    2. `is_flow` for `{key: a}`, with blanks inside the braces where `is_padded`.
    3. `is_sorted` where the fields stand in the order of the alphabet, as programs write them.
    """

    is_flow: bool = False
    is_padded: bool = False
    is_sorted: bool = False
    key_quote: str = ""
    quotes: Mapping[str, str] = {}

    def format_flow(self, toleration: PlainToleration) -> str:
        """A toleration in braces."""
        inner = ", ".join(self.format_field(name, value) for name, value in self.order_fields(toleration))
        return f"{{ {inner} }}" if self.is_padded else f"{{{inner}}}"

    def format_lines(self, toleration: PlainToleration) -> list[str]:
        """A toleration as lines without indentation."""
        return [self.format_field(name, value) for name, value in self.order_fields(toleration)]

    def format_item(self, toleration: PlainToleration) -> list[str]:
        """A toleration as the style has it: one line in braces, or a line a field."""
        return [self.format_flow(toleration)] if self.is_flow else self.format_lines(toleration)

    def order_fields(self, toleration: PlainToleration) -> list[tuple[str, Any]]:
        """The fields in the order of the style."""
        order = sorted(FIELDS) if self.is_sorted else FIELDS
        return [(name, toleration[name]) for name in order if name in toleration]

    def format_field(self, name: str, value: str | int) -> str:
        """One field, as `key: value`."""
        return f"{self.key_quote}{name}{self.key_quote}: {self.format_value(name, value)}"

    def format_value(self, name: str, value: str | int) -> str:
        """The value of a field."""
        if isinstance(value, int):
            return str(value)
        quote = self.quotes.get(name, self.quotes.get("", ""))
        if quote and _UNQUOTED.fullmatch(value):
            return f"{quote}{value}{quote}"
        return format_scalar(value)


def detect_style(tree: YamlTree, items: Iterable[YamlNode]) -> TolerationStyle:
    """The style of the last toleration of a list; the plainest where there is none to follow."""
    maps = [item for item in items if item.kind == "map" and item.entries]
    if not maps:
        return TolerationStyle()
    model = maps[-1]
    names = [key.text for key, _ in model.entries]
    quotes = {key.text: value.style for key, value in model.entries if value.kind == "scalar" and value.style in ('"', "'")}
    texts = [value for key, value in model.entries if value.kind == "scalar" and key.text != "tolerationSeconds"]
    common = {value.style if value.style in ('"', "'") else "" for value in texts}
    if len(common) == 1:
        quotes[""] = common.pop()
    return TolerationStyle(
        is_flow=model.is_flow,
        is_padded=model.is_flow and tree.text[model.start + 1 : model.start + 2] == " ",
        is_sorted=len(names) > 1 and names == sorted(names) and names[0] == "effect",
        key_quote=detect_key_quote(model),
        quotes=quotes,
    )


def detect_key_quote(mapping: YamlNode) -> str:
    """The quotes that all keys of a mapping have; "" where one has none."""
    found = {key.style for key, _ in mapping.entries}
    return found.pop() if found in ({'"'}, {"'"}) else ""


def format_block_item(text: Sequence[str], column: int, gap: str = " ") -> list[str]:
    """The lines of a toleration as an item of a block list whose dashes stand at a column."""
    first, *rest = text
    indent = " " * (column + 1 + len(gap))
    return [f"{' ' * column}-{gap}{first}", *(indent + line for line in rest)]
