"""`preflight doctor` over several clusters: each is read and judged by itself, at the same time, and the failure of one hides no other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from preflight.engine.doctor import DoctorRun
from preflight.engine.options import RunOptions
from preflight.errors import InputError, PreflightError, UsageError
from preflight.load.snapshot.recognize import is_snapshot
from preflight.model.report import CheckedCounts, Problem, Report, ReportStep, SkippedCheck

_MAX_PARALLEL = 8


class DoctorCluster(Struct, frozen=True):
    """A cluster to diagnose: what it is called in the report, its sources, or the target in its options."""

    name: str
    sources: tuple[str, ...]
    options: RunOptions


def list_doctor_clusters(sources: Sequence[str], options: Sequence[RunOptions], contexts: Sequence[str]) -> tuple[DoctorCluster, ...]:
    """The clusters that are meant: one for each context, one for each snapshot, else all sources are one.

    Errors: UsageError where further files stand beside several snapshots: nobody knows of which cluster they are.
    """
    if len(options) > 1 and not sources:
        names = list(dict.fromkeys(contexts))
        return tuple(DoctorCluster(name, (), each) for name, each in zip(names, options, strict=True))
    snapshots = [source for source in sources if is_snapshot(source)]
    if len(snapshots) < 2:
        return (DoctorCluster("", tuple(sources), options[0]),)
    if len(snapshots) < len(sources):
        other = next(source for source in sources if source not in snapshots)
        raise UsageError(f"several snapshots are several clusters, and nobody knows of which one {other} is: give it with one of them")
    return tuple(DoctorCluster(source, (source,), options[0]) for source in dict.fromkeys(snapshots))


def diagnose_clusters(clusters: Sequence[DoctorCluster]) -> DoctorRun:
    """One run with the reports of all as one: a step for each cluster, in the order in which they were given.

    The exit code is the worst of all; a cluster that cannot be read is a problem, and 3. Errors: InputError where none can be read.
    """
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(_MAX_PARALLEL, len(clusters))) as pool:
        found = list(pool.map(_try_diagnose, clusters))
    runs = [each for each in found if isinstance(each, DoctorRun)]
    if not runs:
        raise InputError("; ".join(f"{one.name}: {each}" for one, each in zip(clusters, found, strict=True)))
    first = runs[0]
    first.crashes = [crash for run in runs for crash in run.crashes]
    first.request_summary = "\n".join(run.request_summary for run in runs if run.request_summary)
    first.report = _merge_reports(clusters, [each.report if isinstance(each, DoctorRun) else str(each) for each in found])
    return first


def _try_diagnose(cluster: DoctorCluster) -> DoctorRun | PreflightError:
    try:
        quiet = cluster.options
        if quiet.target is not None:
            quiet = replace(quiet, target=replace(quiet.target, shows_progress=False))
        return DoctorRun.run_doctor(cluster.sources, quiet)
    except PreflightError as error:
        return error


def _merge_reports(clusters: Sequence[DoctorCluster], results: Sequence[Report | str]) -> Report:
    reports = [result for result in results if isinstance(result, Report)]
    steps = [_make_step(cluster, each) for cluster, each in zip(clusters, results, strict=True)]
    findings = [
        replace(finding, step=number) for number, each in enumerate(results, 1) if isinstance(each, Report) for finding in each.findings
    ]
    problems = [
        *(Problem(f"{cluster.name}: {each}") for cluster, each in zip(clusters, results, strict=True) if isinstance(each, str)),
        *(
            problem if problem.location else replace(problem, message=f"{cluster.name}: {problem.message}")
            for cluster, each in zip(clusters, results, strict=True)
            if isinstance(each, Report)
            for problem in each.problems
        ),
    ]
    rules = {rule.id: rule for report in reports for rule in report.rules}
    return Report(
        reports[0].preflight,
        " ".join(["doctor", *(cluster.name for cluster in clusters)]),
        tuple(steps),
        CheckedCounts(*(sum(_make_counter(name)(report.judged) for report in reports) for name in CheckedCounts.__struct_fields__)),
        tuple(dict.fromkeys(assumption for report in reports for assumption in report.assumptions)),
        tuple(sorted({skip for report in reports for skip in report.skipped}, key=_make_skip_sort_key)),
        tuple(problems),
        tuple(findings),
        max([report.exit for report in reports] + [3 for each in results if isinstance(each, str)]),
        (),
        tuple(rules[id] for id in sorted(rules)),
    )


def _make_step(cluster: DoctorCluster, result: Report | str) -> ReportStep:
    if isinstance(result, str):
        return ReportStep(cluster.name, f"{cluster.name}: cannot be read: {result}", story=())
    step = result.steps[0]
    asked = result.cluster
    where = f" ({asked.server}{f', Kubernetes {asked.version}' if asked.version else ''})" if asked is not None and asked.server else ""
    return replace(step, command=cluster.name, headline=f"{cluster.name}{where}: {step.headline}")


def _make_counter(name: str) -> Callable[[CheckedCounts], int]:
    def count(judged: CheckedCounts) -> int:
        number: int = getattr(judged, name)
        return number

    return count


def _make_skip_sort_key(skip: SkippedCheck) -> tuple[str, str]:
    return skip.why, skip.what
