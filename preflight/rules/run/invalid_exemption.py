"""An exemption in a manifest does not count: it lacks its reason, or names no rule or no day.

Why it matters
    Somebody thinks that a finding is accepted, and it is not; or accepted it without a word why. A policy can also ask that every exemption
    has a day on which it ends (`requireExpires`, as the pack `strict` does).
How to fix
    Write the rule, the reason, and the day where one is asked for: `# preflight: exempt[PF201 until 2027-01-31] the agent runs everywhere`.
Example
    `# preflight: exempt[PF201]`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule


def check(context: Context) -> Iterator[Hit]:
    """Nothing: exemptions are read where findings are (`preflight/policy/exemption_matcher.py`)."""
    del context
    return iter(())


RULE = Rule(id="PF992", name="invalid-exemption", severity=Severity.ERROR, check=check, is_exemptible=False)
