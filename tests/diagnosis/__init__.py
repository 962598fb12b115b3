"""Tests of what the diagnosis works out."""
