"""What Kubernetes does: pure functions over `model`; they know no change, no rule and no text for people."""
