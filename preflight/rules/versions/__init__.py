"""Rules on what the version of the cluster does not keep or do: imported if a version or a feature gate is known."""
