"""The chain of the pair or pod that `--why` asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.change.model import Change
from preflight.coverage.model import Impact
from preflight.model.report import ExplanationLink

if TYPE_CHECKING:
    from preflight.model.evictions import EvictionReport


def iter_pair_links(why: str, impact: Impact, step: int) -> Iterator[ExplanationLink]:
    """The chain of a DaemonSet on a node, where this step judges it."""
    if not why:
        return
    from preflight.coverage.explain import explain_loss
    from preflight.dependents.explain import explain_dependents
    from preflight.messages.loss_chain import describe_link

    *names, node = why.split("/")
    for group in impact.groups:
        if node in group.nodes and names in ([group.key.name], [group.key.namespace or "-", group.key.name]):
            for link in explain_loss(impact, group, node, explain_dependents(impact, group, node)):
                yield ExplanationLink(step, *describe_link(link))


def iter_pod_links(why: str, evictions: EvictionReport | None, change: Change, step: int) -> Iterator[ExplanationLink]:
    """The chain of an ordinary pod, where this step lets it go or keeps it."""
    if evictions is None or "/" not in why:
        return
    from preflight.messages.eviction_chain import explain_eviction

    for heading, text in explain_eviction(evictions, change.command, why):
        yield ExplanationLink(step, heading, text)
