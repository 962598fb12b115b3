"""What a DaemonSet is and what it provides: facts as data, matching as code."""

from preflight.components.facts import Kind, kinds
from preflight.components.found import Component, Evidence
from preflight.components.recognition import config_names, recognise

__all__ = ["Component", "Evidence", "Kind", "config_names", "kinds", "recognise"]
