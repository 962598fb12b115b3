"""World + command -> Change: which module performs which verb."""

from __future__ import annotations

from preflight.change import files, maintenance, nodes, pods, workloads
from preflight.change.commands import (
    ApplyFiles,
    Command,
    CordonNodes,
    DeleteDaemonSets,
    DeleteFiles,
    DeleteNodes,
    DeletePods,
    DrainNodes,
    LabelNodes,
    RebootNodes,
    ReplaceNodes,
    RestartRollout,
    SetImage,
    TaintNodes,
)
from preflight.change.files import Read
from preflight.change.performed import Change
from preflight.model.world import World


def perform(command: Command, world: World, read: Read) -> Change:
    """What a command makes of a world.

    1. Worlds are immutable: `after` shares every object that does not change with `before`.
    2. Nodes that the command names and the world lacks are partly known, in `before` too.
    3. `read` gives the objects of the files of `apply -f` and `delete -f`, as Structs of preflight.model.objects; it is called for nothing
       else.

    Errors: UsageError for what kubectl or the API server refuses, in their words; InputError where the world lacks what the command needs.
    """
    match command:
        case TaintNodes():
            return nodes.taint(command, world)
        case LabelNodes():
            return nodes.label(command, world)
        case CordonNodes():
            return nodes.cordon(command, world)
        case DrainNodes():
            return nodes.drain(command, world)
        case SetImage():
            return workloads.set_image(command, world)
        case RestartRollout():
            return workloads.restart(command, world)
        case DeleteDaemonSets():
            return workloads.delete(command, world)
        case RebootNodes():
            return maintenance.reboot(command, world)
        case ReplaceNodes():
            return maintenance.replace(command, world)
        case DeleteNodes():
            return maintenance.delete(command, world)
        case DeletePods():
            return pods.delete(command, world)
        case ApplyFiles():
            return files.apply(command, world, read)
        case DeleteFiles():
            return files.delete(command, world, read)
        case _:
            raise AssertionError(f"no such command: {command!r}")
