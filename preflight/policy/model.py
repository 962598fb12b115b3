"""What holds in the end, and who says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.model.exclusion import ExcludedPaths
from preflight.model.report import Severity
from preflight.policy.matching import MatchTarget, matches_target

if TYPE_CHECKING:
    from preflight.policy.config import DeclaredTaint, Exemption, NodePool, Required, Setting, Stated
    from preflight.policy.reader import PolicyLayer
    from preflight.policy.schema_errors import Path


class PolicySource(Struct, frozen=True):
    """Where something is said: a path in a policy."""

    layer: PolicyLayer
    path: Path

    @property
    def location(self) -> str:
        """`file:line`."""
        return self.layer.format_location(self.path)


class RuleSetting(Struct, frozen=True):
    """A setting of a rule, and where it is said."""

    setting: Setting
    source: PolicySource

    def covers(self, target: MatchTarget) -> bool:
        """Whether it is about an object."""
        return matches_target(self.setting.match, target, self.source.layer.folder)

    @property
    def severity(self) -> str | None:
        """`error`, `warning`, `note`, `off`, or None where it says nothing of it."""
        given = self.setting.severity
        return "off" if given is False else str(given) if given is not None else None


class Policy(Struct, frozen=True):
    """What holds: the layers in order, and what they say together. Without layers it is what the pack `default` says.

    1. `rule_settings` are the settings by the rule's id, in order: the last one that covers an object counts.
    2. `options` are those of the rules that have some. `mandatory` are rules that nothing exempts.
    3. Each entry of a list stands beside the place that says it.
    """

    layers: tuple[PolicyLayer, ...] = ()
    rule_settings: Mapping[str, tuple[RuleSetting, ...]] = {}
    options: Mapping[str, Struct] = {}
    taints: tuple[tuple[DeclaredTaint, PolicySource], ...] = ()
    node_pools: tuple[tuple[NodePool, PolicySource], ...] = ()
    required: tuple[tuple[Required, PolicySource], ...] = ()
    components: tuple[tuple[Stated, PolicySource], ...] = ()
    exemptions: tuple[tuple[Exemption, PolicySource], ...] = ()
    mandatory: Mapping[str, PolicySource] = {}
    no_execute: str = "decide"
    no_execute_source: PolicySource | None = None
    requires_expires: bool = False
    requires_expires_source: PolicySource | None = None
    kubernetes_version: str = ""
    excluded: tuple[ExcludedPaths, ...] = ()

    def resolve_severity(self, rule: str, rule_severity: Severity, hit_severity: Severity | None, target: MatchTarget) -> Severity | None:
        """What a hit of a rule is: None where the rule is off for this object.

        1. `rule_severity` is the severity of the rule, `hit_severity` that of the hit where it has one of its own.
        2. What the policy says takes the place of `rule_severity`; a hit that the rule itself gives a milder one stays that mild.
        """
        said = self.find_severity(rule, target)
        if said is None:
            return hit_severity or rule_severity
        if said == "off":
            return None
        wanted = Severity(said)
        return (
            wanted
            if hit_severity is None or hit_severity.rank <= rule_severity.rank
            else max(hit_severity, wanted, key=lambda severity: severity.rank)
        )

    def find_severity(self, rule: str, target: MatchTarget) -> str | None:
        """The severity that the last ruling over an object says, None where none does."""
        said = (
            ruling.severity
            for ruling in reversed(self.rule_settings.get(rule, ()))
            if ruling.severity is not None and ruling.covers(target)
        )
        return next(said, None)

    @property
    def folder(self) -> str:
        """The folder of the policy itself, "" where it is a pack or none."""
        return self.layers[-1].folder if self.layers else ""
