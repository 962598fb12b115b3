"""Texts of the report of `preflight capacity` around its tables."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from preflight.messages.amounts import format_amount
from preflight.messages.counts import format_count
from preflight.messages.next_steps import describe_kubectl, describe_sources
from preflight.model.capacity import StaleAllocationRow


def describe_heading(question: str) -> str:
    """The heading of the page."""
    return f"### capacity for {question}"


def count_hidden_rows(count: int) -> str:
    """How many rows are not shown."""
    return f"{format_count(count, 'more row')} not shown"


def count_more_details(count: int) -> str:
    """How many details are not shown."""
    return f" and {count} more"


def describe_room(copies: str) -> str:
    """How much fits."""
    return f"capacity for {copies}"


def describe_unasked(error: object) -> str:
    """A cluster that could not be queried."""
    return f"unknown: {error}"


def describe_question(question: str) -> str:
    """The question that the report answers."""
    return f"capacity for {question}"


def describe_stale_pod_command(row: StaleAllocationRow, context: str) -> str:
    """What shows why a pod does not run; `context` is "" where no cluster was asked."""
    namespace, _, name = row.pod.rpartition("/")
    line = " ".join([*(["-n", shlex.quote(namespace)] if namespace else []), "describe pod", shlex.quote(name)])
    return describe_kubectl(line, context)


def describe_gain(row: StaleAllocationRow, resource: str, *, is_enough: bool) -> str:
    """What a pod that does not run costs; `is_enough`: a copy fits on its node without it."""
    if is_enough:
        return f"does not run: a copy fits on {row.node} without it"
    return f"does not run, and holds {format_amount(resource, row.amount)} {resource} on {row.node}"


def describe_doctor_command(sources: Sequence[str]) -> str:
    """What shows why nodes are out of use; `sources` are the files that were read."""
    return " ".join(["preflight doctor", *describe_sources(sources)])


WHY_OUT_OF_USE = "why nodes, labels and devices are out of use"
MORE_CLASS = "more class"
MORE_CLASSES = "more classes"
MORE_NODE = "more node"
MORE_NODES = "more nodes"


def count_hidden_ghosts(count: int) -> str:
    """How many stale allocations are not shown."""
    return f"  {format_count(count, 'more stale allocation')} not shown (--all-rows)"


def describe_page_title(verdict: str) -> str:
    """The title of the page."""
    return f"preflight capacity: {verdict}"


def describe_failed_cluster(name: str) -> str:
    """A cluster that could not be queried."""
    return f"{name} could not be queried"


def count_clusters_with_room(count: int, total: int) -> str:
    """How many clusters have capacity."""
    return f"{count} of {format_count(total, 'cluster')} {'has' if count == 1 else 'have'} capacity"


CLASSES_OF_NODES = "Node classes"
WATERFALL = "From allocatable to what fits"


WHY_NOT_MORE = "WHY NOT MORE"
OF_IT_FREE = "OF IT FREE"
WHERE_REST_IS = "WHERE THE REST IS"


def describe_hidden_rows(rows: str) -> str:
    """How many rows are not shown, and how to see them."""
    return f"{rows} not shown (--all-rows)"
