"""Rules on the run itself: crashed rules, repeated keys, exemptions."""
