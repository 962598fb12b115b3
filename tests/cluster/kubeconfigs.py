"""What the real kubectl makes of the kubeconfigs of tests/load/live/kubeconfigs.

`python -m tests.cluster.kubeconfigs` records it anew; `tests/cluster/test_kubeconfigs.py` proves that what is recorded is still so.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.cluster.build import programs
from tests.load.live.kubeconfigs.answers import ANSWERS
from tests.load.live.kubeconfigs.case import Case, Place
from tests.load.live.kubeconfigs.cases import CASES
from tests.load.live.kubeconfigs.listeners import TIMEOUT, Listeners, listening

MOUNT = (
    "mount -t tmpfs none /var/run; mkdir -p /var/run/secrets/kubernetes.io;"
    ' cp -r "$0" /var/run/secrets/kubernetes.io/serviceaccount; exec "$@"'
)
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def ask_kubectl(kubectl: Path, case: Case, folder: Path, listeners: Listeners) -> dict[str, Any]:
    """Whether kubectl gets an answer, what arrives, and what it says."""
    place = Place(folder, listeners)
    words: Sequence[str | Path] = [kubectl, "get", "--raw", "/probe", *case.args]
    if "pod/token" in case.files:  # with --request-timeout kubectl looks for no service account
        words = ["unshare", "--mount", "sh", "-ec", MOUNT, folder / "pod", *words]
    else:
        words = [*words, f"--request-timeout={TIMEOUT}s"]
    if case.kubeconfig:
        words = [*words, f"--kubeconfig={place.fill(case.kubeconfig)}"]
    with place.laid_out(case) as environment:
        if 0 in case.modes.values() and os.geteuid() == 0:  # for whom every file can be read
            words = [*NOBODY, *words]
            environment["KUBECACHEDIR"] = "/nonexistent"
            for path in (folder, *folder.iterdir()):
                shutil.chown(path, 65534, 65534)
        done = subprocess.run(words, env=environment, cwd=folder, input=case.stdin, capture_output=True, text=True, timeout=60, check=False)
        asked = place.list_asked()
    said = re.sub(r" on [\d.:]+:53", "", place.strip(done.stderr)).strip().splitlines()
    return {"works": done.returncode == 0, "asked": asked, **({"says": said} if done.returncode else {})}


def record() -> None:
    """Ask kubectl about each case, and write its answers."""
    kubectl = programs()["kubectl"]
    answers = {}
    with tempfile.TemporaryDirectory() as folder, listening() as listeners:
        Path(folder).chmod(0o755)
        for number, (name, case) in enumerate(CASES.items()):
            answers[name] = ask_kubectl(kubectl, case, Path(folder, str(number)), listeners)
            sys.stderr.write(f"{name}: {'works' if answers[name]['works'] else answers[name]['says'][-1:]}\n")
    ANSWERS.write_text(json.dumps(answers, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
