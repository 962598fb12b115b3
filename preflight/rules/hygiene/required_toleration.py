"""A workload lacks a toleration that the policy requires of it.

Why it matters
    The team has said which taints its nodes carry and who has to run there all the same: every device plugin, every CSI node driver. A
    workload that lacks the toleration never starts on these nodes; one that has a wider one, where the policy asks for exactly this,
    also lands on nodes that are meant for others.
How to fix
    Add the toleration as the policy has it; where a wider one stands in its stead, replace that.
Example
    A policy with `required: [{name: rdma, kinds: [device-plugin], tolerations: [{key: dedicated, operator: Equal, value: rdma, effect:
    NoSchedule}]}]`, and a device plugin without this toleration.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from preflight.messages.lists import listed
from preflight.model.objects import DaemonSet, Taint, Toleration, Workload, pod_spec
from preflight.model.report import Severity, Suggestion
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.rules.merged_groups import flow
from preflight.rules.team_convention import RequiredTolerations
from preflight.scheduling.tolerations import daemon_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each workload and requirement. Only in lint."""
    if not context.lint:
        return
    for required in context.convention.required:
        for workload in context.workloads:
            if _is_meant(required, workload, context):
                yield from _missing(required, workload, context)


def _is_meant(required: RequiredTolerations, workload: Workload, context: Context) -> bool:
    if not required.is_meant(workload):
        return False
    if not required.kinds:
        return True
    if not isinstance(workload, DaemonSet):
        return False
    from preflight.components import recognise

    found = recognise(workload, context.world.configs, context.world.stated)
    return any(component.kind.id in required.kinds for component in found)


def _missing(required: RequiredTolerations, workload: Workload, context: Context) -> Iterator[Hit]:
    spec, path = pod_spec(workload)
    own = spec.tolerations
    every = daemon_tolerations(spec) if isinstance(workload, DaemonSet) else own
    missing: list[Toleration] = []
    wider: list[tuple[int, Toleration]] = []
    for wanted in required.tolerations:
        if any(is_same(each, wanted) for each in every):
            continue
        covering = next((number for number, each in enumerate(own) if covers(each, wanted)), None)
        if covering is not None and required.exactly:
            wider.append((covering, wanted))
        elif covering is None and not any(covers(each, wanted) for each in every):
            missing.append(wanted)
    told = [f"required: {required.reason}"] if required.reason else []
    told += [f"{taint}: {context.convention.declared[taint]}" for taint in _taints(missing, context)]
    notes = tuple(("note", text) for text in told)
    if missing:
        yield Hit(
            subject=subject_of(workload),
            place=Place(workload.origin, (*path, "tolerations")),
            message=f"does not tolerate {listed(map(words, missing))}, which the policy requires ({required.name})",
            notes=notes,
            suggestion=_suggestion(missing),
        )
    for number, wanted in wider:
        yield Hit(
            subject=subject_of(workload),
            place=Place(workload.origin, (*path, "tolerations", number)),
            message=f"tolerates {words(wanted)} only by a wider toleration; the policy requires exactly that ({required.name})",
            label=f"this tolerates {words(own[number])}",
            notes=notes,
            suggestion=_suggestion([wanted]),
        )


def is_same(toleration: Toleration, other: Toleration) -> bool:
    """Whether two tolerations say the same: no operator is Equal."""
    parts = [(each.key, each.operator or "Equal", each.value, each.effect, each.tolerationSeconds) for each in (toleration, other)]
    return parts[0] == parts[1]


def covers(toleration: Toleration, wanted: Toleration) -> bool:
    """Whether one toleration tolerates all that another does, NoExecute for as long; no key, no effect and Exists are wider."""
    if toleration.key not in ("", wanted.key) or (not toleration.key and toleration.operator != "Exists"):
        return False
    if toleration.effect not in ("", wanted.effect):
        return False
    if toleration.operator != "Exists" and (wanted.operator == "Exists" or toleration.value != wanted.value):
        return False
    return wanted.effect not in ("", "NoExecute") or toleration.tolerationSeconds == wanted.tolerationSeconds


def words(toleration: Toleration) -> str:
    """`dedicated=rdma:NoSchedule`, with `*` for any value, key or effect: `dedicated=*:NoSchedule`; seconds stand behind it."""
    value = "=*" if toleration.operator == "Exists" and toleration.key else f"={toleration.value}" if toleration.value else ""
    seconds = "" if toleration.tolerationSeconds is None else f" for {toleration.tolerationSeconds} s"
    return f"{toleration.key or '*'}{value}:{toleration.effect or '*'}{seconds}"


def _taints(missing: Sequence[Toleration], context: Context) -> list[Taint]:
    taints = [Taint(each.key, each.value, each.effect) for each in missing if each.operator != "Exists"]
    return [taint for taint in taints if context.convention.declared.get(taint)]


def _suggestion(missing: Sequence[Toleration]) -> Suggestion:
    tolerations = tuple(msgspec.to_builtins(each) for each in missing)
    shown = [flow({key: value for key, value in each.items() if isinstance(value, str)}) for each in tolerations]
    texts = [
        text if each.tolerationSeconds is None else f"{text[:-1]}, tolerationSeconds: {each.tolerationSeconds}}}"
        for text, each in zip(shown, missing, strict=True)
    ]
    return Suggestion(tolerations, tuple(f"- {text}" for text in texts))


RULE = Rule(id="PF230", name="required-toleration", severity=Severity.ERROR, check=check)
