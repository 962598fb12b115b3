"""Operators: which custom resource makes which DaemonSets, as data (`facts/`), and the DaemonSets that a custom resource declares."""
