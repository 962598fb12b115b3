"""Rules on the templates of workloads other than DaemonSets that a change affects."""
