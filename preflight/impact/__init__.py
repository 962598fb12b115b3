"""What a change means for each DaemonSet on each node: before, once it has settled, after re-creation."""

from preflight.impact.consequences import Consequence, consequences
from preflight.impact.groups import Fall, Group, Impact
from preflight.impact.judging import judge, unchanged
from preflight.impact.pods import PodGroup, PodsOf, listed_pods
from preflight.impact.verdict import PodAfter, Verdict
from preflight.impact.waves import predict

__all__ = [
    "Consequence",
    "Fall",
    "Group",
    "Impact",
    "PodAfter",
    "PodGroup",
    "PodsOf",
    "Verdict",
    "consequences",
    "judge",
    "listed_pods",
    "predict",
    "unchanged",
]
