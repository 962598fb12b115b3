"""What is broken in a cluster today and why: the facts that `preflight doctor` reads, each worked out once and only if asked for."""

from preflight.diagnosis.facts import Diagnosis

__all__ = ["Diagnosis"]
