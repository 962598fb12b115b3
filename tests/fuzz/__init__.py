"""Fuzzing: valid inputs are damaged a little, and what every answer has in common is checked.

`python -m tests.fuzz --seconds 60 --seed 1` runs for a minute. An input that breaks a law is made small, saved in `build/fuzz/`, and
printed with the command that runs it again. `--worlds 5000` checks the laws on random clusters that nothing has damaged.

1. `seeds`: the valid inputs, which are the runs of the safety net and some more.
2. `damage`: how an input is changed, by its structure or by its text.
3. `perform`: runs a case, with an eye on its time and memory.
4. `laws`: what must be true of the answers.
5. `minimize`: makes a case small.
"""
