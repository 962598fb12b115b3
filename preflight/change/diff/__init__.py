"""Two states of the same objects as a change."""
