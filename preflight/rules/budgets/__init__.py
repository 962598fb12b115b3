"""Rules on PodDisruptionBudgets as written in manifests: imported if lint has some."""
