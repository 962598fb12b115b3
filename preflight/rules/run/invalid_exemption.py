"""An exemption in a manifest is ignored: it has no reason, no valid rule, or no valid date.

Why it matters
    The author expects that a finding is accepted, and it is not; or accepts it without a reason. A policy can also require that every
    exemption has an expiry date (`requireExpires`, as in the pack `strict`).
How to fix
    Write the rule, the reason, and the date if one is required: `# preflight: exempt[PF201 until 2027-01-31] the agent runs everywhere`.
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
