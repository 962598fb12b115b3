"""What no type says of a policy: names of rules and kinds, dates, globs, and what must be given together."""

from __future__ import annotations

import datetime
import typing
from collections.abc import Iterable, Iterator
from functools import cache

import msgspec

from preflight.messages import policy as messages
from preflight.messages.versions import describe_invalid_version
from preflight.model.core import Taint
from preflight.model.releases import parse_version
from preflight.policy.config import SEVERITIES, Exemption, Match, PolicyFile, Required, Setting, Stated, WantedToleration
from preflight.policy.matching import MAX_GLOB, to_texts
from preflight.policy.schema_errors import Fault, Path, find_faults
from preflight.rules.api import Rule
from preflight.rules.select_rules import common_rules, load_all_rules
from preflight.scheduling.validation import validate_taints


def check(policy_file: PolicyFile) -> Iterator[Fault]:
    """What is wrong with a policy of the right types."""
    for name, value in policy_file.rules.items():
        yield from _check_rule_name(name, ("rules", name))
        for path, setting in iter_settings(name, value):
            yield from _check_setting(name, setting, path)
    for number, taint in enumerate(policy_file.taints):
        for value in to_texts(taint.values) or ("",):
            for effect in to_texts(taint.effects):
                yield from _check_taint(Taint(taint.key, value, effect), ("taints", number))
        if not to_texts(taint.effects):
            yield ("taints", number, "effects"), messages.EMPTY_EFFECTS
    for number, pool in enumerate(policy_file.nodePools):
        if not pool.name:
            yield ("nodePools", number, "name"), messages.EMPTY_NAME
        if pool.count is not None and pool.count < 0:
            yield ("nodePools", number, "count"), messages.NEGATIVE_COUNT
        for place, pool_taint in enumerate(pool.taints):
            path = ("nodePools", number, "taints", place)
            yield from _check_taint(Taint(pool_taint.key, pool_taint.value, pool_taint.effect), path)
    for number, required in enumerate(policy_file.required):
        yield from _check_required(required, ("required", number))
    for number, stated in enumerate(policy_file.components):
        yield from _check_component(stated, ("components", number))
    for number, name in enumerate(policy_file.mandatory):
        yield from _check_rule_name(name, ("mandatory", number))
    if policy_file.kubernetesVersion and parse_version(policy_file.kubernetesVersion) is None:
        yield ("kubernetesVersion",), describe_invalid_version("kubernetesVersion", policy_file.kubernetesVersion)
    for number, exemption in enumerate(policy_file.exemptions):
        yield from _check_exemption(exemption, ("exemptions", number))


def iter_settings(name: str, value: object) -> Iterator[tuple[Path, Setting]]:
    """The settings of one rule, each with its path: a severity alone, one setting, or several."""
    path: Path = ("rules", name)
    if isinstance(value, Setting):
        yield path, value
    elif isinstance(value, tuple):
        for number, setting in enumerate(value):
            yield (*path, number), setting
    else:
        yield path, Setting(severity=typing.cast("str | bool", value))


def is_exemptible(rule_id: str) -> bool:
    """Whether findings of a rule may be accepted: not those about a crash, nor those about exemptions."""
    rule = find_rule(rule_id)
    return rule is None or rule.is_exemptible


@cache
def find_rule(name: str) -> Rule | None:
    """The rule of an id or a name, in any case; None where there is none."""
    for rules in (common_rules, load_all_rules):  # most name a rule of every run: no other is imported for them
        found = next((rule for rule in rules() if name.upper() == rule.id or name.lower() == rule.name), None)
        if found is not None:
            return found
    return None


def parse_day(text: str) -> datetime.date | None:
    """The day that is written as 2027-01-31; None for anything else."""
    try:
        return datetime.date.fromisoformat(text) if len(text) == len("2027-01-31") else None
    except ValueError:
        return None


def _check_rule_name(name: str, path: Path) -> Iterator[Fault]:
    rule = find_rule(name)
    if rule is None or name not in (rule.id, rule.name):
        yield path, messages.describe_unknown_name("rule", name, list_rule_names())


def list_rule_names() -> list[str]:
    """The ids and names of all rules."""
    return [name for rule in load_all_rules() for name in (rule.id, rule.name)]


