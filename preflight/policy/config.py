"""A policy file as it is written: the names are those of the file, and the docstrings and `Meta` those of its JSON Schema."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

Globs = str | tuple[str, ...]
Effect = Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]

SEVERITIES = ("error", "warning", "note", "off")
NO_EXECUTE = ("stay", "leave", "decide")


class _PolicyStruct(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    pass


class Match(_PolicyStruct, frozen=True):
    """Which objects: all keys must fit, of several globs one. `*`, `?` and `[...]` stand for characters; `*` crosses `/` too.

    `file` is the path below the folder of the policy. A label is given by its key; its globs fit its value.
    """

    namespace: Globs = ()
    name: Globs = ()
    kind: Globs = ()
    file: Globs = ()
    labels: dict[str, Globs] = {}


class Setting(_PolicyStruct, frozen=True):
    """What a rule does, for the objects that `match` says (without it, for all): where several settings fit, the last one counts.

    `severity` takes the place of the rule's own; what the rule itself says more mildly stays that mild. `off` (or `false`, as YAML
    reads `off`) silences the rule.
    """

    severity: str | bool | None = None
    options: dict[str, Any] = {}
    match: Match | None = None


class DeclaredTaint(_PolicyStruct, frozen=True):
    """A taint of the team's convention: rules take it for one that nodes carry. Without `values` its value is empty."""

    key: str
    effects: Effect | tuple[Effect, ...]
    values: Globs = ()
    meaning: str = ""


class PoolTaint(_PolicyStruct, frozen=True):
    """A taint as a Node has it."""

    key: str
    effect: Effect
    value: str = ""


class NodePool(_PolicyStruct, frozen=True):
    """Nodes that are alike: what a label that is not stated here says of them is not known."""

    name: str
    labels: dict[str, str] = {}
    taints: tuple[PoolTaint, ...] = ()
    count: int | None = None


class WantedToleration(_PolicyStruct, frozen=True):
    """A toleration as the API has it; no operator means Equal."""

    key: str = ""
    operator: Literal["", "Equal", "Exists"] = ""
    value: str = ""
    effect: Literal["", "NoSchedule", "PreferNoSchedule", "NoExecute"] = ""
    tolerationSeconds: int | None = None


class Required(_PolicyStruct, frozen=True):
    """Tolerations that some workloads must have (PF230).

    They are meant for DaemonSets that are of one of the `kinds` of component, and for the workloads that `match` says; with both, for
    DaemonSets that fit both. With `exactly` a wider toleration is not enough.
    """

    name: str
    tolerations: tuple[WantedToleration, ...]
    kinds: Globs = ()
    match: Match | None = None
    exactly: bool = False
    reason: str = ""


class Stated(_PolicyStruct, frozen=True):
    """What DaemonSets are, where preflight does not recognise it, or wrongly.

    `image` fits the image of a container, with or without its tag. `kinds` are all that it is (an empty list: nothing); `add` comes to what
    is recognised.
    """

    image: Globs = ()
    match: Match | None = None
    kinds: tuple[str, ...] | None = None
    add: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()


class Exemption(_PolicyStruct, frozen=True):
    """Findings that are accepted: those of a rule (an id or a name) on the objects that `match` says, up to and on the day `expires`."""

    rule: str
    reason: str
    match: Match | None = None
    expires: str = ""


class PolicyFile(_PolicyStruct, frozen=True):
    """A policy of preflight.

    1. `extends` names packs and files (relative to this one) that stand before it, later ones over earlier ones; without it: `default`.
    2. Lists come to those that stand before; of two entries of one name (of a taint: key and values) the later one counts.
    """

    description: str = ""
    extends: Globs | None = None
    rules: dict[str, Setting | tuple[Setting, ...] | str | bool] = {}
    taints: tuple[DeclaredTaint, ...] = ()
    nodePools: tuple[NodePool, ...] = ()
    required: tuple[Required, ...] = ()
    components: tuple[Stated, ...] = ()
    noExecute: Literal["", "stay", "leave", "decide"] = ""
    mandatory: tuple[str, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    requireExpires: bool | None = None
