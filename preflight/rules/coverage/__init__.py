"""Rules on coverage: which DaemonSets lose or gain which nodes, and what breaks in consequence."""
