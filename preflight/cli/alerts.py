"""`preflight alerts`: Prometheus rules that do fire when a node loses a component or a resource."""

from __future__ import annotations

import sys
from typing import Any

import click

from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_world_options, make_input
from preflight.cli.output import print_problems, write_output
from preflight.cli.streams import print_line, print_rendered
from preflight.cli.version_options import add_version_options, make_version_options
from preflight.errors import UsageError
from preflight.messages import cli as messages


@click.command("alerts", cls=DocumentedCommand)
@add_world_options
@click.option("-o", "--output", "output", metavar="FILE", default="", help="File to write. Default: standard output.")
@click.option("--format", "form", metavar="FORMAT", default="prometheus", help="prometheus (a rule file, default) or prometheusrule.")
@click.option("--label", "labels", metavar="KEY=VALUE", multiple=True, help="Label of the PrometheusRule. Repeatable.")
@click.option("-n", "--namespace", metavar="NAME", default="", help="Namespace of the PrometheusRule.")
@click.option("--allow-empty", is_flag=True, help="Exit 0 when there is no DaemonSet.")
@add_version_options
def command(sources: tuple[str, ...], output: str, form: str, labels: tuple[str, ...], **given: Any) -> int:
    """Generate Prometheus rules."""
    from preflight.engine.alerts import generate_alerts
    from preflight.engine.session import Options, Session
    from preflight.report.alerts import FORMS, render

    if form not in FORMS:
        raise UsageError(messages.describe_unknown_alert_format(form, FORMS))
    if form == "prometheus" and (labels or given["namespace"]):
        raise UsageError(messages.PROMETHEUSRULE_OPTIONS)
    pairs = dict(_parse_label(label) for label in labels)
    options = Options(allow_empty=given["allow_empty"], versions=make_version_options(given))
    found, problems = generate_alerts(Session(make_input(given, sources, live=True), options, stdin=sys.stdin.buffer))
    text = render(found, form, pairs, namespace=given["namespace"])
    if output:
        write_output(output, text)
        print_line(messages.describe_written_rules(output, sum(len(group.rules) for group in found.groups), found.description), err=True)
    else:
        print_rendered(text)
    for note in found.notes:
        print_line(messages.describe_missing_alert(note), err=True)
    if problems:
        print_problems(problems)
    return 3 if problems else 0


def _parse_label(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise UsageError(messages.describe_invalid_label(text))
    return key, value
