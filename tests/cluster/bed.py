"""A real control plane on loopback: etcd, API server, controllers, scheduler, kubectl, and a stand-in for the kubelets.

    with Bed() as bed:
        bed.create([node("n1"), daemonset("d1")])
        bed.settle()
        bed.kubectl("taint", "nodes", "n1", "k=v:NoSchedule")

What the kubelets play is said by annotations: see `control/kubelet/plays.go`, and `Bed.play`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from tests.cluster.api import Api, ApiError, Object, Objects
from tests.cluster.build import BUILT, programs
from tests.cluster.children import Child
from tests.cluster.clearing import delete_world
from tests.cluster.objects import daemonset, node
from tests.cluster.plane import Options, Plane

KUBELET = "preflight.test/kubelet"
SERVERS = ("resourceVersion", "uid", "creationTimestamp", "managedFields")
LARGE = 300  # pods
LOGS_KEPT = 8
FIRST = ("Namespace", "CustomResourceDefinition", "PriorityClass", "RuntimeClass", "Node")
LAST = ("DaemonSet", "Deployment", "StatefulSet", "ReplicaSet", "Job", "CronJob", "Pod")


class BedError(Exception):
    """The control plane did not do what the bed needs."""


class Unsettled(BedError):
    """Pods still came, changed or went when the time was over."""


class Ran(NamedTuple):
    """What a run of kubectl left."""

    code: int
    out: str
    err: str


class Bed:
    """One control plane, for as long as the `with` lasts, or from `start` to `stop`.

    1. `node_lifecycle`: the node lifecycle controller runs, kubelets renew their leases, and a new node begins with
       not-ready:NoSchedule; a node not heard of for `grace` seconds becomes Unknown. Without it nobody taints a node but you.
    2. `gates`: feature gates of all components.
    3. `rbac`: rights are asked for; `admin` has all of them. Without it everybody has.
    4. `audit`: requests are logged, but for those of the bed and its components; a policy (an object) says otherwise.
    5. `users`: names and their groups; `token_of` and `kubeconfig_of` are theirs.
    """

    def __init__(
        self,
        *,
        node_lifecycle: bool = False,
        gates: Mapping[str, bool] | None = None,
        rbac: bool = False,
        audit: bool | Object = False,
        users: Mapping[str, Iterable[str]] | None = None,
        grace: float = 24 * 3600,
    ) -> None:
        groups = {name: list(user) for name, user in (users or {}).items()}
        self.options = Options(node_lifecycle, dict(gates or {}), rbac, audit, groups, grace)
        self.children: list[Child] = []

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stop()

    def start(self) -> None:
        """Build what is missing, start everything, and wait until a first pod has run; raises BedError with the log of what failed."""
        found = programs()
        self.folder = new_folder("runs")
        self.logs = new_folder("logs")
        self.plane = Plane(self.options, found, self.folder)
        self.kubeconfig: Path = self.plane.kubeconfig("admin")
        self.server: str = self.plane.server
        self.token: str = self.plane.tokens["admin"]
        self.program: Path = found["kubectl"]
        self.api = Api(self.server, self.ca, self.plane.tokens["bed:tests"])
        try:
            self.run()
        except BaseException:
            self.stop()
            raise

    def run(self) -> None:
        """Start all components on what is in the folder, and wait until a first pod has run."""
        for argv in self.plane.commands():
            name = Path(argv[0]).name
            self.children.append(Child(argv, self.logs / f"{name}.log", self.plane.environment))
            if name == "kube-apiserver":
                self.wait(self.answers, 60, "the API server")
        self.wait(self.first_pod, 60, "the controllers, the scheduler and the kubelet")
        self.delete_world(60)

    def stop(self) -> None:
        """Kill everything; the logs stay."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def kill(self) -> None:
        """Kill the components, the last started first."""
        self.api.close()
        while self.children:
            self.children.pop().stop()

    @property
    def ca(self) -> Path:
        """The certificate that the server is trusted by."""
        return self.plane.ca

    def token_of(self, user: str) -> str:
        """The token of one of `users`."""
        return self.plane.tokens[user]

    def kubeconfig_of(self, user: str) -> Path:
        """A kubeconfig of one of `users`."""
        return self.plane.kubeconfig(user)

    def answers(self) -> bool:
        """The API server is ready."""
        try:
            return bool(self.api.ask("GET", "/readyz") == "ok")
        except (ApiError, OSError):
            return False

    def first_pod(self) -> bool:
        """A DaemonSet has its pod running on a node: every component does its part."""
        if not self.list("nodes"):
            self.create([node("first"), daemonset("first")])
        return any(pod["status"]["phase"] == "Running" for pod in self.list("pods"))

    def kubectl(
        self, *argv: str, stdin: str = "", check: bool = True, user: str = "admin", cwd: Path | None = None, timeout: float = 120
    ) -> Ran:
        """Run the real kubectl; with `check`, a refusal raises BedError with its words."""
        environment = {**self.plane.environment, "KUBECONFIG": str(self.plane.kubeconfig(user))}
        done = subprocess.run(
            [str(self.program), *argv],
            input=stdin,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
            cwd=cwd or self.folder,
        )
        if check and done.returncode:
            raise BedError(f"kubectl {' '.join(argv)}: exit {done.returncode}: {done.stderr.strip() or done.stdout.strip()}")
        return Ran(done.returncode, done.stdout, done.stderr)

    def get(self, path: str) -> Any:
        """What the server has at a path; raises ApiError."""
        return self.api.ask("GET", path)

    def list(self, plural: str, namespace: str | None = None) -> Objects:
        """All objects of a kind, of one namespace or of all, with kind and apiVersion as kubectl prints them."""
        found = self.get(self.api.resource(plural).path(namespace))
        kind, version = found["kind"].removesuffix("List"), found["apiVersion"]
        return [{"apiVersion": version, "kind": kind, **item} for item in found["items"]]

    def create(self, objects: Iterable[Object]) -> Objects:
        """Create objects as they are, many at once; nodes come with their status, and namespaces that are missing are made.

        Raises ApiError for the first that is refused; the others may be there.
        """
        wanted = list(objects)
        have = {namespace["metadata"]["name"] for namespace in [*self.list("namespaces"), *wanted] if namespace["kind"] == "Namespace"}
        needed = {each["metadata"].get("namespace", "default") for each in wanted if self.namespaced(each)}
        wanted += [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in sorted(needed - have)]
        created: Objects = []
        for phase in sorted({phase_of(each) for each in wanted}):
            created += self.api.all_at_once(self.create_one, [each for each in wanted if phase_of(each) == phase])
        return created

    def create_one(self, wanted: Object) -> Object:
        """Create an object, without what only a server may say."""
        metadata = {
            name: value for name, value in wanted["metadata"].items() if name not in ("resourceVersion", "uid", "creationTimestamp")
        }
        resource = self.api.resource(wanted["kind"], wanted["apiVersion"])
        created: Object = self.api.ask("POST", resource.path(metadata.get("namespace", "default")), {**wanted, "metadata": metadata})
        return created

    def namespaced(self, wanted: Object) -> bool:
        """An object of its kind is in a namespace."""
        return wanted["kind"] not in FIRST and self.api.resource(wanted["kind"], wanted["apiVersion"]).namespaced

    def patch(self, plural: str, name: str, body: Object, namespace: str | None = None, status: bool = False) -> Object:
        """Merge this into an object, or into its status."""
        path = self.api.resource(plural).path(namespace, name) + ("/status" if status else "")
        patched: Object = self.api.ask("PATCH", path, body, "application/merge-patch+json")
        return patched

    def play(self, what: str | None, node: str | None = None, pod: str | None = None, namespace: str = "default") -> None:
        """Let the kubelet of a node, or a pod, play this from now on; None is the ordinary course of things."""
        body: Object = {"metadata": {"annotations": {KUBELET: what}}}
        if node is not None:
            self.patch("nodes", node, body)
        if pod is not None:
            self.patch("pods", pod, body, namespace)

    def reboot(self, name: str, graceful: bool = False, down: float = 0.5) -> None:
        """Restart a node: after a graceful shutdown its pods are Failed, else the same pods start again."""
        self.play("shutting-down" if graceful else "rebooting", node=name)
        if graceful:
            self.wait(lambda: not self.running_on(name), 30, f"the pods of {name} to end")
        time.sleep(down)
        self.play(None, node=name)

    def running_on(self, name: str) -> set[str]:
        """The pods of a node that have neither succeeded nor failed."""
        found = self.get(f"/api/v1/pods?fieldSelector=spec.nodeName={name},status.phase!=Failed,status.phase!=Succeeded")
        return {item["metadata"]["name"] for item in found["items"]}

    def wait(self, condition: Callable[[], bool], limit: float = 60, what: str = "") -> None:
        """Wait until this is so; raises BedError after `limit` seconds, or when a component has ended, with its log."""
        end = time.monotonic() + limit
        while not condition():
            self.check_children()
            if time.monotonic() > end:
                logs = "\n".join(f"--- {child.log}\n{child.tail()}" for child in self.children)
                raise BedError(f"still waiting for {what or condition} after {limit} seconds\n{logs}")
            time.sleep(0.1)

    def check_children(self) -> None:
        """Raise BedError if a component has ended."""
        for child in self.children:
            if child.ended():
                raise BedError(f"{child.name} has ended with {child.process.returncode}: {child.log}\n{child.tail()}")

    def settle(self, quiet: float = 6.0, limit: float = 180, ignore: Callable[[Object], bool] = lambda _: False) -> None:
        """Wait until nothing happened to a pod for `quiet` seconds, from now, and every DaemonSet was looked at since it was changed.

        `ignore` leaves pods out by their metadata.

        Raises Unsettled after `limit` seconds, with the owners of what still moves.
        """
        pods = self.api.resource("pods")
        start = last = time.monotonic()
        moved: Counter[str] = Counter()
        while True:
            version = self.get(f"{pods.path()}?limit=1")["metadata"]["resourceVersion"]
            for event in self.api.watch(pods, version, limit):
                now = time.monotonic()
                if event and not ignore(event["object"]["metadata"]):
                    last = now
                    moved[f"{event['type'].lower()} {owner(event['object']['metadata'])}"] += 1
                if now - last >= quiet:
                    if self.observed():
                        return
                    last = now
                if now - start >= limit:
                    raise Unsettled(
                        f"pods still move after {limit} seconds: {', '.join(f'{n} {what}' for what, n in moved.most_common(5))}"
                    )
            self.check_children()

    def observed(self) -> bool:
        """The controller has seen the newest spec of every DaemonSet."""
        return all(
            daemonset["status"].get("observedGeneration") == daemonset["metadata"]["generation"] for daemonset in self.list("daemonsets")
        )

    def audit(self) -> Objects:
        """What the API server has logged so far."""
        with self.plane.audit_log.open() as log:
            return [json.loads(line) for line in log]

    def clear(self, limit: float = 60) -> None:
        """Delete the world: workloads, pods, nodes, namespaces, and whatever else a world is made of.

        A large one goes by starting everything again on an empty etcd, at the same addresses. Raises BedError with what is
        still there after `limit` seconds.
        """
        first = self.get("/api/v1/pods?limit=1")["metadata"]
        if first.get("remainingItemCount", 0) < LARGE:
            self.delete_world(limit)
            return
        self.kill()
        shutil.rmtree(self.plane.data)
        self.run()

    def delete_world(self, limit: float) -> None:
        """Delete all objects that a cluster doesn't begin with."""
        end, empty = time.monotonic() + limit, 0
        while empty < 2:  # a controller may just be making a last pod
            left = delete_world(self.api)
            empty = 0 if left else empty + 1
            if time.monotonic() > end:
                raise BedError(f"still there after {limit} seconds: {', '.join(left[:10])}")
            self.check_children()
            time.sleep(0.05)


def owner(metadata: Object) -> str:
    """What a pod belongs to, or its own name."""
    owners = [f"{owner_reference['kind']}/{owner_reference['name']}" for owner_reference in metadata.get("ownerReferences", ())]
    return ", ".join(owners) or f"Pod/{metadata['name']}"


def phase_of(wanted: Object) -> int:
    """When to create an object, beside others: what others need comes first, what starts pods last."""
    kind = wanted["kind"]
    return FIRST.index(kind) if kind in FIRST else 100 if kind in LAST else 50


def new_folder(kind: str) -> Path:
    """A folder of our own under build/cluster/KIND; those of processes that are gone are deleted, but for the newest few logs."""
    base = BUILT / kind
    base.mkdir(parents=True, exist_ok=True)
    gone = [path for path in base.iterdir() if not Path("/proc", path.name.partition("-")[0]).exists()]
    gone.sort(key=lambda path: path.stat().st_mtime)
    for path in gone[: max(0, len(gone) - LOGS_KEPT)] if kind == "logs" else gone:
        shutil.rmtree(path, ignore_errors=True)
    return Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=base))
