"""kubectl's label selectors (`-l`), answered yes, no or unknown for a node.

Source: apimachinery `pkg/labels/selector.go`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from preflight.errors import UsageError
from preflight.model.core import Node
from preflight.scheduling.name_validation import validate_label_value, validate_qualified_name

_TOKEN = re.compile(r"[ \t\r\n]*(?:(?P<symbol>==|!=|[=!(),<>])|(?P<word>[^ \t\r\n=!(),<>]+)|$)")
_OPERATORS = {"in": "in", "notin": "notin", "=": "in", "==": "in", "!=": "notin", ">": "gt", "<": "lt"}
_INTEGER = re.compile(r"[+-]?[0-9]+")


class LabelRequirement(Struct, frozen=True, gc=False):
    """One part of a selector; `operator` is in, notin, exists, absent, gt or lt, and `parse_values` is sorted."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As kubectl takes it, each in its shortest form."""
        if self.operator == "exists":
            return self.key
        if self.operator == "absent":
            return f"!{self.key}"
        if self.operator in ("gt", "lt"):
            return f"{self.key}{'>' if self.operator == 'gt' else '<'}{self.values[0]}"
        if len(self.values) == 1:
            return f"{self.key}{'=' if self.operator == 'in' else '!='}{self.values[0]}"
        return f"{self.key} {self.operator} ({','.join(self.values)})"

    def matches(self, value: str | None) -> bool:
        """Whether a label of this value (None: no such label) fits.

        1. in, exists, gt and lt need the label; notin and absent hold without it.
        2. gt and lt compare integers of 64 bits; a label that is none does not fit.
        """
        if self.operator == "in":
            return value is not None and value in self.values
        if self.operator == "notin":
            return value is None or value not in self.values
        if self.operator == "exists":
            return value is not None
        if self.operator == "absent":
            return value is None
        number, bound = _parse_integer(value or ""), _parse_integer(self.values[0])
        return number is not None and bound is not None and (number > bound if self.operator == "gt" else number < bound)


