"""A toleration or a selector names a taint or label that has had another name for long.

Why it matters
    The taint of the control plane has been `node-role.kubernetes.io/control-plane` alone since Kubernetes 1.25, and its label since 1.24.
    What tolerates only `node-role.kubernetes.io/master` keeps away from it, and what selects on that label loses its pods the moment the
    label goes. Where the new key is tolerated too, the old one is only something to clean up, and a note; so is an old key as long as no
    node is known that has the new one instead.
How to fix
    Tolerate, or select on, the new key; keep the old one beside it only while clusters that old are in use.
Example
    `{key: node-role.kubernetes.io/master, operator: Exists}`, `nodeSelector: {failure-domain.beta.kubernetes.io/zone: eu-1a}`
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from preflight.messages.lists import listed
from preflight.model.objects import SelectorRequirement, Workload, pod_spec
from preflight.model.report import Severity, Suggestion
from preflight.rules.api import Context, Hit, Path, Place, Rule, subject_of
from preflight.rules.merged_groups import exact_tolerations, flow
from preflight.rules.workload_fields import Item, is_tolerated, required_terms, tolerations

_MASTER, _CONTROL_PLANE = "node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane"
GONE_TAINTS = {
    _MASTER: _CONTROL_PLANE,
    "node.alpha.kubernetes.io/notReady": "node.kubernetes.io/not-ready",
    "node.alpha.kubernetes.io/unreachable": "node.kubernetes.io/unreachable",
}
"""Keys of taints that Kubernetes sets no more, with those that took their place."""
_OLD_LABELS = {
    _MASTER: _CONTROL_PLANE,
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
}
_KEEPS_OUT = ("NotIn", "DoesNotExist")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such toleration, and for each such key of a selector. Only in lint."""
    if not context.lint:
        return
    for item in tolerations(context):
        if item.toleration.key in GONE_TAINTS and all(taint.key != item.toleration.key for taint in context.taints):
            yield _toleration(context, item, GONE_TAINTS[item.toleration.key])
    for workload in context.workloads:
        yield from _selector(context, workload)


def _toleration(context: Context, item: Item, new: str) -> Hit:
    own = item.toleration
    known = [taint for taint in context.taints if taint.key == new and taint.effect in ("NoSchedule", "NoExecute")]
    missed = [taint for taint in known if own.effect in ("", taint.effect) and not is_tolerated(taint, item.every)]
    kept_out = missed or (not known and not any(each.key in ("", new) for each in item.every))
    suggestion = exact_tolerations(missed) if missed else None
    if kept_out and not missed and own.tolerationSeconds is None:
        same = {**msgspec.to_builtins(own), "key": new}
        suggestion = Suggestion((same,), (f"- {flow(same)}",))
    old = "clusters before Kubernetes 1.25" if own.key == _MASTER else "old clusters"
    return Hit(
        subject=subject_of(item.workload),
        place=item.field("key"),
        toleration=item.place,
        severity=None if missed else Severity.NOTE,
        message=f"tolerates {own.key}, a taint of {old}" + (f", and not {listed(missed) or new}" if kept_out else ""),
        label=f"{new} took its place",
        suggestion=suggestion,
    )


def _selector(context: Context, workload: Workload) -> Iterator[Hit]:
    spec, path = pod_spec(workload)
    for key in spec.nodeSelector:
        if key in _OLD_LABELS:
            yield _hit(context, workload, (*path, "nodeSelector", key), key, "selects on")
    terms = required_terms(spec)
    here: Path = (*path, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
    wanted = [any(each.operator not in _KEEPS_OUT for each in _old(term.matchExpressions)) for term in terms]
    for number, term in enumerate(terms):
        for place, each in enumerate(term.matchExpressions):
            if each.key not in _OLD_LABELS:
                continue
            where = (*here, number, "matchExpressions", place, "key")
            if each.operator not in _KEEPS_OUT:
                if all(wanted):
                    yield _hit(context, workload, where, each.key, "selects on")
            elif not any(other.key == _OLD_LABELS[each.key] and other.operator in _KEEPS_OUT for other in term.matchExpressions):
                yield _hit(context, workload, where, each.key, "leaves nodes out by")


def _old(expressions: Iterable[SelectorRequirement]) -> Iterator[SelectorRequirement]:
    return (each for each in expressions if each.key in _OLD_LABELS)


def _hit(context: Context, workload: Workload, path: Path, key: str, verb: str) -> Hit:
    """A warning where known nodes have the new label, and none has the old one."""
    new = _OLD_LABELS[key]
    nodes = context.world.nodes.values()
    renamed = () if any(key in node.metadata.labels for node in nodes) else _with(new, context)
    gone = "a label of clusters before Kubernetes 1.24" if key == _MASTER else f"the old name of {new}"
    return Hit(
        subject=subject_of(workload),
        place=Place(workload.origin, path),
        nodes=renamed,
        severity=None if renamed else Severity.NOTE,
        message=f"{verb} {key}, {gone}",
        label=f"{new} took its place",
    )


def _with(label: str, context: Context) -> tuple[str, ...]:
    return tuple(node.name for node in context.world.nodes.values() if label in node.metadata.labels and not node.partial)


RULE = Rule(id="PF209", name="legacy-key", severity=Severity.WARNING, check=check)
