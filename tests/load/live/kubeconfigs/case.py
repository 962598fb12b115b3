"""One kubeconfig, with its environment and its flags; how it is laid out for whoever is asked."""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.load.live.api_server import TLS
from tests.load.live.kubeconfigs.listeners import Listeners

TOKEN = "good-token"


class Case(NamedTuple):
    """What is asked.

    1. `files` are written below a folder of the case, by their names; one whose name ends in `.sh` is a program. `modes` are theirs.
    2. `@FOLDER@` is that folder, `@TLS@` that of certificates, `@HTTPS@` and the like are the ports of the listeners, `@DEAD@` one where
       nobody listens.
    3. `kubeconfig` is the file of `--kubeconfig`, "" for none, `env` the environment besides HOME and PATH.
    """

    files: Mapping[str, str]
    kubeconfig: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    stdin: str = ""
    modes: Mapping[str, int] = {}


def pem(name: str) -> str:
    """A file of certificates as text."""
    return (TLS / name).read_text()


def data(name: str) -> str:
    """A file of certificates as a base64 field."""
    return base64.b64encode((TLS / name).read_bytes()).decode()


def config(cluster: object = None, user: object = None, *, context: object = None, current: object = "c1", **more: Any) -> str:
    """A kubeconfig with a context `c1`, a cluster `cl` and a user `us`; by default with what works. `more` replaces what stands on top."""
    standard = {"server": "https://127.0.0.1:@HTTPS@", "certificate-authority": "@TLS@/ca.crt"}
    whole = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": current,
        "contexts": [{"name": "c1", "context": context if context is not None else {"cluster": "cl", "user": "us"}}],
        "clusters": [{"name": "cl", "cluster": cluster if cluster is not None else standard}],
        "users": [{"name": "us", "user": user if user is not None else {"token": TOKEN}}],
        **more,
    }
    return json.dumps({name: value for name, value in whole.items() if value is not ...}, indent=1, ensure_ascii=False)


def one(cluster: object = None, user: object = None, **more: Any) -> Case:
    """A case of one file, given by `--kubeconfig`; `args`, `env`, `stdin` and `files` are those of the case."""
    own = {name: more.pop(name) for name in ("args", "env", "stdin", "modes") if name in more}
    files = more.pop("files", {})
    return Case({"config": config(cluster, user, **more), **files}, "@FOLDER@/config", **own)


def server(**more: Any) -> dict[str, Any]:
    """The cluster that works, with more fields, or fewer: `...` removes one. An underscore is a hyphen."""
    whole: dict[str, Any] = {"server": "https://127.0.0.1:@HTTPS@", "certificate-authority": "@TLS@/ca.crt"}
    whole |= {name.replace("_", "-"): value for name, value in more.items()}
    return {name: value for name, value in whole.items() if value is not ...}


def text(content: str, **more: Any) -> Case:
    """A case of one file with this text."""
    return Case({"config": content}, "@FOLDER@/config", **more)


def listed(*names: str, **files: str) -> Case:
    """A case of several files in KUBECONFIG, in the order of `names`."""
    return Case(files, env={"KUBECONFIG": os.pathsep.join(f"@FOLDER@/{name}" if name else "" for name in names)})


class Place:
    """Where a case is laid out: a folder, and listeners."""

    def __init__(self, folder: Path, listeners: Listeners) -> None:
        self.folder, self.listeners = folder, listeners
        self._words = {
            "@FOLDER@": str(folder),
            "@TLS@": str(TLS),
            "@HTTPS@": str(listeners.https),
            "@HTTP@": str(listeners.http),
            "@PROXY@": str(listeners.proxy),
            "@TLSPROXY@": str(listeners.tls_proxy),
            "@SOCKS@": str(listeners.socks),
            "@DEAD@": "1",
        }

    def fill(self, template: str) -> str:
        """A text with the words of this place."""
        return re.sub("@[A-Z]+@", lambda found: self._words.get(found[0], found[0]), template)

    def strip(self, answer: str) -> str:
        """A text without what is of this place alone."""
        for word, value in self._words.items():
            answer = re.sub(rf"{re.escape(value)}(?!\d)", word, answer) if len(value) > 1 else answer
        return answer

    @contextmanager
    def laid_out(self, case: Case) -> Iterator[dict[str, str]]:
        """The files of a case, until the end of the block; its environment."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, content in case.files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.fill(content), encoding="utf-8", newline="")
            path.chmod(case.modes.get(name, 0o755 if name.endswith(".sh") else 0o600))
        self.listeners.asked.clear()
        base = {"HOME": str(self.folder), "PATH": os.environ.get("PATH", os.defpath)}
        yield {**base, **{name: self.fill(value) for name, value in case.env.items()}}

    def list_asked(self) -> list[Any]:
        """What arrived, without what is of this place alone."""
        found: list[Any] = json.loads(self.strip(json.dumps(self.listeners.asked)))
        return found
