"""What a change means for each DaemonSet on each node: before, once it has settled, after re-creation."""

from preflight.impact.judging import Group, Impact, judge, unchanged
from preflight.impact.pods import PodGroup, PodsOf, listed_pods
from preflight.impact.verdict import PodAfter, Verdict

__all__ = ["Group", "Impact", "PodAfter", "PodGroup", "PodsOf", "Verdict", "judge", "listed_pods", "unchanged"]
