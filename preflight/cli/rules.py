"""`preflight rules`: all rules, as a list or as the page of the documentation."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import dedent

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.streams import print_line, print_text
from preflight.rules.api import Rule
from preflight.rules.select_rules import load_all_rules


@click.command("rules", cls=DocumentedCommand)
@click.option("--markdown", is_flag=True, help="Print the page docs/rules.md.")
def command(markdown: bool) -> int:
    """List all rules."""
    if markdown:
        print_text("\n".join(iter_page_lines()))
        return 0
    rules = load_all_rules()
    width = max(len(rule.name) for rule in rules)
    for rule in rules:
        print_line(f"{rule.id}  {rule.name:{width}}  {rule.severity:7}  {rule.summary}")
    return 0


def iter_page_lines() -> Iterator[str]:
    """The page of the documentation, line by line."""
    yield "# Rules"
    yield ""
    yield "Printed by `preflight rules --markdown`. `preflight explain RULE` shows one of them."
    yield ""
    yield "| rule | name | severity | finds |"
    yield "|---|---|---|---|"
    for rule in load_all_rules():
        yield f"| [{rule.id}](#{rule.id.lower()}-{rule.name}) | {rule.name} | {rule.severity} | {rule.summary} |"
    for rule in load_all_rules():
        yield from _iter_section_lines(rule)


def _iter_section_lines(rule: Rule) -> Iterator[str]:
    yield ""
    yield f"## {rule.id} {rule.name}"
    yield ""
    summary, _, rest = rule.explanation.partition("\n")
    yield f"{summary} Severity: {rule.severity}."
    heading = ""
    body: list[str] = []
    for line in [*rest.strip("\n").splitlines(), "end"]:
        if line and not line.startswith(" "):
            if heading:
                yield from ("", f"**{heading}.** {' '.join(dedent(chr(10).join(body)).split())}")
            heading, body = line, []
        else:
            body.append(line)
