"""What breaks in consequence when a DaemonSet loses nodes, and for which workloads."""
