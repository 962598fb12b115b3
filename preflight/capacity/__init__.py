"""How many copies of a pod fit now, and what uses the rest."""
