"""For each DaemonSet of a run, what its tolerations match and what they say to NoExecute."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.coverage.model import Impact
from preflight.engine.rule_context import select_linted_daemonsets
from preflight.engine.session import LoadedInputs
from preflight.model.apps import DaemonSet
from preflight.model.core import PodSpec, Toleration
from preflight.model.toleration_answers import DaemonSetTolerations, NoExecuteStay, TolerationAnswer, TolerationMatch
from preflight.scheduling.tolerations import add_implicit_tolerations, list_implicit_tolerations


def answer_tolerations(inputs: LoadedInputs, impacts: Sequence[Impact]) -> tuple[DaemonSetTolerations, ...]:
    """One answer for each DaemonSet, by namespace and name: in lint for those that are judged, else as the last step leaves them."""
    return tuple(_answer(daemonset) for daemonset in sorted(_list_daemonsets(inputs, impacts), key=lambda daemonset: daemonset.key))


def _list_daemonsets(inputs: LoadedInputs, impacts: Sequence[Impact]) -> Iterable[DaemonSet]:
    if inputs.is_lint:
        return select_linted_daemonsets(inputs.loaded)
    daemonsets = dict(inputs.world.daemonsets)
    for impact in impacts:
        daemonsets.update(impact.change.after.daemonsets)
    return daemonsets.values()


def _answer(daemonset: DaemonSet) -> DaemonSetTolerations:
    spec = daemonset.spec.template.spec
    implicit = frozenset(list_implicit_tolerations(spec.hostNetwork))
    tolerations = tuple(_answer_toleration(toleration, spec, implicit) for toleration in add_implicit_tolerations(spec))
    own = daemonset.declaration
    return DaemonSetTolerations(str(daemonset.key), tolerations, daemonset.key.file, own.resource if own is not None else None)


def _answer_toleration(toleration: Toleration, spec: PodSpec, implicit: frozenset[Toleration]) -> TolerationAnswer:
    stay, seconds = NoExecuteStay.NOT_TOLERATED, None
    if toleration.effect in ("", "NoExecute"):
        stay, seconds = NoExecuteStay.WITHOUT_LIMIT, toleration.tolerationSeconds
        if seconds is not None:
            stay, seconds = NoExecuteStay.FOR_SECONDS, max(seconds, 0)
    return TolerationAnswer(
        key=toleration.key,
        operator=toleration.operator,
        value=toleration.value,
        effect=toleration.effect,
        match=_classify(toleration, is_implicit=toleration in implicit and toleration not in spec.tolerations),
        anyEffect=not toleration.effect,
        noExecute=stay,
        seconds=seconds,
    )


def _classify(toleration: Toleration, *, is_implicit: bool) -> TolerationMatch:
    if is_implicit:
        return TolerationMatch.IMPLICIT
    if not toleration.key:
        return TolerationMatch.EFFECT if toleration.effect else TolerationMatch.EVERYTHING
    return TolerationMatch.KEY if toleration.operator == "Exists" else TolerationMatch.EXACT
