"""The exit code of a run: 0 nothing to say, 1 findings, 3 not all could be read or known, 4 a rule crashed.

2 is a wrong command line: an error with that code, see `preflight.errors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from preflight.engine.session import Options
    from preflight.model.capacity import ClusterCapacityAnswer
    from preflight.model.report import Finding


def decide_exit_code(findings: Iterable[Finding], options: Options, *, has_crashes: bool, has_problems: bool, is_unknown: bool) -> int:
    """The exit code of a report.

    1. 4 where a rule crashed.
    2. 3 where something could not be read, or an answer is unknown; `--exit-zero` forgives the latter alone.
    3. 1 where a finding that is not exempted is at least as severe as `--fail-on`, unless `--exit-zero`; else 0. Under a change, hygiene
       that was so before counts only if it is an error.
    """
    if has_crashes:
        return 4
    if has_problems or (is_unknown and not options.exit_zero):
        return 3
    counted = (finding for finding in findings if finding.exempted is None and finding.role.is_about_change)
    worst = min((finding.severity.rank for finding in counted), default=3)
    return int(worst <= options.fail_on.rank and not options.exit_zero)


def decide_capacity_exit_code(clusters: Sequence[ClusterCapacityAnswer], at_least: int, *, exit_zero: bool) -> int:
    """The exit code of `capacity`.

    1. 3 where a cluster could not be asked or not all of it was read.
    2. 0 where some cluster has room for `at_least` copies, or with `--exit-zero`.
    3. 3 where room may be enough and is not known; else 1.
    """
    if any(answer.error or answer.problems for answer in clusters):
        return 3
    rooms = [answer.room for answer in clusters if answer.room]
    if exit_zero or any(room.copies >= at_least for room in rooms):
        return 0
    return 3 if any(room.atMost is None or room.atMost >= at_least for room in rooms) else 1
