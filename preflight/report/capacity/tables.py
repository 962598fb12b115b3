"""The tables of a capacity report as cells: the waterfall, the classes of nodes, the nodes, and several clusters side by side."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages import capacity_report as messages
from preflight.messages.amounts import format_amount
from preflight.messages.capacity import format_cause, format_copy_count, format_main_causes
from preflight.messages.counts import format_count
from preflight.messages.lists import format_names
from preflight.model.capacity import ClusterCapacity, ClusterCapacityAnswer, NodeCapacity, NodeClassCapacity

MOST_ROWS = 30
_DETAILS = 2

Cells = tuple[str, ...]


def make_waterfall_rows(room: ClusterCapacity) -> list[Cells]:
    """From the sum of what can be allocated down to the copies: amount, free of it, the words, the nodes."""
    known = len(room.nodes) - len(room.unread)
    rows: list[Cells] = [
        (format_amount(room.resource, room.allocatable), format_amount(room.resource, room.free), f"on {format_count(known, 'node')}", "")
    ]
    for step in room.steps:
        details = "; ".join(step.details[:_DETAILS])
        more = messages.count_more_details(len(step.details) - _DETAILS) if len(step.details) > _DETAILS else ""
        words = f"{format_cause(step)}{f' ({details}{more})' if details else ''}"
        rows.append(
            (
                f"-{format_amount(room.resource, step.amount)}",
                format_amount(room.resource, step.free) if step.free else "",
                words,
                format_names(step.nodes),
            )
        )
    amount = format_amount(room.resource, room.copies * room.wanted)
    rows.append((f"={amount}", amount, messages.describe_room(format_copy_count(room.copies)), ""))
    return rows


CLASS_HEADS = ("NODES", "TYPE", "ALLOCATABLE", "USED", "STALE", "FREE", "FIT", messages.WHY_NOT_MORE)
NODE_HEADS = ("NODE", "TYPE", "ALLOCATABLE", "USED", "STALE", "FREE", "FIT", messages.WHY_NOT_MORE)
CLUSTER_HEADS = ("CLUSTER", "FIT", "FREE", "ALLOCATABLE", "LARGEST", messages.WHERE_REST_IS)


def make_class_row(class_room: NodeClassCapacity, resource: str) -> Cells:
    """A class of nodes as a row."""
    return (f"{len(class_room.nodes)}: {format_names(class_room.nodes, 2)}", *_make_number_cells(class_room, resource))


def make_node_row(node_room: NodeCapacity, resource: str) -> Cells:
    """A node as a row."""
    return (node_room.node, *_make_number_cells(node_room, resource))


def _make_number_cells(counted_room: NodeClassCapacity | NodeCapacity, resource: str) -> Cells:
    ghosts = format_amount(resource, counted_room.ghosts) if counted_room.ghosts else ""
    fit = (
        str(counted_room.copies)
        if counted_room.atMost == counted_room.copies
        else f"{counted_room.copies} to {'?' if counted_room.atMost is None else counted_room.atMost}"
    )
    why = [*counted_room.reasons, *(f"unknown: {text}" for text in counted_room.unknown)]
    numbers = (
        format_amount(resource, counted_room.allocatable),
        format_amount(resource, counted_room.used),
        ghosts,
        format_amount(resource, counted_room.free),
    )
    return (counted_room.kind or "-", *numbers, fit, "; ".join(why))


def make_cluster_row(answer: ClusterCapacityAnswer) -> Cells:
    """A cluster as a row; one that could not be asked says why."""
    room = answer.room
    if room is None:
        return (answer.name, "?", "?", "?", "?", messages.describe_unasked(answer.error))
    fit = str(room.copies) if room.atMost == room.copies else f"{room.copies} to {'?' if room.atMost is None else room.atMost}"
    numbers = (format_amount(room.resource, amount) for amount in (room.free, room.allocatable, room.largest))
    return (answer.name, fit, *numbers, format_main_causes(room))


def limit_node_rows(room: ClusterCapacity, *, all_rows: bool) -> tuple[list[Cells], int]:
    """The rows of the nodes that are shown, and how many nodes are not: without `all_rows` those with nothing free are not."""
    nodes = room.nodes if all_rows else [node for node in room.nodes if node.free != 0]
    kept, _ = limit_rows([make_node_row(node, room.resource) for node in nodes], all_rows=all_rows)
    return kept, len(room.nodes) - len(kept)


def limit_rows(rows: Sequence[Cells], *, all_rows: bool) -> tuple[list[Cells], int]:
    """The rows that are shown, and how many are not."""
    most = len(rows) if all_rows else MOST_ROWS
    return list(rows[:most]), max(0, len(rows) - most)
