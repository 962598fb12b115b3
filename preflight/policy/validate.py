"""What no type says of a policy: names of rules and kinds, dates, globs, and what must be given together."""

from __future__ import annotations

import datetime
import typing
from collections.abc import Iterable, Iterator
from functools import cache

import msgspec

from preflight.model.objects import Taint
from preflight.policy.config import SEVERITIES, Exemption, Match, Required, Setting, Stated, WantedToleration, Written
from preflight.policy.matching import MAX_GLOB, texts
from preflight.policy.schema_errors import Fault, Path, faults, nearest, shown
from preflight.rules.api import Rule
from preflight.rules.registry import all_rules, common_rules
from preflight.scheduling.validation import taint_refusals

ABOUT_EXEMPTIONS = ("PF990", "PF991", "PF992")
"""The rules that judge the exemptions themselves."""
UNSETTABLE = ("PF900",)
"""What no policy sets: a crash of a rule is always an error."""


def check(written: Written) -> Iterator[Fault]:
    """What is wrong with a policy of the right types."""
    for name, value in written.rules.items():
        yield from _rule(name, ("rules", name))
        for path, setting in settings(name, value):
            yield from _setting(name, setting, path)
    for number, taint in enumerate(written.taints):
        for value in texts(taint.values) or ("",):
            for effect in texts(taint.effects):
                yield from _taint(Taint(taint.key, value, effect), ("taints", number))
        if not texts(taint.effects):
            yield ("taints", number, "effects"), "is empty: name one effect or more"
    for number, pool in enumerate(written.nodePools):
        if not pool.name:
            yield ("nodePools", number, "name"), "is empty"
        if pool.count is not None and pool.count < 0:
            yield ("nodePools", number, "count"), "is less than 0"
        for place, each in enumerate(pool.taints):
            yield from _taint(Taint(each.key, each.value, each.effect), ("nodePools", number, "taints", place))
    for number, required in enumerate(written.required):
        yield from _required(required, ("required", number))
    for number, stated in enumerate(written.components):
        yield from _stated(stated, ("components", number))
    for number, name in enumerate(written.mandatory):
        yield from _rule(name, ("mandatory", number))
    for number, exemption in enumerate(written.exemptions):
        yield from _exemption(exemption, ("exemptions", number))


def settings(name: str, value: object) -> Iterator[tuple[Path, Setting]]:
    """The settings of one rule, each with its path: a severity alone, one setting, or several."""
    path: Path = ("rules", name)
    if isinstance(value, Setting):
        yield path, value
    elif isinstance(value, tuple):
        for number, each in enumerate(value):
            yield (*path, number), each
    else:
        yield path, Setting(severity=typing.cast("str | bool", value))


@cache
def rule_named(name: str) -> Rule | None:
    """The rule of an id or a name, in any case; None where there is none."""
    for rules in (common_rules, all_rules):  # most name a rule of every run: no other is imported for them
        found = next((rule for rule in rules() if name.upper() == rule.id or name.lower() == rule.name), None)
        if found is not None:
            return found
    return None


def day(text: str) -> datetime.date | None:
    """The day that is written as 2027-01-31; None for anything else."""
    try:
        return datetime.date.fromisoformat(text) if len(text) == len("2027-01-31") else None
    except ValueError:
        return None


def _rule(name: str, path: Path) -> Iterator[Fault]:
    rule = rule_named(name)
    if rule is None or name not in (rule.id, rule.name):
        known = [each for rule in all_rules() for each in (rule.id, rule.name)]
        yield path, f"no rule {shown(name)}{nearest(name, known)}"


def _setting(name: str, setting: Setting, path: Path) -> Iterator[Fault]:
    severity = setting.severity
    at = path if severity is not None and len(path) == 2 and not setting.options and setting.match is None else (*path, "severity")
    if severity is True or (isinstance(severity, str) and severity not in SEVERITIES):
        given = "true" if severity is True else str(severity)
        yield at, f"{shown(given)} is not one of {', '.join(SEVERITIES)}{_near(given)}"
    rule = rule_named(name)
    if rule is None or name not in (rule.id, rule.name):
        return
    if rule.id in UNSETTABLE:
        yield path, "a crash of a rule is always an error"
    yield from _match(setting.match, (*path, "match"))
    if setting.options:
        if rule.options is None:
            yield (*path, "options"), f"{rule.id} has no options"
        else:
            found = list(faults(setting.options, rule.options, (*path, "options")))
            yield from found
            if not found:
                yield from _options(rule, setting, path)


