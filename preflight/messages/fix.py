"""Texts of `preflight fix`: why a DaemonSet is not fixed, what generates it, and the order of the steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from preflight.model.declaration import Declaration

OVERLAPPING_EDITS = "two edits overlap"


def describe_shared_field(name: str) -> str:
    """A field of a toleration with an alias, an anchor or a tag."""
    return f"the {name} of its toleration has an alias, an anchor or a tag: edit it by hand"


def describe_absent_field(name: str) -> str:
    """A field that a toleration does not have."""
    return f"its toleration has no {name}"


def describe_repeated_field(name: str) -> str:
    """A field with an alias or an anchor, or that occurs twice."""
    return f"the {name} of its toleration has an alias or an anchor, or occurs twice: edit it by hand"


def describe_only_field(name: str) -> str:
    """A toleration that would be empty without the field."""
    return f"its toleration has no field other than {name}: edit it by hand"


def describe_commented_field(name: str) -> str:
    """A field with a comment next to it."""
    return f"there is a comment next to the {name} of its toleration: edit it by hand"


def describe_unusual_field(name: str) -> str:
    """A field that is written in an unusual way."""
    return f"the {name} of its toleration is written in an unusual way: edit it by hand"


NO_TOLERATIONS = "it has no tolerations to change"
INVALID_KEY = "the API server does not accept its name or namespace"
TEXT_BEHIND_TOLERATIONS = "there is other text after its tolerations on their last line: edit it by hand"
NO_DOCUMENT = "its document no longer exists: the file has changed"
CHANGES_MORE = "the edit would change more than its tolerations: edit it by hand"
IS_JSON = "JSON files are not edited: print a patch with --patch"
IS_TEMPLATE = "its document contains {{ as templates do: edit the template, or what it is rendered from"
FILE_HAS_CHANGED = "the file has changed since it was read"
ONLY_DAEMONSETS = "only DaemonSets are fixed: coverage is not checked for other objects"
SAME_TOLERATION = "another fix changes the same toleration: run fix again after that one"
NO_TOLERATION_HELPS = "a toleration does not fix this: its node selection keeps it off, or the cause is temporary"


def explain_no_edit(rule: str) -> str:
    """That no edit is known for what a rule finds."""
    return f"no known edit fixes this: see `preflight explain {rule}`"


REFUSED_TOLERATION = "the API server refuses one of its tolerations: fix that first"
CRITICAL_WILDCARD = "its priority class is system-node-critical: a wildcard is correct for a pod that every node needs"


def explain_needed_wildcard(component: str) -> str:
    """That a component needs its wildcard."""
    return f"it is a {component}, which must start on nodes with temporary taints, so its wildcard stays"


NO_NODE = "no nodes in the input, so their taints are unknown: add the output of `kubectl get nodes -o json`"
IDLE_WILDCARD = "no node that it selects has a taint that requires this wildcard: remove it by hand if that does not change"


def explain_lost_nodes(nodes: Collection[str]) -> str:
    """That a fix would remove a DaemonSet from nodes."""
    return f"the fix would remove it from {', '.join(sorted(nodes)[:4])}: edit it by hand"


def explain_new_finding(rule: str, message: str) -> str:
    """That a fix would cause a finding."""
    return f"the fix would cause {rule}: {message}"


EDIT_RENDERED = "; --rendered edits this file anyway"
IS_CONTEXT = "its file was given only as context (--from): pass it as a PATH, or use --patch"
IS_STDIN = "it came from standard input, which cannot be edited: --patch prints a patch"
IS_PACKED = "its file is compressed: decompress it first"
NOT_UTF8 = "its file is not UTF-8: save it as UTF-8 first"


def advise_operator_field(name: str) -> str:
    """Where an operator may set the tolerations."""
    return f"set it in the {name}, if that has a field for tolerations"


def describe_operator(name: str) -> str:
    """That an operator generates a DaemonSet."""
    return f"{name} controls it and would revert a patch"


def describe_addon_manager(label: str) -> str:
    """That the addon manager reconciles a DaemonSet."""
    return f"the addon manager reconciles it ({label}: Reconcile) and would revert a patch"


ADDON_ADVICE = "change the addon's manifest"
GENERATED_COMMENT = "according to a comment"


def describe_helm(evidence: str) -> str:
    """That Helm rendered a DaemonSet, and the evidence."""
    return f"Helm rendered it ({evidence})"


def advise_chart_values(which: str) -> str:
    """Where a chart sets the tolerations; `which` is its name after a space, or ""."""
    return f"set it in the values of the chart{which}"


SPEC_IS_NO_MAP = "its pod spec is not a mapping"
SPEC_IS_MERGED = "its pod spec takes keys from a merge (<<), which may contain tolerations: edit it by hand"
TOLERATIONS_ARE_NO_LIST = "its tolerations are not a list"


def describe_shared_toleration(anchor: str) -> str:
    """A toleration that is an alias."""
    return f"its toleration is the alias *{anchor}, which is also used elsewhere: edit the anchor &{anchor} by hand"


ANCHORED_TOLERATION = "its toleration has an anchor or a merge that may also be used elsewhere: edit it by hand"
COMMENTED_TOLERATION = "there is a comment inside the toleration that would be removed: edit it by hand"
UNUSUAL_LIST = "its list of tolerations is written in an unusual way: edit it by hand"
EMPTY_SPEC = "its pod spec is empty"
UNUSUAL_SPEC = "its pod spec is written in an unusual way: edit it by hand"
NOTHING_TO_FIX = "nothing to fix"
LEFT_AS_IT_IS = "not fixed:"


def describe_possible_undo(evidence: str, advice: str) -> str:
    """What may revert a fix, and what to set instead."""
    return f"    {evidence} and may revert this: {advice}"


ON_DELETE = "    its update strategy is OnDelete: running pods keep their old tolerations until they are deleted"


def describe_toleration(key: str) -> str:
    """A toleration of a key."""
    return f"its toleration of {key}"


WILDCARD = "its wildcard"
ORDER = "in this order:"
FIRST_PATCHES = "  1. the patches"
WAIT_FOR_ROLLOUT = "     each patch starts an update that replaces pods: wait for it (kubectl rollout status)"


def describe_rollout_effects(rollout: str) -> str:
    """The heading above the effects of a rollout."""
    return f"{rollout} triggers:"


def describe_harmless_rollout(rollout: str) -> str:
    """A rollout that loses no pod."""
    return f"{rollout} removes no pod from any node"


ASSUMED_PODS = " (assumed: no pods in the input)"


def describe_unreadable_file(path: str, reason: object) -> str:
    """A file that cannot be read."""
    return f"{path}: cannot be read: {reason}"


def describe_outside_link(path: str) -> str:
    """A link to a file outside the folder."""
    return f"{path}: is a symbolic link to a file outside this folder: pass that file instead"


def describe_unnamed_file(path: str) -> str:
    """A file outside the working folder that nothing but a plan names."""
    return f"{path}: is outside this folder, and only the plan names it: name the file itself to fix it"


def describe_irregular_file(path: str) -> str:
    """A path that is not a regular file."""
    return f"{path}: is not a regular file"


def describe_read_only_file(path: str) -> str:
    """A file that is read-only."""
    return f"{path}: cannot be written: it is read-only"


def describe_changed_file(path: str) -> str:
    """A file that changed since it was read."""
    return f"{path}: has changed since it was read and was not edited: run fix again"


def describe_unwritable_file(path: str, reason: object) -> str:
    """A file that cannot be written."""
    return f"{path}: cannot be written: {reason}"


def describe_second_reader(error: str) -> str:
    """The error of the second YAML parser."""
    return f"a second YAML parser (ruamel.yaml) rejects its document: {error}"


EMPTY_DOCUMENT = "its document is empty"


def describe_deep_nesting(levels: int) -> str:
    """A document that is nested too deep."""
    return f"lists and mappings are nested deeper than {levels} levels"


def describe_merged_part(step: object) -> str:
    """A part of an object that comes from a merge."""
    return f"its {step} comes from a merge (<<) that other objects may use too: edit it by hand"


def describe_lost_part(step: object) -> str:
    """A part of an object that is not found."""
    return f"its {step} was not found where it should be"


def describe_shared_list(anchor: str) -> str:
    """Tolerations that are an alias."""
    return f"its tolerations come from the alias *{anchor}, which is also used elsewhere: edit the anchor &{anchor} by hand"


def describe_repeated_anchor(anchor: object) -> str:
    """An anchor that an alias refers to."""
    return f"an alias refers to the anchor &{anchor}: an edit would change that place too"


def advise_operator_setting(field: str, name: str) -> str:
    """The field of an operator that sets the tolerations."""
    return f"set {field} of the {name}"


def advise_chart_setting(key: str, chart: str, note: str) -> str:
    """The value of a chart that sets the tolerations; `note` is a further setting that belongs to it."""
    advice = "a list there replaces the list of the chart, so repeat the entries to keep"
    return f"set {key} in the values of the chart {chart}{_format_note(note)}; {advice}"


def _format_note(note: str) -> str:
    return f" ({note})" if note else ""


def describe_fix_count(count: int, *, is_written: bool, are_patches: bool) -> str:
    """The heading of what is fixed."""
    verb = "fixed" if is_written else "patches for" if are_patches else "fixes"
    return f"{verb} {count} DaemonSet{'s' * (count > 1)}:"


def describe_added_toleration(toleration: str) -> str:
    """That a toleration is added."""
    return f"adds {toleration}"


def describe_set_fields(toleration: str, fields: Iterable[str]) -> str:
    """That fields of a toleration are set."""
    return f"sets {', '.join(fields)} in {toleration}"


def describe_dropped_field(toleration: str, name: str) -> str:
    """That a field of a toleration is removed."""
    return f"removes {name} from {toleration}"


def describe_replaced_toleration(toleration: str, replacements: Iterable[str]) -> str:
    """That other tolerations replace a toleration."""
    return f"replaces {toleration} with {', '.join(replacements)}"


OPERATORS_OWN_TOLERATION = "the toleration is the operator's own: the custom resource cannot change it"


def explain_no_resource_field(declaration: Declaration) -> str:
    """That no field of the custom resource sets the tolerations."""
    return (
        f"{declaration.operator} has no field for these tolerations in {declaration.kind} {declaration.name}, or another object states it"
    )


def explain_text_field(declaration: Declaration, added: Sequence[Mapping[str, Any]]) -> str:
    """What to write into a field that is text."""
    field = ".".join(map(str, declaration.tolerations.path))
    tolerations = ", ".join(
        f"{toleration.get('key', '')}={toleration.get('value', '')}:{toleration.get('effect', '')}" for toleration in added
    )
    return f"{declaration.kind} {declaration.name} states its tolerations as text ({field}): add {tolerations} there"


TEXT_IS_ONLY_ADDED_TO = "its tolerations are a text, to which fix only adds: change the text by hand"
UNUSUAL_TEXT = "the text with its tolerations is written in an unusual way: edit it by hand"


def describe_carried_defaults(declaration: Declaration) -> str:
    """That the operator's default tolerations come along."""
    field = ".".join(map(str, declaration.tolerations.path))
    return f"    {field} replaces the operator's default tolerations, so they are written there as well"


def describe_fixed_resource(declaration: Declaration, count: int) -> str:
    """A custom resource whose edit is for several DaemonSets."""
    return f"{declaration.kind} {declaration.name}, for {count} DaemonSets"
