"""Edits of manifests that keep everything else as it is, patches for objects that no file holds, and what a fix sets off itself."""
