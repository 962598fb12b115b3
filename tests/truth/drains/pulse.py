"""Whether this machine stood still: what a drain takes is then no longer what kubectl and the cluster take."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

_BEAT = 0.2


class Pulse:
    """A beat of its own, from `with` until its end; `longest` are the seconds between two beats, at most."""

    def __init__(self) -> None:
        self.longest = 0.0
        self._over = threading.Event()

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()
        self._note()

    def _beat(self) -> None:
        while not self._over.wait(_BEAT):
            self._note()

    def _note(self) -> None:
        now = time.monotonic()
        self.longest = max(self.longest, now - self._last)
        self._last = now
