"""delete namespace: everything in it goes, the DaemonSets with their pods."""

from __future__ import annotations

import msgspec

from preflight.change.model import Change
from preflight.change.workload_verbs import delete_daemonsets
from preflight.errors import UsageError
from preflight.kubectl.commands import DeleteNamespaces
from preflight.messages import change as messages
from preflight.model.cascade import Cascade
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState

_KEPT = ("default", "kube-system", "kube-public")


def delete(command: DeleteNamespaces, world: ClusterState) -> Change:
    """Perform `kubectl delete namespace`.

    The DaemonSets that state one of the namespaces are deleted, and pods that a DaemonSet has left there go too.

    Errors: UsageError, in the server's words, for a namespace that it does not let go.
    """
    for name in command.names:
        if name in _KEPT:
            raise UsageError(f'namespaces "{name}" is forbidden: this namespace may not be deleted')
    keys = list_daemonsets(world, command.names)
    change = delete_daemonsets(command.text, world, keys, Cascade.BACKGROUND)
    left = {key: daemonset for key, daemonset in world.orphaned_daemonsets.items() if key.namespace not in command.names}
    after = msgspec.structs.replace(change.after, orphaned_daemonsets=left) if len(left) < len(world.orphaned_daemonsets) else change.after
    pods = frozenset((pod.metadata.namespace, pod.metadata.name) for pod in world.pods if pod.metadata.namespace in command.names)
    after = after.without_pods(pods, displaces=False)
    empty = [name for name in command.names if not any(key.namespace == name for key in keys)]
    notes = (messages.format_empty_namespaces(empty),) if empty else ()
    headline = messages.format_verb_headline("delete namespace", command.names)
    return msgspec.structs.replace(change, headline=headline, after=after, notes=notes)


def list_daemonsets(world: ClusterState, names: tuple[str, ...]) -> list[ObjectKey]:
    """The DaemonSets of some namespaces."""
    return [key for key in world.daemonsets if key.namespace in names]
