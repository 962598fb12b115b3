"""kubectl's flags: which verb has which, and how they are told from the other arguments.

Source: spf13/pflag `flag.go` (the syntax and the words), kubectl `pkg/cmd/{taint,label,drain,set,rollout,apply,patch,delete}` (the tables).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from msgspec import Struct

from preflight.errors import UsageError
from preflight.kubectl.formatting import GO_BOOLEANS, quote_go
from preflight.kubectl.unknown_flags import make_unknown_flag, make_unknown_shorthand


class FlagType(Enum):
    """What a flag holds; BOOL and OPTIONAL may stand alone, and then never take the next argument."""

    BOOL = "bool"
    TEXT = "string"
    OPTIONAL = "string that may be left out"
    INT = "int"
    DURATION = "duration"
    LIST = "list, comma separated"
    ARRAY = "repeatable"


class Flag(NamedTuple):
    """One flag; `bare_value` is the value that it has when it stands alone."""

    name: str
    flag_type: FlagType = FlagType.TEXT
    short: str = ""
    bare_value: str = ""


def _bool_flags(*names: str) -> tuple[Flag, ...]:
    return tuple(Flag(name, FlagType.BOOL, bare_value="true") for name in names)


_SELECTOR = Flag("selector", short="l")
_DRY_RUN = Flag("dry-run", FlagType.OPTIONAL, bare_value="unchanged")
_MANAGER = Flag("field-manager")
_VALIDATE = Flag("validate", FlagType.OPTIONAL, bare_value="strict")
_EVERYWHERE = Flag("all-namespaces", FlagType.BOOL, "A", "true")
_CASCADE = Flag("cascade", FlagType.OPTIONAL, bare_value="background")
_PRINT = (Flag("output", short="o"), Flag("template"), *_bool_flags("allow-missing-template-keys", "show-managed-fields"))
_FILES = (Flag("filename", FlagType.LIST, "f"), Flag("kustomize", short="k"), Flag("recursive", FlagType.BOOL, "R", "true"))
_DELETION = (_CASCADE, *_bool_flags("force", "wait"), Flag("grace-period", FlagType.INT), Flag("timeout", FlagType.DURATION))
_CORDON = (_SELECTOR, _DRY_RUN)

FLAGS_BY_VERB: Mapping[str, tuple[Flag, ...]] = {
    "taint": (_SELECTOR, _DRY_RUN, _MANAGER, _VALIDATE, *_PRINT, *_bool_flags("all", "overwrite")),
    "label": (
        *(_SELECTOR, Flag("field-selector"), _DRY_RUN, _MANAGER, _EVERYWHERE, Flag("resource-version")),
        *(*_PRINT, *_FILES, *_bool_flags("all", "overwrite", "list", "local", "record")),
    ),
    "cordon": _CORDON,
    "uncordon": _CORDON,
    "drain": (
        *(*_CORDON, *_bool_flags("force", "ignore-daemonsets", "delete-emptydir-data", "disable-eviction"), Flag("pod-selector")),
        *_bool_flags("delete-local-data"),
        *(Flag("grace-period", FlagType.INT), Flag("timeout", FlagType.DURATION)),
        *(Flag("chunk-size", FlagType.INT), Flag("skip-wait-for-delete-timeout", FlagType.INT)),
    ),
    "set image": (_SELECTOR, _DRY_RUN, _MANAGER, *_PRINT, *_FILES, *_bool_flags("all", "local", "record")),
    "rollout restart": (_SELECTOR, _MANAGER, *_PRINT, *_FILES),
    "apply": (
        *(
            _SELECTOR,
            _DRY_RUN,
            _MANAGER,
            _VALIDATE,
            *_PRINT,
            *_FILES,
            *_DELETION,
            Flag("subresource"),
            Flag("prune-allowlist", FlagType.ARRAY),
        ),
        *_bool_flags("all", "force-conflicts", "openapi-patch", "overwrite", "prune", "record", "server-side"),
    ),
    "patch": (
        *(Flag("patch", short="p"), Flag("patch-file"), Flag("type"), Flag("subresource"), _DRY_RUN, _MANAGER),
        *(*_PRINT, *_FILES, *_bool_flags("local", "record")),
    ),
    "delete": (
        *(_SELECTOR, Flag("field-selector"), _DRY_RUN, _EVERYWHERE, *_FILES, *_DELETION, Flag("output", short="o"), Flag("raw")),
        *(*_bool_flags("all", "ignore-not-found", "now"), Flag("interactive", FlagType.BOOL, "i", "true")),
    ),
    "reboot": (_SELECTOR, *_bool_flags("all", "graceful")),
    "replace": (
        _SELECTOR,
        *_bool_flags("all"),
        Flag("label", FlagType.ARRAY),
        Flag("labels", FlagType.LIST),
        Flag("taint", FlagType.ARRAY),
    ),
}
"""The flags of each verb that preflight judges; reboot and replace are preflight's own."""

