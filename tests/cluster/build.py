"""The programs of a control plane, built from the Go module in `control/` into `build/cluster/`, once a version."""

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

CONTROL = Path(__file__).parent / "control"
BUILT = Path(__file__).parents[2] / "build/cluster"
VERSION = "v1.37.2"
TOOLS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl")
OWN = ("etcd", "kubelet")
STAMP = {"gitVersion": VERSION, "gitMajor": "1", "gitMinor": "37", "gitTreeState": "clean"}
NO_GO = "go is not in the PATH: the tests on a real control plane build one, and need Go 1.26 or later to be installed (and 10 GB of disk)"


class BuildError(Exception):
    """The control plane could not be built."""


def programs() -> dict[str, Path]:
    """Where each program is, by its name; what is missing is built first.

    1. What comes from Kubernetes is kept by the hash of go.mod and go.sum, what is ours by that of its sources too.
    2. Runs at the same time wait for one another, and build once.

    Raises BuildError without Go, or with what Go said.
    """
    tools = [f"k8s.io/kubernetes/cmd/{name}" for name in TOOLS]
    with locked():
        return {**built("kubernetes", tools, TOOLS, []), **built("own", [f"./{name}" for name in OWN], OWN, sorted(CONTROL.glob("*/*.go")))}


@contextmanager
def locked() -> Iterator[None]:
    """Only one build at a time in this folder."""
    BUILT.mkdir(parents=True, exist_ok=True)
    with (BUILT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def built(what: str, packages: Sequence[str], names: Sequence[str], sources: Sequence[Path]) -> dict[str, Path]:
    """These packages as programs, from `build/cluster/WHAT-HASH` or built into it."""
    ldflags = " ".join(["-s -w", *(f"-X k8s.io/component-base/version.{name}={value}" for name, value in STAMP.items())])
    hashed = hashlib.sha256(ldflags.encode())
    for path in (CONTROL / "go.mod", CONTROL / "go.sum", *sources):
        hashed.update(path.read_bytes())
    folder = BUILT / f"{what}-{hashed.hexdigest()[:12]}"
    if not folder.is_dir():
        go = shutil.which("go")
        if go is None:
            raise BuildError(NO_GO)
        with tempfile.TemporaryDirectory(dir=BUILT) as fresh:
            done = subprocess.run(
                [go, "build", "-mod=readonly", "-ldflags", ldflags, "-o", f"{fresh}/bin/", *packages],
                cwd=CONTROL,
                env={**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"},
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise BuildError(f"go build failed:\n{done.stderr[-4000:]}")
            Path(fresh, "bin").rename(folder)
    return {name: folder / name for name in names}
