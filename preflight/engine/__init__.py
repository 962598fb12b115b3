"""One run: load, judge, sort; the one way from sources to a report."""

from preflight.engine.options import RunOptions
from preflight.engine.run import Run

__all__ = ["Run", "RunOptions"]
