"""delete pod: which DaemonSet's pod on which node ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from preflight.change.model import Change, PodDeletion
from preflight.change.orphaned_pods import orphaned_pods_key
from preflight.errors import InputError, UsageError
from preflight.kubectl.commands import DeletePods, TargetObjects
from preflight.messages import change as messages
from preflight.messages.suggestions import suggest
from preflight.model.core import CoveragePod, find_controller
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState


def delete(command: DeletePods, world: ClusterState) -> Change:
    """Perform `kubectl delete pod`: the pod of a DaemonSet ends, and the controller creates one where it should run.

    Pods that no DaemonSet controls are deleted too; where pods were not read as a whole they are a note, as is one that is on no node.

    Errors: InputError where the pods of the namespace were not listed; UsageError, in kubectl's words, for a pod that is not there.
    """
    found = _find_pods(world, command.pods, ignore_missing=command.ignore_missing)
    pods = [pod for pod in found if not command.node or pod.spec.nodeName == command.node]
    ended: dict[ObjectKey, set[str]] = {}
    notes: list[str] = []
    bare: list[str] = []
    others: list[CoveragePod] = []
    for pod in pods:
        key = _find_daemonset(world, pod)
        name = f"{pod.metadata.namespace}/{pod.metadata.name}"
        if key is None:
            bare.append(name)
            others.append(pod)
        elif orphaned_pods_key(key) in world.orphaned_daemonsets and pod.spec.nodeName:
            ended.setdefault(orphaned_pods_key(key), set()).add(pod.spec.nodeName)
        elif key not in world.daemonsets:
            notes.append(messages.format_owner_not_given(name, key))
        elif not pod.spec.nodeName:
            notes.append(messages.format_unscheduled_pod(name))
        else:
            ended.setdefault(key, set()).add(pod.spec.nodeName)
    if bare and not world.has_full_pods:
        notes.insert(0, messages.format_other_pods(bare))
    if not pods:
        notes.append(messages.NO_SUCH_POD)
    names = [f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in pods]
    keys = tuple((pod.metadata.namespace, pod.metadata.name) for pod in others)
    return Change(
        command=command.text,
        headline=messages.format_verb_headline("delete pod", names) if pods else messages.DELETES_NO_POD,
        before=world,
        after=world if world.has_full_pods else world.without_pods(keys, displaces=any(find_controller(pod) for pod in others)),
        nodes=frozenset().union(*ended.values()),
        daemonsets=frozenset(ended),
        deleted_pod_nodes={key: frozenset(nodes) for key, nodes in sorted(ended.items())},
        removes_pods=command.grace_period == 0,
        notes=tuple(notes),
        deleted_pods=PodDeletion(keys, command.grace_period, command.wait) if others else None,
    )


def _find_pods(world: ClusterState, chosen: TargetObjects, *, ignore_missing: bool) -> Sequence[CoveragePod]:
    namespace = chosen.namespace or world.default_namespace
    if chosen.all_namespaces:
        if world.listed_namespaces is not None and not world.pods:
            raise InputError(messages.NO_PODS)
        return _sort_pods(pod for pod in world.pods if _is_chosen(chosen, pod))
    if not world.are_pods_listed(namespace):
        if why := world.find_unlisted_reason("Pod", namespace):
            raise InputError(messages.describe_unlisted_pods(namespace, why))
        elsewhere = _describe_other_namespaces(world, chosen.names[0]) if chosen.names else ""
        elsewhere = elsewhere or messages.suggest_namespace_like(namespace, {pod.metadata.namespace for pod in world.pods})
        raise InputError(messages.describe_missing_pods(namespace, elsewhere))
    here = {pod.metadata.name: pod for pod in world.pods if pod.metadata.namespace == namespace}
    if not chosen.names:
        return _sort_pods(pod for pod in here.values() if _is_chosen(chosen, pod))
    missing = [name for name in chosen.names if name not in here]
    if missing and not ignore_missing:
        raise UsageError(f'pods "{missing[0]}" not found{_describe_other_namespaces(world, missing[0]) or suggest(missing[0], here)}')
    return _sort_pods(here[name] for name in chosen.names if name in here)


def _sort_pods(pods: Iterable[CoveragePod]) -> Sequence[CoveragePod]:
    return sorted(pods, key=lambda pod: (pod.metadata.namespace, pod.metadata.name))


def _is_chosen(chosen: TargetObjects, pod: CoveragePod) -> bool:
    if chosen.selector is None:
        return True
    labels = msgspec.json.decode(pod.metadata.labels) if pod.metadata.labels else None
    stated = labels.items() if isinstance(labels, dict) else ()
    return chosen.selector.selects({key: value for key, value in stated if isinstance(value, str)})


def _describe_other_namespaces(world: ClusterState, name: str) -> str:
    namespaces = sorted({pod.metadata.namespace for pod in world.pods if pod.metadata.name == name})
    return messages.suggest_namespace(namespaces) if namespaces else ""


def _find_daemonset(world: ClusterState, pod: CoveragePod) -> ObjectKey | None:
    """The DaemonSet that controls a pod; one that states no namespace is taken where none of the pod's namespace has the name."""
    owner = find_controller(pod)
    if owner is None or owner.kind != "DaemonSet":
        return None
    key = ObjectKey(pod.metadata.namespace, owner.name)
    if key in world.daemonsets:
        return key
    unstated = [other for other in world.daemonsets if other.name == owner.name and not other.namespace]
    return unstated[0] if len(unstated) == 1 else key
