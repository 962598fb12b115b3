"""Rendered YAML as a repository of a large platform holds it: 20 MB in 1,500 files, a tenth of the documents with a pod template."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import NamedTuple

FILES = 1_500

_WORDS_TEXT = (
    "controller replicas reconcile webhook operator namespace the of a to and which when is are field value default cluster node "
    "pod selector template rollout storage volume network policy endpoint certificate issuer secret config metrics scrape interval "
    "timeout retry backoff queue worker cache leader election lease zone region topology provider driver plugin device resource "
    "limit request must may should optional required deprecated immutable status condition phase observed generation spec object "
    "reference kind list"
)
_WORDS = _WORDS_TEXT.split()
_APPS_TEXT = "api billing cart catalog checkout feeds gateway identity ingest ledger mailer orders pricing ranking search shipping"
_APPS = _APPS_TEXT.split()
_PARTS_TEXT = "agent backend cache controller exporter frontend operator proxy queue scheduler server sync webhook worker"
_PARTS = _PARTS_TEXT.split()
_KEYS = ("dedicated", "nvidia.com/gpu", "node-role.kubernetes.io/control-plane", "example.com/pool", "spot")
_VALUES = ('"true"', '"8080"', "'10s'", "info", "http://otel.monitoring.svc:4317")
_TAINT_VALUES = ('"true"', "rdma", "'batch'")
_VERBS = ('["get", "list", "watch"]', "[get, create, patch]", '["*"]')
_GROUPS = ('""', "apps", "batch", "example.com")
_PROSE = """\
To run it on every node, start from this and adapt the tolerations:

    apiVersion: apps/v1
    kind: DaemonSet
    metadata:
      name: example
    spec:
      template:
        spec:
          tolerations:
          - operator: Exists

