"""From the nodes that a DaemonSet loses to what breaks on them: each of its components, where nothing else provides the same."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.components import Component
from preflight.coverage.model import CoverageGroup, Impact
from preflight.dependents.label_dependencies import find_label_dependencies
from preflight.dependents.model import Consequence, NetworkDoubt, get_eviction_seconds, is_transient_group
from preflight.dependents.remaining_providers import RemainingProviders
from preflight.dependents.requirements import make_subject
from preflight.dependents.workloads import DependentFinder, LostNeed, merge_by_subject
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome


class ConsequenceFinder:
    """The consequences of one impact: what they share is worked out once."""

    def __init__(self, impact: Impact) -> None:
        """Of one impact; nothing is worked out before it is asked for."""
        self.impact = impact
        self.after = impact.change.after
        self.providers = RemainingProviders(impact)
        self.dependent_finder = DependentFinder(impact, self.providers)

    def iter_consequences(self, groups: list[CoverageGroup]) -> Iterator[Consequence]:
        """The consequences of one DaemonSet's groups of one outcome."""
        first = groups[0]
        lost: frozenset[str] = frozenset().union(*(group.nodes for group in groups))
        recreated = first.outcome in (Outcome.LOST_ON_RECREATION, Outcome.ALREADY_FRAGILE)
        for component in self.impact.component_cache.recognize(first.daemonset):
            rest = lost - self.providers.find_other_nodes(first.key, component, recreated=recreated)
            for nodes, doubt, others in self._split_by_doubt(first.key, component, rest, recreated=recreated):
                need = LostNeed(component, nodes, first.outcome, doubt is NetworkDoubt.NO_CONFIGURATION)
                gone, found = self.dependent_finder.find_dependents(need, recreated=recreated)
                own = make_subject(first.daemonset)
                yield Consequence(
                    key=first.key,
                    daemonset=first.daemonset,
                    component=component,
                    nodes=tuple(sorted(nodes)),
                    outcome=first.outcome,
                    seconds=get_eviction_seconds(first),
                    is_transient=is_transient_group(first),
                    lost_names=gone,
                    dependents=merge_by_subject(dependent for dependent in found if dependent.subject != own),
                    stuck_nodes=() if recreated else self._find_stuck_nodes(component),
                    network_doubt=doubt,
                    other_networks=others,
                )

    def _split_by_doubt(
        self, key: ObjectKey, component: Component, nodes: frozenset[str], *, recreated: bool
    ) -> Iterator[tuple[frozenset[str], NetworkDoubt | None, tuple[ObjectKey, ...]]]:
        """The nodes, apart those where it is not known whether a plugin that is not known by name is the network of every pod."""
        kind = component.kind.id
        doubtful: frozenset[str] = frozenset()
        if not component.networks and kind in ("cni", "secondary-cni"):
            networks = self.providers.find_networks(key, recreated=recreated)
            covered: frozenset[str] = frozenset().union(*networks.values())
            doubtful = nodes & covered if kind == "cni" else nodes - covered
            if doubtful:
                others = tuple(sorted(other for other, kept in networks.items() if kept & doubtful))
                yield doubtful, NetworkDoubt.OTHER_NETWORK if others else NetworkDoubt.NO_CONFIGURATION, others
        if nodes - doubtful:
            yield nodes - doubtful, None, ()

    def iter_label_consequences(self, producers: list[CoverageGroup]) -> Iterator[Consequence]:
        """The consequences of labels that never came: plugins that wait for one, where somebody waits for them."""
        for label_dependency in find_label_dependencies(self.impact, producers):
            for component in self.impact.component_cache.recognize(label_dependency.group.daemonset):
                nodes = label_dependency.nodes - self.providers.find_other_nodes(label_dependency.group.key, component, recreated=False)
                if component.kind.id == "device-plugin" and nodes:
                    gone, found = self.dependent_finder.find_dependents(LostNeed(component, nodes, Outcome.NEVER), recreated=False)
                    if found:
                        yield Consequence(
                            key=label_dependency.group.key,
                            daemonset=label_dependency.group.daemonset,
                            component=component,
                            nodes=tuple(sorted(nodes)),
                            outcome=Outcome.NEVER,
                            lost_names=gone,
                            dependents=merge_by_subject(found),
                            producer=label_dependency.producer,
                            labels=label_dependency.labels,
                        )

    def _find_stuck_nodes(self, component: Component) -> tuple[str, ...]:
        """The nodes that carry a startup taint which the component removes, and on which no remover of it is left."""
        if component.kind.id != "startup-taint-remover":
            return ()
        keep = self.providers.find_provider_nodes(component, recreated=False)
        keys = set(component.taints)
        nodes = self.after.nodes.items()
        stuck = (name for name, node in nodes if keys & {taint.key for taint in (*node.spec.taints, *node.startup_taints)})
        return tuple(sorted(name for name in stuck if name not in keep))
