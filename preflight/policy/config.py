"""A policy file as types: the names are the keys of the file, and the docstrings are the descriptions in its JSON Schema."""

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
    """Selects objects: all keys must match, and for each key at least one glob. Wildcards: `*`, `?` and `[...]`; `*` matches `/` too.

    `file` is the path relative to the folder of the policy. `labels` maps the key of a label to globs for its value.
    """

    namespace: Globs = ()
    name: Globs = ()
    kind: Globs = ()
    file: Globs = ()
    labels: dict[str, Globs] = {}


class Setting(_PolicyStruct, frozen=True):
    """Configures a rule for the objects that `match` selects (default: all objects). If several settings match, the last one applies.

    `severity` replaces the severity of the rule; findings that the rule reports with a lower severity keep it. `off` (or `false`, as YAML
    reads `off`) disables the rule.
    """

    severity: str | bool | None = None
    options: dict[str, Any] = {}
    match: Match | None = None


class DeclaredTaint(_PolicyStruct, frozen=True):
    """A taint that the team uses: rules treat it as if nodes had it. Without `values` its value is empty."""

    key: str
    effects: Effect | tuple[Effect, ...]
    values: Globs = ()
    meaning: str = ""


class PoolTaint(_PolicyStruct, frozen=True):
    """A taint as in a Node."""

    key: str
    effect: Effect
    value: str = ""


class NodePool(_PolicyStruct, frozen=True):
    """A group of equal nodes. Labels that are not listed here are unknown."""

    name: str
    labels: dict[str, str] = {}
    taints: tuple[PoolTaint, ...] = ()
    count: int | None = None


class WantedToleration(_PolicyStruct, frozen=True):
    """A toleration as in a Pod; the default operator is Equal."""

    key: str = ""
    operator: Literal["", "Equal", "Exists"] = ""
    value: str = ""
    effect: Literal["", "NoSchedule", "PreferNoSchedule", "NoExecute"] = ""
    tolerationSeconds: int | None = None


class Required(_PolicyStruct, frozen=True):
    """Tolerations that some workloads must have (PF230).

    They are required of DaemonSets that are one of the `kinds` of component, and of the workloads that `match` selects; with both, of
    DaemonSets that meet both conditions. With `exactly` a wider toleration is not enough.
    """

    name: str
    tolerations: tuple[WantedToleration, ...]
    kinds: Globs = ()
    match: Match | None = None
    exactly: bool = False
    reason: str = ""


class Stated(_PolicyStruct, frozen=True):
    """Declares which components DaemonSets are, if preflight does not recognize them, or recognizes them wrongly.

    `image` matches the image of a container, with or without its tag. `kinds` replaces the recognized kinds (an empty list: none); `add`
    adds kinds to the recognized ones.
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
    """Accepts the findings of a rule (id or name) for the objects that `match` selects, up to and including the date `expires`."""

    rule: str
    reason: str
    match: Match | None = None
    expires: str = ""


class PolicyFile(_PolicyStruct, frozen=True):
    """A policy of preflight.

    1. `extends` lists packs and files (relative to this file) that this policy is based on; later ones override earlier ones. Default:
       `default`.
    2. Lists are appended to those of the base; of two entries with the same name (taints: the same key and values) the later one applies.
    3. `kubernetesVersion` (`"1.30"`, `"1.30.4"`) is the version of the clusters, where a cluster does not state its own.
    4. `exclude` lists globs of files and folders, below the folder of this file, that are not read where a folder is; `*` matches `/` too.
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
    kubernetesVersion: str = ""
    exclude: tuple[str, ...] = ()
