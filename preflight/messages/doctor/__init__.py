"""Texts of the diagnosis of a cluster: what is broken, why, and what shows it."""
