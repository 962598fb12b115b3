"""World + command -> Change: which module performs which verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from preflight.change.model import Change
from preflight.kubectl.commands import (
    ApplyFiles,
    Command,
    CordonNodes,
    DeleteCustomResources,
    DeleteDaemonSets,
    DeleteFiles,
    DeleteNamespaces,
    DeleteNodes,
    DeletePods,
    DrainNodes,
    LabelNodes,
    PatchObjects,
    RebootNodes,
    ReplaceNodes,
    RestartRollout,
    SetImage,
    TaintNodes,
)
from preflight.model.world import ClusterState

if TYPE_CHECKING:
    from preflight.change.model import ObjectReader


def perform_command(command: Command, world: ClusterState, read_file: ObjectReader) -> Change:
    """What a command makes of a world.

    1. Worlds are immutable: `after` shares every object that does not change with `before`.
    2. Nodes that the command names and the world lacks are partly known, in `before` too.
    3. `read_file` gives the objects of the files of `apply -f` and `delete -f`, as Structs of the model; it is called for
       nothing else.

    Errors: UsageError for what kubectl or the API server refuses, in their words; InputError where the world lacks what the command needs.
    """
    # Imported when it is asked for: most runs are one verb.
    match command:
        case TaintNodes():
            from preflight.change import node_verbs

            return node_verbs.taint(command, world)
        case LabelNodes():
            from preflight.change import node_verbs

            return node_verbs.label(command, world)
        case CordonNodes():
            from preflight.change import node_verbs

            return node_verbs.cordon(command, world)
        case DrainNodes():
            from preflight.change import node_verbs

            return node_verbs.drain(command, world)
        case SetImage():
            from preflight.change import workload_verbs

            return workload_verbs.set_image(command, world)
        case RestartRollout():
            from preflight.change import workload_verbs

            return workload_verbs.restart(command, world)
        case DeleteDaemonSets():
            from preflight.change import workload_verbs

            return workload_verbs.delete(command, world)
        case DeleteCustomResources():
            from preflight.change import apply_custom_resource

            return apply_custom_resource.delete(command, world)
        case RebootNodes():
            from preflight.change import node_replacement

            return node_replacement.reboot(command, world)
        case ReplaceNodes():
            from preflight.change import node_replacement

            return node_replacement.replace(command, world)
        case DeleteNodes():
            from preflight.change import node_replacement

            return node_replacement.delete(command, world)
        case DeletePods():
            from preflight.change import delete_pods

            return delete_pods.delete(command, world)
        case DeleteNamespaces():
            from preflight.change import delete_namespaces

            return delete_namespaces.delete(command, world)
        case PatchObjects():
            from preflight.change import patch_daemonsets

            return patch_daemonsets.patch(command, world)
        case ApplyFiles():
            from preflight.change import apply_files

            return apply_files.apply(command, world, read_file)
        case DeleteFiles():
            from preflight.change import apply_files

            return apply_files.delete(command, world, read_file)
        case _:
            raise TypeError(f"no change is made by {type(command).__name__}")
