"""Shell scripts: the kubectl commands that a runbook certainly runs."""
