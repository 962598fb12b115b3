"""How an update of a DaemonSet proceeds, and where it stops."""
