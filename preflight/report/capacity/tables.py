"""The tables of a capacity report as cells: the waterfall, the classes of nodes, the nodes, and several clusters side by side."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.model.capacity import ClassRoom, ClusterAnswer, ClusterRoom, NodeRoom
from preflight.report.capacity.formatting import amount, cause, chief
from preflight.report.formatting import count, names

MOST_ROWS = 30
_DETAILS = 2

Cells = tuple[str, ...]


def waterfall(room: ClusterRoom) -> list[Cells]:
    """From the sum of what can be allocated down to the copies: amount, free of it, the words, the nodes."""
    known = len(room.nodes) - len(room.unread)
    rows: list[Cells] = [(amount(room.resource, room.allocatable), amount(room.resource, room.free), f"on {count(known, 'node')}", "")]
    for step in room.steps:
        details = "; ".join(step.details[:_DETAILS])
        more = f" and {len(step.details) - _DETAILS} more" if len(step.details) > _DETAILS else ""
        words = f"{cause(step)}{f' ({details}{more})' if details else ''}"
        rows.append(
            (f"-{amount(room.resource, step.amount)}", amount(room.resource, step.free) if step.free else "", words, names(step.nodes))
        )
    left = room.copies * room.wanted
    rows.append((f"={amount(room.resource, left)}", amount(room.resource, left), f"room for {count_copies(room.copies)}", ""))
    return rows


def count_copies(number: int) -> str:
    """`1 copy`, `2 copies`."""
    return "1 copy" if number == 1 else f"{number} copies"


CLASS_HEADS = ("NODES", "TYPE", "ALLOCATABLE", "USED", "GHOSTS", "FREE", "FIT", "WHY NOT MORE")
NODE_HEADS = ("NODE", "TYPE", "ALLOCATABLE", "USED", "GHOSTS", "FREE", "FIT", "WHY NOT MORE")
CLUSTER_HEADS = ("CLUSTER", "FIT", "FREE", "ALLOCATABLE", "LARGEST", "WHERE THE REST IS")


def of_class(each: ClassRoom, resource: str) -> Cells:
    """A class of nodes as a row."""
    return (f"{len(each.nodes)}: {names(each.nodes, 2)}", *_numbers(each, resource))


def of_node(each: NodeRoom, resource: str) -> Cells:
    """A node as a row."""
    return (each.node, *_numbers(each, resource))


def _numbers(each: ClassRoom | NodeRoom, resource: str) -> Cells:
    ghosts = amount(resource, each.ghosts) if each.ghosts else ""
    fit = str(each.copies) if each.atMost == each.copies else f"{each.copies} to {'?' if each.atMost is None else each.atMost}"
    why = [*each.reasons, *(f"unknown: {text}" for text in each.unknown)]
    numbers = (amount(resource, each.allocatable), amount(resource, each.used), ghosts, amount(resource, each.free))
    return (each.kind or "-", *numbers, fit, "; ".join(why))


def of_cluster(each: ClusterAnswer) -> Cells:
    """A cluster as a row; one that could not be asked says why."""
    room = each.room
    if room is None:
        return (each.name, "?", "?", "?", "?", f"not known: {each.error}")
    fit = str(room.copies) if room.atMost == room.copies else f"{room.copies} to {'?' if room.atMost is None else room.atMost}"
    numbers = (amount(room.resource, each) for each in (room.free, room.allocatable, room.largest))
    return (each.name, fit, *numbers, chief(room))


def shown(rows: Sequence[Cells], *, all_rows: bool) -> tuple[list[Cells], int]:
    """The rows that are shown, and how many are not."""
    most = len(rows) if all_rows else MOST_ROWS
    return list(rows[:most]), max(0, len(rows) - most)
