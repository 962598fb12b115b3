"""From the custom resources that were read to the DaemonSets that operators make of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey
from preflight.model.workloads import Workload

if TYPE_CHECKING:
    from preflight.load.collector import ObjectCollector


class DeclaredDaemonSets(Struct, frozen=True):
    """The DaemonSets that custom resources declare.

    1. `daemonsets` were not read themselves. `made` are those that were, by their key.
    2. `judged` has one of `daemonsets` for each field of a resource that states tolerations: what its list says is judged once.
    """

    daemonsets: tuple[DaemonSet, ...] = ()
    made: Mapping[ObjectKey, DaemonSet] = {}
    judged: tuple[DaemonSet, ...] = ()


def resolve_operators(collector: ObjectCollector, known: Mapping[ObjectKey, DaemonSet]) -> DeclaredDaemonSets:
    """The DaemonSets that the custom resources declare, told apart by whether the DaemonSet itself was read.

    1. A DaemonSet that was read counts; its namespace may differ where the resource does not decide it. A name that is a pattern stands for
       each DaemonSet that it matches.
    2. Where a cluster or a snapshot listed its DaemonSets, one that is only declared does not exist.
    3. Two resources that declare one DaemonSet with the same content declare it once; with other content, the first one counts.
    """
    from preflight.operators.declare import declare_daemonsets, select_stated_tolerations
    from preflight.operators.versions import list_images

    listed = collector.survey is not None and "DaemonSet" in collector.survey.complete
    images = list_images(value for value in collector.objects if isinstance(value, Workload))
    found: dict[ObjectKey, DaemonSet] = {}
    made: dict[ObjectKey, DaemonSet] = {}
    for daemonset in declare_daemonsets(collector.operator_resources, images):
        real = [key for key in known if daemonset.is_declaration_of(key)]
        made |= {key: daemonset for key in real if key not in made}
        if not real and not listed:
            found.setdefault(daemonset.key, daemonset)
    judged: dict[object, DaemonSet] = {}
    for daemonset in found.values():
        if daemonset.declaration is not None and daemonset.declaration.tolerations.is_stated:
            origin = daemonset.origin
            place = origin.file, origin.document, origin.path, daemonset.declaration.tolerations.path
            judged.setdefault(place, select_stated_tolerations(daemonset))
    return DeclaredDaemonSets(tuple(found.values()), made, tuple(judged.values()))
