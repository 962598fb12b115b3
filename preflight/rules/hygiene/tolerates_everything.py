"""A toleration without a key tolerates every taint.

Why it matters
    A wildcard lets the pod run on nodes that its owner did not think of: Windows and serverless nodes, and nodes that are being emptied.
    Without an effect it includes NoExecute without a time limit: the pod stays on a node that should be empty. Components that a node needs
    must do exactly this, so it is a note for the priority class `system-node-critical`, for cloud controllers and for providers of the
    Secrets Store CSI driver; a policy can name other kinds of components for which it is a note (`options: {kinds: [log-agent]}`). The pods
    of a Deployment, StatefulSet or Job also tolerate the taint of a cordon: after an eviction from a node that is being drained they can
    return to the same node, and the node never becomes empty.
How to fix
    Tolerate only the intended taints, each one exactly: `{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}`.
Example
    `tolerations: [{operator: Exists}]`
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.messages import hygiene as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import Pod
from preflight.model.report import Severity
from preflight.model.workloads import CustomResource
from preflight.rules.api import Context, FixKind, Hit, Rule, make_subject_of
from preflight.rules.hygiene.required_toleration import is_required_toleration
from preflight.rules.workload_fields import WorkloadToleration, iter_tolerations

_KINDS_ON_EVERY_NODE = ("cloud-controller", "secrets-store-provider")


class ToleratesEverythingOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """`kinds` are kinds of component that may tolerate everything: for them it is a note."""

    kinds: tuple[str, ...] = ()


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration without a key.

    A note where it covers no NoExecute taint for ever, or the pods are node-critical; but never where new pods pass a cordon.
    """
    for item in iter_tolerations(context):
        toleration = item.toleration
        if toleration.key or toleration.operator != "Exists" or is_required_toleration(item.workload, toleration, context):
            continue
        for_ever = toleration.effect in ("", "NoExecute") and toleration.tolerationSeconds is None and not item.is_shadowed
        returns = toleration.effect in ("", "NoSchedule") and not isinstance(item.workload, DaemonSet | Pod | CustomResource)
        yield Hit(
            subject=make_subject_of(item.workload),
            key=item.key,
            location=item.location,
            toleration_location=item.location,
            severity=None if returns or (for_ever and not item.is_critical and not _is_allowed(item, context)) else Severity.NOTE,
            message=messages.describe_wildcard(toleration, is_unlimited=for_ever, is_drained_in_vain=returns),
            label=messages.label_wildcard(is_drained_in_vain=returns),
        )


def _is_allowed(item: WorkloadToleration, context: Context) -> bool:
    """Whether its kind of component belongs on every node, or the policy lets it tolerate everything."""
    if not isinstance(item.workload, DaemonSet):
        return False
    kinds = {*_KINDS_ON_EVERY_NODE, *context.get_options(RULE.id, ToleratesEverythingOptions).kinds}
    from preflight.components import recognize_components

    found = recognize_components(item.workload, context.world.config_maps, context.world.component_overrides)
    return any(component.kind.id in kinds for component in found)


RULE = Rule(
    id="PF201",
    name="tolerates-everything",
    severity=Severity.WARNING,
    check=check,
    is_per_object=True,
    options=ToleratesEverythingOptions,
    fix=FixKind.WILDCARD,
)
