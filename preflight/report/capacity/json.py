"""The room for a pod for programs: JSON, version 1, closed by the schema beside this module (docs/capacity.md)."""

from __future__ import annotations

from typing import Any

import msgspec

from preflight.model.capacity import CapacityReport
from preflight.report.json import format_document

VERSION = 1


def render(report: CapacityReport, **_options: object) -> str:
    """The report as JSON, as `preflight.report.json` prints it: ASCII, indented by two, nothing cut."""
    document: dict[str, Any] = {"version": VERSION, **msgspec.to_builtins(report)}
    return format_document(document)
