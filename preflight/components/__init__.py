"""What a DaemonSet is and what it provides: facts as data, matching as code."""

from preflight.components.catalog import ComponentKind, load_kinds
from preflight.components.detection import Component, Evidence
from preflight.components.recognize import list_config_names, recognize_components

__all__ = ["Component", "ComponentKind", "Evidence", "list_config_names", "load_kinds", "recognize_components"]
