"""Policies laid one over the other: what holds in the end, and who says it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from preflight.model.report import Severity
from preflight.policy.checking import rule_named, settings
from preflight.policy.faults import Path
from preflight.policy.matching import Thing, fits
from preflight.policy.reading import Layer, refuse
from preflight.policy.written import DeclaredTaint, Exemption, NodePool, Required, Setting, Stated, texts

T = TypeVar("T", DeclaredTaint, NodePool, Required, Stated, Exemption)


class Said(Struct, frozen=True):
    """Where something is said: a path in a policy."""

    layer: Layer
    path: Path

    @property
    def where(self) -> str:
        """`file:line`."""
        return self.layer.where(self.path)


class Ruling(Struct, frozen=True):
    """A setting of a rule, and where it is said."""

    setting: Setting
    said: Said

    def covers(self, thing: Thing) -> bool:
        """Whether it is about an object."""
        return fits(self.setting.match, thing, self.said.layer.folder)

    @property
    def severity(self) -> str | None:
        """`error`, `warning`, `note`, `off`, or None where it says nothing of it."""
        given = self.setting.severity
        return "off" if given is False else str(given) if given is not None else None


class Policy(Struct, frozen=True):
    """What holds: the layers in order, and what they say together. Without layers it is what the pack `default` says.

    1. `rulings` are the settings by the rule's id, in order: the last one that covers an object counts.
    2. `options` are those of the rules that have some. `mandatory` are rules that nothing exempts.
    3. Each entry of a list stands beside the place that says it.
    """

    layers: tuple[Layer, ...] = ()
    rulings: Mapping[str, tuple[Ruling, ...]] = {}
    options: Mapping[str, Struct] = {}
    taints: tuple[tuple[DeclaredTaint, Said], ...] = ()
    node_pools: tuple[tuple[NodePool, Said], ...] = ()
    required: tuple[tuple[Required, Said], ...] = ()
    components: tuple[tuple[Stated, Said], ...] = ()
    exemptions: tuple[tuple[Exemption, Said], ...] = ()
    mandatory: Mapping[str, Said] = {}
    no_execute: str = "decide"
    no_execute_said: Said | None = None
    requires_expires: bool = False
    requires_expires_said: Said | None = None

    def severity(self, rule: str, own: Severity, given: Severity | None, thing: Thing) -> Severity | None:
        """What a hit of a rule is: None where the rule is off for this object.

        1. `own` is the severity of the rule, `given` that of the hit where it has one of its own.
        2. What the policy says takes the place of `own`; a hit that the rule itself gives a milder one stays that mild.
        """
        said = self.said_of(rule, thing)
        if said is None:
            return given or own
        if said == "off":
            return None
        wanted = Severity(said)
        return wanted if given is None or given.rank <= own.rank else max(given, wanted, key=lambda each: each.rank)

    def said_of(self, rule: str, thing: Thing) -> str | None:
        """The severity that the last ruling over an object says, None where none does."""
        said = (ruling.severity for ruling in reversed(self.rulings.get(rule, ())) if ruling.severity is not None and ruling.covers(thing))
        return next(said, None)

    @property
    def folder(self) -> str:
        """The folder of the policy itself, "" where it is a pack or none."""
        return self.layers[-1].folder if self.layers else ""


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


def shown_name(policy: Policy) -> str:
    """What to call a policy: the file or pack that it was loaded from."""
    return policy.layers[-1].file if policy.layers else "<default>"


def is_below(folder: str, paths: Iterable[str]) -> bool:
    """Whether a folder is one of some paths, or below one."""
    return bool(folder) and any(f"{folder}/".startswith(f"{os.path.abspath(path).rstrip('/')}/") for path in paths)  # noqa: PTH100
