"""The cases of the rules as runs, and what `preflight fix` edits in their manifests. What the cases say of findings is not used here."""

from __future__ import annotations

from collections.abc import Iterator

from tests.rules import casefile
from tests.safety.runs import TODAY, Run


def list_runs() -> Iterator[Run]:
    """A run for each rule case, and one more where its findings may be fixed; where a rule is to crash, it does not."""
    for path in casefile.files():
        for case in casefile.read(path):
            name = f"cases/{path.stem}: {case['name']}"
            yield Run(name, case=_set_day(case))
            if goal := _find_goal(case):
                yield Run(f"{name} (fix)", [("fix", "world", *goal, "--write")], _world_files(case))


def _set_day(case: casefile.Case) -> casefile.Case:
    line = case.get("run", "")
    if not line or "--today" in line:
        return case
    return {**case, "run": f"{'lint world' if line == 'lint' else line} --today {TODAY}"}


def _find_goal(case: casefile.Case) -> tuple[str, ...] | None:
    """What is to be fixed: what lint finds (no flag), or the cost of a change; None for cases that are about something else."""
    line = case.get("run", "")
    if line in ("lint", "lint world"):
        return ("--allow-empty",)
    return ("--for", line) if line.startswith(("taint ", "label ")) and "--" not in line else None


def _world_files(case: casefile.Case) -> dict[str, str]:
    world = case["world"]
    return {f"world/{name}": text for name, text in ({"world.yaml": world} if isinstance(world, str) else world).items()}
