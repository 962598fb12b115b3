"""The rules of `preflight verify`: what became of a cluster since it was saved. Imported where one is asked, or all rules are shown."""
