"""For each kind of component a manifest that looks like it and is not: by its name, its image, its folders or its settings."""

from __future__ import annotations

import pytest

from preflight.components import load_kinds, recognize_components
from preflight.model.apps import DaemonSet
from tests.components.daemonset_templates import READ_ONLY, SHARED, container, daemonset

NET_D, BIN = "/etc/cni/net.d", "/opt/cni/bin"
REGISTRY = {"/var/lib/kubelet/plugins_registry": "/registration"}

# kind: what looks like it, and what that is instead
NEAR_MISSES: dict[str, list[tuple[str, DaemonSet, str]]] = {
    "cni": [
        (
            "a checker that reads network configurations",
            daemonset(container("registry.example/cni-conf-checker:1", mounts={NET_D: ("/n", READ_ONLY)}), name="kube-flannel-ds"),
            "",
        ),
        (
            "an exporter that forgot to mount them read-only",
            daemonset(container("registry.example/flannel-exporter:1", mounts={NET_D: "/n", BIN: "/b"})),
            "metrics-exporter",
        ),
    ],
    "kube-proxy": [
        (
            "a relay that is given the variables of a network",
            daemonset(container("quay.io/cilium/hubble-relay:v1.17", env={"CILIUM_K8S_NAMESPACE": "kube-system"})),
            "",
        ),
        (
            "a web server that is named after its metrics",
            daemonset(container("nginx:1.29", ports={"http": 80}), name="kube-proxy-metrics"),
            "",
        ),
        (
            "a proxy of a mesh with a mode of its own",
            daemonset(container("registry.example/meshd:1", args=["--proxy-mode=tproxy"])),
            "",
        ),
        (
            "a checker that uses the kubeconfig of kube-proxy",
            daemonset(container("registry.example/rules-check:1", args=["--kubeconfig=/var/lib/kube-proxy/kubeconfig"])),
            "",
        ),
    ],
    "node-local-dns": [
        (
            "CoreDNS behind a Service",
            daemonset(container("registry.k8s.io/coredns/coredns:v1.12", args=["-conf", "/c/Corefile"])),
            "cluster-dns",
        ),
        (
            "a dnsmasq that only boots machines",
            daemonset(container("dnsmasq:2", args=["--port=0", "--dhcp-range=10.0.0.1"]), host_network=True),
            "",
        ),
    ],
    "cluster-dns": [
        (
            "a node-local cache",
            daemonset(container("registry.k8s.io/dns/k8s-dns-node-cache:1", "/node-cache"), host_network=True),
            "node-local-dns",
        ),
        ("what writes names to a provider", daemonset(container("registry.k8s.io/external-dns/external-dns:v0.15"), name="coredns"), ""),
    ],
    "csi-node-driver": [
        ("a web page about drivers", daemonset(container("registry.example/csi-docs:1"), name="csi-node-driver"), ""),
        (
            "the registrar of a controller",
            daemonset(container("quay.io/k8scsi/csi-cluster-driver-registrar:v1.0", args=["--csi-address=/csi/csi.sock"])),
            "",
        ),
        (
            "a probe of the socket of a driver",
            daemonset(container("registry.k8s.io/sig-storage/livenessprobe:v2", mounts={"/var/lib/kubelet/plugins/x": "/csi"})),
            "",
        ),
    ],
    "device-plugin": [
        (
            "an exporter that looks into the folder of device plugins",
            daemonset(container("registry.example/device-exporter:1", mounts={"/var/lib/kubelet/device-plugins": "/dp"})),
            "metrics-exporter",
        ),
        (
            "a script that removes stale sockets",
            daemonset(container("busybox", "sh", "-c", "rm -f /dp/x.sock; sleep 3600", mounts={"/var/lib/kubelet/device-plugins": "/dp"})),
            "",
        ),
        ("a training job called after it", daemonset(container("registry.example/train:1"), name="nvidia-device-plugin-daemonset"), ""),
    ],
    "dra-driver": [
        (
            "an exporter of the registered plugins",
            daemonset(container("registry.example/plugin-registry-exporter:1", mounts=REGISTRY)),
            "metrics-exporter",
        ),
    ],
    "mesh-cni": [
        ("the proxy of a pod of the mesh", daemonset(container("docker.io/istio/proxyv2:1.25"), name="istio-cni-node"), ""),
        ("an exporter for it", daemonset(container("registry.example/istio-cni-exporter:1")), "metrics-exporter"),
        (
            "an own network with an installer of that name",
            daemonset(container("registry.example/overlay/install-cni:1", mounts={NET_D: "/n", BIN: "/b"})),
            "cni",
        ),
    ],
    "secondary-cni": [
        ("a backup of the plugins", daemonset(container("registry.example/plugin-backup:1", mounts={BIN: ("/b", READ_ONLY)})), ""),
        (
            "plugins together with a configuration",
            daemonset(container("registry.example/own-net:1", mounts={NET_D: "/n", BIN: "/b"})),
            "cni",
        ),
    ],
    "driver-installer": [
        (
            "an exporter that sees the folder of the driver",
            daemonset(container("registry.example/nvidia-dcgm-exporter:3", mounts={"/run/nvidia": ("/run/nvidia", SHARED)})),
            "metrics-exporter",
        ),
        ("a manager of truck drivers", daemonset(container("registry.example/logistics/driver-manager:3")), ""),
        ("the toolkit for containers", daemonset(container("nvcr.io/nvidia/k8s/container-toolkit:v1.17")), "container-toolkit"),
        ("libraries", daemonset(container("registry.example/nccl-rdma-installer:1")), "device-libraries"),
        ("an installer of printers", daemonset(container("registry.example/printer-driver-installer:1")), ""),
    ],
    "container-toolkit": [
        (
            "a driver",
            daemonset(container("nvcr.io/nvidia/driver:570", mounts={"/run/nvidia": ("/run/nvidia", SHARED)})),
            "driver-installer",
        ),
        ("a toolbox for people", daemonset(container("registry.example/toolbox:1", "sleep", "infinity"), name="container-toolkit"), ""),
    ],
    "device-libraries": [
        ("a test of the libraries", daemonset(container("registry.example/nccl-tests:2")), ""),
        ("an exporter of their counters", daemonset(container("registry.example/nccl-exporter:1")), "metrics-exporter"),
    ],
    "runtime-installer": [
        ("an installer of an application", daemonset(container("registry.example/shop/node-installer:1")), ""),
        (
            "a reader of the configuration of containerd",
            daemonset(container("registry.example/audit:1", mounts={"/etc/containerd": ("/c", READ_ONLY)})),
            "",
        ),
    ],
    "startup-taint-remover": [
        (
            "a script that sets a taint",
            daemonset(container("bitnami/kubectl:1", "sh", "-c", "kubectl taint node $N example.com/drain=now:NoSchedule")),
            "",
        ),
        (
            "a program that is told a taint to tolerate",
            daemonset(container("registry.example/scheduler-ui:1", args=["--tolerate=example.com/not-ready"])),
            "",
        ),
    ],
    "cloud-controller": [
        (
            "an autoscaler of a cloud",
            daemonset(
                container("registry.k8s.io/autoscaling/cluster-autoscaler:v1.35", args=["--cloud-provider=aws"]),
                tolerates=["node.cloudprovider.kubernetes.io/uninitialized"],
            ),
            "",
        ),
        (
            "a kubelet's helper that is told that the cloud is external",
            daemonset(
                container("registry.example/helper:1", args=["--cloud-provider=external"]),
                tolerates=["node.cloudprovider.kubernetes.io/uninitialized"],
            ),
            "",
        ),
        (
            "an agent that tolerates a node without a cloud controller",
            daemonset(container("registry.example/agent:1"), tolerates=["node.cloudprovider.kubernetes.io/uninitialized"]),
            "",
        ),
        ("a page about clouds", daemonset(container("registry.example/cloud-controller-ui:1"), name="cloud-controller-manager"), ""),
    ],
    "control-plane": [
        ("a client of the database", daemonset(container("registry.example/etcd-exporter:1"), name="etcd"), "metrics-exporter"),
        ("a browser of the database", daemonset(container("registry.example/etcd-manager-ui:1"), name="etcd-manager"), ""),
    ],
    "storage-node": [
        ("the page of a storage", daemonset(container("longhornio/longhorn-ui:v1.8"), name="longhorn-manager"), ""),
        ("a robin of another kind", daemonset(container("registry.example/robin-docs:1")), ""),
    ],
    "local-storage-provisioner": [
        ("an exporter of the disks", daemonset(container("registry.example/node-disk-manager-exporter:1")), "metrics-exporter"),
        ("a cache on a local folder", daemonset(container("registry.example/cache:1", mounts={"/mnt/disks": "/cache"})), ""),
    ],
    "secrets-store-provider": [
        (
            "a reader of the providers' sockets",
            daemonset(container("registry.example/list:1", mounts={"/etc/kubernetes/secrets-store-csi-providers": ("/p", READ_ONLY)})),
            "",
        ),
        ("a client of a vault", daemonset(container("hashicorp/vault:1.18", args=["agent"]), name="vault-csi-provider"), ""),
    ],
    "label-producer": [
        ("a script that reads labels", daemonset(container("bitnami/kubectl:1", "sh", "-c", "kubectl get node $N --show-labels")), ""),
        ("a printer of labels", daemonset(container("registry.example/label-printer:1"), name="node-labeller"), ""),
    ],
    "device-configurer": [
        ("an exporter of the partitions", daemonset(container("registry.example/mig-manager-exporter:1")), "metrics-exporter"),
        ("a manager of settings of an application", daemonset(container("registry.example/config-manager:1"), name="mig-manager"), ""),
    ],
    "readiness-gate": [
        (
            "a pod that waits for the checks",
            daemonset(
                container("registry.example/app:1"),
                init=[
                    container(
                        "busybox",
                        "sh",
                        "-c",
                        "until [ -f /v/ready ]; do sleep 5; done",
                        mounts={"/run/nvidia/validations": ("/v", READ_ONLY)},
                    )
                ],
            ),
            "",
        ),
    ],
    "virtualization": [
        ("an exporter of virtual machines", daemonset(container("registry.example/virt-handler-exporter:1")), "metrics-exporter"),
    ],
    "identity-agent": [
        ("a page for identities", daemonset(container("registry.example/spire-agent-ui:1"), name="spire-agent"), ""),
    ],
    "service-mesh": [
        ("a consul for people", daemonset(container("registry.example/embassy/consul:1")), ""),
        ("the page of a mesh", daemonset(container("quay.io/kiali/kiali:v2"), name="ztunnel"), ""),
    ],
    "network-policy": [
        ("an editor of policies", daemonset(container("registry.example/network-policy-editor:1"), name="kube-network-policies"), ""),
    ],
    "ingress": [
        ("a web server", daemonset(container("nginx:1.29"), name="nginx-ingress-controller"), ""),
        ("the exporter of one", daemonset(container("quay.io/prometheus/haproxy-exporter:v0.15")), "metrics-exporter"),
    ],
    "load-balancer": [
        ("an application with speakers", daemonset(container("registry.example/conference/speaker:1")), ""),
        ("an application with birds", daemonset(container("registry.example/zoo/bird:1")), ""),
    ],
    "node-setup": [
        (
            "a privileged init container beside an application",
            daemonset(container("registry.example/db:1"), init=[container("busybox", "chown", "1000", "/data", privileged=True)]),
            "",
        ),
        ("the exporter of a clock", daemonset(container("quay.io/superq/chrony-exporter:v0.12")), "metrics-exporter"),
    ],
    "security-agent": [
        (
            "the exporter of Falco",
            daemonset(container("docker.io/falcosecurity/falco-exporter:0.8.3", "/usr/bin/falco-exporter")),
            "metrics-exporter",
        ),
        ("what answers to the events of Falco", daemonset(container("falcosecurity/falco-talon:0.3")), ""),
        ("a defender of a game", daemonset(container("registry.example/games/defender:1")), ""),
    ],
    "termination-handler": [
        ("the exporter of interruptions", daemonset(container("banzaicloud/spot-termination-exporter:0.0.1")), "metrics-exporter"),
    ],
    "reboot-coordinator": [
        ("an agent that updates an application", daemonset(container("registry.example/shop/update-agent:1")), ""),
    ],
    "node-problem-detector": [
        ("the exporter of its problems", daemonset(container("registry.example/node-problem-detector-exporter:1")), "metrics-exporter"),
    ],
    "log-agent": [
        ("a page for logs", daemonset(container("registry.example/fluentd-ui:1"), name="fluentd"), ""),
        ("an application about logistics", daemonset(container("registry.example/logistics:1"), name="log-agent"), ""),
    ],
    "metrics-exporter": [
        (
            "an exporter of invoices beside an application",
            daemonset(container("registry.example/shop:1"), container("registry.example/invoice-exporter:1")),
            "",
        ),
        (
            "an application with a port for metrics",
            daemonset(container("registry.example/shop:1", ports={"metrics": 9090}), name="node-exporter"),
            "",
        ),
    ],
    "backup-agent": [
        ("the server of Velero", daemonset(container("velero/velero:v1.15", "/velero", args=["server"])), ""),
    ],
    "image-cache": [
        ("a page about images", daemonset(container("registry.example/image-puller-ui:1"), name="spegel"), ""),
        (
            "a pod that waits beside an init container that works",
            daemonset(container("registry.k8s.io/pause:3"), init=[container("registry.example/migrate:1", "/migrate")]),
            "",
        ),
    ],
}
TABLE = [pytest.param(kind, *rest, id=f"{kind}: {what}") for kind, misses in NEAR_MISSES.items() for what, *rest in misses]


def test_each_kind_has_a_manifest_that_looks_like_it_and_is_not() -> None:
    assert NEAR_MISSES.keys() == load_kinds().keys()


@pytest.mark.parametrize(("kind", "given", "instead"), TABLE)
def test_what_only_looks_like_a_component_is_none(kind: str, given: DaemonSet, instead: str) -> None:
    found = {component.kind.id for component in recognize_components(given)}
    assert kind not in found
    assert found == set(instead.split())
