"""Policies: what a team wants of its rules, taints, node pools and components, and what it accepts for a while.

What a run without a policy needs is small and comes with this package; everything else is imported where there is one.
"""

from preflight.policy.discovery import POLICY_FILE_NAME, find_policy
from preflight.policy.model import Policy

__all__ = ["POLICY_FILE_NAME", "Policy", "find_policy", "load"]


def load(name: str) -> Policy:
    """The policy that a pack's name or a file's path means: see `packs.load_policy`."""
    from preflight.policy.packs import load_policy as loaded

    return loaded(name)
