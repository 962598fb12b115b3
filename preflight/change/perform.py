"""World + command -> Change: which module performs which verb."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from preflight.change.commands import (
    ApplyFiles,
    Command,
    CordonNodes,
    DeleteDaemonSets,
    DeleteFiles,
    DeleteNamespaces,
    DeleteNodes,
    DeletePods,
    DrainNodes,
    LabelNodes,
    Patch,
    RebootNodes,
    ReplaceNodes,
    RestartRollout,
    SetImage,
    TaintNodes,
)
from preflight.change.performed import Change
from preflight.model.world import World

if TYPE_CHECKING:
    from preflight.change.files import Read

# Imported when it is asked for: most runs are one verb.
_PERFORMED_BY: dict[type[Command], tuple[str, str]] = {
    TaintNodes: ("nodes", "taint"),
    LabelNodes: ("nodes", "label"),
    CordonNodes: ("nodes", "cordon"),
    DrainNodes: ("nodes", "drain"),
    SetImage: ("workloads", "set_image"),
    RestartRollout: ("workloads", "restart"),
    DeleteDaemonSets: ("workloads", "delete"),
    RebootNodes: ("maintenance", "reboot"),
    ReplaceNodes: ("maintenance", "replace"),
    DeleteNodes: ("maintenance", "delete"),
    DeletePods: ("pods", "delete"),
    DeleteNamespaces: ("namespaces", "delete"),
    Patch: ("patches", "patch"),
    ApplyFiles: ("files", "apply"),
    DeleteFiles: ("files", "delete"),
}


def perform(command: Command, world: World, read: Read) -> Change:
    """What a command makes of a world.

    1. Worlds are immutable: `after` shares every object that does not change with `before`.
    2. Nodes that the command names and the world lacks are partly known, in `before` too.
    3. `read` gives the objects of the files of `apply -f` and `delete -f`, as Structs of preflight.model.objects; it is called for nothing
       else.

    Errors: UsageError for what kubectl or the API server refuses, in their words; InputError where the world lacks what the command needs.
    """
    module, name = _PERFORMED_BY[type(command)]
    performed: Any = getattr(import_module(f"preflight.change.{module}"), name)
    change: Change = performed(command, world, read) if module == "files" else performed(command, world)
    return change
