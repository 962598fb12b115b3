"""A command over a cluster state -> a Change."""
