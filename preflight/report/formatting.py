"""Words that several reports share: counts, lists of names, places."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.model.report import Finding, Location
from preflight.report.terminal import escape_unprintable


def format_count(number: int, noun: str) -> str:
    """`1 error`, `2 errors`: for nouns whose plural ends in s."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def format_names(items: Sequence[str], max_names: int = 3) -> str:
    """The first `most` names in their order, and how many more there are: `a, b, c + 4997 more`.

    One more than `most` is printed as it is: `+ 1 more` would be no shorter.
    """
    if len(items) <= max_names + 1:
        return ", ".join(items)
    return f"{', '.join(items[:max_names])} + {len(items) - max_names} more"


def clip(text: str, max_length: int) -> str:
    """The text, of at most `most` characters; `...` stands for what is left out at its end."""
    return text if len(text) <= max_length else f"{text[: max_length - 3]}..."


def format_location(location: Location) -> str:
    """`file:line:column` made plain; what is not known is left out from the right."""
    known = [location.file]
    if location.line:
        known.append(str(location.line))
        if location.column:
            known.append(str(location.column))
    return escape_unprintable(":".join(known))


def format_headline(finding: Finding) -> tuple[str, str]:
    """A finding in one line, in two parts: `error[PF102]`, and ` lost-on-recreation: storage/csi loses ...`."""
    return f"{finding.severity}[{finding.rule}]", f" {finding.name}: {finding.subject} {finding.message}"
