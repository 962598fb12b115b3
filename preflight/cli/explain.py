"""`preflight explain RULE`: a rule, in the program's own words."""

from __future__ import annotations

import click

from preflight.errors import UsageError
from preflight.messages import cli as messages
from preflight.rules.select_rules import load_all_rules


@click.command("explain")
@click.argument("rule")
def command(rule: str) -> int:
    """Why a rule matters and how to fix what it finds: RULE is an id (PF102) or a name (lost-on-recreation)."""
    for candidate in load_all_rules():
        if rule.upper() == candidate.id or rule.lower() == candidate.name:
            click.echo(f"{candidate.id} {candidate.name} ({candidate.severity})\n\n{candidate.explanation}")
            return 0
    raise UsageError(messages.describe_unknown_rule(rule))