class LabelQuery(Struct, frozen=True):
    """A label selector; one without requirements selects everything."""

    requirements: tuple[LabelRequirement, ...] = ()

    def __str__(self) -> str:
        return ",".join(str(requirement) for requirement in self.requirements)

    def selects(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels, all of which are known, is selected."""
        get = labels.get
        return all(requirement.matches(get(requirement.key)) for requirement in self.requirements)

    def selects_node(self, node: Node) -> bool | None:
        """Whether a node is selected: yes, no, or None where nobody knows.

        A label that a partial node neither states nor lists in `absent` is unknown; one requirement that surely fails is a no.
        """
        labels = node.metadata.labels
        if not node.is_partial:
            return self.selects(labels)
        unknown = False
        for requirement in self.requirements:
            key = requirement.key
            if key not in labels and key not in node.absent_labels:
                unknown = True
            elif not requirement.matches(labels.get(key)):
                return False
        return None if unknown else True

    def implied_labels(self) -> tuple[dict[str, str], frozenset[str]] | None:
        """The labels that every selected node has with a known value, and those that none has; None where nothing can be selected."""
        labels = {
            requirement.key: requirement.values[0]
            for requirement in self.requirements
            if requirement.operator == "in" and len(requirement.values) == 1
        }
        absent = frozenset(requirement.key for requirement in self.requirements if requirement.operator == "absent")
        possible = all(requirement.matches(labels[requirement.key]) for requirement in self.requirements if requirement.key in labels)
        needed = {requirement.key for requirement in self.requirements if requirement.operator in ("in", "exists", "gt", "lt")}
        return (dict(sorted(labels.items())), absent) if possible and not needed & absent else None


def parse_selector(text: str) -> LabelQuery:
    """Read a selector: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, `a>1`, `a<1`, with commas between them.

    1. An empty text selects everything; `a=` and `a in ()` mean the empty value.
    2. `in` and `notin` are words only where an operator stands: `in=in` is a label.

    Errors: UsageError in Kubernetes' words.
    """
    return LabelQuery(tuple(_SelectorParser(text).parse_requirements()))


class _SelectorParser:
    """The tokens of a selector, and how far they are read; the last token is ""."""

    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, bool]] = []
        text = text.partition("\0")[0]
        place = 0
        while place < len(text):
            match = _TOKEN.match(text, place)
            assert match is not None
            if match["word"] or match["symbol"]:
                self.tokens.append((match["word"] or match["symbol"], bool(match["word"])))
            place = match.end()
        self.tokens.append(("", False))
        self.place = 0

    def peek(self) -> tuple[str, bool]:
        return self.tokens[min(self.place, len(self.tokens) - 1)]

    def next(self) -> tuple[str, bool]:
        token = self.peek()
        self.place += 1
        return token

    def parse_requirements(self) -> Iterator[LabelRequirement]:
        token, word = self.peek()
        if not token:
            return
        if not word and token != "!":
            raise UsageError(f"found '{token}', expected: !, identifier, or 'end of string'")
        while True:
            try:
                yield self.parse_requirement()
            except UsageError as error:
                raise UsageError(f"unable to parse requirement: {error}") from None
            token, _ = self.next()
            if not token:
                return
            if token != ",":
                raise UsageError(f"found '{token}', expected: ',' or 'end of string'")
            token, word = self.peek()
            if not word and token != "!":
                raise UsageError(f"found '{token}', expected: identifier after ','")

    def parse_requirement(self) -> LabelRequirement:
        token, word = self.next()
        denied = token == "!"
        if denied:
            token, word = self.next()
        if not word:
            raise UsageError(f"found '{token}', expected: identifier")
        problems = validate_qualified_name(token)
        if problems:
            raise UsageError(f'<nil>: Invalid value: "{token}": {"; ".join(problems)}')
        key = token
        if denied or self.peek()[0] in ("", ","):
            return LabelRequirement(key, "absent" if denied else "exists")
        sign, _ = self.next()
        operator = _OPERATORS.get(sign)
        if operator is None:
            raise UsageError(f"found '{sign}', expected: in, notin, =, ==, !=, gt, lt")
        values = self.parse_values() if sign in ("in", "notin") else {self.parse_value()}
        if operator in ("gt", "lt") and _parse_integer(next(iter(values))) is None:
            value = next(iter(values))
            raise UsageError(f"values[0]: Invalid value: \"{value}\": for 'Gt', 'Lt' operators, the value must be an integer")
        for place, value in enumerate(sorted(values)):
            problems = validate_label_value(value)
            if problems:
                raise UsageError(f'values[{place}][{key}]: Invalid value: "{value}": {"; ".join(problems)}')
        return LabelRequirement(key, operator, tuple(sorted(values)))

    def parse_value(self) -> str:
        token, word = self.peek()
        if token in ("", ","):
            return ""
        self.next()
        if not word:
            raise UsageError(f"found '{token}', expected: identifier")
        return token

    def parse_values(self) -> set[str]:
        token, _ = self.next()
        if token != "(":
            raise UsageError(f"found '{token}' expected: '('")
        values: set[str] = set()
        before = "("
        while True:
            token, word = self.next()
            if word:
                if before not in ("(", ","):
                    raise UsageError(f"found '{token}', expected: ',' or ')'")
                values.add(token)
                before = "word"
            elif token in (",", ")"):
                if before != "word":
                    values.add("")
                if token == ")":
                    return values
                before = ","
            elif before == "word":
                raise UsageError(f"found '{token}', expected: ',' or ')'")
            elif before == "(":
                raise UsageError(f"found '{token}', expected: ',', ')' or identifier")
            else:
                raise UsageError(f"found '{token}', expected: ',', or identifier")


def _parse_integer(text: str) -> int | None:
    number = int(text) if _INTEGER.fullmatch(text) else None
    return number if number is not None and -(1 << 63) <= number < 1 << 63 else None
