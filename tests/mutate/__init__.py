"""Mutation testing: small changes of the program's code, and whether a test notices each.

`python -m tests.mutate scheduling --count 300 --seed 1` samples 300 mutants of a package, runs for each only the tests that execute its
line, and prints the mutants that no test noticed. What no test can notice is listed in `equivalent.yaml`, with a reason.

1. `points`: which changes there are in a module.
2. `install`: how a change gets into the modules that this process has imported.
3. `coverage_record`: which tests execute a line, and how long they take; kept in `build/mutate`.
4. `session`: a pytest session that forks a process for each mutant.
"""
