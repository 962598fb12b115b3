"""What the API server refuses of a Job's spec, as far as a prediction reads it, with its own words and in its own order.

Paths are relative to the object. Source: `pkg/apis/batch/validation/validation.go`, validateJobSpec.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise

from preflight.model.batch import JobSpec, OnExitCodes, OnPodCondition, PodFailurePolicyRule
from preflight.model.meta import Refusal
from preflight.scheduling.jobs.defaults import FAILED, INDEXED, NON_INDEXED, TERMINATING_OR_FAILED
from preflight.scheduling.name_validation import validate_dns_label, validate_dns_subdomain, validate_qualified_name

Path = tuple[str | int, ...]

_MAX_INDEXED, _MAX_WITH_INDEX_LIMIT = 100_000, 10_000
_MAX_RULES, _MAX_CODES, _MAX_CONDITIONS, _MAX_MANAGER_LENGTH = 20, 255, 20, 63
_ACTIONS, _OPERATORS, _STATUSES = ("Count", "FailIndex", "FailJob", "Ignore"), ("In", "NotIn"), ("False", "True", "Unknown")
_COUNT_FIELDS = ("parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "backoffLimitPerIndex", "maxFailedIndexes")


def validate_job(spec: JobSpec, path: Path = ("spec",), *, is_template: bool = False) -> Iterator[Refusal]:
    """What is refused of a spec, which may lack its defaults or have them.

    1. No number is negative. An Indexed Job needs `completions`, which is 1 by default where `parallelism` is absent too, but not in the
       template of a CronJob (`is_template`), which has no such default. Its limits are lower where it has many completions.
    2. `backoffLimitPerIndex` and `maxFailedIndexes` need Indexed, and the second needs the first.
    3. `managedBy` is a path with a domain before it. A success policy needs Indexed.
    4. A pod failure policy needs the restart policy Never, and the replacement policy Failed where one is stated; a Job needs a restart
       policy of Never or OnFailure. Its rules: see `_validate_rule`.

    Not looked at: the rules of a success policy, the scheduling of gangs, and everything of the pod template but this.
    """
    yield from _validate_numbers(spec, path)
    if spec.managedBy is not None:
        yield from _validate_manager(spec.managedBy, (*path, "managedBy"))
    if spec.completionMode not in ("", NON_INDEXED, INDEXED):
        yield _refuse_unsupported((*path, "completionMode"), spec.completionMode, (NON_INDEXED, INDEXED))
    if spec.completionMode == INDEXED:
        if spec.completions is None and (is_template or spec.parallelism is not None):
            yield _refuse_missing((*path, "completions"), f"when completion mode is {INDEXED}")
        yield from _validate_indexed(spec, path)
    elif spec.completionMode in ("", NON_INDEXED):
        for name, value in (("backoffLimitPerIndex", spec.backoffLimitPerIndex), ("maxFailedIndexes", spec.maxFailedIndexes)):
            if value is not None:
                yield _refuse_invalid((*path, name), value, "requires indexed completion mode")
    if spec.podFailurePolicy is not None:
        rules = spec.podFailurePolicy.rules
        here = (*path, "podFailurePolicy", "rules")
        if len(rules) > _MAX_RULES:
            yield _refuse_too_many(here, len(rules), _MAX_RULES)
        for place, rule in enumerate(rules):
            yield from _validate_rule(rule, spec, (*here, place))
    if spec.successPolicy is not None and spec.completionMode != INDEXED:
        yield Refusal((*path, "successPolicy"), "Invalid value: requires indexed completion mode", "successPolicy")
    yield from _validate_replacement_policy(spec, (*path, "podReplacementPolicy"))
    yield from _validate_restart_policy(spec, (*path, "template", "spec", "restartPolicy"))


def validate_job_name(name: str, spec: JobSpec) -> Iterator[Refusal]:
    """What is refused of the name of an Indexed Job: with its highest index it must be a host name."""
    if spec.completionMode == INDEXED and spec.completions:
        host = f"{name}-{spec.completions - 1}"
        if validate_dns_label(host):
            yield _refuse_invalid(("metadata", "name"), name, f"will not able to create pod with invalid DNS label: {host}")


def _validate_numbers(spec: JobSpec, path: Path) -> Iterator[Refusal]:
    for name in _COUNT_FIELDS:
        value = getattr(spec, name)
        if value is not None and value < 0:
            yield _refuse_invalid((*path, name), value, "must be greater than or equal to 0")
    if spec.maxFailedIndexes is not None and spec.backoffLimitPerIndex is None:
        yield _refuse_missing((*path, "backoffLimitPerIndex"), "when maxFailedIndexes is specified")


def _validate_manager(name: str, path: Path) -> Iterator[Refusal]:
    host, _, rest = name.partition("/")
    if not name:
        yield _refuse_missing(path, "")
    elif not host or not rest:
        yield _refuse_invalid(path, name, 'must be a domain-prefixed path (such as "acme.io/foo")')
    else:
        for reason in validate_dns_subdomain(host):
            yield _refuse_invalid(path, host, reason)
    if len(name) > _MAX_MANAGER_LENGTH:
        yield Refusal(path, f"Too long: may not be more than {_MAX_MANAGER_LENGTH} bytes", _format_field(path))


def _validate_indexed(spec: JobSpec, path: Path) -> Iterator[Refusal]:
    completions, parallelism, most = spec.completions, spec.parallelism or 0, spec.maxFailedIndexes
    if parallelism > _MAX_INDEXED:
        reason = f"must be less than or equal to {_MAX_INDEXED} when completion mode is {INDEXED}"
        yield _refuse_invalid((*path, "parallelism"), parallelism, reason)
    if completions is not None and most is not None and most > completions:
        yield _refuse_invalid((*path, "maxFailedIndexes"), most, "must be less than or equal to completions")
    if most is not None and most > _MAX_INDEXED:
        yield _refuse_invalid((*path, "maxFailedIndexes"), most, f"must be less than or equal to {_MAX_INDEXED}")
    if completions is not None and completions > _MAX_INDEXED and spec.backoffLimitPerIndex is not None:
        fewer = (
            f"must be less than or equal to {_MAX_WITH_INDEX_LIMIT} when completions are above "
            f"{_MAX_INDEXED} and used with backoff limit per index"
        )
        if most is None:
            yield _refuse_missing((*path, "maxFailedIndexes"), f"must be specified when completions is above {_MAX_INDEXED}")
        if parallelism > _MAX_WITH_INDEX_LIMIT:
            yield _refuse_invalid((*path, "parallelism"), parallelism, fewer)
        if most is not None and most > _MAX_WITH_INDEX_LIMIT:
            yield _refuse_invalid((*path, "maxFailedIndexes"), most, fewer)


def _validate_rule(rule: PodFailurePolicyRule, spec: JobSpec, path: Path) -> Iterator[Refusal]:
    """An action of the four, FailIndex with a limit per index only, and exactly one of the two requirements."""
    if not rule.action:
        yield _refuse_missing((*path, "action"), f"valid values: {_format_go_list(_ACTIONS)}")
    elif rule.action == "FailIndex":
        if spec.backoffLimitPerIndex is None:
            yield _refuse_invalid((*path, "action"), rule.action, "requires the backoffLimitPerIndex to be set")
    elif rule.action not in _ACTIONS:
        yield _refuse_unsupported((*path, "action"), rule.action, _ACTIONS)
    if rule.onExitCodes is not None:
        names = [container.name for container in (*spec.template.spec.containers, *spec.template.spec.initContainers)]
        yield from _validate_exit_codes(rule.onExitCodes, names, (*path, "onExitCodes"))
    yield from _validate_conditions(rule.onPodConditions, (*path, "onPodConditions"))
    if rule.onExitCodes is not None and rule.onPodConditions:
        yield _refuse_value(path, "specifying both OnExitCodes and OnPodConditions is not supported")
    if rule.onExitCodes is None and not rule.onPodConditions:
        yield _refuse_value(path, "specifying one of OnExitCodes and OnPodConditions is required")


def _validate_exit_codes(requirement: OnExitCodes, containers: Sequence[str], path: Path) -> Iterator[Refusal]:
    """A known operator, a container that there is, and 1 to 255 codes in order, each once, without 0 for In."""
    if not requirement.operator:
        yield _refuse_missing((*path, "operator"), f"valid values: {_format_go_list(_OPERATORS)}")
    elif requirement.operator not in _OPERATORS:
        yield _refuse_unsupported((*path, "operator"), requirement.operator, _OPERATORS)
    if requirement.containerName is not None and requirement.containerName not in containers:
        reason = "must be one of the container or initContainer names in the pod template"
        yield _refuse_invalid((*path, "containerName"), requirement.containerName, reason)
    values, here = requirement.values, (*path, "values")
    if not values:
        yield Refusal(here, "Invalid value: []: at least one value is required", "values")
    elif len(values) > _MAX_CODES:
        yield _refuse_too_many(here, len(values), _MAX_CODES)
    seen: set[int] = set()
    for place, value in enumerate(values):
        if requirement.operator == "In" and value == 0:
            yield _refuse_invalid((*here, place), value, "must not be 0 for the In operator")
        if value in seen:
            yield Refusal((*here, place), f"Duplicate value: {value}", _format_field((*here, place)))
        seen.add(value)
    if any(value > after for value, after in pairwise(values)):
        yield Refusal(here, f"Invalid value: {json.dumps(values, separators=(',', ':'))}: must be ordered", "values")


def _validate_conditions(conditions: Sequence[OnPodCondition], path: Path) -> Iterator[Refusal]:
    """At most 20, each with a type that is a qualified name and a status of the three; an absent one is True."""
    if len(conditions) > _MAX_CONDITIONS:
        yield _refuse_too_many(path, len(conditions), _MAX_CONDITIONS)
    for place, condition in enumerate(conditions):
        for reason in validate_qualified_name(condition.type):
            yield _refuse_invalid((*path, place, "type"), condition.type, reason)
        if condition.status and condition.status not in _STATUSES:
            yield _refuse_unsupported((*path, place, "status"), condition.status, _STATUSES)


def _validate_replacement_policy(spec: JobSpec, path: Path) -> Iterator[Refusal]:
    stated, values = spec.podReplacementPolicy, (FAILED,) if spec.podFailurePolicy else (FAILED, TERMINATING_OR_FAILED)
    if stated is not None and stated not in values:
        yield _refuse_unsupported(path, stated, values)


def _validate_restart_policy(spec: JobSpec, path: Path) -> Iterator[Refusal]:
    policy = spec.template.spec.restartPolicy
    if policy in ("", "Always"):
        yield _refuse_missing(path, 'valid values: "OnFailure", "Never"')
    elif policy not in ("OnFailure", "Never"):
        yield _refuse_unsupported(path, policy, ("OnFailure", "Never"))
    elif spec.podFailurePolicy and policy != "Never":
        yield _refuse_invalid(path, policy, 'only "Never" is supported when podFailurePolicy is specified')


def _format_field(path: Path) -> str:
    """The field that a path ends at, as the API server writes it: `rules[1]`."""
    index = "".join(f"[{part}]" for part in path[-1:] if isinstance(part, int))
    return next(part for part in reversed(path) if isinstance(part, str)) + index


def _format_go_list(values: Sequence[str]) -> str:
    """A list as Go prints it: `["Count" "Ignore"]`."""
    return f"[{' '.join(json.dumps(value) for value in values)}]"


def _refuse_invalid(path: Path, value: str | int, reason: str) -> Refusal:
    return Refusal(path, f"Invalid value: {json.dumps(value, ensure_ascii=False)}: {reason}", _format_field(path))


def _refuse_value(path: Path, reason: str) -> Refusal:
    return Refusal(path, f"Invalid value: {reason}", _format_field(path))


def _refuse_missing(path: Path, reason: str) -> Refusal:
    return Refusal(path, f"Required value: {reason}" if reason else "Required value", _format_field(path))


def _refuse_too_many(path: Path, count: int, most: int) -> Refusal:
    return Refusal(path, f"Too many: {count}: must have at most {most} items", _format_field(path))


def _refuse_unsupported(path: Path, value: str, supported: Sequence[str]) -> Refusal:
    shown = ", ".join(f'"{value}"' for value in supported)
    return Refusal(path, f'Unsupported value: "{value}": supported values: {shown}', _format_field(path))
