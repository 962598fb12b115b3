"""The rules: one module each, found by being there; a module whose name starts with an underscore is none."""
