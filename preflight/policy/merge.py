"""Policies laid one over the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from preflight.messages import policy as messages
from preflight.model.exclusion import ExcludedPaths
from preflight.policy.matching import to_texts
from preflight.policy.model import Policy, PolicySource, RuleSetting
from preflight.policy.reader import PolicyLayer, raise_faults
from preflight.policy.validate import find_rule, iter_settings


def merge_layers(layers: Sequence[PolicyLayer]) -> Policy:
    """Layers as one policy, later ones over earlier ones. UsageError where a mandatory rule is switched off."""
    rulings: dict[str, list[RuleSetting]] = {}
    options: dict[str, dict[str, Any]] = {}
    mandatory: dict[str, PolicySource] = {}
    no_execute: tuple[str, PolicySource | None] = ("decide", None)
    expires: tuple[bool, PolicySource | None] = (False, None)
    version = ""
    for layer in layers:
        written = layer.policy_file
        for name, value in written.rules.items():
            rule = find_rule(name)
            assert rule is not None
            for path, setting in iter_settings(name, value):
                rulings.setdefault(rule.id, []).append(RuleSetting(setting, PolicySource(layer, path)))
                options.setdefault(rule.id, {}).update(setting.options)
        for number, name in enumerate(written.mandatory):
            rule = find_rule(name)
            assert rule is not None
            mandatory.setdefault(rule.id, PolicySource(layer, ("mandatory", number)))
        if written.noExecute:
            no_execute = (written.noExecute, PolicySource(layer, ("noExecute",)))
        if written.requireExpires is not None:
            expires = (written.requireExpires, PolicySource(layer, ("requireExpires",)))
        version = written.kubernetesVersion or version
    _check_mandatory_rules(rulings, mandatory)
    return Policy(
        layers=tuple(layers),
        rule_settings={rule: tuple(found) for rule, found in sorted(rulings.items())},
        options={rule: _convert_options(rule, found) for rule, found in sorted(options.items()) if found},
        taints=_merge_by_name(layers, "taints", lambda taint: (taint.key, to_texts(taint.values))),
        node_pools=_merge_by_name(layers, "nodePools", lambda pool: pool.name),
        required=_merge_by_name(layers, "required", lambda required: required.name),
        components=_collect_entries(layers, "components"),
        exemptions=_collect_entries(layers, "exemptions"),
        mandatory=dict(sorted(mandatory.items())),
        no_execute=no_execute[0],
        no_execute_source=no_execute[1],
        requires_expires=expires[0],
        requires_expires_source=expires[1],
        kubernetes_version=version,
        excluded=tuple(ExcludedPaths(glob, layer.folder) for layer in layers for glob in layer.policy_file.exclude),
    )


def _check_mandatory_rules(rulings: Mapping[str, Iterable[RuleSetting]], mandatory: Mapping[str, PolicySource]) -> None:
    for rule, said in mandatory.items():
        for ruling in rulings.get(rule, ()):
            if ruling.severity == "off":
                layer = ruling.source.layer
                raise_faults(layer.file, layer.chunk, [(ruling.source.path, messages.describe_mandatory_off(rule, said.location))])


def _convert_options(rule: str, given: Mapping[str, Any]) -> Struct:
    found = find_rule(rule)
    assert found is not None
    assert found.options is not None
    value: Struct = msgspec.convert(given, found.options)
    return value


def _collect_entries(layers: Iterable[PolicyLayer], field: str) -> tuple[tuple[Any, PolicySource], ...]:
    return tuple(
        (entry, PolicySource(layer, (field, number))) for layer in layers for number, entry in enumerate(getattr(layer.policy_file, field))
    )


def _merge_by_name(layers: Iterable[PolicyLayer], field: str, name: Any) -> tuple[tuple[Any, PolicySource], ...]:
    found = {name(entry): (entry, said) for entry, said in _collect_entries(layers, field)}
    return tuple(found[key] for key in sorted(found))
