"""The version of the program: the one place that states it."""

__version__ = "0.1.0"
