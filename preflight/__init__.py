"""Says which DaemonSets lose which nodes before a change is made."""

__version__ = "0.1.0"
