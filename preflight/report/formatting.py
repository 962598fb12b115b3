"""Words that several reports share: counts, lists of names, places."""

from __future__ import annotations

from preflight.inert_text import escape_unprintable
from preflight.messages.counts import format_count as format_count
from preflight.messages.lists import format_names as format_names
from preflight.model.report import Finding, Location


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
