"""delete namespace: everything in it goes, the DaemonSets with their pods."""

from __future__ import annotations

import msgspec

from preflight.change.model import Change
from preflight.change.workload_verbs import deletion
from preflight.errors import UsageError
from preflight.kubectl.commands import DeleteNamespaces
from preflight.kubectl.formatting import listed
from preflight.model.objects import ObjectKey
from preflight.model.world import World

_KEPT = ("default", "kube-system", "kube-public")


def delete(command: DeleteNamespaces, world: World) -> Change:
    """Perform `kubectl delete namespace`.

    The DaemonSets that state one of the namespaces are deleted, and pods that a DaemonSet has left there go too.

    Errors: UsageError, in the server's words, for a namespace that it does not let go.
    """
    for name in command.names:
        if name in _KEPT:
            raise UsageError(f'namespaces "{name}" is forbidden: this namespace may not be deleted')
    keys = within(world, command.names)
    change = deletion(command.text, world, keys, "background")
    left = {key: daemonset for key, daemonset in world.orphaned.items() if key.namespace not in command.names}
    after = msgspec.structs.replace(change.after, orphaned=left) if len(left) < len(world.orphaned) else change.after
    empty = [name for name in command.names if not any(key.namespace == name for key in keys)]
    notes = (f"no DaemonSet is given in namespace {listed(empty)}",) if empty else ()
    return msgspec.structs.replace(change, headline=f"delete namespace {listed(command.names)}", after=after, notes=notes)


def within(world: World, names: tuple[str, ...]) -> list[ObjectKey]:
    """The DaemonSets of some namespaces."""
    return [key for key in world.daemonsets if key.namespace in names]
