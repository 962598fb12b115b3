"""DaemonSets as text, for whole runs."""

from __future__ import annotations


def daemonset(
    name: str = "agent", *tolerations: str, namespace: str = "ops", labels: str = "", head: str = "", annotations: str = ""
) -> str:
    """A manifest with its tolerations in lines of their own; `head` stands before it."""
    lines = [
        *([head] if head else []),
        "apiVersion: apps/v1",
        "kind: DaemonSet",
        "metadata:",
        f"  name: {name}",
        f"  namespace: {namespace}",
        *([f"  labels: {labels}"] if labels else []),
        *([f"  annotations: {annotations}"] if annotations else []),
        "spec:",
        f"  selector: {{matchLabels: {{app: {name}}}}}",
        "  template:",
        f"    metadata: {{labels: {{app: {name}}}}}",
        "    spec:",
        "      nodeSelector: {kubernetes.io/os: linux}",
        f'      containers: [{{name: c, image: "registry.example/{name}:1"}}]',
        *(["      tolerations:"] if tolerations else []),
        *(f"        {toleration}" if toleration.startswith("#") else f"        - {toleration}" for toleration in tolerations),
    ]
    return "\n".join(lines) + "\n"


WILD = "{operator: Exists}"
