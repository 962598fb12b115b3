"""What the value of each option may be."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from functools import cache


class ValueKind(Enum):
    """What a value is; ANYTHING has no candidates."""

    ANYTHING = auto()
    FILE = auto()
    CONTEXT = auto()
    NAMESPACE = auto()
    NODE = auto()
    DAEMONSET_ON_NODE = auto()
    DAEMONSET_REFERENCE = auto()
    TAINT = auto()
    RULE = auto()
    POLICY = auto()
    FORMAT = auto()
    FEATURE_GATE = auto()


Values = ValueKind | tuple[str, ...]
"""A kind of value, or all values that there are."""

_OWN: Mapping[str, Values] = {
    **dict.fromkeys(("--from", "--kubeconfig", "--baseline", "--write-baseline", "--since", "--plan", "--exclude"), ValueKind.FILE),
    **dict.fromkeys(("-f", "--filename", "-k", "--kustomize", "--patch-file"), ValueKind.FILE),
    **dict.fromkeys(("-o", "--output"), ValueKind.FORMAT),
    **dict.fromkeys(("-n", "--namespace"), ValueKind.NAMESPACE),
    **dict.fromkeys(
        ("--as", "--as-group", "--request-timeout", "--baseline-expires", "--today"),
        ValueKind.ANYTHING,
    ),
    **dict.fromkeys(("--kubernetes-version", "--kubectl-version", "--to"), ValueKind.ANYTHING),
    **dict.fromkeys(("--pod", "--for", "--request", "-l", "--selector", "--resource", "--at-least", "--label"), ValueKind.ANYTHING),
    **dict.fromkeys(("--tolerate", "--taint"), ValueKind.TAINT),
    "--context": ValueKind.CONTEXT,
    "--node": ValueKind.NODE,
    "--why": ValueKind.DAEMONSET_ON_NODE,
    "--like": ValueKind.DAEMONSET_REFERENCE,
    "--policy": ValueKind.POLICY,
    "--rule": ValueKind.RULE,
    "--feature-gates": ValueKind.FEATURE_GATE,
    "--fail-on": ("error", "warning", "note"),
    "--color": ("auto", "always", "never"),
    "--format": ("prometheus", "prometheusrule"),
}
_OF_VERB: Mapping[str, Mapping[str, Values]] = {
    "fix": {"--patch": ("kubectl", "kustomize")},
    "snapshot": {"-o": ValueKind.FILE, "--output": ValueKind.FILE},
    "alerts": {"-o": ValueKind.FILE, "--output": ValueKind.FILE},
    "patch": {"-p": ValueKind.ANYTHING, "--patch": ValueKind.ANYTHING, "--type": ("strategic", "merge", "json")},
}
_OF_KUBECTL: Mapping[str, Values] = {
    "--dry-run": ("none", "server", "client"),
    "--cascade": ("background", "orphan", "foreground"),
    "--validate": ("strict", "warn", "ignore", "true", "false"),
}
"""Flags of kubectl that take a value only behind `=`."""


@cache
def list_valued_flags(verb: str) -> frozenset[str]:
    """The options that take a value which may be in the next word."""
    return frozenset({*_OWN, *_OF_VERB.get(verb, ())})


def find_values(verb: str, flag: str) -> Values:
    """What the value of an option of a verb may be; ANYTHING for one that is unknown."""
    for table in (_OF_VERB.get(verb, {}), _OWN, _OF_KUBECTL):
        if flag in table:
            return table[flag]
    return ValueKind.ANYTHING
