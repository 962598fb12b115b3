"""Patches as the server applies them: JSON patch, strategic merge, three-way merge."""
