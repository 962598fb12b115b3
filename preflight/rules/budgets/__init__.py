"""Rules on PodDisruptionBudgets as they are written: imported where lint has some."""
