"""How fast the program is, as ratios to yardsticks that run beside it: `python -m benchmarks`."""
