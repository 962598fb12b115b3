"""One command for every bar: generates the data, runs the program and its yardsticks by turns, prints the ratios."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import manifests, snapshot
from benchmarks.measuring import FailedRun, Measure, Ratios, Run, by_turns, ratios, typical

PREFLIGHT = str(Path(sys.executable).parent / "preflight")
_STARTS = 25  # a start is short, and so is what disturbs it
_QUICK = 0.01
_ONE_FILE = """\
apiVersion: v1
kind: Node
metadata:
  name: n1
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
  namespace: kube-system
spec:
  selector:
    matchLabels:
      app: agent
  template:
    metadata:
      labels:
        app: agent
    spec:
      containers:
      - name: agent
        image: registry.example.com/agent:v1
"""
_POLICY = """\
extends: strict
taints:
- {key: dedicated, values: [rdma, gpu], effects: [NoSchedule], meaning: nodes kept for workloads that need their devices}
nodePools:
- {name: rdma, labels: {pool: rdma}, taints: [{key: dedicated, value: rdma, effect: NoSchedule}], count: 8}
required:
- name: rdma-nodes
  kinds: [device-plugin, csi-node-driver]
  tolerations: [{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}]
rules:
  tolerates-everything: {severity: error, match: {namespace: kube-*}}
exemptions:
- {rule: PF201, match: {name: agent}, reason: it has to run everywhere, expires: 2099-12-31}
"""
_ONE_DAEMONSET = _ONE_FILE.partition("---\n")[2] + "      tolerations: [{operator: Exists}]\n"


class Options(NamedTuple):
    """How to measure: where the data goes, how often each process runs, and which part of the full size."""

    folder: Path
    rounds: int
    scale: float
    indent: int | None


class Bar(NamedTuple):
    """One line of the table: a ratio, and the most that it may be."""

    what: str
    subject: str
    yardstick: str
    ratio: Ratios
    bar: float
    processor: float | None = None

    @property
    def is_met(self) -> bool:
        """Whether the ratio is within the bar, as far as two decimals tell."""
        return round(self.ratio.median, 2) <= self.bar


def _seconds(run: Run) -> float:
    return run.seconds


def _processor(run: Run) -> float:
    return run.processor


def _peak(run: Run) -> float:
    return run.peak


def _bar(what: str, runs: dict[str, list[Run]], of: str, to: str, bar: float, measure: Measure = _seconds) -> Bar:
    def shown(name: str) -> str:
        value = typical(runs, name, measure)
        return f"{value:.0f} MiB" if measure is _peak else f"{value * 1000:.0f} ms" if value < 1 else f"{value:.2f} s"

    processor = ratios(runs, of, to, _processor).median if measure is _seconds else None
    return Bar(what, shown(of), shown(to), ratios(runs, of, to, measure), bar, processor)


def _start(options: Options) -> Iterator[Bar]:
    file = options.folder / "one-file.yaml"
    file.write_text(_ONE_FILE, encoding="utf-8")
    commands = {
        "click": [sys.executable, "-c", "import click"],
        "version": [PREFLIGHT, "--version"],
        "taint": [PREFLIGHT, "taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--exit-zero", "--from", str(file)],
    }
    runs = by_turns(commands, max(options.rounds, _STARTS) if options.scale == 1 else options.rounds)
    yield _bar("start: --version / import click", runs, "version", "click", 1.2)
    yield _bar("start: taint, one file / import click", runs, "taint", "click", 2.5)


def _hook(options: Options) -> Iterator[Bar]:
    """What a hook runs for a commit: one changed file, in a folder with a policy."""
    folder = options.folder / "hook"
    folder.mkdir()
    (folder / ".git").mkdir()
    (folder / ".preflight.yaml").write_text(_POLICY, encoding="utf-8")
    (folder / "one.yaml").write_text(_ONE_DAEMONSET, encoding="utf-8")
    commands = {
        "imports": [sys.executable, "-c", "import click, yaml, msgspec"],
        "lint": [PREFLIGHT, "lint", "one.yaml", "--exit-zero"],
    }
    runs = by_turns(commands, max(options.rounds, _STARTS) if options.scale == 1 else options.rounds, folder)
    yield _bar("hook: lint, one file and a policy / imports", runs, "lint", "imports", 2.0)


def _yaml(options: Options) -> Iterator[Bar]:
    folder = options.folder / "manifests"
    shape = manifests.write(folder, scale=options.scale)
    print(
        f"manifests: {shape.files} files, {shape.documents} documents, {shape.workloads} of them workloads, {shape.characters / 1e6:.1f} MB"
    )
    commands = {
        "lint": [PREFLIGHT, "lint", "--exit-zero", str(folder)],
        "yaml": [sys.executable, "-m", "benchmarks.yardsticks", "yaml", str(folder)],
    }
    runs = by_turns(commands, options.rounds)
    yield _bar("lint, 20 MB of YAML / CSafeLoader", runs, "lint", "yaml", 0.4)


def _snapshot(options: Options) -> Iterator[Bar]:
    full = options.folder / "snapshot.json"
    print(_shape(full, options, 1))
    commands = {"taint": _taint(full), "raw": [sys.executable, "-m", "benchmarks.yardsticks", "json", str(full)]}
    runs = by_turns(commands, options.rounds)
    full.unlink()
    yield _bar("taint, snapshot / items as Raw: time", runs, "taint", "raw", 2.0)
    yield _bar("taint, snapshot / items as Raw: memory", runs, "taint", "raw", 1.3, _peak)
    tenth, fifth = options.folder / "tenth.json", options.folder / "fifth.json"
    print(_shape(tenth, options, 0.1))
    print(_shape(fifth, options, 0.2))
    runs = by_turns({"tenth": _taint(tenth), "fifth": _taint(fifth)}, options.rounds)
    yield _bar("taint, a fifth / a tenth of it: time", runs, "fifth", "tenth", 2.2)


def _saved(options: Options) -> Iterator[Bar]:
    """What `preflight snapshot` costs, and what it saves whoever reads it."""
    full, saved = options.folder / "list.json", options.folder / "saved.json.gz"
    print(_shape(full, options, 1))
    commands = {
        "snapshot": [PREFLIGHT, "snapshot", "-o", str(saved), "--from", str(full)],
        "taint": _taint(full),
        "saved": _taint(saved),
        "doctor": [PREFLIGHT, "doctor", "--exit-zero", "--from", str(saved)],
    }
    runs = by_turns(commands, options.rounds)
    print(f"saved: {saved.stat().st_size / 1e6:.1f} MB")
    yield _bar("snapshot / taint, both of the list: time", runs, "snapshot", "taint", 9.0)
    yield _bar("taint, saved / the list: time", runs, "saved", "taint", 1.2)
    yield _bar("taint, saved / the list: memory", runs, "saved", "taint", 0.5, _peak)
    yield _bar("doctor / taint, both saved: time", runs, "doctor", "saved", 2.0)


def _shape(path: Path, options: Options, part: float) -> str:
    shape = snapshot.write(path, scale=options.scale * part, indent=options.indent)
    return f"snapshot: {shape.nodes} nodes, {shape.daemonsets} DaemonSets, {shape.pods} pods, {shape.bytes / 1e6:.0f} MB"


def _taint(path: Path) -> list[str]:
    return [PREFLIGHT, "taint", "nodes", "--all", "dedicated=x:NoSchedule", "--exit-zero", "--from", str(path)]


PARTS: dict[str, Callable[[Options], Iterator[Bar]]] = {
    "start": _start,
    "hook": _hook,
    "yaml": _yaml,
    "snapshot": _snapshot,
    "saved": _saved,
}


def table(bars: Sequence[Bar], judged: bool = True) -> str:
    """The bars as a table of Markdown, so that it can be copied into the documentation."""
    rows = [("what", "median", "yardstick", "ratio", "spread", "processor", "bar", "met")]
    for bar in bars:
        processor = "" if bar.processor is None else f"{bar.processor:.2f}"
        met = ("yes" if bar.is_met else "**no**") if judged else "-"
        spread = f"{bar.ratio.least:.2f} to {bar.ratio.most:.2f}"
        rows.append((bar.what, bar.subject, bar.yardstick, f"{bar.ratio.median:.2f}", spread, processor, f"{bar.bar:.2f}", met))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]])


def main(argv: Sequence[str] | None = None) -> int:
    """Measure; 1 where a bar is not met, 2 where a process failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"{', '.join(PARTS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each process (default: 5; starts: at least 25)")
    parser.add_argument("--indent", action="store_true", help="indent the snapshot as kubectl does: 2.5 times the bytes")
    parser.add_argument("--quick", action="store_true", help="a hundredth of the size, once, not judged: shows only that it works")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="only write the data, for a profiler")
    given = parser.parse_args(argv)
    scale = _QUICK if given.quick else 1.0
    indent = 4 if given.indent else None
    if given.write:
        given.write.mkdir(parents=True, exist_ok=True)
        print(manifests.write(given.write / "manifests", scale=scale))
        print(snapshot.write(given.write / "snapshot.json", scale=scale, indent=indent))
        return 0
    bars: list[Bar] = []
    with tempfile.TemporaryDirectory(prefix="preflight-benchmarks-") as folder:
        options = Options(Path(folder), 1 if given.quick else given.rounds, scale, indent)
        try:
            for part in given.parts or PARTS:
                bars += PARTS[part](options)
        except FailedRun as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
    print()
    print(table(bars, judged=not given.quick))
    return 0 if given.quick or all(bar.is_met for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
