"""What a change means for each DaemonSet on each node: before, once it has settled, after re-creation."""
