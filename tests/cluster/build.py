"""The programs of a control plane, built from the Go modules in `control*/` into `build/cluster/`, once a version.

The environment variable KUBERNETES chooses the version: 1.37 (the default), 1.34 or 1.30.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

CONTROL = Path(__file__).parent / "control"
BUILT = Path(__file__).parents[2] / "build/cluster"
NEWEST = 37
TOOLS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
OWN = ("etcd", "kubelet")
NO_GO = "go is not in the PATH: the tests on a real control plane build one, and need Go 1.26 or later to be installed (and 10 GB of disk)"


class Release(NamedTuple):
    """A version of Kubernetes: its minor version, and the whole one."""

    minor: int
    version: str

    @property
    def module(self) -> Path:
        """The Go module that has it as its dependency."""
        return CONTROL if self.minor == NEWEST else CONTROL.with_name(f"control-1.{self.minor}")

    @property
    def argv(self) -> tuple[str, ...]:
        """The option of preflight that states it; none for the newest, which is the default."""
        return () if self.minor == NEWEST else ("--kubernetes-version", self.version)


RELEASES = {f"1.{minor}": Release(minor, version) for minor, version in ((30, "v1.30.4"), (34, "v1.34.4"), (NEWEST, "v1.37.2"))}


def get_release() -> Release:
    """The version that the environment chooses. Raises BuildError for one that there is no module of."""
    wanted = os.environ.get("KUBERNETES") or f"1.{NEWEST}"
    if wanted not in RELEASES:
        raise BuildError(f"KUBERNETES={wanted}: there are modules of {', '.join(RELEASES)}")
    return RELEASES[wanted]


class BuildError(Exception):
    """The control plane could not be built."""


def programs() -> dict[str, Path]:
    """Where each program is, by its name; what is missing is built first.

    1. What comes from Kubernetes is kept by the hash of go.mod and go.sum, what is ours by that of its sources too.
    2. Runs at the same time wait for one another, and build once.

    Raises BuildError without Go, or with what Go said.
    """
    tools = [f"k8s.io/kubernetes/cmd/{name}" for name in TOOLS]
    own = [f"./{name}" for name in OWN]
    with locked():
        return {
            **built("kubernetes", tools, TOOLS, [], get_release()),
            **built("own", own, OWN, sorted(CONTROL.glob("*/*.go")), RELEASES[f"1.{NEWEST}"]),
        }


@contextmanager
def locked() -> Iterator[None]:
    """Only one build at a time in this folder."""
    BUILT.mkdir(parents=True, exist_ok=True)
    with (BUILT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def built(what: str, packages: Sequence[str], names: Sequence[str], sources: Sequence[Path], release: Release) -> dict[str, Path]:
    """These packages as programs, from `build/cluster/WHAT-HASH` or built into it."""
    stamp = {"gitVersion": release.version, "gitMajor": "1", "gitMinor": str(release.minor), "gitTreeState": "clean"}
    ldflags = " ".join(["-s -w", *(f"-X k8s.io/component-base/version.{name}={value}" for name, value in stamp.items())])
    hashed = hashlib.sha256(ldflags.encode())
    for path in (release.module / "go.mod", release.module / "go.sum", *sources):
        hashed.update(path.read_bytes())
    folder = BUILT / f"{what}-{hashed.hexdigest()[:12]}"
    if not folder.is_dir():
        go = shutil.which("go")
        if go is None:
            raise BuildError(NO_GO)
        with tempfile.TemporaryDirectory(dir=BUILT) as fresh:
            done = subprocess.run(
                [go, "build", "-mod=readonly", "-ldflags", ldflags, "-o", f"{fresh}/bin/", *packages],
                cwd=release.module,
                env={**os.environ, "CGO_ENABLED": "0", "GOWORK": "off", "GOTOOLCHAIN": "local"},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise BuildError(f"go build failed:\n{done.stderr[-4000:]}")
            Path(fresh, "bin").rename(folder)
    return {name: folder / name for name in names}
