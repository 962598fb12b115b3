"""Tests of what DaemonSets are recognised as."""
