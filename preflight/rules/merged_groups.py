"""What the coverage rules share: groups with one reason are one hit, and the smallest exact toleration is the fix."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from preflight.change.node_lifecycle import is_owned
from preflight.coverage.model import Group
from preflight.coverage.reasons import fallen, near_misses, unselected, untolerated
from preflight.messages.lists import listed
from preflight.model.objects import POD_TEMPLATE_SPEC, Taint
from preflight.model.report import Outcome, Suggestion
from preflight.rules.api import Context, Path, Place, subject_of

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))

UNOWNED = "nothing owns its pods any more, so nothing creates them again"


class Merged:
    """Groups of one DaemonSet that one sentence explains."""

    def __init__(self, groups: Sequence[Group]) -> None:
        """Of at least one group."""
        self.groups = groups
        self.first = groups[0]
        self.nodes = self.first.names if len(groups) == 1 else tuple(sorted(name for group in groups for name in group.names))
        self.subject = subject_of(self.first.daemonset)
        self.taints = self.first.after.untolerated if self.first.after else ()

    @property
    def reason(self) -> str:
        """Why the DaemonSet should not run on these nodes, "" where no placement says so."""
        after = self.first.after
        if after is None:
            return ""
        parts = list(fallen(self.first) or unselected(after))
        if after.untolerated:
            parts.append(untolerated(after.untolerated))
        return ", ".join(parts)

    @property
    def path(self) -> Path:
        """The field that a person would change: nodeName, nodeSelector, affinity or tolerations; () for a DaemonSet that is deleted."""
        after = self.first.after
        if after is None:
            return ()
        if after.selected is False:
            if after.other_node:
                return (*POD_TEMPLATE_SPEC, "nodeName")
            if after.affinity.selector:
                return (*POD_TEMPLATE_SPEC, "nodeSelector", after.affinity.selector[0].key)
            return (*POD_TEMPLATE_SPEC, "affinity")
        return (*POD_TEMPLATE_SPEC, "tolerations")

    @property
    def place(self) -> Place:
        """Where in its manifest."""
        return Place(self.first.daemonset.origin, self.path)

    @property
    def label(self) -> str:
        """What to write under the source line."""
        if self.path[-1:] != ("tolerations",) or not self.taints:
            return ""
        old, new = self.first.before_daemonset, self.first.daemonset
        patched = old is not None and old.origin == new.origin and old.spec.template.spec.tolerations != new.spec.template.spec.tolerations
        return f"{'after the patch nothing' if patched else 'nothing here'} tolerates {listed(self.taints)}"

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """Why the tolerations that come nearest do not help, and that a taint passes by itself."""
        texts = near_misses(self.first.daemonset.spec.template.spec, self.taints)
        if self.passing:
            one = len(self.taints) == 1
            texts += (f"the cluster clears {'this taint' if one else 'these taints'} once the node is well again",)
        return tuple(("note", text) for text in texts)

    @property
    def suggestion(self) -> Suggestion | None:
        """The smallest exact tolerations, but of what the cluster clears; None where tolerations are no fix."""
        after = self.first.after
        lasting = [taint for taint in self.taints if not is_owned(taint)]
        if after is None or after.selected is False or not lasting:
            return None
        return exact_tolerations(lasting)

    @property
    def passing(self) -> bool:
        """Whether only taints stand in the way that the cluster clears once the node is well again: a toleration is no fix for these."""
        after = self.first.after
        return after is not None and after.selected is not False and bool(self.taints) and all(is_owned(taint) for taint in self.taints)


def news(context: Context, outcome: Outcome) -> Iterator[Group]:
    """The groups of an outcome that the change brings about; in lint all of them."""
    assert context.impact is not None
    return (group for group in context.impact.with_outcome(outcome) if context.lint or group.was is not group.outcome)


def merged(groups: Iterable[Group]) -> Iterator[Merged]:
    """Groups merged by DaemonSet, reason, period and what becomes of the pod."""
    found: dict[tuple[object, ...], list[Group]] = {}
    for group in groups:
        verdict = group.verdict
        key = (group.key, Merged([group]).reason, verdict.period, verdict.pod, group.conditional)
        found.setdefault(key, []).append(group)
    return (Merged(each) for each in found.values())


def exact_tolerations(taints: Iterable[Taint]) -> Suggestion:
    """For each taint the toleration that tolerates it and nothing else, as data and as a line of YAML."""
    tolerations = tuple(
        {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect} for taint in dict.fromkeys(taints)
    )
    return Suggestion(tolerations, tuple(f"- {flow(toleration)}" for toleration in tolerations))


def flow(mapping: dict[str, str]) -> str:
    """A map of strings as one line of YAML, quoted wherever a reader of YAML 1.1 would not see a string."""
    return "{" + ", ".join(f"{key}: {scalar(value)}" for key, value in mapping.items()) + "}"


def scalar(text: str) -> str:
    """A string as a YAML scalar."""
    return text if _PLAIN.fullmatch(text) and text.lower() not in _WORDS else json.dumps(text)
