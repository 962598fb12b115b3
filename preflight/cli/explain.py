"""`preflight explain RULE`: a rule, in the program's own words."""

from __future__ import annotations

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.streams import print_text
from preflight.errors import UsageError
from preflight.messages import cli as messages
from preflight.rules.select_rules import load_all_rules


@click.command("explain", cls=DocumentedCommand)
@click.argument("rule")
def command(rule: str) -> int:
    """Explain a rule."""
    rules = load_all_rules()
    for candidate in rules:
        if rule.upper() == candidate.id or rule.lower() == candidate.name:
            print_text(f"{candidate.id} {candidate.name} ({candidate.severity})\n\n{candidate.explanation}")
            return 0
    raise UsageError(messages.describe_unknown_rule(rule, [word for known in rules for word in (known.id, known.name)]))
