"""Whether a cluster has a feature gate on, as far as its API server says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from preflight.model.apps import DaemonSet
from preflight.model.behaviors import COMPARISON_GATE, GATES
from preflight.model.releases import parse_version

_ENABLED = re.compile(rb'^kubernetes_feature_enabled\{name="' + COMPARISON_GATE.encode() + rb'",[^}]*\} ([01])', re.MULTILINE)


def detect_comparison_operators(daemonsets: Iterable[DaemonSet], version: str, read_metrics: Callable[[], bytes]) -> bool | None:
    """Whether Lt and Gt of tolerations are on; None where nobody uses them, or the server does not say.

    1. A server of an older `version` does not know them.
    2. `read_metrics` asks for the metrics of the server, b"" where they cannot be had: it is called only where a toleration uses one.
    """
    if not any(toleration.operator in ("Lt", "Gt") for daemonset in daemonsets for toleration in daemonset.spec.template.spec.tolerations):
        return None
    versions = parse_version(version)
    if versions is not None and GATES[COMPARISON_GATE].is_on_in(versions, None) is False:
        return False
    found = _ENABLED.search(read_metrics())
    return found[1] == b"1" if found else None
