"""`preflight policy schema | check | show`: what a policy may say, whether one is good, and what holds in the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from preflight.cli.documented_command import DocumentedGroup
from preflight.cli.streams import print_line, print_text
from preflight.errors import UsageError
from preflight.messages import cli as messages

if TYPE_CHECKING:
    from preflight.policy.config import Match
    from preflight.policy.model import Policy, PolicySource, RuleSetting


@click.group("policy", cls=DocumentedGroup)
def command() -> None:
    """Check and print policies."""


@command.command("schema")
def schema() -> int:
    """Print the JSON Schema of a policy."""
    import json

    from preflight.policy.schema import build_schema as made

    print_text(json.dumps(made(), indent=2))
    return 0


@command.command("check")
@click.argument("names", nargs=-1, metavar="[FILE|NAME]...")
def check(names: tuple[str, ...]) -> int:
    """Check policies."""
    from preflight import policy

    wrong = False
    for name in names or (_require_policy_file(),):
        try:
            policy.load(name)
            print_line(messages.describe_good_policy(name))
        except UsageError as error:
            wrong = True
            print_text(str(error), err=True)
    return 2 if wrong else 0


@command.command("show")
@click.argument("name", default="", metavar="[FILE|NAME]")
def show(name: str) -> int:
    """Print what applies in the end."""
    from preflight import policy

    print_text("\n".join(iter_policy_lines(policy.load(name or policy.find_policy() or "default"))))
    return 0


def _require_policy_file() -> str:
    from preflight import policy

    found = policy.find_policy()
    if found is None:
        raise UsageError(messages.describe_missing_policy(policy.POLICY_FILE_NAME))
    return found


def iter_policy_lines(policy: Policy) -> Iterator[str]:
    """The effective policy, line by line, each value with `# file:line` behind it."""
    from preflight.messages.policy import quote_value as quoted
    from preflight.policy.matching import to_texts
    from preflight.rules.select_rules import load_all_rules

    yield f"# {' < '.join(layer.file for layer in policy.layers)}"
    yield from _iter_line(f"noExecute: {policy.no_execute}", policy.no_execute_source)
    yield from _iter_line(f"requireExpires: {str(policy.requires_expires).lower()}", policy.requires_expires_source)
    yield "rules:"
    for rule in load_all_rules():
        rulings = policy.rule_settings.get(rule.id, ())
        whole = next((setting for setting in reversed(rulings) if setting.severity and setting.setting.match is None), None)
        yield from _iter_line(f"  {rule.id} {rule.name}: {whole.severity if whole else rule.severity}", whole.source if whole else None)
        yield from (
            line
            for setting in _select_narrower(rulings, whole)
            for line in _iter_line(f"    {_format_rule_setting(setting)}", setting.source)
        )
        for ruling in rulings:
            for option, value in ruling.setting.options.items():
                yield from _iter_line(f"    {option}: {quoted(value)}", ruling.source)
    yield from _iter_section("mandatory", [(rule, said) for rule, said in policy.mandatory.items()])
    taints = [
        (f"{taint.key}{f'={value}' if value else ''}:{effect}{f' ({quoted(taint.meaning)})' if taint.meaning else ''}", said)
        for taint, said in policy.taints
        for value in to_texts(taint.values) or ("",)
        for effect in to_texts(taint.effects)
    ]
    yield from _iter_section("taints", taints)
    pools = [
        (f"{node_pool.name}{'' if node_pool.count is None else f': {node_pool.count} nodes'}", said)
        for node_pool, said in policy.node_pools
    ]
    yield from _iter_section("nodePools", pools)
    yield from _iter_section("required", [(required.name, said) for required, said in policy.required])
    stated = [
        (
            f"{', '.join((*(component.kinds or ()), *(f'+{add}' for add in component.add))) or 'nothing'}"
            + _format_match(component.match, component.image),
            said,
        )
        for component, said in policy.components
    ]
    yield from _iter_section("components", stated)
    exempted = [
        (
            (
                f"{exemption.rule}{_format_match(exemption.match)}{f' until {exemption.expires}' if exemption.expires else ''}: "
                f"{quoted(exemption.reason)}"
            ),
            said,
        )
        for exemption, said in policy.exemptions
    ]
    yield from _iter_section("exemptions", exempted)


def _iter_section(name: str, sourced_entries: list[tuple[str, PolicySource]]) -> Iterator[str]:
    if sourced_entries:
        yield f"{name}:"
        for text, said in sourced_entries:
            yield from _iter_line(f"  - {text}", said)


def _iter_line(text: str, source: PolicySource | None) -> Iterator[str]:
    yield f"{text}  # {source.location}" if source else text


def _select_narrower(rulings: tuple[RuleSetting, ...], whole: RuleSetting | None) -> Iterator[RuleSetting]:
    """The rulings over some objects that stand behind the one over all."""
    start = rulings.index(whole) + 1 if whole else 0
    return (ruling for ruling in rulings[start:] if ruling.severity and ruling.setting.match is not None)


def _format_rule_setting(rule_setting: RuleSetting) -> str:
    return f"{rule_setting.severity}{_format_match(rule_setting.setting.match)}"


def _format_match(match: Match | None, image: str | tuple[str, ...] = ()) -> str:
    from preflight.messages.policy import quote_value as quoted
    from preflight.policy.matching import to_texts

    parts = [f"image {' or '.join(map(quoted, to_texts(image)))}"] if to_texts(image) else []
    if match is not None:
        for name in ("namespace", "name", "kind", "file"):
            globs = to_texts(getattr(match, name))
            parts += [f"{name} {' or '.join(map(quoted, globs))}"] if globs else []
        parts += [f"label {quoted(key)} {' or '.join(map(quoted, to_texts(globs)))}" for key, globs in match.labels.items()]
    return f" where {', '.join(parts)}" if parts else ""
