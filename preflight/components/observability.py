"""What looks at the node and tells others: log agents, metrics exporters; and what is left when nothing stronger is known."""

from __future__ import annotations

import re

from preflight.components.container_commands import FieldPath
from preflight.components.detection import ComponentFindings
from preflight.components.node_setup import only_waits
from preflight.components.pod_template import ParsedContainer
from preflight.messages import components as messages

_LOGS = re.compile(r"^/var/log(/pods|/containers|/journal|/messages|/syslog)?$|/docker/containers$|^/run/log(/journal)?$|^/var/lib/docker$")
_POD_LOGS = re.compile(r"^/var/log(/pods|/containers)$|/docker/containers$")
_STATISTICS = re.compile(r"^(/|/proc|/sys|/sys/fs/cgroup|/host|/var/lib/kubelet/pod-resources)$")
_LOG_WORD = re.compile(r"(^|[-_])log(s|ging|ger)?([-_](agent|collector|shipper|forwarder|router|aggregator|reader|tailer)|$)")
_EXPORTER = re.compile(r"[-_]exporter$|^exporter$|(^|-)metrics-(agent|collector|exporter)|-metrics$")
_EXPORTER_FLAGS = frozenset({"path.procfs", "path.sysfs", "path.rootfs", "collector.textfile.directory"})
_LABELS = re.compile(r"(^|[-_/])(label[-_]?nodes?|node[-_]?label)")
_SETTINGS = re.compile(r"/etc/(systemd/system|udev/rules\.d|sysctl\.d|modprobe\.d|modules-load\.d)$")
_RUNTIME = re.compile(r"/etc/(containerd|crio|docker)(/conf\.d|/certs\.d|/crio\.conf\.d)?$")


def find_telemetry(findings: ComponentFindings) -> None:
    """Tell what a collector is by what it can read: the logs of pods make a log agent; anything else, or both, an exporter."""
    for run in findings.programs:
        if run.product.telemetry:
            logs = _find_mount(run.container, _LOGS)
            statistics = _find_mount(run.container, _STATISTICS)
            if logs is not None:
                findings.add_evidence("log-agent", run.evidence.path, messages.describe_log_reader(run.evidence.description))
            if logs is None or statistics is not None:
                findings.add_evidence("metrics-exporter", run.evidence.path, run.evidence.description)


def find_by_behavior(findings: ComponentFindings) -> None:
    """Tell what a program is that nobody knows and that nothing stronger was found for, by what it reads and is called.

    1. It reads the logs of pods, or it reads `/var/log` and is called after logs: a log agent.
    2. It has the flags of the node exporter, is called an exporter, or has a port for metrics and reads `/proc`, `/sys` or the root.
    3. Privileged init containers beside a container that only waits set up the node; init containers that run nothing pull images.
    4. It is called after labels of nodes, or runs a script that is: a label producer.
    5. It writes units, rules or settings of the system: settings of the node. It writes the configuration of the container
       runtime: an installer of a runtime.
    """
    for container in findings.template.running_containers:
        names = [*(program.name for program in container.programs), *(container.images[-1:] or (container.name,))]
        if only_waits(container) or findings.programs_in(container):
            continue
        pods, logs = _find_mount(container, _POD_LOGS), _find_mount(container, _LOGS)
        if script := next(
            (
                program
                for program in container.programs
                if any(_LABELS.search(candidate_name) for candidate_name in program.candidate_names)
            ),
            None,
        ):
            findings.add_evidence("label-producer", script.path, messages.NODE_LABEL_SCRIPT)
        elif (_matches_name(names, _LOG_WORD) or pods is not None) and not _matches_name(names, _EXPORTER):
            where = pods or logs or (*container.path, "image")
            findings.add_evidence("log-agent", where, messages.READS_LOGS if pods or logs else messages.describe_name(names[-1]))
        elif _EXPORTER_FLAGS & container.flags.keys():
            flag = next(name for name in container.flags if name in _EXPORTER_FLAGS)
            findings.add_evidence("metrics-exporter", container.flags[flag][0].path, messages.describe_flag(flag))
        elif _matches_name(names, _EXPORTER) and findings.is_main_container(container):
            findings.add_evidence(
                "metrics-exporter",
                (*container.path, "image"),
                messages.describe_name(next(name for name in names if _EXPORTER.search(name))),
            )
        elif any("metrics" in name for name, _ in container.ports) and (read := _find_mount(container, _STATISTICS)):
            findings.add_evidence("metrics-exporter", read, messages.READS_NODE_STATE)
    if findings:
        return
    for _, mount in findings.template.iter_mounts():
        if mount.is_writable and _RUNTIME.search(mount.host_path):
            findings.add_evidence("runtime-installer", mount.path, f"writes {mount.host_path}")
    running = findings.template.running_containers
    if not findings and running and all(only_waits(each) for each in running):
        for container in findings.template.containers:
            if not container.keeps_running and container.privileged:
                findings.add_evidence("node-setup", container.path, messages.SETS_UP_NODE)
            elif not container.keeps_running and container.images and only_waits(container):
                findings.add_evidence("image-cache", (*container.path, "image"), messages.ONLY_PULLS)
    for _, mount in findings.template.iter_mounts():
        if not findings and mount.is_writable and _SETTINGS.search(mount.host_path):
            findings.add_evidence("node-setup", mount.path, f"writes {mount.host_path}")
    for container in running:
        if not findings and container.privileged and any(name.endswith(("nsenter", "sysctl")) for name in _list_program_names(container)):
            findings.add_evidence("node-setup", container.path, messages.CHANGES_NODE)


def _matches_name(names: list[str], pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(name) for name in names)


def _find_mount(container: ParsedContainer, pattern: re.Pattern[str]) -> FieldPath | None:
    return next((mount.path for mount in container.mounts if pattern.search(mount.host_path)), None)


def _list_program_names(container: ParsedContainer) -> list[str]:
    return [word for text in container.words for word in text.text[:4096].split()]
