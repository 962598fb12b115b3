"""Git revisions as sources: plumbing, revisions and the two sides of a diff."""
