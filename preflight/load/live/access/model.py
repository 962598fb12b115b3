"""What a kubeconfig holds. Source: client-go `tools/clientcmd/api/v1/types.go`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field


class NamedExtension(Struct, frozen=True):
    """`extensions[]`: anything, under a name."""

    name: str = ""
    extension: Any = None


class Cluster(Struct, frozen=True, rename="kebab"):
    """`clusters[].cluster`: where a server is, and how it is known."""

    server: str = ""
    tls_server_name: str = ""
    insecure_skip_tls_verify: bool = False
    certificate_authority: str = ""
    certificate_authority_data: str = ""
    proxy_url: str = ""
    disable_compression: bool = False
    extensions: tuple[NamedExtension, ...] = ()


class ExecVariable(Struct, frozen=True):
    """`env[]` of a credential plugin."""

    name: str = ""
    value: str = ""


class ExecConfig(Struct, frozen=True, rename="camel"):
    """`exec`: a program that prints credentials."""

    command: str = ""
    args: tuple[str, ...] = ()
    env: tuple[ExecVariable, ...] = ()
    api_version: str = ""
    install_hint: str = ""
    provide_cluster_info: bool = False
    interactive_mode: str = ""


class AuthProvider(Struct, frozen=True):
    """`auth-provider`: a way to credentials that kubectl once had built in."""

    name: str = ""
    config: Mapping[str, str] = field(default_factory=dict)


class User(Struct, frozen=True, rename="kebab"):
    """`users[].user`: who asks."""

    client_certificate: str = ""
    client_certificate_data: str = ""
    client_key: str = ""
    client_key_data: str = ""
    token: str = ""
    token_file: str = field(default="", name="tokenFile")
    impersonated: str = field(default="", name="as")
    impersonated_uid: str = field(default="", name="as-uid")
    impersonated_groups: tuple[str, ...] = field(default=(), name="as-groups")
    impersonated_extra: Mapping[str, tuple[str, ...]] = field(default_factory=dict, name="as-user-extra")
    username: str = ""
    password: str = ""
    auth_provider: AuthProvider | None = None
    exec: ExecConfig | None = None
    extensions: tuple[NamedExtension, ...] = ()


class Context(Struct, frozen=True):
    """`contexts[].context`: a cluster, a user and a namespace by their names."""

    cluster: str = ""
    user: str = ""
    namespace: str = ""
    extensions: tuple[NamedExtension, ...] = ()


class NamedCluster(Struct, frozen=True):
    """`clusters[]`."""

    name: str = ""
    cluster: Cluster = Cluster()


class NamedUser(Struct, frozen=True):
    """`users[]`."""

    name: str = ""
    user: User = User()


class NamedContext(Struct, frozen=True):
    """`contexts[]`."""

    name: str = ""
    context: Context = Context()


class Preferences(Struct, frozen=True):
    """`preferences`."""

    colors: bool = False
    extensions: tuple[NamedExtension, ...] = ()


class KubeconfigFile(Struct, frozen=True, rename="kebab"):
    """One file."""

    kind: str = ""
    api_version: str = field(default="", name="apiVersion")
    preferences: Preferences = Preferences()
    clusters: tuple[NamedCluster, ...] = ()
    users: tuple[NamedUser, ...] = ()
    contexts: tuple[NamedContext, ...] = ()
    current_context: str = ""
    extensions: tuple[NamedExtension, ...] = ()


class Kubeconfig(Struct, frozen=True):
    """Files merged: what each name stands for, with absolute paths.

    `paths` says where files were looked for; `is_missing` that there are none.
    """

    paths: str
    is_missing: bool
    clusters: Mapping[str, Cluster]
    users: Mapping[str, User]
    contexts: Mapping[str, Context]
    current_context: str
