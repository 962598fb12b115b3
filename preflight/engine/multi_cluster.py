"""One question for several clusters: asked at the same time, and what one of them cannot answer hides nothing of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from preflight.errors import PreflightError, UsageError
from preflight.load.live.target import Target

T = TypeVar("T")

_AT_ONCE = 8


class Place(Struct, frozen=True):
    """Where a cluster is: files (`sources`), or a cluster to ask (`target`); `name` is what tells it from the others."""

    name: str
    sources: tuple[str, ...] = ()
    target: Target | None = None


class Answered(Struct, Generic[T]):
    """What one place answered: a value, or None and why there is none."""

    place: Place
    value: T | None = None
    why: str = ""


def places(sources: Sequence[str], contexts: Sequence[str], target: Target | None) -> tuple[Place, ...]:
    """The clusters that a command line names, in its order.

    1. Several `--from` are one world, unless each is a snapshot of its own: a snapshot is of one cluster.
    2. Several contexts are a cluster each, asked with the rest of `target`; with none, it is the current one.

    Errors: UsageError where a context or a snapshot is named twice.
    """
    if target is None:
        names = tuple(sources)
        if len(names) > 1 and all(is_snapshot(each) for each in names):
            _no_twins("--from", names)
            return tuple(Place(each, (each,)) for each in names)
        return (Place(", ".join(names), names),)
    _no_twins("--context", contexts)
    return tuple(Place(each or "the current context", (), replace(target, context=each)) for each in contexts or ("",))


def beside(places: Sequence[Place], ask: Callable[[Place], T]) -> list[Answered[T]]:
    """What each place answers, in their order; several are asked at the same time.

    1. A place that cannot be asked or read (InputError) has the reason in the place of its answer, and the others go on.
    2. Where there is only one place, its error is the caller's; so is a wrong command line (UsageError), which is wrong for all.
    """
    if len(places) == 1:
        return [Answered(places[0], ask(places[0]))]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        waiting = [pool.submit(ask, place) for place in places]
        return [_answered(place, future.result) for place, future in zip(places, waiting, strict=True)]


def _answered(place: Place, result: Callable[[], T]) -> Answered[T]:
    try:
        return Answered(place, result())
    except UsageError:
        raise
    except PreflightError as error:
        return Answered(place, None, str(error))


def is_snapshot(path: str) -> bool:
    """Whether a file begins as a snapshot does, packed or not; False for what cannot be read."""
    if path == "-":
        return False
    import zlib

    try:
        with open(path, "rb") as file:  # noqa: PTH123 (as everywhere: pathlib is slow to import)
            head = file.read(2)
        if head == b"\x1f\x8b":
            import gzip

            with gzip.open(path) as packed:
                head = packed.read(200)
        else:
            with open(path, "rb") as file:  # noqa: PTH123
                head = file.read(200)
    except (OSError, EOFError, ValueError, zlib.error):
        return False
    return b'"kind":"Snapshot"' in head.replace(b" ", b"")


def _no_twins(flag: str, names: Sequence[str]) -> None:
    for at, name in enumerate(names):
        if name in names[:at]:
            raise UsageError(f"{flag} {name} is given twice")
