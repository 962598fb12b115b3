"""Rules on what became of a cluster since a snapshot."""
