"""Snapshots: writing and reading the saved state of a cluster."""
