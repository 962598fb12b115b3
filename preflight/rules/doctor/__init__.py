"""Rules on what is broken in a cluster now."""
