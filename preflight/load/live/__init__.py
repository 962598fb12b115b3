"""The live cluster: what a change needs of it, asked with `get` and `list` and nothing else."""