def _check_setting(name: str, setting: Setting, path: Path) -> Iterator[Fault]:
    severity = setting.severity
    at = path if severity is not None and len(path) == 2 and not setting.options and setting.match is None else (*path, "severity")
    if severity is True or (isinstance(severity, str) and severity not in SEVERITIES):
        given = "true" if severity is True else str(severity)
        yield at, messages.describe_unknown_word(given, SEVERITIES)
    rule = find_rule(name)
    if rule is None or name not in (rule.id, rule.name):
        return
    if rule.is_crash:
        yield path, messages.SET_CRASH
    yield from _check_match(setting.match, (*path, "match"))
    if setting.options:
        if rule.options is None:
            yield (*path, "options"), messages.describe_useless_options(rule.id)
        else:
            yield from _check_options(rule, setting, path)


def _check_options(rule: Rule, setting: Setting, path: Path) -> Iterator[Fault]:
    assert rule.options is not None
    try:
        msgspec.convert(setting.options, rule.options)
    except msgspec.ValidationError as error:
        from preflight.policy.schema import build_struct_schema

        options_path = (*path, "options")
        yield from find_faults(setting.options, build_struct_schema(rule.options), options_path) or [(options_path, str(error))]
        return
    if "kinds" in rule.options.__struct_fields__:
        yield from _check_kinds(setting.options.get("kinds", ()), (*path, "options", "kinds"))
    if setting.match is not None:
        yield (*path, "options"), messages.MATCHED_OPTIONS


def _check_exemption(exemption: Exemption, path: Path) -> Iterator[Fault]:
    yield from _check_rule_name(exemption.rule, (*path, "rule"))
    yield from _check_match(exemption.match, (*path, "match"))
    if not exemption.reason.strip():
        yield (*path, "reason"), messages.EMPTY_REASON
    if exemption.expires and parse_day(exemption.expires) is None:
        yield (*path, "expires"), messages.describe_invalid_day(exemption.expires)


def _check_taint(taint: Taint, path: Path) -> Iterator[Fault]:
    for refusal in validate_taints((taint,)):
        field = refusal.path[3:] if len(refusal.path) > 3 else ()
        yield (*path, *field), refusal.reason


def _check_match(match: Match | None, path: Path) -> Iterator[Fault]:
    if match is None:
        return
    globs = [((*path, name), to_text) for name in ("namespace", "name", "kind", "file") for to_text in to_texts(getattr(match, name))]
    globs += [((*path, "labels", key), glob) for key, value in match.labels.items() for glob in to_texts(value)]
    if not globs:
        yield path, messages.EMPTY_MATCH
    for where, glob in globs:
        yield from _check_glob(glob, where)


def _check_glob(glob: str, path: Path) -> Iterator[Fault]:
    if not glob or len(glob) > MAX_GLOB:
        yield path, messages.describe_glob_length(glob, MAX_GLOB)


def _check_kinds(names: Iterable[str], path: Path) -> Iterator[Fault]:
    if not names:
        return
    from preflight.components import load_kinds

    for number, name in enumerate(to_texts(names if isinstance(names, str) else tuple(names))):
        if name not in load_kinds():
            yield (
                (path if isinstance(names, str) else (*path, number)),
                messages.describe_unknown_name("kind of component", name, load_kinds()),
            )


def _check_required(required: Required, path: Path) -> Iterator[Fault]:
    yield from _check_kinds(required.kinds, (*path, "kinds"))
    yield from _check_match(required.match, (*path, "match"))
    if not to_texts(required.kinds) and required.match is None:
        yield path, messages.REQUIRED_WITHOUT_SELECTOR
    if not required.tolerations:
        yield (*path, "tolerations"), messages.EMPTY_TOLERATIONS
    for number, toleration in enumerate(required.tolerations):
        yield from _check_toleration(toleration, (*path, "tolerations", number))


def _check_toleration(toleration: WantedToleration, path: Path) -> Iterator[Fault]:
    if not toleration.key and toleration.operator != "Exists":
        yield path, messages.TOLERATION_WITHOUT_KEY
    if toleration.operator == "Exists" and toleration.value:
        yield (*path, "value"), messages.VALUE_WITH_EXISTS
    if toleration.tolerationSeconds is not None and toleration.effect != "NoExecute":
        yield (*path, "tolerationSeconds"), messages.SECONDS_WITHOUT_EFFECT


def _check_component(stated: Stated, path: Path) -> Iterator[Fault]:
    yield from _check_kinds(stated.kinds or (), (*path, "kinds"))
    yield from _check_kinds(stated.add, (*path, "add"))
    yield from _check_match(stated.match, (*path, "match"))
    for glob in to_texts(stated.image):
        yield from _check_glob(glob, (*path, "image"))
    if not to_texts(stated.image) and stated.match is None:
        yield path, messages.COMPONENTS_WITHOUT_SELECTOR
    if stated.kinds is None and not stated.add:
        yield path, messages.COMPONENTS_WITHOUT_KINDS
