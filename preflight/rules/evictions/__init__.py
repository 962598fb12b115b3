"""Rules on ordinary pods that have to go: imported where a change lets some go."""
