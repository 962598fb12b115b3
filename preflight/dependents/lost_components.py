"""From the nodes that a DaemonSet loses to what breaks on them: each of its components, where nothing else provides the same."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.components import Component
from preflight.coverage.model import Group, Impact
from preflight.dependents.consequences import Consequence, passing, seconds
from preflight.dependents.label_dependencies import uncalled
from preflight.dependents.remaining_providers import Provided
from preflight.dependents.requirements import subject
from preflight.dependents.workloads import Dependents, once
from preflight.model.report import Outcome


class Losses:
    """The consequences of one impact: what they share is worked out once."""

    def __init__(self, impact: Impact) -> None:
        """Of one impact; nothing is worked out before it is asked for."""
        self.impact = impact
        self.after = impact.change.after
        self.provided = Provided(impact)
        self.dependents = Dependents(impact, self.provided)

    def of(self, groups: list[Group]) -> Iterator[Consequence]:
        """The consequences of one DaemonSet's groups of one outcome."""
        first = groups[0]
        lost: frozenset[str] = frozenset().union(*(group.nodes for group in groups))
        recreated = first.outcome in (Outcome.LOST_ON_RECREATION, Outcome.ALREADY_FRAGILE)
        for component in self.impact.recognised.of(first.daemonset):
            nodes = lost - self.provided.others(first.key, component, recreated=recreated)
            if not nodes:
                continue
            gone, found = self.dependents.of(component, nodes, first.outcome, recreated=recreated)
            own = subject(first.daemonset)
            yield Consequence(
                key=first.key,
                daemonset=first.daemonset,
                component=component,
                nodes=tuple(sorted(nodes)),
                outcome=first.outcome,
                seconds=seconds(first),
                passing=passing(first),
                gone=gone,
                dependents=once(each for each in found if each.subject != own),
                stuck=() if recreated else self._stuck(component),
            )

    def of_uncalled(self, producers: list[Group]) -> Iterator[Consequence]:
        """The consequences of labels that never came: plugins that wait for one, where somebody waits for them."""
        for each in uncalled(self.impact, producers):
            for component in self.impact.recognised.of(each.group.daemonset):
                nodes = each.nodes - self.provided.others(each.group.key, component, recreated=False)
                if component.kind.id == "device-plugin" and nodes:
                    gone, found = self.dependents.of(component, nodes, Outcome.NEVER, recreated=False)
                    if found:
                        yield Consequence(
                            key=each.group.key,
                            daemonset=each.group.daemonset,
                            component=component,
                            nodes=tuple(sorted(nodes)),
                            outcome=Outcome.NEVER,
                            gone=gone,
                            dependents=once(found),
                            producer=each.producer,
                            labels=each.labels,
                        )

    def _stuck(self, component: Component) -> tuple[str, ...]:
        """The nodes that carry a startup taint which the component removes, and on which no remover of it is left."""
        if component.kind.id != "startup-taint-remover":
            return ()
        keep = self.provided.nodes_with(component, recreated=False)
        keys = set(component.taints)
        nodes = self.after.nodes.items()
        stuck = (name for name, node in nodes if keys & {taint.key for taint in (*node.spec.taints, *node.startup)})
        return tuple(sorted(name for name in stuck if name not in keep))