GLOBAL_FLAGS: tuple[Flag, ...] = (
    Flag("namespace", short="n"),
    Flag("server", short="s"),
    Flag("as-group", FlagType.ARRAY),
    Flag("as-user-extra", FlagType.ARRAY),
    Flag("v", FlagType.INT, "v"),
    *_bool_flags("disable-compression", "insecure-skip-tls-verify", "match-server-version", "warnings-as-errors"),
    *(Flag(name) for name in ("as", "as-uid", "cache-dir", "certificate-authority", "client-certificate", "client-key", "cluster")),
    *(Flag(name) for name in ("context", "kubeconfig", "kuberc", "password", "profile", "profile-output", "proxy-url", "request-timeout")),
    *(Flag(name) for name in ("tls-server-name", "token", "user", "username", "vmodule")),
)
"""The flags that every verb has; but for the namespace, they say where the cluster is and change nothing in a prediction."""

_LONG = {verb: {flag.name: flag for flag in (*flags, *GLOBAL_FLAGS)} for verb, flags in FLAGS_BY_VERB.items()}
_SHORT = {verb: {flag.short: flag for flag in (*flags, *GLOBAL_FLAGS) if flag.short} for verb, flags in FLAGS_BY_VERB.items()}
_ANY = {name: flag for flags in (*_LONG.values(), *_SHORT.values()) for name, flag in flags.items()}
_UNIT = re.compile(r"([0-9]+(\.[0-9]*)?|\.[0-9]+)([^0-9.]*)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_FIELD = re.compile(r'(?:"(?:[^"]|"")*"|[^",]*)(?=,|$)')
_INTEGER = re.compile(r"[+-]?(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|[1-9][0-9]*|0)")


class ParsedArguments(Struct, frozen=True):
    """The arguments of a verb: `args` without the flags, `values` of each flag that is there, in order."""

    args: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]

    def is_set(self, name: str) -> bool:
        """Whether a bool flag is there and not `=false`; the last one counts."""
        return name in self.values and GO_BOOLEANS[self.values[name][-1]]

    def last_value(self, name: str, default: str = "") -> str:
        """The value of a flag; the last one counts."""
        return self.values[name][-1] if name in self.values else default

    def all_values(self, name: str) -> tuple[str, ...]:
        """All values of a repeatable flag."""
        return self.values.get(name, ())


def flag_takes_value(flag: str) -> bool | None:
    """Whether the argument after this one is the value of the flag, for any verb.

    1. `-l` and `--selector` do; `-lx`, `--selector=x` and flags that may stand alone (`--overwrite`, `--dry-run`) do not.
    2. None where no verb has such a flag.
    3. In a group of short flags (`-Rf`) the last one decides.
    """
    if flag.startswith("--"):
        name, equals, _ = flag[2:].partition("=")
        known = _ANY.get(_spell_flag(name)) if len(name) > 1 else None
        return None if known is None else not (equals or known.bare_value)
    for place, letter in enumerate(flag[1:], 2):
        known = _ANY.get(letter)
        if known is None or known.short != letter:
            return None
        if not known.bare_value:
            return place == len(flag)
    return False if flag.startswith("-") and len(flag) > 1 else None


def parse_arguments(verb: str, argv: Sequence[str]) -> ParsedArguments:
    """Tell the flags of a verb from its other arguments, as pflag does.

    1. Flags may stand anywhere; `--` ends them; `-` is an argument. `_` in a name means `-`.
    2. `--x=v`, `--x v`, `-x v`, `-xv`, `-x=v`, and groups of short flags (`-Rf FILE`). A flag that may stand alone takes its value
       only by `=`.
    3. A flag given twice counts by its last value, but for repeatable ones; FILE lists are split at commas as CSV.

    Errors: UsageError in pflag's words for an unknown flag, a value that is missing or of another type.
    """
    args: list[str] = []
    values: dict[str, list[str]] = {}
    rest = list(reversed(argv))

    def take(flag: Flag, value: str) -> None:
        problem = _describe_problem(flag, value)
        if problem:
            shown = f"-{flag.short}, --{flag.name}" if flag.short else f"--{flag.name}"
            raise UsageError(f"invalid argument {quote_go(value)} for {quote_go(shown)} flag: {problem}")
        values.setdefault(flag.name, []).extend(_split_csv(value)[0] if flag.flag_type is FlagType.LIST else [value])

    while rest:
        argument = rest.pop()
        if argument == "--":
            args.extend(reversed(rest))
            break
        if argument.startswith("--"):
            name, equals, value = argument[2:].partition("=")
            if not name or name.startswith("-"):
                raise UsageError(f"bad flag syntax: {argument}")
            flag = _LONG[verb].get(_spell_flag(name))
            if flag is None:
                raise make_unknown_flag(name, _LONG[verb])
            if not equals and not flag.bare_value and not rest:
                raise UsageError(f"flag needs an argument: --{name}")
            take(flag, value if equals else flag.bare_value or rest.pop())
        elif argument.startswith("-") and argument != "-":
            letters = argument[1:]
            while letters:
                flag = _SHORT[verb].get(letters[0])
                if flag is None:
                    raise make_unknown_shorthand(letters, _LONG[verb])
                if len(letters) > 2 and letters[1] == "=":
                    value, left = letters[2:], ""
                elif flag.bare_value:
                    value, left = flag.bare_value, letters[1:]
                elif len(letters) > 1:
                    value, left = letters[1:], ""
                elif rest:
                    value, left = rest.pop(), ""
                else:
                    raise UsageError(f"flag needs an argument: '{letters[0]}' in -{letters}")
                take(flag, value)
                letters = left
        else:
            args.append(argument)
    return ParsedArguments(tuple(args), {name: tuple(value) for name, value in values.items()})


def parse_integer(text: str) -> int:
    """The number of an INT flag that was accepted: decimal, or with 0x, 0b, 0o, or 0 before octal digits."""
    digits = text.lstrip("+-")
    base = {"x": 16, "b": 2, "o": 8}.get(digits[1:2].lower(), 8 if len(digits) > 1 and digits[0] == "0" else 10)
    number = int(digits[2:] if base in (2, 16) or digits[1:2].lower() == "o" else digits, base)
    return -number if text.startswith("-") else number


def parse_seconds(text: str) -> float:
    """The seconds of a DURATION flag that was accepted: `1m30s` is 90."""
    found = sum(float(part[1]) * _SECONDS[part[3]] for part in _UNIT.finditer(text.lstrip("+-")) if part[3])
    return -found if text.startswith("-") else found


def _spell_flag(name: str) -> str:
    return name.replace("_", "-")


def _split_csv(value: str) -> tuple[list[str], str]:
    """The fields of one line of CSV, where a quote inside quotes is doubled; and why it is none, in the words of Go, "" where it is one."""
    fields: list[str] = []
    place = 0
    while value and place <= len(value):
        match = _FIELD.match(value, place)
        if match is None:
            wrong = 'extraneous or missing " in quoted-field' if value[place] == '"' else 'bare " in non-quoted-field'
            quote = value.find('"', place + 1)
            return [], f"parse error on line 1, column {quote + 1 if quote > 0 else len(value) + 1}: {wrong}"
        field = match[0]
        fields.append(field[1:-1].replace('""', '"') if field.startswith('"') else field)
        place = match.end() + 1
    return fields, ""


def _describe_problem(flag: Flag, value: str) -> str:
    """Why a value is not of the flag's type, in the words of Go; "" where it is."""
    if flag.flag_type is FlagType.BOOL and value not in GO_BOOLEANS:
        return f"strconv.ParseBool: parsing {quote_go(value)}: invalid syntax"
    if flag.flag_type is FlagType.INT and not _INTEGER.fullmatch(value):
        return f"strconv.ParseInt: parsing {quote_go(value)}: invalid syntax"
    if flag.flag_type is FlagType.DURATION:
        return _describe_duration_problem(value)
    if flag.flag_type is FlagType.LIST:
        return _split_csv(value)[1]
    return ""


def _describe_duration_problem(value: str) -> str:
    rest = value[1:] if value[:1] in ("+", "-") else value
    if rest == "0":
        return ""
    if not rest:
        return f"time: invalid duration {quote_go(value)}"
    while rest:
        part = _UNIT.match(rest)
        if part is None:
            return f"time: invalid duration {quote_go(value)}"
        if not part[3]:
            return f"time: missing unit in duration {quote_go(value)}"
        if part[3] not in _SECONDS:
            return f"time: unknown unit {quote_go(part[3])} in duration {quote_go(value)}"
        rest = rest[part.end() :]
    return ""
