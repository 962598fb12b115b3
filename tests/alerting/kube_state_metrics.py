"""What kube-state-metrics would show of a small cluster, minute by minute, while its story is told."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import NamedTuple

GPU_POOL = ("rdma-1", "rdma-2")
NODES = ("control-1", "cpu-1", "cpu-2", *GPU_POOL)
CONTROL = ("node-role.kubernetes.io/control-plane", "", "NoSchedule")
RDMA = ("dedicated", "rdma", "NoSchedule")


class Pod(NamedTuple):
    """A pod of a DaemonSet: on a node ("" while it has none), in a phase, Ready or not."""

    namespace: str
    daemonset: str
    name: str
    node: str
    phase: str = "Running"
    ready: bool = True


class State:
    """A cluster at one moment; a story changes it and lets minutes pass.

    `counts` are desired, ready, updated and misscheduled of each DaemonSet, as its status says them: what the controller last saw.
    """

    def __init__(self) -> None:
        self.taints: dict[str, set[tuple[str, str, str]]] = {name: set() for name in NODES}
        self.taints["control-1"].add(CONTROL)
        self.down: set[str] = set()
        self.resources = {(name, "rdma_hca"): 8 for name in GPU_POOL}
        self.pods: dict[tuple[str, str], Pod] = {}
        self.counts: dict[tuple[str, str], list[int]] = {}
        for namespace, name, nodes in (
            ("kube-system", "rdma-device-plugin", GPU_POOL),
            ("storage", "csi-rdma-node", GPU_POOL),
            ("logging", "log-agent", NODES[1:]),
            ("monitoring", "node-exporter", NODES[1:]),
        ):
            for node in nodes:
                self.put(Pod(namespace, name, f"{name}-{node}", node))
            self.counts[namespace, name] = [len(nodes), len(nodes), len(nodes), 0]
        self.minutes: list[dict[str, int]] = []

    def put(self, pod: Pod) -> None:
        """A pod is there, in the place of the one of its DaemonSet on its node."""
        self.pods[pod.daemonset, pod.node] = pod

    def lose(self, daemonset: str, node: str) -> None:
        """The pod of a DaemonSet on a node is gone."""
        del self.pods[daemonset, node]

    def join(self, node: str, *taints: tuple[str, str, str]) -> None:
        """A node registers."""
        self.taints[node] = set(taints)

    def leave(self, node: str) -> None:
        """A node object and its pods are gone."""
        del self.taints[node]
        self.resources = {key: count for key, count in self.resources.items() if key[0] != node}
        self.pods = {key: pod for key, pod in self.pods.items() if pod.node != node}

    def delete(self, namespace: str, name: str) -> None:
        """A DaemonSet and its pods are gone."""
        del self.counts[namespace, name]
        self.pods = {key: pod for key, pod in self.pods.items() if pod.daemonset != name}

    def wait(self, minutes: int) -> int:
        """So many minutes pass as it is; the answer is the minute that it is then."""
        self.minutes += [dict(self._samples())] * minutes
        return len(self.minutes)

    def silence(self, minutes: int) -> int:
        """So many minutes without any sample: kube-state-metrics is down."""
        self.minutes += [{}] * minutes
        return len(self.minutes)

    def _samples(self) -> Iterator[tuple[str, int]]:
        for node, taints in self.taints.items():
            for status in ("true", "false", "unknown"):
                is_so = status == ("unknown" if node in self.down else "true")
                yield f'kube_node_status_condition{{node="{node}",condition="Ready",status="{status}"}}', int(is_so)
            for key, value, effect in taints:
                yield f'kube_node_spec_taint{{node="{node}",key="{key}",value="{value}",effect="{effect}"}}', 1
        for (node, name), count in self.resources.items():
            yield f'kube_node_status_allocatable{{node="{node}",resource="{name}",unit="integer"}}', count
        for pod in self.pods.values():
            own = f'namespace="{pod.namespace}",pod="{pod.name}",uid="{pod.name}"'
            yield f'kube_pod_info{{{own},node="{pod.node}",created_by_kind="DaemonSet",created_by_name="{pod.daemonset}"}}', 1
            for phase in ("Pending", "Running", "Succeeded", "Failed", "Unknown"):
                yield f'kube_pod_status_phase{{{own},phase="{phase}"}}', int(phase == pod.phase)
            for condition in ("true", "false", "unknown"):
                yield f'kube_pod_status_ready{{{own},condition="{condition}"}}', int(condition == ("true" if pod.ready else "false"))
        for (namespace, name), counts in self.counts.items():
            own = f'namespace="{namespace}",daemonset="{name}"'
            yield f"kube_daemonset_created{{{own}}}", 1_700_000_000
            metrics = ("desired_number_scheduled", "number_ready", "updated_number_scheduled", "number_misscheduled")
            for metric, count in zip(metrics, counts, strict=True):
                yield f"kube_daemonset_status_{metric}{{{own}}}", count

    def series(self) -> dict[str, str]:
        """The samples as promtool takes them: values minute by minute, `_` and `stale` where there is none, runs in short."""
        names = dict.fromkeys(name for minute in self.minutes for name in minute)
        return {name: " ".join(_runs([minute.get(name) for minute in self.minutes])) for name in names}


def _runs(values: list[int | None]) -> Iterator[str]:
    at = 0
    while at < len(values):
        end = at
        while end + 1 < len(values) and values[end + 1] == values[at]:
            end += 1
        more, value = end - at, values[at]
        if value is not None:
            yield f"{value}+0x{more}" if more else str(value)
        elif at:
            yield f"stale _x{more}" if more else "stale"  # what a scrape says of a series that it no longer finds
        else:
            yield f"_x{more + 1}"
        at = end + 1


def copied(state: State) -> State:
    """The same, to go on from twice."""
    return deepcopy(state)
