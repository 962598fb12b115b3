"""What a DaemonSet is and what it provides: facts as data, matching as code."""

from preflight.components.catalog import Kind, kinds
from preflight.components.detection import Component, Evidence
from preflight.components.recognize import config_names, recognise

__all__ = ["Component", "Evidence", "Kind", "config_names", "kinds", "recognise"]
