"""What is broken in a cluster today and why: what `preflight doctor` reads."""
