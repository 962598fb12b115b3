"""What comparing two worlds found, in words: a headline and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from preflight.change.diff.worlds import APPLIED_TO_CLUSTER, CLUSTER_DRIFT, WorldDiff
from preflight.change.model import Change
from preflight.kubectl.formatting import join_names
from preflight.messages.change import ASSUMED_UPDATE
from preflight.model.apps import DaemonSet
from preflight.model.core import Toleration

_SHOWN = 6
_NAMED = 20
"""Of how many DaemonSets it is said, each by itself, what their pods tolerate no more."""


def add_summary(compared: WorldDiff, base: str, head: str) -> Change:
    """The change with its headline and notes.

    1. The headline says how the sides were compared, and counts what is new, changed, gone and the same.
    2. Notes name what the headline counts, but for what is the same; then what a template tolerates no more, and from now on.
    """
    return msgspec.structs.replace(
        compared.change, headline=_format_headline(compared, base, head), notes=tuple(_iter_notes(compared, head))
    )


def _format_headline(compared: WorldDiff, base: str, head: str) -> str:
    many = {name: len(getattr(compared, name)) for name in ("new", "updated", "changed", "deleted", "unchanged", "left", "refused")}
    differ = many["updated"] + many["changed"] + many["refused"]
    nodes = compared.nodes
    if compared.mode == CLUSTER_DRIFT:
        daemonsets = _format_counts((differ, "differing"), (many["deleted"], "lacking"), (many["unchanged"], "alike"))
        start, left = f"drift of {head} from {base}", "only in the cluster, not compared"
        told = _format_counts((len(nodes.changed), "differing"))
    else:
        daemonsets = _format_counts(
            (many["new"], "new"), (differ, "changed"), (many["deleted"], "deleted"), (many["unchanged"], "unchanged")
        )
        start = f"apply {head} over {base}" if compared.mode == APPLIED_TO_CLUSTER else f"from {base} to {head}"
        left = "only in the cluster, left alone"
        told = _format_counts((len(nodes.new), "new"), (len(nodes.changed), "changed"), (len(nodes.removed), "gone"))
    parts = [f"DaemonSets {daemonsets or 'none'}"]
    if many["left"]:
        parts.append(f"{many['left']} {left}")
    if told:
        parts.append(f"nodes {told}")
    return f"{start}: {'; '.join(parts)}"


def _format_counts(*counts: tuple[int, str]) -> str:
    return ", ".join(f"{count} {word}" for count, word in counts if count)


def _iter_notes(compared: WorldDiff, head: str) -> Iterator[str]:
    drift = compared.mode == CLUSTER_DRIFT
    nodes = compared.nodes
    words = {
        "new": "new",
        "updated": "differing in its template" if drift else "changed in its template, which starts an update",
        "changed": "differing, but not in its template" if drift else "changed, but not in its template: no pod is replaced",
        "deleted": f"not in {head}" if drift else "deleted",
    }
    for name, word in words.items():
        keys = [str(key) for key in getattr(compared, name)]
        if keys:
            yield f"{word}: {join_names(keys, _SHOWN)}"
    if compared.assumed_updates:
        yield f"{ASSUMED_UPDATE}: {join_names([str(key) for key in compared.assumed_updates], _SHOWN)}"
    for key, (_, why) in compared.refused.items():
        yield f"{key}: judged as it is: {why}"
    for names, word in ((nodes.new, "new"), (nodes.changed, "differing" if drift else "changed"), (nodes.removed, "gone")):
        if names:
            yield f"{word} {'node' if len(names) == 1 else 'nodes'}: {join_names(names, _SHOWN)}"
    yield from nodes.notes
    if nodes.missing:
        yield f"not compared, for the cluster has no such node: {join_names(nodes.missing, _SHOWN)}"
    before, after = compared.change.before.daemonsets, compared.change.after.daemonsets
    placed = [(key, _describe_placement_change(before[key], after[key])) for key in compared.updated]
    told = [f"{key} {sentence}" for key, sentence in placed if sentence]
    yield from told[:_NAMED]
    if len(told) > _NAMED:
        yield f"{len(told) - _NAMED} more tolerate or select something else"
    yield from compared.notes


def _describe_placement_change(old: DaemonSet, new: DaemonSet) -> str:
    """What of a template that decides a placement differs, as the end of a sentence; "" where nothing does."""
    was, now = old.spec.template.spec, new.spec.template.spec
    gone = [_format_toleration(fromkey) for fromkey in dict.fromkeys(was.tolerations) if fromkey not in now.tolerations]
    come = [_format_toleration(toleration) for toleration in dict.fromkeys(now.tolerations) if toleration not in was.tolerations]
    parts = []
    if gone:
        parts.append(f"no longer tolerates {join_names(gone, _SHOWN)}")
    if come:
        parts.append(f"from now on tolerates {join_names(come, _SHOWN)}")
    fields: Sequence[str] = ("nodeName", "nodeSelector", "affinity")
    other = [name for name in fields if getattr(was, name) != getattr(now, name)]
    if other:
        parts.append(f"has another {join_names(other)}")
    return "; ".join(parts)


def _format_toleration(toleration: Toleration) -> str:
    """What a toleration tolerates, as a taint is written: `dedicated=rdma:NoSchedule`, `dedicated:*`, `everything`."""
    seconds = f" for {toleration.tolerationSeconds} s" if toleration.tolerationSeconds is not None else ""
    if not toleration.key:
        return f"{'everything' if not toleration.effect else f'every {toleration.effect} taint'}{seconds}"
    if toleration.operator in ("Lt", "Gt"):
        value = f" {'<' if toleration.operator == 'Lt' else '>'} {toleration.value}"
    else:
        value = f"={toleration.value}" if toleration.operator != "Exists" and toleration.value else ""
    return f"{toleration.key}{value}:{toleration.effect or '*'}{seconds}"