def _options(rule: Rule, setting: Setting, path: Path) -> Iterator[Fault]:
    assert rule.options is not None
    try:
        msgspec.convert(setting.options, rule.options)
    except msgspec.ValidationError as error:
        yield (*path, "options"), str(error)
    if "kinds" in rule.options.__struct_fields__:
        yield from _kinds(setting.options.get("kinds", ()), (*path, "options", "kinds"))
    if setting.match is not None:
        yield (*path, "options"), "hold for all objects: give them without match"


def _exemption(exemption: Exemption, path: Path) -> Iterator[Fault]:
    yield from _rule(exemption.rule, (*path, "rule"))
    yield from _match(exemption.match, (*path, "match"))
    if not exemption.reason.strip():
        yield (*path, "reason"), "is empty: an exemption needs a reason"
    if exemption.expires and day(exemption.expires) is None:
        yield (*path, "expires"), f"{shown(exemption.expires)} is no day: write it as 2027-01-31"


def _near(given: str) -> str:
    text = nearest(given, SEVERITIES)
    return text if "did you mean" in text else ""


def _taint(taint: Taint, path: Path) -> Iterator[Fault]:
    for refusal in taint_refusals((taint,)):
        field = refusal.path[3:] if len(refusal.path) > 3 else ()
        yield (*path, *field), refusal.reason


def _match(match: Match | None, path: Path) -> Iterator[Fault]:
    if match is None:
        return
    globs = [((*path, name), each) for name in ("namespace", "name", "kind", "file") for each in texts(getattr(match, name))]
    globs += [((*path, "labels", key), each) for key, value in match.labels.items() for each in texts(value)]
    if not globs:
        yield path, "is empty: name at least one of namespace, name, kind, file, labels, or leave match out"
    for where, glob in globs:
        yield from _glob(glob, where)


def _glob(glob: str, path: Path) -> Iterator[Fault]:
    if not glob or len(glob) > MAX_GLOB:
        yield path, "a glob is empty" if not glob else f"a glob has more than {MAX_GLOB} characters"


def _kinds(names: Iterable[str], path: Path) -> Iterator[Fault]:
    if not names:
        return
    from preflight.components import kinds

    for number, name in enumerate(texts(names if isinstance(names, str) else tuple(names))):
        if name not in kinds():
            yield (path if isinstance(names, str) else (*path, number)), f"no kind of component {shown(name)}{nearest(name, kinds())}"


def _required(required: Required, path: Path) -> Iterator[Fault]:
    yield from _kinds(required.kinds, (*path, "kinds"))
    yield from _match(required.match, (*path, "match"))
    if not texts(required.kinds) and required.match is None:
        yield path, "says nobody: give kinds, match or both"
    if not required.tolerations:
        yield (*path, "tolerations"), "is empty: name one or more"
    for number, toleration in enumerate(required.tolerations):
        yield from _toleration(toleration, (*path, "tolerations", number))


def _toleration(toleration: WantedToleration, path: Path) -> Iterator[Fault]:
    if not toleration.key and toleration.operator != "Exists":
        yield path, "lacks key: only with `operator: Exists` is there none"
    if toleration.operator == "Exists" and toleration.value:
        yield (*path, "value"), "has no meaning with `operator: Exists`"
    if toleration.tolerationSeconds is not None and toleration.effect != "NoExecute":
        yield (*path, "tolerationSeconds"), "needs `effect: NoExecute`"


def _stated(stated: Stated, path: Path) -> Iterator[Fault]:
    yield from _kinds(stated.kinds or (), (*path, "kinds"))
    yield from _kinds(stated.add, (*path, "add"))
    yield from _match(stated.match, (*path, "match"))
    for glob in texts(stated.image):
        yield from _glob(glob, (*path, "image"))
    if not texts(stated.image) and stated.match is None:
        yield path, "says nobody: give image, match or both"
    if stated.kinds is None and not stated.add:
        yield path, "says nothing: give kinds or add"
