"""Programs that run beside the tests: they end with us, and leave a log."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# Runs as the child, before it becomes the program: SIGKILL for it once its parent is gone (PR_SET_PDEATHSIG), also if that is so already.
WITH_PARENT = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


class Child:
    """A running program; it is killed when it is stopped, and when the thread that started it is gone."""

    def __init__(self, argv: Sequence[str | Path], log: Path, environment: Mapping[str, str]) -> None:
        self.name = Path(argv[0]).name
        self.log = log
        with log.open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-ISc", WITH_PARENT, str(os.getpid()), *map(str, argv)],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                start_new_session=True,  # Ctrl-C is for us: we stop them
            )

    def ended(self) -> bool:
        """It is not running any more."""
        return self.process.poll() is not None

    def stop(self) -> None:
        """Kill it: nothing that it holds is worth a clean end."""
        self.process.kill()
        self.process.wait()

    def tail(self, lines: int = 30) -> str:
        """The end of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])


def free_ports(count: int) -> list[int]:
    """Ports on loopback that nobody listens on, below those that connections are made from."""
    found: list[int] = []
    while len(found) < count:
        port = random.randrange(20000, 32000)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in found:
            found.append(port)
    return found
