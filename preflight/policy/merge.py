"""Policies laid one over the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from preflight.policy.matching import texts
from preflight.policy.model import Policy, Ruling, Said
from preflight.policy.reader import Layer, refuse
from preflight.policy.validate import rule_named, settings


def merged(layers: Sequence[Layer]) -> Policy:
    """Layers as one policy, later ones over earlier ones. UsageError where a mandatory rule is switched off."""
    rulings: dict[str, list[Ruling]] = {}
    options: dict[str, dict[str, Any]] = {}
    mandatory: dict[str, Said] = {}
    no_execute: tuple[str, Said | None] = ("decide", None)
    expires: tuple[bool, Said | None] = (False, None)
    for layer in layers:
        written = layer.written
        for name, value in written.rules.items():
            rule = rule_named(name)
            assert rule is not None
            for path, setting in settings(name, value):
                rulings.setdefault(rule.id, []).append(Ruling(setting, Said(layer, path)))
                options.setdefault(rule.id, {}).update(setting.options)
        for number, name in enumerate(written.mandatory):
            rule = rule_named(name)
            assert rule is not None
            mandatory.setdefault(rule.id, Said(layer, ("mandatory", number)))
        if written.noExecute:
            no_execute = (written.noExecute, Said(layer, ("noExecute",)))
        if written.requireExpires is not None:
            expires = (written.requireExpires, Said(layer, ("requireExpires",)))
    _mandatory_stays(rulings, mandatory)
    return Policy(
        layers=tuple(layers),
        rulings={rule: tuple(found) for rule, found in sorted(rulings.items())},
        options={rule: _options(rule, found) for rule, found in sorted(options.items()) if found},
        taints=_by_name(layers, "taints", lambda each: (each.key, texts(each.values))),
        node_pools=_by_name(layers, "nodePools", lambda each: each.name),
        required=_by_name(layers, "required", lambda each: each.name),
        components=_every(layers, "components"),
        exemptions=_every(layers, "exemptions"),
        mandatory=dict(sorted(mandatory.items())),
        no_execute=no_execute[0],
        no_execute_said=no_execute[1],
        requires_expires=expires[0],
        requires_expires_said=expires[1],
    )


def _mandatory_stays(rulings: Mapping[str, Iterable[Ruling]], mandatory: Mapping[str, Said]) -> None:
    for rule, said in mandatory.items():
        for ruling in rulings.get(rule, ()):
            if ruling.severity == "off":
                layer = ruling.said.layer
                refuse(layer.file, layer.chunk, [(ruling.said.path, f"{rule} is mandatory ({said.where}): it cannot be off")])


def _options(rule: str, given: Mapping[str, Any]) -> Struct:
    found = rule_named(rule)
    assert found is not None
    assert found.options is not None
    value: Struct = msgspec.convert(given, found.options)
    return value


def _every(layers: Iterable[Layer], field: str) -> tuple[tuple[Any, Said], ...]:
    return tuple((each, Said(layer, (field, number))) for layer in layers for number, each in enumerate(getattr(layer.written, field)))


def _by_name(layers: Iterable[Layer], field: str, name: Any) -> tuple[tuple[Any, Said], ...]:
    found = {name(each): (each, said) for each, said in _every(layers, field)}
    return tuple(found[key] for key in sorted(found))
