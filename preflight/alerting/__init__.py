"""Prometheus rules that fire when a node loses a component or a resource."""
