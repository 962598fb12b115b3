"""How a run is judged."""

from __future__ import annotations

from msgspec import Struct

from preflight.load.live.target import ClusterTarget
from preflight.model.report import Severity
from preflight.policy.evaluate import PolicyOptions


class RunOptions(Struct, frozen=True):
    """How a run is judged.

    1. `fail_on` is the least severity that makes the exit code 1.
    2. `allow_empty`: nothing to judge is no fault, and in lint a chart's template that is named is none either. `strict`: an unknown pair
       is one in lint too. `exit_zero`: findings are none.
    3. `comparison_operators` is the gate of Lt and Gt, None where not known.
    4. `why` asks for the chain of one pair, as `DAEMONSET/NODE`; the DaemonSet's namespace may stand before it. Or of one ordinary pod that
       may have to go, as `NAMESPACE/POD`.
    5. `policy_options` are the policy, the exemptions and the baseline that findings are held to.
    6. `target` is the cluster to ask; None where files are the world. `live_target` is the one that the word `live_target` of a diff means.
    """

    fail_on: Severity = Severity.ERROR
    allow_empty: bool = False
    strict: bool = False
    exit_zero: bool = False
    comparison_operators: bool | None = None
    why: str = ""
    policy_options: PolicyOptions = PolicyOptions()
    target: ClusterTarget | None = None
    live_target: ClusterTarget = ClusterTarget()
