"""The rules by folder: each module of a rule folder that does not start with an underscore is one rule."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from functools import cache

from msgspec.structs import replace

from preflight.model.batch import CronJob, Job
from preflight.rules.api import Context, Rule

_LEGACY_KEY = "legacy-key"
_ALWAYS = ("coverage", "hygiene", "run")
"""The folders of the rules that every run asks but for `verify` and `doctor`: see `select_rules`."""
_GROUPS = {
    "1": ("coverage",),
    "2": ("hygiene",),
    "24": ("versions", "upgrade"),
    "3": ("evictions", "budgets", "jobs", "workloads"),
    "4": ("doctor", "verify"),
    "9": ("run",),
}
"""The folders of each group of rules, by the first digits of their ids."""
_RULE_FOLDERS = tuple(folder for folders in _GROUPS.values() for folder in folders)


@cache
def load_all_rules() -> tuple[Rule, ...]:
    """Every rule, sorted by id."""
    return _merge_sorted(*(load_rules(folder) for folder in _RULE_FOLDERS))


def find_rules(ids: Iterable[str]) -> tuple[Rule, ...]:
    """The rules of these ids, sorted by id. Only the folders of their groups are imported."""
    wanted = frozenset(ids)
    groups = {_find_group(rule_id) for rule_id in wanted}
    folders = [folder for group, group_folders in _GROUPS.items() if group in groups for folder in group_folders]
    return _merge_sorted([rule for folder in folders for rule in load_rules(folder) if rule.id in wanted])


def _find_group(rule_id: str) -> str:
    return rule_id[2:4] if rule_id[2:4] in _GROUPS else rule_id[2:3]


def is_hygiene(rule: Rule) -> bool:
    """Whether a rule judges objects as they are, whatever is changed."""
    return "hygiene" in _GROUPS.get(_find_group(rule.id), ()) and not rule.concerns_change


def select_rules(context: Context) -> tuple[Rule, ...]:
    """The rules that may have something to say, sorted by id; a run imports only those.

    1. A comparison in time asks its own alone, and so does a diagnosis. An upgrade asks its own, and the one on old names.
    2. Those on pods that have to go are asked where a change lets some go, those on budgets and Jobs where lint has some, or where a change
       lets pods go that are not known. Those on workloads are asked where the next pod of one finds no node any more, those on versions
       where a version or a feature gate is known.
    """
    if context.comparison is not None:
        return load_rules("verify")
    if context.diagnosis is not None:
        return load_rules("doctor")
    if context.upgrade is not None:
        return _merge_sorted(load_rules("upgrade"), tuple(rule for rule in load_rules("hygiene") if rule.name == _LEGACY_KEY))
    asked = {
        "evictions": context.evictions is not None,
        "workloads": bool(context.stranded_workloads),
        "versions": _is_version_known(context),
    }
    if context.losing_workloads:
        asked["budgets"] = context.asks_budgets and bool(context.world.budgets)
        asked["jobs"] = True
    if context.is_lint:
        asked["budgets"] = bool(context.world.budgets)
        asked["jobs"] = bool(context.world.job_sets) or any(isinstance(workload, Job | CronJob) for workload in context.workloads)
    return _merge_sorted(common_rules(), *(load_rules(folder) for folder, is_asked in asked.items() if is_asked))


def _is_version_known(context: Context) -> bool:
    return context.world.versions.server is not None or bool(context.world.versions.gates)


@cache
def common_rules() -> tuple[Rule, ...]:
    """The rules that every run asks, of a change and of lint, sorted by id."""
    return _merge_sorted(*map(load_rules, _ALWAYS))


@cache
def load_rules(folder: str) -> tuple[Rule, ...]:
    """The rules of a folder next to this module, sorted by id. Modules that start with an underscore hold what they share."""
    package = f"preflight.rules.{folder}"
    found = []
    for file in (entry.name for entry in os.scandir(next(iter(importlib.import_module(package).__path__)))):
        if file.endswith(".py") and not file.startswith("_"):
            name = f"{package}.{file.removesuffix('.py')}"
            found.append(replace(importlib.import_module(name).RULE, module=name))
    return _merge_sorted(found)


def _merge_sorted(*parts: Iterable[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted((rule for part in parts for rule in part), key=lambda rule: rule.id))
