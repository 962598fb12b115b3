"""An exemption has expired: what it accepted counts again.

Why it matters
    Somebody promised to mend it by that day. The findings that it fits are no longer exempted.
How to fix
    Mend what it accepts, and remove it; or decide anew, and write a later day.
Example
    `# preflight: exempt[PF201 until 2026-01-31] until the new chart is out`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule


def check(context: Context) -> Iterator[Hit]:
    """Nothing: no rule reads the date (`preflight/policy/exemption_matcher.py` does)."""
    del context
    return iter(())


RULE = Rule(id="PF991", name="expired-exemption", severity=Severity.WARNING, check=check, is_exemptible=False)
