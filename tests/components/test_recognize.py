"""What DaemonSets are recognised as: those with nothing to recognise first, then a table of projects."""

from __future__ import annotations

import pytest

from preflight.components import recognize_components
from preflight.model.apps import DaemonSet
from tests.components.daemonset_templates import READ_ONLY, SHARED, container, daemonset

PLUGINS = {"/var/lib/kubelet/device-plugins": "/var/lib/kubelet/device-plugins"}
REGISTRY = {"/var/lib/kubelet/plugins_registry": "/registration"}
CONFIGURATION = {"/etc/cni/net.d": "/host/etc/cni/net.d"}
PROGRAMS = {"/opt/cni/bin": "/host/opt/cni/bin"}
CNI = {**CONFIGURATION, **PROGRAMS}
LOGS = {"/var/log": ("/var/log", READ_ONLY)}
PROC = {"/proc": ("/host/proc", READ_ONLY), "/sys": ("/host/sys", READ_ONLY)}
ROOT = {"/": ("/host", READ_ONLY)}


def registrar(driver: str, image: str = "registry.k8s.io/sig-storage/csi-node-driver-registrar:v2") -> dict[str, object]:
    return container(image, args=[f"--kubelet-registration-path=/var/lib/kubelet/plugins/{driver}/csi.sock"], mounts=REGISTRY)


NOTHING = {
    "no data at all": DaemonSet(),
    "a container that sleeps, in a DaemonSet called like a device plugin": daemonset(
        container("busybox", "sleep", "infinity"), name="nvidia-device-plugin"
    ),
    "a device plugin's image that is made to sleep": daemonset(
        container("nvcr.io/nvidia/k8s-device-plugin:v0.17", "sleep", "infinity"), name="nvidia-device-plugin"
    ),
    "a device plugin's image without the folder of device plugins": daemonset(container("nvcr.io/nvidia/k8s-device-plugin:v0.17")),
    "an application, whatever it is called": daemonset(
        container("registry.example/shop:3", args=["--cache=/var/cache"]), name="calico-node"
    ),
    "an application that looks into the folder of device plugins": daemonset(
        container("registry.example/inventory:1", mounts={"/var/lib/kubelet/device-plugins": ("/dp", READ_ONLY)})
    ),
    "an application with a folder of its own": daemonset(container("registry.example/cache:1", mounts={"/var/cache": "/cache"})),
    "the root of the node, read by something unknown": daemonset(container("registry.example/thing:1", mounts=ROOT)),
    "the root of the node, written by something unknown": daemonset(container("registry.example/thing:1", mounts={"/": "/host"})),
    "network configurations, read by something unknown": daemonset(
        container("registry.example/thing:1", mounts={"/etc/cni/net.d": ("/etc/cni/net.d", READ_ONLY)})
    ),
    "a CSI controller that runs as a DaemonSet": daemonset(
        container("registry.k8s.io/sig-storage/csi-provisioner:v5", args=["--csi-address=/csi/csi.sock"]),
        container("registry.k8s.io/sig-storage/csi-attacher:v4", args=["--csi-address=/csi/csi.sock"]),
        container(
            "registry.example/some-csi-driver:1",
            args=["--mode=controller"],
            mounts={"/var/lib/kubelet/plugins/some.csi.example.com": "/csi"},
        ),
    ),
    "a path of the network plugins in an argument only": daemonset(
        container("registry.example/thing:1", args=["--cni-dir=/etc/cni/net.d"])
    ),
    "a folder of network configurations that is a ConfigMap": daemonset(container("registry.example/thing:1"), configs=["cni"]),
    "the topology updater of node feature discovery, with a port for metrics": daemonset(
        container("registry.k8s.io/nfd/node-feature-discovery:v0.17", "nfd-topology-updater", ports={"metrics": 8081}, mounts=PROC)
    ),
    "an application with a log agent for its own files, and an exporter": daemonset(
        container("registry.example/shop:3"), container("fluent/fluent-bit:3"), container("oliver006/redis_exporter:v1"), name="log-agent"
    ),
    "an application whose name only begins like a word for logs": daemonset(container("registry.example/logistics:1"), name="logs"),
    "a shell that sleeps on the root of the node": daemonset(
        container("ubuntu", "sh", "-c", "while true; do sleep 3600; done", mounts={"/": "/host"}, privileged=True), name="csi-node"
    ),
}

