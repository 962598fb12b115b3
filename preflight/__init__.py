"""Says which DaemonSets lose which nodes before a change is made.

The functions below are the library: see docs/library.md. Each is imported when it is asked for, so that the program starts fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from preflight.version import __version__ as __version__

if TYPE_CHECKING:
    from preflight.engine.analyze import analyze as analyze
    from preflight.engine.analyze import analyze_plan as analyze_plan
    from preflight.engine.capacity import CapacityQuery as CapacityQuery
    from preflight.engine.capacity import WorkloadRef as WorkloadRef
    from preflight.engine.capacity import query_capacity as query_capacity
    from preflight.engine.diff import diff as diff
    from preflight.engine.doctor import diagnose_cluster as diagnose_cluster
    from preflight.engine.doctor import diagnose_pod as diagnose_pod
    from preflight.engine.doctor_clusters import diagnose_clusters as diagnose_clusters
    from preflight.engine.fix import FixRequest as FixRequest
    from preflight.engine.fix import propose_fixes as propose_fixes
    from preflight.engine.lint import lint as lint
    from preflight.engine.plan import Plan as Plan
    from preflight.engine.plan import read_plan_file as read_plan_file
    from preflight.engine.report_builder import Analysis as Analysis
    from preflight.engine.session import Options as Options
    from preflight.engine.session import Session as Session
    from preflight.engine.upgrade import check_upgrade as check_upgrade
    from preflight.engine.verify import verify as verify
    from preflight.errors import InputError as InputError
    from preflight.errors import PreflightError as PreflightError
    from preflight.errors import UsageError as UsageError
    from preflight.load.inputs import Files as Files
    from preflight.load.inputs import Live as Live
    from preflight.load.inputs import Snapshot as Snapshot
    from preflight.load.live.target import ClusterTarget as ClusterTarget
    from preflight.model.releases import parse_version as parse_version
    from preflight.model.report import Severity as Severity
    from preflight.model.versions import VersionOptions as VersionOptions
    from preflight.policy.evaluate import PolicyOptions as PolicyOptions

_MODULES = {
    "preflight.engine.analyze": ("analyze", "analyze_plan"),
    "preflight.engine.capacity": ("CapacityQuery", "WorkloadRef", "query_capacity"),
    "preflight.engine.diff": ("diff",),
    "preflight.engine.doctor": ("diagnose_cluster", "diagnose_pod"),
    "preflight.engine.doctor_clusters": ("diagnose_clusters",),
    "preflight.engine.fix": ("FixRequest", "propose_fixes"),
    "preflight.engine.lint": ("lint",),
    "preflight.engine.plan": ("Plan", "read_plan_file"),
    "preflight.engine.report_builder": ("Analysis",),
    "preflight.engine.session": ("Options", "Session"),
    "preflight.engine.upgrade": ("check_upgrade",),
    "preflight.engine.verify": ("verify",),
    "preflight.errors": ("InputError", "PreflightError", "UsageError"),
    "preflight.load.inputs": ("Files", "Live", "Snapshot"),
    "preflight.load.live.target": ("ClusterTarget",),
    "preflight.model.releases": ("parse_version",),
    "preflight.model.report": ("Severity",),
    "preflight.model.versions": ("VersionOptions",),
    "preflight.policy.evaluate": ("PolicyOptions",),
}
EXPORTS = {name: module for module, names in _MODULES.items() for name in names}
"""The module of each name of the library."""


def __getattr__(name: str) -> Any:
    """Import a name of the library when it is asked for."""
    if name not in EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(EXPORTS[name]), name)


def __dir__() -> list[str]:
    return [*EXPORTS, "__version__"]
