"""`kubectl patch` of DaemonSets: what a patch makes of one, and what the API server refuses of that.

Source: kubectl `pkg/cmd/patch/patch.go`; apiserver `pkg/endpoints/handlers/patch.go`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from preflight.change import workload_verbs
from preflight.change.apply_merge import comparable_content, is_updated, is_visibly_updated
from preflight.change.model import Change
from preflight.errors import InputError, UsageError
from preflight.kubectl.apiserver import known_fields
from preflight.kubectl.apiserver.defaults import fill_server_defaults, finish_edit
from preflight.kubectl.apiserver.errors import format_field_path, format_invalid
from preflight.kubectl.apiserver.normalize import normalize_value
from preflight.kubectl.commands import PatchObjects, PatchType
from preflight.kubectl.formatting import quote_go
from preflight.kubectl.patch.decode import apply_patch, read_patch_data
from preflight.kubectl.resource_args import DAEMONSET, NODE
from preflight.messages import change as messages
from preflight.model.apps import DaemonSet
from preflight.model.convert import convert
from preflight.model.core import POD_TEMPLATE_SPEC, PodTemplate
from preflight.model.meta import ObjectKey, Refusal
from preflight.model.world import ClusterState
from preflight.operators.owner import find_owning_resource
from preflight.scheduling.affinity import matches_labels
from preflight.scheduling.request_validation import validate_requests
from preflight.scheduling.validation import validate_labels, validate_node_selection, validate_tolerations, validate_update_strategy


def patch(command: PatchObjects, world: ClusterState) -> Change:
    """Perform `kubectl patch`.

    1. A DaemonSet is patched as the API server stores it, with the defaults that a manifest does not state.
    2. What differs in its template is an update; see `manifests.is_updated`.
    3. A field that the API does not know is dropped, with a note: the server only warns.
    4. A patch that replaces the tolerations is a note with what it drops.
    5. Of a DaemonSet of a snapshot only a part of the template is known: a patch that speaks of the rest is taken for an update.

    Errors: UsageError, in kubectl's or the server's words, for a patch that cannot be read or applied, and for a result that is refused;
    InputError where it cannot be applied to what a snapshot shows of a template.
    """
    data = read_patch_data(command)
    if command.resource == NODE:
        from preflight.change import patch_nodes

        return patch_nodes.patch(command, world, data)
    if command.resource != DAEMONSET:
        from preflight.change import patch_custom_resource

        return patch_custom_resource.patch(command, world, data)
    keys = workload_verbs.find_daemonsets(world, command.targets)
    after: dict[ObjectKey, DaemonSet] = {}
    notes: list[str] = []
    assumed: list[ObjectKey] = []
    for key in keys:
        old = world.daemonsets[key]
        after[key], said = _apply_to_daemonset(old, command.patch_type, data, world.comparison_operators)
        changes = is_updated(old, after[key])
        if old.kept and (changes or _changes_hidden_fields(data)) and not is_visibly_updated(old, after[key]):
            after[key] = msgspec.structs.replace(after[key])
            assumed.append(key)
        notes += (messages.format_about(key, note) for note in said)
        owner = find_owning_resource(old, world.declared_daemonsets.get(key))
        if owner is not None and after[key] is not old:
            fields = owner.list_fields(old.spec.template.spec, after[key].spec.template.spec)
            notes.append(messages.format_about(key, messages.describe_reverted_patch(str(owner), fields)))
        notes += (messages.format_about(key, note) for note in _describe_dropped_tolerations(old, after[key], command.patch_type))
    updated = frozenset(key for key, new in after.items() if is_updated(world.daemonsets[key], new) or key in assumed)
    same = [str(key) for key, new in after.items() if new is world.daemonsets[key]]
    other = [str(key) for key, new in after.items() if new is not world.daemonsets[key] and key not in updated]
    notes += [messages.format_nothing_changes(same)] if same else []
    notes += [messages.format_group(messages.UNTOUCHED_TEMPLATE, other)] if other else []
    notes += [messages.format_group(messages.ASSUMED_UPDATE, [str(key) for key in assumed])] if assumed else []
    return Change(
        command=command.text,
        headline=messages.format_verb_headline("patch", [str(key) for key in keys]),
        before=world,
        after=workload_verbs.with_daemonsets(world, after),
        daemonsets=frozenset(after),
        updated_daemonsets=updated,
        notes=tuple(notes),
    )


def _apply_to_daemonset(
    old: DaemonSet, patch_type: PatchType, patch: Any, comparison_operators: bool | None
) -> tuple[DaemonSet, list[str]]:
    """The DaemonSet after a patch, the old one where it changes nothing, and notes."""
    live = workload_verbs.to_plain(old)
    before = fill_server_defaults(live)
    _, misspelt = known_fields.drop_unknown_fields(before, known_fields.DAEMONSET_FIELDS)
    try:
        after = apply_patch(patch_type, before, patch)
    except UsageError as error:
        if not old.kept:
            raise
        raise InputError(messages.describe_partial_template(error)) from None
    data, unknown = known_fields.drop_unknown_fields(after, known_fields.DAEMONSET_FIELDS)
    _check_name(before, data)
    new, wrong = convert(data, DaemonSet, old.origin)
    if new is None or (wrong := tuple(refusal for refusal in wrong if refusal not in old.refusals)):
        reasons = "; ".join(f"{format_field_path(error.path)}: {error.reason}" for error in wrong)
        raise UsageError(f"The request is invalid: patch: {reasons or 'no DaemonSet is left'}")
    refused = [*_iter_immutable_refusals(before, data), *_iter_refusals(new, data, comparison_operators)]
    known = set(_iter_refusals(old, before, comparison_operators))
    if refused := [refusal for refusal in refused if refusal not in known]:
        raise UsageError(format_invalid("DaemonSet", new.metadata.name, refused))
    notes = [messages.format_unknown_field(name) for name in unknown if name not in misspelt]
    if comparable_content(data) == comparable_content(before):
        return old, notes
    return workload_verbs.from_plain(finish_edit(data, live), old), notes


def _changes_hidden_fields(patch: Any) -> bool:
    """Whether a patch speaks of something in the template that a snapshot does not show."""
    from preflight.model.snapshot_fields import select_read_fields

    spec = patch.get("spec") if isinstance(patch, dict) else None
    template = spec.get("template") if isinstance(spec, dict) else None
    return bool(template is not None and select_read_fields(template, PodTemplate) != template)


def _check_name(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    """Refuse another name, namespace or kind than those of the request."""
    now = after.get("metadata")
    metadata: Mapping[str, Any] = now if isinstance(now, dict) else {}
    name = before["metadata"].get("name")
    if metadata.get("name") != name:
        raise UsageError(f"the name of the object ({metadata.get('name') or ''}) does not match the name on the URL ({name})")
    if (metadata.get("namespace") or "") != (before["metadata"].get("namespace") or ""):
        raise UsageError("the namespace of the provided object does not match the namespace sent on the request")
    if any((after.get(name) or "") != (before.get(name) or "") for name in ("apiVersion", "kind")):
        raise UsageError(f"no kind {quote_go(str(after.get('kind')))} is registered for version {quote_go(str(after.get('apiVersion')))}")


def _iter_immutable_refusals(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Refusal]:
    selector = _get_field(after, "spec", "selector")
    if normalize_value(selector) != normalize_value(_get_field(before, "spec", "selector")):
        shown = msgspec.json.encode(selector, order="sorted").decode()
        yield Refusal(("spec", "selector"), f"Invalid value: {shown}: field is immutable", "selector")


def _iter_refusals(daemonset: DaemonSet, data: Mapping[str, Any], comparison_operators: bool | None) -> Iterator[Refusal]:
    """What the API server refuses of a DaemonSet, as far as it is read."""
    spec, template = daemonset.spec, daemonset.spec.template
    labels, path = template.metadata.labels, POD_TEMPLATE_SPEC
    yield from validate_labels(daemonset.metadata.labels, ("metadata", "labels"))
    where = ("spec", "template", "metadata", "labels")
    yield from validate_labels(labels, where)
    if spec.selector is None or not matches_labels(spec.selector.matchLabels, spec.selector.matchExpressions, labels):
        shown = msgspec.json.encode(labels or None, order="sorted").decode()
        yield Refusal(where, f"Invalid value: {shown}: `selector` does not match template `labels`", "labels")
    yield from validate_tolerations(template.spec.tolerations, (*path, "tolerations"), comparison_operators)
    yield from validate_node_selection(template.spec, path)
    if not template.spec.containers:
        yield Refusal((*path, "containers"), "Required value", "containers")
    for name, containers in (("initContainers", template.spec.initContainers), ("containers", template.spec.containers)):
        for number, container in enumerate(containers):
            for required in ("name", "image"):
                if not getattr(container, required):
                    yield Refusal((*path, name, number, required), "Required value", required)
    yield from validate_requests(template.spec, path)
    policy = _get_field(data, *path, "restartPolicy")
    if policy not in (None, "", "Always"):
        yield Refusal((*path, "restartPolicy"), f'Unsupported value: "{policy}": supported values: "Always"', "restartPolicy")
    yield from validate_update_strategy(spec.updateStrategy)


def _describe_dropped_tolerations(old: DaemonSet, new: DaemonSet, patch_type: PatchType) -> Iterator[str]:
    """What a patch that states the tolerations drops of those that were there; nothing where it empties the list."""
    before, after = old.spec.template.spec.tolerations, new.spec.template.spec.tolerations
    gone = [toleration for toleration in before if toleration not in after]
    if gone and after and patch_type is not PatchType.JSON:
        yield messages.format_dropped_tolerations(gone)


def _get_field(data: Any, *path: str) -> Any:
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data
