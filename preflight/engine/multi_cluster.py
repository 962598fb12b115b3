"""One question for several clusters: asked at the same time, and what one of them cannot answer hides nothing of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from preflight.engine.session import Session
from preflight.errors import InputError, PreflightError, RefusalError, UsageError
from preflight.load.inputs import Files, Input, Live, Snapshot, name_input
from preflight.load.live.target import ClusterTarget
from preflight.load.snapshot.recognize import is_snapshot
from preflight.messages import clusters as messages

T = TypeVar("T")

_MAX_PARALLEL = 8


class ClusterAnswer(Struct, Generic[T]):
    """What one cluster answered: a value, or None and why there is none."""

    name: str
    value: T | None = None
    error: str = ""


def list_inputs(sources: Sequence[str], contexts: Sequence[str], target: ClusterTarget | None) -> tuple[Input, ...]:
    """The clusters that a command line names, in its order.

    1. Several `--from` are one cluster, unless each is a snapshot of its own: a snapshot is of one cluster.
    2. Several contexts are a cluster each, asked with the rest of `target`; with none, it is the current one.

    Errors: UsageError where a context or a snapshot is named twice.
    """
    if target is None:
        if len(sources) > 1 and all(is_snapshot(source) for source in sources):
            _check_no_duplicates("--from", sources)
            return tuple(Snapshot(source) for source in sources)
        return (Files(tuple(sources)),)
    _check_no_duplicates("--context", contexts)
    return tuple(Live(replace(target, context=context)) for context in contexts or ("",))


def list_distinct_inputs(sources: Sequence[str], contexts: Sequence[str], target: ClusterTarget | None) -> tuple[Input, ...]:
    """The clusters as `list_inputs` has them; one that is named twice is one.

    Errors: UsageError where further files are next to several snapshots: it is not known to which cluster they belong.
    """
    snapshots = [source for source in sources if is_snapshot(source)]
    if 1 < len(snapshots) < len(sources):
        other = next(source for source in sources if source not in snapshots)
        raise RefusalError(messages.describe_mixed_sources(other))
    return list_inputs(tuple(dict.fromkeys(sources)), tuple(dict.fromkeys(contexts)), target)


def ask_clusters(
    sessions: Sequence[Session], ask: Callable[[Session], T], *, hidden_errors: type[PreflightError] = InputError
) -> list[ClusterAnswer[T]]:
    """What each cluster answers, in their order; several are asked at the same time.

    1. A cluster that cannot be asked or read (`hidden_errors`) has the reason in the place of its answer, and the others go on.
    2. Where there is only one cluster, its error is the caller's; so is a wrong command line (UsageError), which is wrong for all.
    """
    if len(sessions) == 1:
        return [ClusterAnswer(name_input(sessions[0].input), ask(sessions[0]))]
    from concurrent.futures import ThreadPoolExecutor

    def answer(session: Session) -> ClusterAnswer[T]:
        name = name_input(session.input)
        try:
            return ClusterAnswer(name, ask(session))
        except hidden_errors as error:
            return ClusterAnswer(name, None, str(error))

    with ThreadPoolExecutor(_MAX_PARALLEL) as pool:
        return list(pool.map(answer, sessions))


def _check_no_duplicates(flag: str, names: Sequence[str]) -> None:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise UsageError(messages.describe_repeated_cluster(flag, name))
