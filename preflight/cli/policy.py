"""`preflight policy schema | check | show`: what a policy may say, whether one is good, and what holds in the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from preflight.errors import UsageError

if TYPE_CHECKING:
    from preflight.policy.config import Match
    from preflight.policy.model import Policy, Ruling, Said


@click.group("policy")
def command() -> None:
    """Policies: severities, taints, node pools, required tolerations, components, exemptions."""


@command.command("schema")
def schema() -> int:
    """The JSON Schema of a policy, for editors."""
    import json

    from preflight.policy.schema import schema as made

    click.echo(json.dumps(made(), indent=2))
    return 0


@command.command("check")
@click.argument("names", nargs=-1, metavar="[FILE|NAME]...")
def check(names: tuple[str, ...]) -> int:
    """Whether policies are good: all that is wrong, with its line (exit code 2). Without a name, the .preflight.yaml that is found."""
    from preflight import policy

    wrong = False
    for name in names or (_found(),):
        try:
            policy.load(name)
            click.echo(f"{name}: good")
        except UsageError as error:
            wrong = True
            click.echo(str(error), err=True)
    return 2 if wrong else 0


@command.command("show")
@click.argument("name", default="", metavar="[FILE|NAME]")
def show(name: str) -> int:
    """What holds in the end, and who says it: of a policy, else of the .preflight.yaml that is found, else of the pack `default`."""
    from preflight import policy

    click.echo("\n".join(shown(policy.load(name or policy.find() or "default"))))
    return 0


def _found() -> str:
    from preflight import policy

    found = policy.find()
    if found is None:
        raise UsageError(f"no {policy.FOUND} here or above: name a file or a pack")
    return found


def shown(policy: Policy) -> Iterator[str]:
    """The effective policy, line by line, each value with `# file:line` behind it."""
    from preflight.policy.matching import texts
    from preflight.policy.schema_errors import shown as quoted
    from preflight.rules.registry import all_rules

    yield f"# {' < '.join(layer.file for layer in policy.layers)}"
    yield from _line(f"noExecute: {policy.no_execute}", policy.no_execute_said)
    yield from _line(f"requireExpires: {str(policy.requires_expires).lower()}", policy.requires_expires_said)
    yield "rules:"
    for rule in all_rules():
        rulings = policy.rulings.get(rule.id, ())
        whole = next((each for each in reversed(rulings) if each.severity and each.setting.match is None), None)
        yield from _line(f"  {rule.id} {rule.name}: {whole.severity if whole else rule.severity}", whole.said if whole else None)
        yield from (line for each in _narrower(rulings, whole) for line in _line(f"    {_wanted(each)}", each.said))
        for ruling in rulings:
            for option, value in ruling.setting.options.items():
                yield from _line(f"    {option}: {quoted(value)}", ruling.said)
    yield from _section("mandatory", [(rule, said) for rule, said in policy.mandatory.items()])
    taints = [
        (f"{each.key}{f'={value}' if value else ''}:{effect}{f' ({quoted(each.meaning)})' if each.meaning else ''}", said)
        for each, said in policy.taints
        for value in texts(each.values) or ("",)
        for effect in texts(each.effects)
    ]
    yield from _section("taints", taints)
    pools = [(f"{each.name}{'' if each.count is None else f': {each.count} nodes'}", said) for each, said in policy.node_pools]
    yield from _section("nodePools", pools)
    yield from _section("required", [(each.name, said) for each, said in policy.required])
    stated = [
        (f"{', '.join((*(each.kinds or ()), *(f'+{add}' for add in each.add))) or 'nothing'}{_which(each.match, each.image)}", said)
        for each, said in policy.components
    ]
    yield from _section("components", stated)
    exempted = [
        (f"{each.rule}{_which(each.match)}{f' until {each.expires}' if each.expires else ''}: {quoted(each.reason)}", said)
        for each, said in policy.exemptions
    ]
    yield from _section("exemptions", exempted)


def _section(name: str, entries: list[tuple[str, Said]]) -> Iterator[str]:
    if entries:
        yield f"{name}:"
        for text, said in entries:
            yield from _line(f"  - {text}", said)


def _line(text: str, said: Said | None) -> Iterator[str]:
    yield f"{text}  # {said.where}" if said else text


def _narrower(rulings: tuple[Ruling, ...], whole: Ruling | None) -> Iterator[Ruling]:
    """The rulings over some objects that stand behind the one over all."""
    start = rulings.index(whole) + 1 if whole else 0
    return (each for each in rulings[start:] if each.severity and each.setting.match is not None)


def _wanted(ruling: Ruling) -> str:
    return f"{ruling.severity}{_which(ruling.setting.match)}"


def _which(match: Match | None, image: str | tuple[str, ...] = ()) -> str:
    from preflight.policy.matching import texts
    from preflight.policy.schema_errors import shown as quoted

    parts = [f"image {' or '.join(map(quoted, texts(image)))}"] if texts(image) else []
    if match is not None:
        for name in ("namespace", "name", "kind", "file"):
            globs = texts(getattr(match, name))
            parts += [f"{name} {' or '.join(map(quoted, globs))}"] if globs else []
        parts += [f"label {quoted(key)} {' or '.join(map(quoted, texts(globs)))}" for key, globs in match.labels.items()]
    return f" where {', '.join(parts)}" if parts else ""
