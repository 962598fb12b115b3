"""What holds in the end, and who says it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.model.report import Severity
from preflight.policy.matching import Thing, fits

if TYPE_CHECKING:
    from preflight.policy.config import DeclaredTaint, Exemption, NodePool, Required, Setting, Stated
    from preflight.policy.reader import Layer
    from preflight.policy.schema_errors import Path


class Said(Struct, frozen=True):
    """Where something is said: a path in a policy."""

    layer: Layer
    path: Path

    @property
    def where(self) -> str:
        """`file:line`."""
        return self.layer.where(self.path)


class Ruling(Struct, frozen=True):
    """A setting of a rule, and where it is said."""

    setting: Setting
    said: Said

    def covers(self, thing: Thing) -> bool:
        """Whether it is about an object."""
        return fits(self.setting.match, thing, self.said.layer.folder)

    @property
    def severity(self) -> str | None:
        """`error`, `warning`, `note`, `off`, or None where it says nothing of it."""
        given = self.setting.severity
        return "off" if given is False else str(given) if given is not None else None


class Policy(Struct, frozen=True):
    """What holds: the layers in order, and what they say together. Without layers it is what the pack `default` says.

    1. `rulings` are the settings by the rule's id, in order: the last one that covers an object counts.
    2. `options` are those of the rules that have some. `mandatory` are rules that nothing exempts.
    3. Each entry of a list stands beside the place that says it.
    """

    layers: tuple[Layer, ...] = ()
    rulings: Mapping[str, tuple[Ruling, ...]] = {}
    options: Mapping[str, Struct] = {}
    taints: tuple[tuple[DeclaredTaint, Said], ...] = ()
    node_pools: tuple[tuple[NodePool, Said], ...] = ()
    required: tuple[tuple[Required, Said], ...] = ()
    components: tuple[tuple[Stated, Said], ...] = ()
    exemptions: tuple[tuple[Exemption, Said], ...] = ()
    mandatory: Mapping[str, Said] = {}
    no_execute: str = "decide"
    no_execute_said: Said | None = None
    requires_expires: bool = False
    requires_expires_said: Said | None = None

    def severity(self, rule: str, own: Severity, given: Severity | None, thing: Thing) -> Severity | None:
        """What a hit of a rule is: None where the rule is off for this object.

        1. `own` is the severity of the rule, `given` that of the hit where it has one of its own.
        2. What the policy says takes the place of `own`; a hit that the rule itself gives a milder one stays that mild.
        """
        said = self.said_of(rule, thing)
        if said is None:
            return given or own
        if said == "off":
            return None
        wanted = Severity(said)
        return wanted if given is None or given.rank <= own.rank else max(given, wanted, key=lambda each: each.rank)

    def said_of(self, rule: str, thing: Thing) -> str | None:
        """The severity that the last ruling over an object says, None where none does."""
        said = (ruling.severity for ruling in reversed(self.rulings.get(rule, ())) if ruling.severity is not None and ruling.covers(thing))
        return next(said, None)

    @property
    def folder(self) -> str:
        """The folder of the policy itself, "" where it is a pack or none."""
        return self.layers[-1].folder if self.layers else ""
