"""The rules of `preflight doctor`: what is broken today. Imported where one is asked, or all rules are shown."""
