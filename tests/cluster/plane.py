"""The components of a control plane: their flags, their files, and who they are."""

from __future__ import annotations

import base64
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from tests.cluster.build import get_release
from tests.cluster.children import free_ports

COMPONENTS = ("bed:controller-manager", "bed:scheduler", "bed:kubelet", "bed:tests")
MASTERS = "system:masters"
HEARTBEAT = 2  # seconds
# A private key as SEC 1 writes it: version 1, 32 bytes, the curve P-256.
KEY = (bytes.fromhex("30310201010420"), bytes.fromhex("a00a06082a8648ce3d030107"))


class Options(NamedTuple):
    """What a Bed was asked for."""

    node_lifecycle: bool
    gates: Mapping[str, bool]
    rbac: bool
    audit: bool | dict[str, Any]
    users: Mapping[str, Sequence[str]]
    grace: float


class Plane:
    """One control plane in a folder of its own."""

    def __init__(self, options: Options, programs: Mapping[str, Path], folder: Path) -> None:
        self.options = options
        self.programs = programs
        self.folder = folder
        etcd, peer, server, manager, scheduler = free_ports(5)
        self.etcd, self.peer = f"http://127.0.0.1:{etcd}", f"http://127.0.0.1:{peer}"
        self.server = f"https://127.0.0.1:{server}"
        self.ports = {"kube-apiserver": server, "kube-controller-manager": manager, "kube-scheduler": scheduler}
        self.data = folder / "etcd"
        self.ca = folder / "kube-apiserver/apiserver.crt"
        self.audit_log = folder / "audit.log"
        self.groups = {**{name: [MASTERS] for name in ("admin", *COMPONENTS)}, **options.users}
        self.tokens = {name: secrets.token_hex(16) for name in self.groups}
        self.environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "KUBECACHEDIR": str(folder / "cache")}

    def commands(self) -> Iterator[list[Path | str]]:
        """The command line of each component, in the order in which they start."""
        gates = ",".join(f"{name}={str(on).lower()}" for name, on in self.options.gates.items())
        gated = [f"--feature-gates={gates}"] if gates else []
        yield [self.programs["etcd"], f"--data-dir={self.data}", f"--client={self.etcd}", f"--peer={self.peer}"]
        yield [*self.served("kube-apiserver"), *self.api_server(), *gated]
        yield [*self.served("kube-controller-manager"), *self.controller_manager(), *gated]
        yield [*self.served("kube-scheduler"), f"--config={self.scheduler_config()}", *gated]
        beat = f"{HEARTBEAT if self.options.node_lifecycle else 0}s"
        yield [self.programs["kubelet"], f"--kubeconfig={self.kubeconfig('bed:kubelet')}", f"--heartbeat={beat}"]

    def served(self, name: str) -> list[Path | str]:
        """A component that serves HTTPS on loopback, with a certificate that it makes itself."""
        return [self.programs[name], "--bind-address=127.0.0.1", f"--secure-port={self.ports[name]}", f"--cert-dir={self.folder / name}"]

    def api_server(self) -> list[str]:
        """Its flags: nobody is throttled, and pods need no service account."""
        key = self.signing_key()
        left_out = ["ServiceAccount", *([] if self.options.node_lifecycle else ["TaintNodesByCondition"])]
        flags = [
            f"--etcd-servers={self.etcd}",
            f"--token-auth-file={self.token_file()}",
            f"--authorization-mode={'RBAC' if self.options.rbac else 'AlwaysAllow'}",
            "--anonymous-auth=false",
            "--service-account-issuer=https://bed.invalid",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            "--service-cluster-ip-range=10.250.0.0/16",
            f"--disable-admission-plugins={','.join(left_out)}",
            "--endpoint-reconciler-type=none",
            "--enable-priority-and-fairness=false",
            "--max-requests-inflight=2000",
            "--max-mutating-requests-inflight=1000",
            "--delete-collection-workers=16",
            "--allow-privileged=true",
        ]
        if self.options.audit:
            flags += [f"--audit-policy-file={self.audit_policy()}", f"--audit-log-path={self.audit_log}"]
        return flags

    def controller_manager(self) -> list[str]:
        """Its flags: all controllers, that of the nodes only where it was asked for."""
        controllers = "*" if self.options.node_lifecycle else "*,-node-lifecycle-controller"
        return [
            f"--kubeconfig={self.kubeconfig('bed:controller-manager')}",
            f"--controllers={controllers}",
            "--leader-elect=false",
            "--kube-api-qps=2000",
            "--kube-api-burst=4000",
            *(["--concurrent-daemonset-syncs=8"] if get_release().minor >= 32 else []),
            "--concurrent-gc-syncs=20",
            "--node-monitor-period=1s",
            f"--node-monitor-grace-period={self.options.grace}s",
            f"--node-startup-grace-period={self.options.grace}s",
        ]

    def scheduler_config(self) -> Path:
        """Its configuration."""
        connection = {"kubeconfig": str(self.kubeconfig("bed:scheduler")), "qps": 2000, "burst": 4000}
        kind = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
        soon = {"podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 2}  # 10: a pod that finds room would wait longer than a test
        return self.written("scheduler.json", {**kind, **soon, "leaderElection": {"leaderElect": False}, "clientConnection": connection})

    def audit_policy(self) -> Path:
        """What is logged: that of the options, or who asked for what, unless it was the bed itself."""
        if isinstance(self.options.audit, dict):
            return self.written("audit-policy.json", self.options.audit)
        ours = ["system:apiserver", *COMPONENTS]
        rules = [{"level": "None", "users": ours}, {"level": "Metadata", "omitStages": ["RequestReceived"]}]
        return self.written("audit-policy.json", {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": rules})

    def token_file(self) -> Path:
        """Who has which token, and is in which groups."""
        lines = [f'{self.tokens[name]},{name},{name},"{",".join(groups)}"\n' for name, groups in self.groups.items()]
        path = self.folder / "tokens.csv"
        path.write_text("".join(lines))
        return path

    def signing_key(self) -> Path:
        """A private key for the tokens of service accounts, which nobody here uses."""
        encoded = base64.encodebytes(secrets.token_bytes(32).join(KEY)).decode()
        path = self.folder / "service-account.key"
        path.write_text(f"-----BEGIN EC PRIVATE KEY-----\n{encoded}-----END EC PRIVATE KEY-----\n")
        return path

    def kubeconfig(self, user: str) -> Path:
        """A kubeconfig of this user; its only context is `bed`."""
        path = self.folder / f"{user.replace(':', '-')}.kubeconfig"
        if path.exists():
            return path
        return self.written(
            path.name,
            {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "bed", "cluster": {"server": self.server, "certificate-authority": str(self.ca)}}],
                "users": [{"name": user, "user": {"token": self.tokens[user]}}],
                "contexts": [{"name": "bed", "context": {"cluster": "bed", "user": user}}],
                "current-context": "bed",
            },
        )

    def written(self, name: str, content: object) -> Path:
        """A file of the folder with this content."""
        path = self.folder / name
        path.write_text(json.dumps(content))
        return path
