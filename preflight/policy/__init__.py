"""Policies: what a team wants of its rules, taints, node pools and components, and what it accepts for a while."""

from preflight.policy.effective import Policy
from preflight.policy.packs import find, load

__all__ = ["Policy", "find", "load"]
