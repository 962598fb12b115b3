"""An exemption exempts nothing.

Why it matters
    The finding that it accepted no longer exists or never existed, or the rule cannot be exempted because it is mandatory. The next finding
    that matches the exemption is accepted without review. An entry of a baseline that matches nothing is a note.
How to fix
    Remove it. If it was intended for another object, rule or line, move it there.
Example
    `# preflight: exempt[PF201] the agent has to run everywhere`, in a manifest without a wildcard toleration.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule

BASELINE_SEVERITY = Severity.NOTE
"""What an entry of a baseline is that accepts nothing any more."""


def check(context: Context) -> Iterator[Hit]:
    """Nothing: which exemptions were used is known when all rules have spoken (`preflight/policy/exemption_matcher.py`)."""
    del context
    return iter(())


RULE = Rule(id="PF990", name="unused-exemption", severity=Severity.WARNING, check=check, is_exemptible=False)
