"""Whether the pods that a change has DaemonSets create fit on their nodes."""
