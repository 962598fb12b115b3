"""Rules on the objects themselves: tolerations, taints, selection, update strategy."""
