"""Rules on what an upgrade of Kubernetes changes: asked by `preflight upgrade` alone, with those on old names of taints and labels."""
