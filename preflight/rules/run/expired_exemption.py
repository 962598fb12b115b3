"""An exemption has expired: the findings that it accepted count again.

Why it matters
    The exemption was accepted until a date, which is over. Findings that match it are no longer exempted.
How to fix
    Fix what it accepts, and remove it; or decide again, and set a later date.
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
