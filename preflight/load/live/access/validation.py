"""What kubectl refuses of the cluster and the user that it would use.

Source: client-go `tools/clientcmd/validation.go` (validateClusterInfo, validateAuthInfo), `transport/transport.go` (TLSConfigFor), and
`plugin/pkg/client/auth/exec/exec.go` (newAuthenticator).
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.load.live.access.model import Cluster, ExecConfig, User
from preflight.load.live.access.proxies import parse_proxy_url
from preflight.messages import kubeconfig as messages

EXEC_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")
"""The versions of the protocol of credential plugins."""

INTERACTIVE_MODES = ("Never", "IfAvailable", "Always")


def list_cluster_problems(name: str, cluster: Cluster) -> Iterator[str]:
    """What is wrong with a cluster.

    1. It must have a server. A proxy must be one of http, https or socks5.
    2. Certificates of authorities are given as a file or as data.
    """
    if not cluster.server:
        yield messages.describe_no_server(name)
    if cluster.proxy_url and parse_proxy_url(cluster.proxy_url) is None:
        yield messages.describe_invalid_proxy(name)
    if cluster.certificate_authority and cluster.certificate_authority_data:
        yield messages.describe_exclusive_fields(f"cluster {name}", "certificate-authority", "certificate-authority-data")


def list_tls_problems(name: str, cluster: Cluster) -> Iterator[str]:
    """What is wrong with a cluster that is asked by https: to trust an authority and to trust everybody exclude one another."""
    if cluster.insecure_skip_tls_verify and (cluster.certificate_authority or cluster.certificate_authority_data):
        authority = "certificate-authority" if cluster.certificate_authority else "certificate-authority-data"
        yield messages.describe_exclusive_fields(f"cluster {name}", authority, "insecure-skip-tls-verify")


def list_user_problems(name: str, user: User) -> Iterator[str]:
    """What is wrong with a user.

    1. A token excludes a user name and password; both may stand next to a certificate.
    2. A certificate comes with its key, each as a file or as data.
    3. A plugin says its command, the version of its protocol, and whether it may read standard input; it excludes an auth-provider.
    4. A UID, groups and extra fields are impersonated only together with a user name.
    """
    place = f"user {name}"
    if user.token and (user.username or user.password):
        yield messages.describe_exclusive_fields(place, "token", "username/password")
    elif user.token_file and user.username:
        yield messages.describe_exclusive_fields(place, "tokenFile", "username/password")
    if user.client_certificate or user.client_certificate_data:
        if user.client_certificate and user.client_certificate_data:
            yield messages.describe_exclusive_fields(place, "client-certificate", "client-certificate-data")
        if user.client_key and user.client_key_data:
            yield messages.describe_exclusive_fields(place, "client-key", "client-key-data")
        if not user.client_key and not user.client_key_data:
            yield messages.describe_certificate_without_key(name)
    if user.exec is not None:
        if user.auth_provider is not None:
            yield messages.describe_exclusive_fields(place, "exec", "auth-provider")
        yield from _list_exec_problems(name, user.exec)
    if (user.impersonated_uid or user.impersonated_groups or user.impersonated_extra) and not user.impersonated:
        yield messages.describe_impersonation_without_user(name)


def _list_exec_problems(name: str, plugin: ExecConfig) -> Iterator[str]:
    if not plugin.command:
        yield messages.describe_exec_without(name, "command")
    if not plugin.api_version:
        yield messages.describe_exec_without(name, "apiVersion")
    elif plugin.api_version not in EXEC_VERSIONS:
        yield messages.describe_exec_version(name, plugin.api_version, EXEC_VERSIONS)
    if any(not variable.name for variable in plugin.env):
        yield messages.describe_exec_without(name, "env[].name")
    if not plugin.interactive_mode:
        yield messages.describe_exec_without(name, "interactiveMode")
    elif plugin.interactive_mode not in INTERACTIVE_MODES:
        yield messages.describe_exec_mode(name, plugin.interactive_mode, INTERACTIVE_MODES)
