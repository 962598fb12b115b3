"""A folder with a small cluster, as the working directory of every test here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import write_daemonset

NODES = """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {pool: rdma}}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {pool: cpu}}
"""

AGENT = write_daemonset("agent", "storage")

WILD = write_daemonset("wild", "storage", "", "tolerations: [{operator: Exists}]")

TEMPLATE = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: {{ include "agent.fullname" . }}
  {{- with .Values.annotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
"""

BROKEN = "kind: DaemonSet\na: [1\n"


@pytest.fixture(autouse=True)
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """`calm` has no finding, `wild` a warning, `broken` a file that cannot be read, `chart` a template."""
    monkeypatch.chdir(tmp_path)
    for word in ("NO_COLOR", "CI"):
        monkeypatch.delenv(word, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for folder, files in {
        "calm": {"nodes.yaml": NODES, "agent.yaml": AGENT},
        "wild": {"nodes.yaml": NODES, "wild.yaml": WILD},
        "broken": {"nodes.yaml": NODES, "agent.yaml": AGENT, "broken.yaml": BROKEN},
        "chart": {"ds.yaml": TEMPLATE},
        "empty": {},
    }.items():
        Path(folder).mkdir()
        for name, text in files.items():
            Path(folder, name).write_text(text, encoding="utf-8")
    return tmp_path