kind: DaemonSet is what you want on nodes; kind: Deployment elsewhere.
"""


class _Maker(NamedTuple):
    """Where an object lives, and what makes it up."""

    random: Random
    name: str
    namespace: str


class Shape(NamedTuple):
    """What was written."""

    files: int
    documents: int
    workloads: int
    characters: int


def write(folder: Path, seed: int = 1, scale: float = 1.0) -> Shape:
    """Write the files below a folder: the same bytes for the same seed and scale (the part of 1,500 files)."""
    random = Random(seed)
    written = Shape(0, 0, 0, 0)
    for name, documents in _dealt(random, scale):
        texts = [_text(random, kind, number) for kind, number in documents]
        text = "".join(_heading(random, name, index) + each for index, each in enumerate(texts))
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        workloads = sum(kind in _WORKLOADS for kind, _ in documents)
        written = Shape(written.files + 1, written.documents + len(texts), written.workloads + workloads, written.characters + len(text))
    return written


def _dealt(random: Random, scale: float) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    """The files by name with the kinds of their documents, each with a number that is its own."""
    deck = [kind for kind, (count, _) in _KINDS.items() for _ in range(max(1, round(count * scale)))]
    random.shuffle(deck)
    numbered = [(kind, number) for number, kind in enumerate(deck)]
    large = [each for each in numbered if each[0] == "LargeCustomResourceDefinition"]
    small = [each for each in numbered if each[0] != "LargeCustomResourceDefinition"]
    for kind, number in large:
        yield f"crds/{number:04}.yaml", [(kind, number)]
    files = max(1, round(FILES * scale) - len(large))
    ends = [0, *sorted(random.sample(range(1, len(small)), files - 1)), len(small)]
    for index, (start, end) in enumerate(pairwise(ends)):
        yield f"{random.choice(_APPS)}/{random.choice(('base', 'prod', 'stage'))}/{index:04}.yaml", small[start:end]


def _heading(random: Random, name: str, index: int) -> str:
    if random.random() < 0.6:
        return f"---\n# Source: {name.replace('/', '/templates/', 1)}\n"
    return "---\n" if index or random.random() < 0.5 else ""


def _text(random: Random, kind: str, number: int) -> str:
    name = f"{random.choice(_APPS)}-{random.choice(_PARTS)}-{number}"
    return _KINDS[kind][1](_Maker(random, name, f"team-{random.choice(_APPS)}"))


def _words(random: Random, count: int) -> str:
    return " ".join(random.choices(_WORDS, k=count))


def _indented(text: str, by: int) -> str:
    return textwrap.indent(text, " " * by)


def _metadata(maker: _Maker, namespaced: bool = True, by: int = 0) -> str:
    random = maker.random
    app = maker.name.partition("-")[0]
    lines = [
        "metadata:",
        f"  name: {maker.name}",
        *([f"  namespace: {maker.namespace}"] if namespaced else []),
        "  labels:",
        f"    app.kubernetes.io/name: {app}",
        f"    app.kubernetes.io/instance: {maker.name}",
        f'    app.kubernetes.io/version: "{random.randrange(9)}.{random.randrange(20)}.{random.randrange(9)}"',
        "    app.kubernetes.io/managed-by: Helm",
        f"    helm.sh/chart: {app}-{random.randrange(9)}.{random.randrange(20)}.0",
    ]
    if random.random() < 0.3:
        lines += ["  annotations:", f"    example.com/owner: 'team {app}'", f'    checksum/config: "{random.getrandbits(256):064x}"']
    return _indented("\n".join(lines) + "\n", by)


def _tolerations(random: Random, kind: str) -> list[str]:
    """Most DaemonSets tolerate something, few other workloads do; some of it is careless."""
    if random.random() > (0.85 if kind == "DaemonSet" else 0.4):
        return []
    lines = ["tolerations:"]
    for key in random.sample(_KEYS, random.choice((1, 1, 2, 3))):
        style = random.random()
        if style < 0.5:
            lines += [f"- key: {key}", "  operator: Equal", f"  value: {random.choice(_TAINT_VALUES)}", "  effect: NoSchedule"]
        elif style < 0.85:
            lines += [f"- key: {key}", "  operator: Exists", "  effect: NoSchedule"]
        else:
            lines += [f"- {{key: {key}, operator: Exists}}"]
    if random.random() < 0.4:
        lines += ["- operator: Exists  # runs everywhere"]
    return lines


def _container(random: Random, name: str) -> list[str]:
    port = random.randrange(2000, 9999)
    lines = [
        f"- name: {name}",
        f'  image: "registry.example.com/{name}:v{random.randrange(9)}.{random.randrange(30)}.{random.randrange(9)}"',
        "  imagePullPolicy: IfNotPresent",
        "  args:",
        *(f"  - --{random.choice(_WORDS)}-{random.choice(_WORDS)}={random.choice(_WORDS)}" for _ in range(random.randrange(3, 9))),
        f"  - --listen=0.0.0.0:{port}",
        "  env:",
        "  - name: NODE_NAME",
        "    valueFrom:",
        "      fieldRef:",
        "        fieldPath: spec.nodeName",
    ]
    for _ in range(random.randrange(2, 14)):
        lines += [f"  - name: {random.choice(_WORDS).upper()}_{random.choice(_WORDS).upper()}"]
        lines += [f"    value: {random.choice(_VALUES)}"]
    lines += ["  ports:", "  - name: http", f"    containerPort: {port}", "    protocol: TCP"]
    lines += [
        "  # the probes are those of the chart",
        "  livenessProbe:",
        "    httpGet: {path: /healthz, port: http}",
        "    periodSeconds: 10",
    ]
    lines += ["  readinessProbe:", "    httpGet:", "      path: /readyz", "      port: http", "    initialDelaySeconds: 5"]
    lines += ["  resources:", "    limits:", f"      memory: {random.randrange(4, 12) * 128}Mi", "    requests:"]
    lines += [f"      cpu: {random.randrange(1, 20) * 50}m", f"      memory: {random.randrange(1, 9) * 64}Mi"]
    lines += ["  securityContext:", "    allowPrivilegeEscalation: false", "    readOnlyRootFilesystem: true", "    capabilities:"]
    lines += ['      drop: ["ALL"]', "  volumeMounts:", "  - name: config", "    mountPath: /etc/config", "    readOnly: true"]
    lines += ["  - name: tmp", "    mountPath: /tmp"]
    return lines


def _pod_template(maker: _Maker, kind: str, by: int) -> str:
    random = maker.random
    lines = ["metadata:", "  labels:", f"    app.kubernetes.io/instance: {maker.name}", "  annotations:"]
    lines += ['    prometheus.io/scrape: "true"', "spec:"]
    spec = [f"serviceAccountName: {maker.name}"]
    if kind in {"Job", "CronJob"}:
        spec += ["restartPolicy: OnFailure"]
    if random.random() < 0.5:
        spec += ["nodeSelector:", "  kubernetes.io/os: linux"]
    spec += _tolerations(random, kind)
    spec += ["securityContext:", "  runAsNonRoot: true", "  runAsUser: 65532", "  seccompProfile:", "    type: RuntimeDefault"]
    if random.random() < 0.3:
        spec += ["initContainers:", *_container(random, "init")]
    spec += ["containers:"]
    for name in random.sample(_PARTS, random.choice((1, 1, 2, 3))):
        spec += _container(random, name)
    spec += ["volumes:", "- name: config", "  configMap:", f"    name: {maker.name}", "- name: tmp", "  emptyDir: {}"]
    return _indented("\n".join(lines + ["  " + line for line in spec]) + "\n", by)


def _workload(kind: str, more: str = "") -> Callable[[_Maker], str]:
    def text(maker: _Maker) -> str:
        version = "batch/v1" if kind == "Job" else "apps/v1"
        selector = f"  selector:\n    matchLabels:\n      app.kubernetes.io/instance: {maker.name}\n" if kind != "Job" else ""
        head = f"apiVersion: {version}\nkind: {kind}\n{_metadata(maker)}spec:\n{more.format(name=maker.name)}{selector}"
        return f"{head}  template:\n{_pod_template(maker, kind, 4)}"

    return text


def _cron_job(maker: _Maker) -> str:
    schedule = f'"{maker.random.randrange(60)} {maker.random.randrange(24)} * * *"'
    head = f"apiVersion: batch/v1\nkind: CronJob\n{_metadata(maker)}spec:\n  schedule: {schedule}\n  concurrencyPolicy: Forbid\n"
    return f"{head}  jobTemplate:\n    spec:\n      template:\n{_pod_template(maker, 'CronJob', 8)}"


def _service(maker: _Maker) -> str:
    ports = "".join(
        f"  - name: {name}\n    port: {maker.random.randrange(80, 9000)}\n    targetPort: {name}\n    protocol: TCP\n"
        for name in ("http", "metrics", "grpc")[: maker.random.randrange(1, 4)]
    )
    selector = f"  selector:\n    app.kubernetes.io/instance: {maker.name}\n"
    return f"apiVersion: v1\nkind: Service\n{_metadata(maker)}spec:\n  type: ClusterIP\n  ports:\n{ports}{selector}"


def _config_map(maker: _Maker) -> str:
    random = maker.random
    lines = [f"{random.choice(_WORDS)}.{random.choice(_WORDS)} = {random.choice(_WORDS)}" for _ in range(random.randrange(20, 120))]
    body = _indented("\n".join(lines), 4)
    return f'apiVersion: v1\nkind: ConfigMap\n{_metadata(maker)}data:\n  LOG_LEVEL: "info"\n  PORT: "8080"\n  app.conf: |\n{body}\n'


def _large_config_map(maker: _Maker) -> str:
    random = maker.random
    chapters = []
    for number in range(random.randrange(20, 60)):
        chapters += [f"## Chapter {number}: {_words(random, 4)}", "", textwrap.fill(_words(random, 150), 100), "", _PROSE]
    body = _indented("\n".join(chapters), 4)
    return f"apiVersion: v1\nkind: ConfigMap\n{_metadata(maker)}data:\n  README.md: |-\n{body}  empty: ''\n"


def _secret(maker: _Maker) -> str:
    data = "".join(f"  {key}: {maker.random.getrandbits(240):060x}\n" for key in ("ca.crt", "tls.crt", "tls.key"))
    return f"apiVersion: v1\nkind: Secret\n{_metadata(maker)}type: kubernetes.io/tls\ndata:\n{data}"


def _service_account(maker: _Maker) -> str:
    return f"apiVersion: v1\nkind: ServiceAccount\n{_metadata(maker)}automountServiceAccountToken: false\n"


def _rules(random: Random) -> str:
    return "".join(
        f"- apiGroups:\n  - {random.choice(_GROUPS)}\n  resources:\n"
        + "".join(f"  - {each}s\n" for each in random.sample(_WORDS, random.randrange(1, 5)))
        + f"  verbs: {random.choice(_VERBS)}\n"
        for _ in range(random.randrange(2, 9))
    )


def _role(kind: str) -> Callable[[_Maker], str]:
    def text(maker: _Maker) -> str:
        head = f"apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\n{_metadata(maker, kind == 'Role')}"
        return f"{head}rules:\n{_rules(maker.random)}"

    return text


def _binding(kind: str, role: str) -> Callable[[_Maker], str]:
    def text(maker: _Maker) -> str:
        head = f"apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\n{_metadata(maker, kind == 'RoleBinding')}"
        reference = f"roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: {role}\n  name: {maker.name}\n"
        return f"{head}{reference}subjects:\n- kind: ServiceAccount\n  name: {maker.name}\n  namespace: {maker.namespace}\n"

    return text


def _ingress(maker: _Maker) -> str:
    rules = "".join(
        f"  - host: {maker.random.choice(_APPS)}.example.com\n    http:\n      paths:\n      - path: /{maker.random.choice(_WORDS)}\n"
        f"        pathType: Prefix\n        backend:\n          service:\n            name: {maker.name}\n            port:\n"
        f"              name: http\n"
        for _ in range(maker.random.randrange(1, 5))
    )
    return f"apiVersion: networking.k8s.io/v1\nkind: Ingress\n{_metadata(maker)}spec:\n  ingressClassName: nginx\n  rules:\n{rules}"


def _network_policy(maker: _Maker) -> str:
    spec = f"spec:\n  podSelector:\n    matchLabels: {{app.kubernetes.io/instance: {maker.name}}}\n  policyTypes: [Ingress]\n"
    return f"apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n{_metadata(maker)}{spec}  ingress:\n  - ports:\n    - port: 8080\n"


def _budget(maker: _Maker) -> str:
    spec = f"spec:\n  maxUnavailable: 1\n  selector:\n    matchLabels:\n      app.kubernetes.io/instance: {maker.name}\n"
    return f"apiVersion: policy/v1\nkind: PodDisruptionBudget\n{_metadata(maker)}{spec}"


def _autoscaler(maker: _Maker) -> str:
    target = f"  scaleTargetRef:\n    apiVersion: apps/v1\n    kind: Deployment\n    name: {maker.name}\n"
    metric = "  metrics:\n  - type: Resource\n    resource:\n      name: cpu\n      target: {type: Utilization, averageUtilization: 80}\n"
    head = f"apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n{_metadata(maker)}spec:\n"
    return f"{head}{target}  minReplicas: 2\n  maxReplicas: 10\n{metric}"


def _alerts(maker: _Maker) -> str:
    random = maker.random
    rules = "".join(
        f"    - alert: {random.choice(_WORDS).title()}{random.choice(_WORDS).title()}{number}\n"
        f'      expr: |\n        sum by (namespace) (rate({random.choice(_WORDS)}_total{{job="{maker.name}"}}[5m]))\n'
        f"          > {random.random():.3f}\n      for: 10m\n      labels:\n        severity: {random.choice(('warning', 'critical'))}\n"
        f"      annotations:\n        summary: {_words(random, 8)}\n        description: >-\n          {_words(random, 14)}\n"
        f"          {_words(random, 14)}\n"
        for number in range(random.randrange(10, 40))
    )
    head = f"apiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\n{_metadata(maker)}spec:\n  groups:\n"
    return f"{head}  - name: {maker.name}\n    rules:\n{rules}"


def _schema(random: Random, depth: int, by: int) -> list[str]:
    """The properties of an object in OpenAPI, as controller-gen writes them."""
    lines: list[str] = []
    for number in range(random.randrange(4, 9)):
        lines += [f"{random.choice(_WORDS)}{random.choice(_WORDS).title()}{number}:", "  description: |-"]
        lines += ["    " + line for line in textwrap.wrap(_words(random, random.randrange(8, 45)), 76)]
        draw = random.random()
        if depth and draw < 0.55:
            lines += ["  properties:", *_schema(random, depth - 1, 4), "  type: object"]
        elif depth and draw < 0.7:
            lines += ["  items:", "    properties:", *_schema(random, depth - 1, 6), "    type: object", "  type: array"]
            lines += ["  x-kubernetes-list-type: atomic"]
        elif draw < 0.85:
            lines += ["  type: string"]
        else:
            lines += ["  enum:", "  - DaemonSet", "  - Deployment", '  - ""', "  type: string"]
    if random.random() < 0.2:
        lines += [
            "kind:",
            "  description: 'Kind is a string value, such as kind: DaemonSet, that says what the object is.'",
            "  type: string",
        ]
    return [" " * by + line for line in lines]


def _definition(depth: int, parts: int) -> Callable[[_Maker], str]:
    def text(maker: _Maker) -> str:
        random = maker.random
        plural = maker.name.replace("-", "") + "s"
        lines = ["apiVersion: apiextensions.k8s.io/v1", "kind: CustomResourceDefinition", "metadata:", "  annotations:"]
        lines += ["    controller-gen.kubebuilder.io/version: v0.16.1", f"  name: {plural}.example.com", "spec:", "  group: example.com"]
        lines += ["  names:", f"    kind: {plural[:-1].title()}", f"    plural: {plural}", f"    singular: {plural[:-1]}"]
        lines += ["  scope: Namespaced", "  versions:", "  - name: v1", "    served: true", "    storage: true", "    schema:"]
        lines += ["      openAPIV3Schema:", "        type: object", "        properties:"]
        for part in range(parts):
            lines += [f"          spec{part}:", "            type: object", "            properties:", *_schema(random, depth, 14)]
        return "\n".join(lines) + "\n"

    return text


_WORKLOADS = frozenset({"DaemonSet", "Deployment", "StatefulSet", "Job", "CronJob"})

# How many of each kind there are in 1,500 files, and what writes them.
_KINDS: dict[str, tuple[int, Callable[[_Maker], str]]] = {
    "DaemonSet": (120, _workload("DaemonSet", "  updateStrategy:\n    type: RollingUpdate\n")),
    "Deployment": (280, _workload("Deployment", "  replicas: 2\n  revisionHistoryLimit: 3\n")),
    "StatefulSet": (90, _workload("StatefulSet", "  serviceName: {name}\n  podManagementPolicy: Parallel\n")),
    "Job": (60, _workload("Job", "  backoffLimit: 3\n")),
    "CronJob": (80, _cron_job),
    "PodDisruptionBudget": (60, _budget),
    "LargeCustomResourceDefinition": (16, _definition(3, 1)),
    "CustomResourceDefinition": (60, _definition(1, 3)),
    "LargeConfigMap": (60, _large_config_map),
    "ConfigMap": (1_050, _config_map),
    "Secret": (250, _secret),
    "Service": (1_110, _service),
    "ServiceAccount": (750, _service_account),
    "ClusterRole": (420, _role("ClusterRole")),
    "Role": (350, _role("Role")),
    "ClusterRoleBinding": (420, _binding("ClusterRoleBinding", "ClusterRole")),
    "RoleBinding": (350, _binding("RoleBinding", "Role")),
    "Ingress": (250, _ingress),
    "NetworkPolicy": (250, _network_policy),
    "HorizontalPodAutoscaler": (174, _autoscaler),
    "PrometheusRule": (100, _alerts),
}
