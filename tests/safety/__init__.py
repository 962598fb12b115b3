"""The safety net: what the program answers today, without its texts, so that a rebuild of the code shows every answer that it changes.

Rules:

1. A run is some files and some command lines, started through the front door of the program only (`tests/cli/program.py`). Sources:
   `examples` (the commands of the README files), `cases` (every rule case), `generated` (200 random clusters with changes), `own`
   (`tests/data/corpus`) and `corpus` (other projects; skipped unless a folder `shared/corpus` is next to the repository or above it).
2. An answer holds facts: exit code, rules, severities, subjects, nodes, outcomes, counts, seconds, places in files, tolerations, edits. It
   holds no message, reason, note or headline, and nothing else that only people read: these may be reworded at any time.
3. `digests/SOURCE.tsv` has one line per run: the digest of what was given, the digest of the answers, the name. A run is recognized by what
   was given, so a case may be renamed or moved. The answers themselves are not committed.

How to use it:

- `pytest tests/safety` compares all runs. A failure names the runs that differ, and prints the answers of the first.
- `python -m tests.safety record`, once on a commit that passes, writes the answers into `build/safety`. From then on a failure, and
  `python -m tests.safety diff [NAME ...]`, show what has changed, field by field.
- `python -m tests.safety show NAME ...` prints the command lines and the answers of the runs whose names contain NAME (or match it as a
  pattern with `*` and `?`); with `--write FOLDER` it leaves the files of the first of them there, so that the run can be repeated by hand.
- `python -m tests.safety record` also adds runs that are new, and drops those that are gone. It never replaces an answer that is recorded:
  one that changes on purpose needs `record --accept NAME`, and its reason in the commit.
"""
