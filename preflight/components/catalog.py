"""The facts: what kinds of component there are, and what well-known programs are and provide."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T")

_COMPANION = re.compile(
    r"(?:^|[-_./])(?:exporter|metrics|operator|controller|webhook|dashboards?|ui|console|sidekick|talon|docs?|cleanup|cleaner|tests?|tester"
    r"|checker|benchmark|cli|certgen|relay|server)(?:[-_./]|$)"
)
"""What a program next to another is called after: `falco-exporter` is no Falco, so a wildcard never stands for such a word."""


class ComponentKind(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A kind of component (`kinds.json`, worst first).

    1. `symptom` continues "impact: ": what users see when it is missing on a node. `seen` are words of the events and errors they meet.
    2. `critical`: workloads break without it, so that a node which never gets it deserves a warning.
    3. `provides` says in a few words what it gives to the node. `rank` is its place in the file: 0 is the worst to lose.

    Source: ../shared/design/semantics.md, section 9.
    """

    id: str
    title: str
    critical: bool
    provides: str
    symptom: str
    seen: tuple[str, ...]
    rank: int = 0


class ProgramSetting(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A setting that decides what a program does: a flag, an environment variable, or a line of a ConfigMap.

    1. `values` are those that switch it on; `absent` is the answer where nobody states it. Then the program is of these `load_kinds` too,
       and provides these `resources` or, these `networks`.
    2. With `taints` the value is no switch, but the key of the taint that the program removes instead of the usual one.
    3. `config` is the ConfigMap that the program reads without mounting it.
    """

    name: str
    values: tuple[str, ...] = ()
    absent: bool = False
    kinds: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    taints: bool = False
    config: str = ""


class KnownProgram(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A program that is known (`products.json`).

    1. `programs` are patterns of the name of its command or of the last part of its image; `a/b` is the last two parts of the image,
       `a b` the command `a` with the word `b`.
    2. `load_kinds` that something proves (a device plugin by its folder, a CSI driver by its registration, a DRA driver by its own) are
       never taken from here: then the entry only says what is provided. `with` is the kind that must be proved for `load_kinds` to hold.
       `dns`: it answers DNS queries, of its node or of the cluster; its pod template tells which.
    3. `env` are variables that only it is given. `init`: it also counts where an init container runs it. `telemetry`: what it is depends
       on what it can read.
    4. A resource that ends in `*` stands for all that begin so; a label that ends in `.`, `-` or `/` is a prefix.
    5. `outlive` is the version of the program from which its labels outlive its pods; "" where nothing is known of that.
    6. `ordinary` are those of the patterns that are ordinary words: they count only where the pod reaches its node.
    7. `symptom` is what users see when this program is missing, "" where the sentence of its kind is true of it.
    8. `source` is where this was read.
    """

    programs: tuple[str, ...]
    kinds: tuple[str, ...]
    source: str
    needs: str = msgspec.field(default="", name="with")
    settings: tuple[ProgramSetting, ...] = ()
    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    init: bool = False
    outlive: str = ""
    telemetry: bool = False
    dns: bool = False
    ordinary: tuple[str, ...] = ()
    symptom: str = ""
    note: str = ""


def is_companion(name: str) -> bool:
    """Whether a name is that of a program next to another: an exporter, an operator, a user interface."""
    return _COMPANION.search(name) is not None


class ProgramMatch(NamedTuple):
    """A product, and that of its names or patterns by which it was found."""

    name: str
    product: KnownProgram


class KnownCsiDriver(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A CSI driver that is known (`drivers.json`): its folder, where that is not called like it, and the startup taint it removes."""

    driver: str
    source: str
    folder: str = ""
    taint: str = ""


class StartupTaint(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A startup taint that no DaemonSet removes by itself (`taints.json`).

    1. `key` is the taint's; one that ends in `/` is a prefix. `controller` removes it, "" where that is not known.
    2. It waits for the pods with `pod_label` on the node, or for the work of a component of the kind `awaits`; "" where for neither.
    """

    key: str
    controller: str
    source: str
    pod_label: str = ""
    awaits: str = ""


class ScriptWords(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The words of scripts (`words.json`): shells, what only stands before a program, and programs that do not tell what runs."""

    shells: frozenset[str]
    wrappers: frozenset[str]
    trivial: frozenset[str]


def _read_catalog(name: str, schema: type[T]) -> T:
    with open(os.path.join(os.path.dirname(__file__), name), "rb") as file:  # noqa: PTH118, PTH120, PTH123 (what else finds it costs 7 ms)
        return msgspec.json.decode(file.read(), type=schema)


@cache
def load_script_words() -> ScriptWords:
    """The words of scripts."""
    return _read_catalog("words.json", ScriptWords)


@cache
def load_kinds() -> Mapping[str, ComponentKind]:
    """The kinds by id, worst first."""
    return {
        kind.id: msgspec.structs.replace(kind, rank=rank)
        for rank, kind in enumerate(_read_catalog("kinds.json", tuple[ComponentKind, ...]))
    }


@cache
def load_programs() -> tuple[KnownProgram, ...]:
    """The programs that are known."""
    return _read_catalog("products.json", tuple[KnownProgram, ...])


@cache
def load_csi_drivers() -> tuple[KnownCsiDriver, ...]:
    """The CSI drivers that are known."""
    return _read_catalog("drivers.json", tuple[KnownCsiDriver, ...])


@cache
def load_startup_taints() -> tuple[StartupTaint, ...]:
    """The startup taints that a controller removes, which is no DaemonSet."""
    return _read_catalog("taints.json", tuple[StartupTaint, ...])


@cache
def _list_removed_keys() -> frozenset[str]:
    """The keys of taints that a program or CSI driver which is known removes from each new node."""
    programs = {key for program in load_programs() for key in program.taints}
    return frozenset(programs | {driver.taint for driver in load_csi_drivers()}) - {""}


def is_startup_key(key: str) -> bool:
    """Whether the key of a taint is one that a new node starts with, and that an agent or a controller removes once the node is set up.

    By convention, every CSI driver and network that has such a taint calls it `NAME/agent-not-ready`.
    """
    return key in _list_removed_keys() or key.endswith("/agent-not-ready") or find_startup_taint(key) is not None


def find_startup_taint(key: str) -> StartupTaint | None:
    """The startup taint of a key that a controller removes."""
    return next(
        (taint for taint in load_startup_taints() if key == taint.key or (taint.key.endswith("/") and key.startswith(taint.key))), None
    )


@cache
def _programs_by_name() -> Mapping[str, KnownProgram]:
    """The products by the names without a wildcard."""
    return {name: product for product in load_programs() for name in product.programs if "*" not in name}


@cache
def _programs_by_pattern() -> tuple[tuple[str, str, KnownProgram], ...]:
    """The products by the names with a wildcard: what stands before the wildcard, which few names begin with, and the whole pattern."""
    return tuple(
        (re.split(r"[*?[]", name, maxsplit=1)[0], name, product) for product in load_programs() for name in product.programs if "*" in name
    )


@cache
def programs_by_variable() -> Mapping[str, KnownProgram]:
    """The products by the environment variables that only they are given."""
    return {name: product for product in load_programs() for name in product.env}


def find_program(names: Iterable[str]) -> KnownProgram | None:
    """The product of the first name that one has; a name written out goes before a pattern."""
    found = find_program_match(names)
    return found.product if found is not None else None


def find_program_match(names: Iterable[str]) -> ProgramMatch | None:
    """The same, with the name or pattern that it has."""
    every = list(names)
    return next((ProgramMatch(name, _programs_by_name()[name]) for name in every if name in _programs_by_name()), None) or next(
        filter(None, map(_match_program, every)), None
    )


@cache
def _match_program(name: str) -> ProgramMatch | None:
    found = (
        ProgramMatch(pattern, product)
        for start, pattern, product in _programs_by_pattern()
        if name.startswith(start)
        and (pattern == f"{start}*" or fnmatchcase(name, pattern))  # most need no expression to be compiled
        and not (is_companion(name) and not is_companion(pattern) and "metrics-exporter" not in product.kinds)
    )
    return next(found, None)
