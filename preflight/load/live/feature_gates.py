"""Whether a cluster has a feature gate on, as far as its API server says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from preflight.model.apps import DaemonSet

_GATE = "TaintTolerationComparisonOperators"
_ENABLED = re.compile(rb'^kubernetes_feature_enabled\{name="' + _GATE.encode() + rb'",[^}]*\} ([01])', re.MULTILINE)
_KNOWN_SINCE = (1, 35)


def detect_comparison_operators(
    daemonsets: Iterable[DaemonSet], version: Mapping[str, Any], read_metrics: Callable[[], bytes]
) -> bool | None:
    """Whether Lt and Gt of tolerations are on; None where nobody uses them, or the server does not say.

    1. A server before 1.35 does not know them. `version` is what it answers at /version.
    2. `read_metrics` asks for the metrics of the server, b"" where they cannot be had: it is called only where a toleration uses one.
    """
    if not any(toleration.operator in ("Lt", "Gt") for daemonset in daemonsets for toleration in daemonset.spec.template.spec.tolerations):
        return None
    known_version = _parse_version(version)
    if known_version and known_version < _KNOWN_SINCE:
        return False
    found = _ENABLED.search(read_metrics())
    return found[1] == b"1" if found else None


def _parse_version(version: Mapping[str, Any]) -> tuple[int, int] | None:
    """Major and minor, `37+` being 37; None where the server does not say."""
    found = re.fullmatch(r"([0-9]+)\.([0-9]+)\D*", f"{version.get('major')}.{version.get('minor')}")
    return (int(found[1]), int(found[2])) if found else None
