"""What the Job controller, and the JobSet controller above it, do when pods are lost."""