PROJECTS: dict[str, tuple[DaemonSet, str]] = {
    # networks
    "calico-node": (
        daemonset(
            container("quay.io/calico/node:v3.29", mounts={"/etc/cni/net.d": "/host/etc/cni/net.d", "/var/run/calico": "/var/run/calico"}),
            init=[container("quay.io/calico/cni:v3.29", "/opt/cni/bin/install", mounts=CNI)],
        ),
        "cni",
    ),
    "calico-node with eBPF": (
        daemonset(container("registry.example/mirror/calico-node:v3", env={"FELIX_BPFENABLED": "true"}, mounts=CNI)),
        "cni kube-proxy",
    ),
    "calico for policies only": (
        daemonset(container("quay.io/calico/node:v3.29", env={"CALICO_NETWORKING_BACKEND": "none"})),
        "network-policy",
    ),
    "weave": (
        daemonset(
            container("weaveworks/weave-kube:2.8", "/launch.sh", mounts={"/": "/host"}),
            container("weaveworks/weave-npc:2.8"),
        ),
        "cni",
    ),
    "antrea": (
        daemonset(
            container(
                "antrea/antrea-agent-ubuntu:v2", "antrea-agent", args=["--config", "/etc/antrea/antrea-agent.conf"], mounts=CONFIGURATION
            ),
            container("antrea/antrea-agent-ubuntu:v2", "start_ovs"),
            init=[container("antrea/antrea-agent-ubuntu:v2", "install_cni", mounts=PROGRAMS)],
        ),
        "cni",
    ),
    "kindnet": (daemonset(container("docker.io/kindest/kindnetd:v2025", mounts={"/etc/cni/net.d": "/etc/cni/net.d"})), "cni"),
    "ovn-kubernetes": (
        daemonset(container("ghcr.io/ovn-kubernetes/ovn-kube-ubuntu:master", "/ovnkube.sh", "ovn-node", mounts=CNI)),
        "cni kube-proxy",
    ),
    "OpenShift's ovnkube-node": (
        daemonset(
            container(
                "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:0",
                "/bin/bash",
                "-c",
                'set -xe\n. /ovnkube-lib/ovnkube-lib.sh || exit 1\nexec /usr/bin/ovnkube --init-node "${K8S_NODE}"\n',
                mounts={"/var/run/multus/cni/net.d": "/etc/cni/net.d", "/var/lib/cni/bin": "/cni-bin-dir"},
            )
        ),
        "cni kube-proxy",
    ),
    "kube-ovn": (daemonset(container("kubeovn/kube-ovn:v1.13", "bash", "/kube-ovn/start-cniserver.sh", mounts=CONFIGURATION)), "cni"),
    "the VPC CNI of AWS": (
        daemonset(container("602401143452.dkr.ecr.us-west-2.amazonaws.com/amazon-k8s-cni:v1.19", mounts=CNI)),
        "cni",
    ),
    "cilium that replaces kube-proxy by an argument": (
        daemonset(container("quay.io/cilium/cilium:v1.17", "cilium-agent", args=["--kube-proxy-replacement=true"], mounts=CNI)),
        "cni kube-proxy startup-taint-remover",
    ),
    "kube-router with everything on, as by default": (
        daemonset(container("docker.io/cloudnativelabs/kube-router:v2", mounts={"/etc/cni/net.d": "/etc/cni/net.d"})),
        "cni kube-proxy",
    ),
    "kube-router as a firewall only": (
        daemonset(
            container("cloudnativelabs/kube-router", args=["--run-router=false", "--run-firewall=true", "--run-service-proxy=false"])
        ),
        "network-policy",
    ),
    "sriov-cni": (
        daemonset(container("ghcr.io/k8snetworkplumbingwg/sriov-cni:v2.9", mounts={"/opt/cni/bin": "/host/opt/cni/bin"})),
        "secondary-cni",
    ),
    "whereabouts": (
        daemonset(
            container(
                "ghcr.io/k8snetworkplumbingwg/whereabouts:v0.8",
                "/bin/sh",
                args=["-c", "SLEEP=false source /install-cni.sh\n/token-watcher.sh &\n/ip-control-loop -log-level debug"],
                mounts=CNI,
            )
        ),
        "secondary-cni",
    ),
    "istio-cni": (daemonset(container("docker.io/istio/install-cni:1.25", "install-cni", mounts=CNI)), "mesh-cni startup-taint-remover"),
    "istio-cni from the registry of its releases": (
        daemonset(container("gcr.io/istio-release/install-cni:1.29.0", mounts=CNI)),
        "mesh-cni startup-taint-remover",
    ),
    "istio-cni in a mirror, by what it is given": (
        daemonset(container("registry.example/mesh/install-cni:1", env={"REPAIR_NODE_NAME": "x"}, mounts=CNI)),
        "mesh-cni startup-taint-remover",
    ),
    "consul-cni": (
        daemonset(
            container("hashicorp/consul-k8s-control-plane:1.8", "/bin/sh", "-ec", "consul-k8s-control-plane install-cni", mounts=CNI)
        ),
        "mesh-cni",
    ),
    "kuma-cni": (daemonset(container("docker.io/kumahq/kuma-cni:2.9", mounts=CNI)), "mesh-cni"),
    "linkerd-cni": (daemonset(container("cr.l5d.io/linkerd/cni-plugin:v1.6", mounts=CNI)), "mesh-cni"),
    "programs of network plugins without a configuration, by something unknown": (
        daemonset(container("registry.example/plugins:1", mounts=PROGRAMS)),
        "secondary-cni",
    ),
    "multus together with the plugin that gives addresses": (
        daemonset(
            container("ghcr.io/k8snetworkplumbingwg/multus-cni:v4", mounts=CNI), container("ghcr.io/k8snetworkplumbingwg/whereabouts")
        ),
        "cni",
    ),
    "k3s's folders": (
        daemonset(container("rancher/hardened-cni-plugins:v1", mounts={"/var/lib/rancher/k3s/agent/etc/cni/net.d": "/host/etc/cni/net.d"})),
        "cni",
    ),
    "GKE's folder, known by its path inside": (
        daemonset(container("gke.gcr.io/netd", mounts={"/home/kubernetes/bin": "/host/opt/cni/bin"})),
        "cni",
    ),
    "a network that nobody knows": (daemonset(container("registry.example/overlay:7", mounts={"/etc/cni/net.d": "/etc/cni/net.d"})), "cni"),
    "kube-proxy": (
        daemonset(container("registry.k8s.io/kube-proxy:v1.35.0", "/usr/local/bin/kube-proxy", "--config=/var/lib/kube-proxy/config.conf")),
        "kube-proxy",
    ),
    "kube-proxy of EKS": (
        daemonset(container("602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/kube-proxy:v1.33", "kube-proxy", "--v=2")),
        "kube-proxy",
    ),
    "kube-proxy with its architecture": (
        daemonset(
            container(
                "gke.gcr.io/kube-proxy-amd64:v1.30",
                "/bin/sh",
                "-c",
                "exec kube-proxy --master=https://10.0.0.2 1>>/var/log/kube-proxy.log 2>&1",
            )
        ),
        "kube-proxy",
    ),
    "kube-proxy in hyperkube": (daemonset(container("k8s.gcr.io/hyperkube:v1.18", "/hyperkube", "proxy", "--kubeconfig=/k")), "kube-proxy"),
    "node-local DNS": (daemonset(container("registry.example/dns:1", "/node-cache", args=["-localip", "169.254.20.10"])), "node-local-dns"),
    "CoreDNS behind a Service": (
        daemonset(container("registry.example/coredns:1", "coredns", args=["-conf", "/etc/coredns/Corefile"])),
        "cluster-dns",
    ),
    "CoreDNS on the port of the node": (
        daemonset(
            {
                **container("registry.example/coredns:1", args=["-conf", "/etc/coredns/Corefile"]),
                "ports": [{"containerPort": 53, "hostPort": 53}],
            }
        ),
        "node-local-dns",
    ),
    "unbound on the network of the node": (daemonset(container("registry.example/unbound:1"), host_network=True), "node-local-dns"),
    "network policies of Azure": (daemonset(container("mcr.microsoft.com/containernetworking/azure-npm:v1.6")), "network-policy"),
    # devices
    "NVIDIA's device plugin": (
        daemonset(container("nvcr.io/nvidia/k8s-device-plugin:v0.17", "nvidia-device-plugin", mounts=PLUGINS)),
        "device-plugin",
    ),
    "the GPU operator's device plugin": (
        daemonset(
            container(
                "nvcr.io/nvidia/k8s-device-plugin:v0.17",
                "/bin/bash",
                "-c",
                args=["/bin/entrypoint.sh"],
                mounts={**PLUGINS, "/run/nvidia": "/run/nvidia"},
            ),
            init=[
                container(
                    "nvcr.io/nvidia/gpu-operator-validator:v24",
                    "sh",
                    "-c",
                    args=["until [ -f /run/nvidia/validations/toolkit-ready ]; do sleep 5; done"],
                )
            ],
        ),
        "device-plugin",
    ),
    "the SR-IOV device plugin": (
        daemonset(
            container(
                "ghcr.io/k8snetworkplumbingwg/sriov-network-device-plugin:v3.9", args=["--log-level=10"], mounts={**PLUGINS, **REGISTRY}
            )
        ),
        "device-plugin",
    ),
    "the SR-IOV device plugin with the kubelet's whole folder": (
        daemonset(container("nfvpe/sriov-device-plugin:latest", mounts={"/var/lib/kubelet/": "/var/lib/kubelet/"})),
        "device-plugin",
    ),
    "a device plugin that nobody knows, of a kubelet elsewhere": (
        daemonset(container("registry.example/quantum:1", mounts={"/data/kubelet/device-plugins/": "/dp"})),
        "device-plugin",
    ),
    "virt-handler": (
        daemonset(container("quay.io/kubevirt/virt-handler:v1", "virt-handler", mounts=PLUGINS)),
        "device-plugin virtualization",
    ),
    "NVIDIA's DRA driver": (
        daemonset(
            container("nvcr.io/nvidia/k8s-dra-driver-gpu:v25", "gpu-kubelet-plugin", mounts={**REGISTRY, "/var/run/cdi": "/var/run/cdi"}),
            container(
                "nvcr.io/nvidia/k8s-dra-driver-gpu:v25",
                "compute-domain-kubelet-plugin",
                mounts={**REGISTRY, "/var/run/cdi": "/var/run/cdi"},
            ),
        ),
        "dra-driver",
    ),
    "a DRA driver that nobody knows": (daemonset(container("registry.example/dra:1", mounts=REGISTRY)), "dra-driver"),
    "MOFED": (
        daemonset(
            container(
                "nvcr.io/nvidia/mellanox/doca-driver:25",
                mounts={"/run/mellanox/drivers": ("/run/mellanox/drivers", SHARED)},
                privileged=True,
            )
        ),
        "driver-installer",
    ),
    "NVIDIA's driver, known by its folder": (
        daemonset(container("registry.example/gpu:1", "run-driver", mounts={"/run/nvidia": ("/run/nvidia", SHARED)}, privileged=True)),
        "driver-installer",
    ),
    "NVIDIA's container toolkit": (
        daemonset(
            container(
                "nvcr.io/nvidia/k8s/container-toolkit:v1.17",
                "/bin/sh",
                "-c",
                args=["/bin/entrypoint.sh"],
                mounts={"/run/nvidia/toolkit": "/run/nvidia/toolkit"},
            )
        ),
        "container-toolkit",
    ),
    "NVIDIA's container toolkit in a mirror, by its folder": (
        daemonset(
            container(
                "registry.example/mirror/toolkit:1",
                mounts={"/usr/local/nvidia/toolkit": "/usr/local/nvidia/toolkit", "/run/nvidia": ("/run/nvidia", SHARED)},
            )
        ),
        "container-toolkit",
    ),
    "libraries for GPUDirect": (
        daemonset(container("us-docker.pkg.dev/gce-ai-infra/gpudirect-tcpx/nccl-plugin-gpudirecttcpx-dev:v3")),
        "device-libraries",
    ),
    "libraries that an init container of a mirror installs": (
        daemonset(
            container("registry.k8s.io/pause:3.10"),
            init=[container("registry.example/nccl-net:1", "/install.sh", mounts={"/usr/local/lib/nccl": "/out"}, privileged=True)],
        ),
        "device-libraries",
    ),
    "the GPU operator's validator": (
        daemonset(
            container(
                "nvcr.io/nvidia/cloud-native/gpu-operator-validator:v24",
                "sh",
                "-c",
                args=["echo all validations are successful; sleep infinity"],
            ),
            init=[
                container(
                    "",
                    "sh",
                    "-c",
                    "nvidia-validator",
                    mounts={"/run/nvidia/validations": ("/run/nvidia/validations", SHARED)},
                    privileged=True,
                )
            ],
        ),
        "readiness-gate",
    ),
    "the SR-IOV config daemon": (
        daemonset(
            container(
                "ghcr.io/k8snetworkplumbingwg/sriov-network-operator-config-daemon:v1",
                "sriov-network-config-daemon",
                args=["start"],
                mounts={"/": "/host"},
            )
        ),
        "device-configurer",
    ),
    "an installer of modules in a script": (
        daemonset(
            container("registry.example/pause:3"),
            init=[container("registry.example/tools:1", "sh", "-c", "modprobe nvidia_peermem && echo done", privileged=True)],
        ),
        "driver-installer",
    ),
    # labels
    "the worker of node feature discovery": (
        daemonset(container("registry.k8s.io/nfd/node-feature-discovery:v0.17", "nfd-worker", mounts=PROC)),
        "label-producer",
    ),
    "GPU feature discovery": (
        daemonset(
            container(
                "nvcr.io/nvidia/k8s-device-plugin:v0.17",
                "gpu-feature-discovery",
                mounts={"/etc/kubernetes/node-feature-discovery/features.d": "/out"},
            )
        ),
        "label-producer",
    ),
    "AMD's labeller, in the image of the device plugin": (
        daemonset(container("rocm/k8s-device-plugin:labeller-latest", "./k8s-node-labeller", args=["-vram"], mounts={"/dev": "/dev"})),
        "label-producer",
    ),
    "a script that labels": (
        daemonset(
            container(
                "bitnami/kubectl:1.33",
                "sh",
                "-c",
                'while true; do kubectl label node "$NODE_NAME" rack.example.com/row=$(cat /row) --overwrite; sleep 60; done',
            )
        ),
        "label-producer",
    ),
    "a script that removes a startup taint": (
        daemonset(
            container(
                "bitnami/kubectl:1.33",
                "sh",
                "-c",
                "/check.sh && kubectl taint nodes $NODE_NAME example.com/not-prepared:NoSchedule-\nsleep infinity",
            )
        ),
        "startup-taint-remover",
    ),
    "a program that is told a startup taint": (
        daemonset(container("registry.example/prepare:1", args=["--startup-taint=example.com/not-prepared:NoExecute"])),
        "startup-taint-remover",
    ),
    # storage
    "rook's RBD plugin": (
        daemonset(
            registrar("rook-ceph.rbd.csi.ceph.com"),
            container(
                "quay.io/cephcsi/cephcsi:v3.13",
                args=["--type=rbd", "--nodeserver=true", "--drivername=rook-ceph.rbd.csi.ceph.com"],
                mounts={"/var/lib/kubelet/pods": ("/var/lib/kubelet/pods", SHARED)},
            ),
        ),
        "csi-node-driver",
    ),
    "topolvm-node": (
        daemonset(
            container("ghcr.io/topolvm/topolvm-with-sidecar:0.36", "/topolvm-node"),
            container(
                "ghcr.io/topolvm/topolvm-with-sidecar:0.36",
                "/csi-node-driver-registrar",
                "--kubelet-registration-path=/var/lib/kubelet/plugins/topolvm.io/node/csi-topolvm.sock",
            ),
        ),
        "csi-node-driver local-storage-provisioner",
    ),
    "local volumes of OpenEBS LVM": (
        daemonset(
            registrar("lvm-localpv"), container("openebs/lvm-driver:1.6", args=["--plugin=agent", "--drivername=local.csi.openebs.io"])
        ),
        "csi-node-driver local-storage-provisioner",
    ),
    "the local static provisioner": (
        daemonset(container("registry.k8s.io/sig-storage/local-volume-provisioner:v2.7", mounts={"/mnt/disks": "/mnt/disks"})),
        "local-storage-provisioner",
    ),
    "OpenEBS' node disk manager": (
        daemonset(container("openebs/node-disk-manager:2.1", mounts={"/dev": "/dev"})),
        "local-storage-provisioner",
    ),
    "portworx": (
        daemonset(container("docker.io/portworx/oci-monitor:3.2"), registrar("pxd.portworx.com")),
        "csi-node-driver storage-node",
    ),
    "a provider of the secrets store": (
        daemonset(container("mcr.microsoft.com/oss/azure/secrets-store/provider-azure:v1.6")),
        "secrets-store-provider",
    ),
    "a driver with a registrar in one image": (
        daemonset(
            container(
                "registry.example/allinone:1",
                "/registrar",
                args=["--kubelet-registration-path", "/var/lib/kubelet/plugins/x.example.com/csi.sock"],
            )
        ),
        "csi-node-driver",
    ),
    "a driver on Windows": (
        daemonset(
            container(
                "registry.example/reg:1",
                "csi-node-driver-registrar.exe",
                args=[r"--kubelet-registration-path=C:\\var\\lib\\kubelet\\plugins\\smb.csi.k8s.io\\csi.sock"],
            )
        ),
        "csi-node-driver",
    ),
    # who watches
    "fluentd": (daemonset(container("fluent/fluentd-kubernetes-daemonset:v1", mounts={"/var/log": "/var/log"})), "log-agent"),
    "promtail": (daemonset(container("grafana/promtail:3", args=["-config.file=/etc/promtail/promtail.yaml"], mounts=LOGS)), "log-agent"),
    "filebeat": (
        daemonset(container("docker.elastic.co/beats/filebeat:8.17.0", args=["-c", "/etc/filebeat.yml", "-e"], mounts=LOGS)),
        "log-agent",
    ),
    "a log agent that nobody knows, which sees the volumes of pods": (
        daemonset(
            container(
                "registry.example/shipper:1",
                mounts={"/var/log/pods": ("/var/log/pods", READ_ONLY), "/var/lib/kubelet/pods": ("/var/lib/kubelet/pods", READ_ONLY)},
            )
        ),
        "log-agent",
    ),
    "a log agent by its name": (daemonset(container("registry.example/log-agent:3.2.0")), "log-agent"),
    "datadog with logs": (
        daemonset(container("gcr.io/datadoghq/agent:7", "agent", "run", env={"DD_LOGS_ENABLED": "true"})),
        "log-agent metrics-exporter",
    ),
    "an OpenTelemetry collector of logs": (
        daemonset(
            container(
                "otel/opentelemetry-collector-contrib:0.120.0",
                args=["--config=/conf/relay.yaml"],
                mounts={"/var/log/pods": ("/var/log/pods", READ_ONLY)},
            )
        ),
        "log-agent",
    ),
    "an OpenTelemetry collector of metrics": (
        daemonset(container("otel/opentelemetry-collector-contrib:0.120.0", mounts={"/": ("/hostfs", READ_ONLY)})),
        "metrics-exporter",
    ),
    "node-exporter with its own image": (
        daemonset(container("registry.example/ne:1", args=["--path.rootfs=/host"], mounts=ROOT)),
        "metrics-exporter",
    ),
    "dcgm-exporter": (
        daemonset(
            container(
                "nvcr.io/nvidia/k8s/dcgm-exporter:4",
                mounts={"/var/lib/kubelet/pod-resources": ("/var/lib/kubelet/pod-resources", READ_ONLY)},
            )
        ),
        "metrics-exporter",
    ),
    "cadvisor": (
        daemonset(container("gcr.io/cadvisor/cadvisor:v0.49", mounts={**ROOT, "/var/lib/docker": ("/var/lib/docker", READ_ONLY)})),
        "metrics-exporter",
    ),
    "an exporter that reads network configurations": (
        daemonset(container("registry.example/cni-exporter:1", mounts={"/etc/cni/net.d": ("/etc/cni/net.d", READ_ONLY)})),
        "metrics-exporter",
    ),
    "a known exporter that forgot to mount read-only": (
        daemonset(container("quay.io/prometheus/node-exporter:v1", mounts={"/etc/cni/net.d": "/etc/cni/net.d", **PLUGINS})),
        "metrics-exporter",
    ),
    "an exporter that nobody knows": (
        daemonset(container("registry.example/thermo:1", ports={"metrics": 9999}, mounts=PROC)),
        "metrics-exporter",
    ),
    "tetragon": (
        daemonset(container("quay.io/cilium/tetragon:v1.3", mounts=PROC), container("quay.io/cilium/hubble-export-stdout:v1.1")),
        "security-agent",
    ),
    "the agent of sysdig": (daemonset(container("quay.io/sysdig/agent:13", mounts=ROOT)), "security-agent"),
    "the sensor of CrowdStrike": (
        daemonset(container("registry.crowdstrike.com/falcon-sensor/release/falcon-sensor:7.20", privileged=True)),
        "security-agent",
    ),
    # the rest
    "kured": (daemonset(container("ghcr.io/kubereboot/kured:1.17", "/usr/bin/kured", privileged=True)), "reboot-coordinator"),
    "node-problem-detector": (
        daemonset(container("registry.k8s.io/node-problem-detector/node-problem-detector:v0.8.20", mounts=LOGS)),
        "node-problem-detector",
    ),
    "spegel": (
        daemonset(container("ghcr.io/spegel-org/spegel:v0.1", mounts={"/etc/containerd/certs.d": "/etc/containerd/certs.d"})),
        "image-cache",
    ),
    "the cloud node manager of Azure": (
        daemonset(
            container(
                "mcr.microsoft.com/oss/kubernetes/azure-cloud-node-manager:v1.32", "cloud-node-manager", args=["--node-name=$(NODE_NAME)"]
            )
        ),
        "startup-taint-remover cloud-controller",
    ),
    "vSphere's cloud controller, whose image is called manager": (
        daemonset(
            container("gcr.io/cloud-provider-vsphere/cpi/release/manager:v1.30", args=["--cloud-provider=vsphere"]),
            tolerates=["node.cloudprovider.kubernetes.io/uninitialized"],
        ),
        "startup-taint-remover cloud-controller",
    ),
    "a cloud controller that nobody knows, by the file of its cloud": (
        daemonset(
            container("registry.example/ccm:1", args=["--cloud-config=/etc/cloud.conf", "--leader-elect"]),
            tolerates=["node.cloudprovider.kubernetes.io/uninitialized"],
        ),
        "startup-taint-remover cloud-controller",
    ),
    "metallb's speaker": (daemonset(container("quay.io/metallb/speaker:v0.14")), "load-balancer"),
    "ingress-nginx": (daemonset(container("registry.k8s.io/ingress-nginx/controller:v1.12", "/nginx-ingress-controller")), "ingress"),
    "kata-deploy": (
        daemonset(
            container(
                "quay.io/kata-containers/kata-deploy:3.14",
                "bash",
                "-c",
                "/opt/kata-artifacts/scripts/kata-deploy.sh install",
                privileged=True,
            )
        ),
        "runtime-installer",
    ),
    "settings of the node in an init container": (
        daemonset(
            container("registry.k8s.io/pause:3.10"), init=[container("busybox", "sysctl", "-w", "vm.max_map_count=262144", privileged=True)]
        ),
        "node-setup",
    ),
    "images that are only pulled": (
        daemonset(container("registry.k8s.io/pause:3.10"), init=[container("registry.example/big:1", "true")]),
        "image-cache",
    ),
    "the pod identity agent of EKS": (
        daemonset(
            container(
                "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/eks-pod-identity-agent:v0.1.21",
                "/go-runner",
                "/eks-pod-identity-agent",
                "server",
            )
        ),
        "identity-agent",
    ),
    "rules for udev and units for systemd": (
        daemonset(
            container("registry.example/lite:1", "run.sh", mounts={"/etc/udev/rules.d": "/etc/udev/rules.d", "/etc/systemd/system": "/u"})
        ),
        "node-setup",
    ),
    "a script that labels, in a language of its own": (
        daemonset(container("python:3.12", "bash", "-c", "pip install kubernetes\npython -u /scripts/label-nodes-daemon.py")),
        "label-producer",
    ),
    # the same things under other names
    "cilium, by what it is given": (
        daemonset(container("registry.example/net:1", "/start", env={"CILIUM_K8S_NAMESPACE": "kube-system"})),
        "cni startup-taint-remover",
    ),
    "datadog, by what it is given": (
        daemonset(container("registry.example/agent:7", "agent", "run", env={"DD_KUBERNETES_KUBELET_HOST": "x"})),
        "metrics-exporter",
    ),
    "kube-proxy, by its configuration": (
        daemonset(container("registry.example/kp:1", args=["--config=/var/lib/kube-proxy/config.conf"])),
        "kube-proxy",
    ),
    "CoreDNS, by its Corefile": (
        daemonset(container("quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:0", args=["-conf", "/etc/coredns/Corefile"])),
        "cluster-dns",
    ),
    "a CSI driver that registers itself": (
        daemonset(container("registry.example/d:1", args=["--endpoint=unix:///csi/csi.sock"], mounts=REGISTRY)),
        "csi-node-driver",
    ),
    "a registrar whose image is not filled in": (daemonset(container("{{ .Image }}", name="node-driver-registrar")), "csi-node-driver"),
    "a provider of secrets that nobody knows": (
        daemonset(container("registry.example/p:1", mounts={"/etc/kubernetes/secrets-store-csi-providers": "/provider"})),
        "secrets-store-provider",
    ),
    "the exporter of the GPU operator's status": (
        daemonset(container("nvcr.io/nvidia/cloud-native/gpu-operator-validator:v24", "nvidia-validator", env={"COMPONENT": "metrics"})),
        "metrics-exporter",
    ),
    "longhorn's engine image": (
        daemonset(container("longhornio/longhorn-engine:v1.8", "/bin/bash", args=["-c", "diff /a /b || cp -p /a /b; sleep 3600"])),
        "storage-node",
    ),
    "velero's node agent": (daemonset(container("velero/velero:v1.15", "/velero", args=["node-agent", "server"])), "backup-agent"),
}


@pytest.mark.parametrize("given", NOTHING.values(), ids=NOTHING)
def test_nothing_is_recognised(given: DaemonSet) -> None:
    assert [component.kind.id for component in recognize_components(given)] == []


@pytest.mark.parametrize(("given", "expected"), PROJECTS.values(), ids=PROJECTS)
def test_a_daemonset_is_of_these_kinds(given: DaemonSet, expected: str) -> None:
    assert {component.kind.id for component in recognize_components(given)} == set(expected.split())


@pytest.mark.parametrize(("given", "expected"), PROJECTS.values(), ids=PROJECTS)
def test_kinds_come_worst_first_and_with_evidence_that_can_be_located(given: DaemonSet, expected: str) -> None:
    del expected
    found = recognize_components(given)
    assert [component.kind.rank for component in found] == sorted(component.kind.rank for component in found)
    for component in found:
        assert component.evidence
        for evidence in component.evidence:
            value = given.data
            for step in evidence.path:
                value = value[step]  # type: ignore[index]
            assert evidence.description
