"""Rules on workloads other than DaemonSets that a change concerns by their templates."""
