"""A workload lacks a toleration that the policy requires.

Why it matters
    The policy of the team says which taints its nodes have, and which workloads must run there anyway, such as every device plugin and
    every CSI node driver. A workload without the toleration never starts on these nodes. A workload with a wider toleration, where the
    policy requires the exact one, also runs on nodes that are intended for others.
How to fix
    Add the toleration as it is in the policy; if a wider one covers it, replace the wider one.
Example
    A policy with `required: [{name: rdma, kinds: [device-plugin], tolerations: [{key: dedicated, operator: Equal, value: rdma, effect:
    NoSchedule}]}]`, and a device plugin without this toleration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec
from msgspec.structs import replace

from preflight.messages import hygiene as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import Taint, Toleration
from preflight.model.report import Severity, TolerationSuggestion
from preflight.model.workloads import CustomResource, TolerationOwner, Workload, locate_pod_spec
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.identity import format_toleration_key
from preflight.rules.merged_groups import format_flow_map
from preflight.rules.team_convention import RequiredTolerations
from preflight.scheduling.tolerations import add_implicit_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each workload and requirement. Only in lint."""
    if not context.is_lint:
        return
    for required in context.convention.required_tolerations:
        for workload in context.workloads:
            if _is_required(required, workload, context):
                yield from _iter_missing(required, workload, context)


def is_required_toleration(owner: TolerationOwner, toleration: Toleration, context: Context) -> bool:
    """Whether the policy requires just this toleration of a workload: then no rule advises another one in its place."""
    return not isinstance(owner, CustomResource) and any(
        any(is_same_toleration(toleration, wanted) for wanted in required.tolerations) and _is_required(required, owner, context)
        for required in context.convention.required_tolerations
    )


def _is_required(required: RequiredTolerations, workload: Workload, context: Context) -> bool:
    if not required.applies_to(workload):
        return False
    if not required.kinds:
        return True
    if not isinstance(workload, DaemonSet):
        return False
    from preflight.components import recognize_components

    found = recognize_components(workload, context.world.config_maps, context.world.component_overrides)
    return any(component.kind.id in required.kinds for component in found)


def _iter_missing(required: RequiredTolerations, workload: Workload, context: Context) -> Iterator[Hit]:
    spec, path = locate_pod_spec(workload)
    own = spec.tolerations
    every = add_implicit_tolerations(spec) if isinstance(workload, DaemonSet) else own
    missing: list[Toleration] = []
    wider: list[tuple[int, Toleration]] = []
    for wanted in required.tolerations:
        if any(is_same_toleration(toleration, wanted) for toleration in every):
            continue
        covering = next((number for number, toleration in enumerate(own) if covers_toleration(toleration, wanted)), None)
        if covering is not None and required.is_exact:
            wider.append((covering, wanted))
        elif covering is None and not any(covers_toleration(toleration, wanted) for toleration in every):
            missing.append(wanted)
    texts = [messages.note_requirement(required.reason)] if required.reason else []
    meanings = context.convention.declared_taints
    texts += [messages.note_declared_taint(taint, meanings[taint]) for taint in _list_affected_taints(missing, context)]
    notes = tuple(("note", text) for text in texts)
    if missing:
        yield Hit(
            subject=make_subject_of(workload),
            key=(required.name, *sorted(map(format_toleration_key, missing))),
            location=ManifestLocation(workload.origin, (*path, "tolerations")),
            message=messages.describe_missing_tolerations(missing, required.name),
            notes=notes,
            suggestion=_make_suggestion(missing),
        )
    for number, wanted in wider:
        yield Hit(
            subject=make_subject_of(workload),
            key=(required.name, format_toleration_key(wanted), "wider"),
            location=ManifestLocation(workload.origin, (*path, "tolerations", number)),
            message=messages.describe_wider_toleration(wanted, required.name),
            label=messages.label_wider_toleration(own[number]),
            notes=notes,
            suggestion=_make_suggestion([wanted]),
        )


def is_same_toleration(toleration: Toleration, other: Toleration) -> bool:
    """Whether two tolerations say the same: no operator is Equal."""
    return replace(toleration, operator=toleration.operator or "Equal") == replace(other, operator=other.operator or "Equal")


def covers_toleration(toleration: Toleration, other: Toleration) -> bool:
    """Whether one toleration tolerates all that another does, NoExecute for as long; no key, no effect and Exists are wider."""
    if toleration.key not in ("", other.key) or (not toleration.key and toleration.operator != "Exists"):
        return False
    if toleration.effect not in ("", other.effect):
        return False
    if toleration.operator != "Exists" and (other.operator == "Exists" or toleration.value != other.value):
        return False
    return other.effect not in ("", "NoExecute") or toleration.tolerationSeconds == other.tolerationSeconds


def _list_affected_taints(missing: Sequence[Toleration], context: Context) -> list[Taint]:
    taints = [Taint(toleration.key, toleration.value, toleration.effect) for toleration in missing if toleration.operator != "Exists"]
    return [taint for taint in taints if context.convention.declared_taints.get(taint)]


def _make_suggestion(missing: Sequence[Toleration]) -> TolerationSuggestion:
    tolerations = tuple(msgspec.to_builtins(toleration) for toleration in missing)
    shown = [format_flow_map({key: value for key, value in toleration.items() if isinstance(value, str)}) for toleration in tolerations]
    texts = [
        text if toleration.tolerationSeconds is None else f"{text[:-1]}, tolerationSeconds: {toleration.tolerationSeconds}}}"
        for text, toleration in zip(shown, missing, strict=True)
    ]
    return TolerationSuggestion(tolerations, tuple(f"- {text}" for text in texts))


RULE = Rule(id="PF230", name="required-toleration", severity=Severity.ERROR, check=check)
