"""Which cluster is asked, and as whom."""

from __future__ import annotations

import re

from msgspec import Struct

LONGEST_TIMEOUT = 86_400.0
"""How many seconds one request may take that has no limit of its own: whoever wants to end it earlier interrupts it."""

_DURATION = re.compile(r"[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)", re.ASCII)


def parse_timeout(text: str) -> float | None:
    """The seconds of `--request-timeout`, None where it is no time.

    1. A number is in seconds; otherwise it is a duration of Go such as 1m30s.
    2. 0 means no limit, as in kubectl, and so does a time below 0. Here it is a day, for no wait is without an end.

    Source: client-go `tools/clientcmd/helpers.go` (ParseTimeout).
    """
    if text.isascii() and text.isdecimal():
        seconds = float(text)
    elif _DURATION.fullmatch(text):
        from preflight.kubectl.flags import parse_seconds  # most runs have a number

        seconds = parse_seconds(text)
    else:
        return None
    return min(seconds, LONGEST_TIMEOUT) if seconds > 0 else LONGEST_TIMEOUT


class ClusterTarget(Struct, frozen=True):
    """Which cluster is asked, and as whom.

    1. `context` and `kubeconfig` are kubectl's: "" means the current context, and $KUBECONFIG or ~/.kube/config, or the cluster around
       the pod that this runs in.
    2. `user` and `groups` are impersonated (`--as`, `--as-group`).
    3. `timeout` is how many seconds one request may take: see `parse_timeout`.
    4. `shows_progress` says on standard error what is being asked.
    """

    context: str = ""
    kubeconfig: str = ""
    user: str = ""
    groups: tuple[str, ...] = ()
    timeout: float = 30.0
    shows_progress: bool = False
