"""`preflight doctor`: what is broken today."""
