"""The service account of the pod that this runs in.

Source: client-go `rest/config.go` (InClusterConfig) and `tools/clientcmd/client_config.go` (inClusterClientConfig).
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from preflight.errors import InputError
from preflight.load.live.access.credentials import read_file
from preflight.load.live.access.tls import holds_certificate

FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount"


def is_in_cluster(environment: Mapping[str, str]) -> bool:
    """Whether this runs in a pod that has a service account."""
    has_address = bool(environment.get("KUBERNETES_SERVICE_HOST") and environment.get("KUBERNETES_SERVICE_PORT"))
    return has_address and os.path.isfile(get_token_path())  # noqa: PTH113 (as everywhere: pathlib is slow to import)


def get_server(environment: Mapping[str, str]) -> str:
    """The address of the API server."""
    host, port = environment["KUBERNETES_SERVICE_HOST"], environment["KUBERNETES_SERVICE_PORT"]
    return f"https://{f'[{host}]' if ':' in host else host}:{port}"


def get_token_path() -> str:
    """The file of the token."""
    return f"{FOLDER}/token"


def read_authority() -> bytes | None:
    """The certificates that the pod trusts; None, those of the system, if its file holds none."""
    try:
        content = read_file(f"{FOLDER}/ca.crt", "certificate-authority")
    except InputError:
        return None
    return content if holds_certificate(content) else None


def read_namespace(environment: Mapping[str, str]) -> str:
    """The namespace of the pod."""
    if environment.get("POD_NAMESPACE"):
        return environment["POD_NAMESPACE"]
    try:
        return read_file(f"{FOLDER}/namespace", "namespace").decode("utf-8", "replace").strip() or "default"
    except InputError:
        return "default"
