"""What looks at the node and tells others: log agents, metrics exporters; and what is left when nothing stronger is known."""

from __future__ import annotations

import re

from preflight.components.container_commands import Path
from preflight.components.detection import Findings
from preflight.components.node_setup import waits
from preflight.components.pod_template import Container

_LOGS = re.compile(r"^/var/log(/pods|/containers|/journal|/messages|/syslog)?$|/docker/containers$|^/run/log(/journal)?$|^/var/lib/docker$")
_POD_LOGS = re.compile(r"^/var/log(/pods|/containers)$|/docker/containers$")
_STATISTICS = re.compile(r"^(/|/proc|/sys|/sys/fs/cgroup|/host|/var/lib/kubelet/pod-resources)$")
_LOG_WORD = re.compile(r"(^|[-_])log(s|ging|ger)?([-_](agent|collector|shipper|forwarder|router|aggregator|reader|tailer)|$)")
_EXPORTER = re.compile(r"[-_]exporter$|^exporter$|(^|-)metrics-(agent|collector|exporter)|-metrics$")
_EXPORTER_FLAGS = frozenset({"path.procfs", "path.sysfs", "path.rootfs", "collector.textfile.directory"})
_LABELS = re.compile(r"(^|[-_/])(label[-_]?nodes?|node[-_]?label)")
_SETTINGS = re.compile(r"/etc/(systemd/system|udev/rules\.d|sysctl\.d|modprobe\.d|modules-load\.d)$")
_RUNTIME = re.compile(r"/etc/(containerd|crio|docker)(/conf\.d|/certs\.d|/crio\.conf\.d)?$")


def find_telemetry(findings: Findings) -> None:
    """Tell what a collector is by what it can read: the logs of pods make a log agent; anything else, or both, an exporter."""
    for run in findings.runs:
        if run.product.telemetry:
            logs = _mounted(run.container, _LOGS)
            statistics = _mounted(run.container, _STATISTICS)
            if logs is not None:
                findings.add("log-agent", run.evidence.path, f"{run.evidence.words}, which can read logs")
            if logs is None or statistics is not None:
                findings.add("metrics-exporter", run.evidence.path, run.evidence.words)


def find_by_behaviour(findings: Findings) -> None:
    """Tell what a program is that nobody knows and that nothing stronger was found for, by what it reads and is called.

    1. It reads the logs of pods, or it reads `/var/log` and is called after logs: a log agent.
    2. It has the flags of the node exporter, is called an exporter, or has a port for metrics and reads `/proc`, `/sys` or the root.
    3. Privileged init containers beside a container that only waits set up the node; init containers that run nothing pull images.
    4. It is called after labels of nodes, or runs a script that is: a label producer.
    5. It writes units, rules or settings of the system: settings of the node. It writes the configuration of the container
       runtime: an installer of a runtime.
    """
    for container in findings.template.running:
        names = [*(program.name for program in container.programs), *(container.images[-1:] or (container.name,))]
        if waits(container) or findings.runs_in(container):
            continue
        pods, logs = _mounted(container, _POD_LOGS), _mounted(container, _LOGS)
        if script := next((program for program in container.programs if any(_LABELS.search(each) for each in program.names)), None):
            findings.add("label-producer", script.path, "runs a script that is called after labels of nodes")
        elif (_called(names, _LOG_WORD) or pods is not None) and not _called(names, _EXPORTER):
            where = pods or logs or (*container.path, "image")
            findings.add("log-agent", where, "reads the logs of pods" if pods or logs else f"is called {names[-1]}")
        elif _EXPORTER_FLAGS & container.flags.keys():
            flag = next(name for name in container.flags if name in _EXPORTER_FLAGS)
            findings.add("metrics-exporter", container.flags[flag][0].path, f"has the flag --{flag}")
        elif _called(names, _EXPORTER) and findings.stands_alone(container):
            findings.add(
                "metrics-exporter", (*container.path, "image"), f"is called {next(name for name in names if _EXPORTER.search(name))}"
            )
        elif any("metrics" in name for name, _ in container.ports) and (read := _mounted(container, _STATISTICS)):
            findings.add("metrics-exporter", read, "has a port for metrics and reads the state of the node")
    if findings:
        return
    for _, mount in findings.template.mounts():
        if mount.writes and _RUNTIME.search(mount.host):
            findings.add("runtime-installer", mount.path, f"writes {mount.host}")
    running = findings.template.running
    if not findings and running and all(waits(each) for each in running):
        for container in findings.template.containers:
            if not container.runs and container.privileged:
                findings.add("node-setup", container.path, "sets up the node in a privileged init container, then waits")
            elif not container.runs and container.images and waits(container):
                findings.add("image-cache", (*container.path, "image"), "pulls an image and runs nothing")
    for _, mount in findings.template.mounts():
        if not findings and mount.writes and _SETTINGS.search(mount.host):
            findings.add("node-setup", mount.path, f"writes {mount.host}")
    for container in running:
        if not findings and container.privileged and any(name.endswith(("nsenter", "sysctl")) for name in _first_words(container)):
            findings.add("node-setup", container.path, "changes the node with nsenter or sysctl")


def _called(names: list[str], pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(name) for name in names)


def _mounted(container: Container, pattern: re.Pattern[str]) -> Path | None:
    return next((mount.path for mount in container.mounts if pattern.search(mount.host)), None)


def _first_words(container: Container) -> list[str]:
    return [word for text in container.words for word in text.text[:4096].split()]
