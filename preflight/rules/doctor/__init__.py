"""Rules on what is broken in a cluster today."""
