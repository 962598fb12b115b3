"""Which cluster is asked, and as whom."""

from __future__ import annotations

from msgspec import Struct


class ClusterTarget(Struct, frozen=True):
    """Which cluster is asked, and as whom.

    1. `context` and `kubeconfig` are kubectl's: "" means the current context, and $KUBECONFIG or ~/.kube/config, or the cluster around
       the pod that this runs in.
    2. `user` and `groups` are impersonated (`--as`, `--as-group`).
    3. `timeout` is how many seconds one request may take.
    4. `shows_progress` says on standard error what is being asked.
    """

    context: str = ""
    kubeconfig: str = ""
    user: str = ""
    groups: tuple[str, ...] = ()
    timeout: float = 30.0
    shows_progress: bool = False
