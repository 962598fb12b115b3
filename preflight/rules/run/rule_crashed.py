"""A rule of preflight crashed: this is a bug in preflight, not in the manifests.

Why it matters
    The findings of this rule are unknown, so the run fails: the exit code is 4. The other rules ran.
How to fix
    Report it with the output of the same command with `-v`, which shows the traceback.
Example
    `PF102 crashed: KeyError: 'rdma-1'`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule


def check(context: Context) -> Iterator[Hit]:
    """Nothing: the framework reports a crash where it happens."""
    del context
    return iter(())


RULE = Rule(id="PF900", name="rule-crashed", severity=Severity.ERROR, check=check, is_crash=True, is_exemptible=False)
