"""Rules on how a cluster differs from a snapshot."""
