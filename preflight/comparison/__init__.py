"""What became of nodes and pods since a snapshot."""
