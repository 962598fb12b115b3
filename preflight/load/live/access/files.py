"""Kubeconfigs: which files, what each holds, and several made one.

Source: client-go `tools/clientcmd/loader.go` (loading rules, relative paths), `tools/clientcmd/merge.go`, and
`tools/clientcmd/api/v1/conversion.go` (names that are there twice).
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from preflight.documents import InvalidDocument, split_documents
from preflight.documents.reader import read_chunk
from preflight.errors import InputError
from preflight.load.live.access.model import Cluster, Context, ExecConfig, Kubeconfig, KubeconfigFile, User
from preflight.messages import kubeconfig as messages

MAX_SIZE = 16 << 20
"""How many bytes a kubeconfig may have."""

_OLD_EXEC_VERSIONS = ("client.authentication.k8s.io/v1beta1", "client.authentication.k8s.io/v1alpha1")
_DATA_FIELDS = ("certificate_authority_data", "client_certificate_data", "client_key_data")


def load_kubeconfig(explicit: str, environment: Mapping[str, str]) -> Kubeconfig:
    """The files of a kubeconfig, merged.

    1. `explicit` (`--kubeconfig`) must exist. Else $KUBECONFIG lists files, and without it the file is ~/.kube/config. Each is read once;
       empty names and files that do not exist are left out.
    2. If several files have a name, only the first of them counts for it. The first current context that is not empty counts.
    3. A relative path is relative to the folder of its file. A command is a path only if it has a slash.
    4. An empty file is an empty kubeconfig.

    Errors: InputError for every file that cannot be read, with its line if it is no YAML.
    """
    paths = explicit or environment.get("KUBECONFIG") or os.path.expanduser("~/.kube/config")  # noqa: PTH111 (pathlib is slow to import)
    names = [explicit] if explicit else [name for name in dict.fromkeys(paths.split(os.pathsep)) if name]
    files: list[tuple[str, KubeconfigFile]] = []
    problems: list[str] = []
    for name in names:
        try:
            files.append((name, _read_file(name)))
        except FileNotFoundError:
            if explicit:
                raise InputError(messages.describe_missing_kubeconfig(name)) from None
        except InputError as error:
            problems.append(str(error))
    if problems:
        raise InputError("; ".join(problems))
    return _merge(paths, files)


def decode_data(text: str) -> bytes:
    """The bytes of a base64 field. Line ends are no part of it, as in Go. Errors: ValueError."""
    return base64.b64decode(text.replace("\r", "").replace("\n", ""), validate=True)


def _read_file(path: str) -> KubeconfigFile:
    """One file. Errors: FileNotFoundError; InputError if it cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            content = file.read(MAX_SIZE + 1)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(messages.describe_unreadable_kubeconfig(path, getattr(error, "strerror", None) or "not a path")) from None
    if len(content) > MAX_SIZE:
        raise InputError(messages.describe_large_kubeconfig(path, MAX_SIZE >> 20))
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(messages.describe_undecodable_kubeconfig(path, content.count(b"\n", 0, error.start) + 1)) from None
    return _parse(path, text)


def _parse(path: str, text: str) -> KubeconfigFile:
    """1. Only the first document counts. 2. Without `kind` and `apiVersion` it is a Config of v1."""
    chunk = next(iter(split_documents(text)), None)
    if chunk is None:
        return KubeconfigFile()
    document = chunk if isinstance(chunk, InvalidDocument) else read_chunk(chunk)
    if isinstance(document, InvalidDocument):
        raise InputError(messages.describe_kubeconfig_syntax(path, document.line, document.column, document.message))
    try:
        found = msgspec.convert(_drop_nulls(document.data) if document.data is not None else {}, KubeconfigFile)
    except msgspec.ValidationError as error:
        raise InputError(messages.describe_kubeconfig_field(path, str(error))) from None
    if found.kind not in ("", "Config") or found.api_version not in ("", "v1"):
        raise InputError(messages.describe_other_kind(path, found.kind or "Config", found.api_version or "v1"))
    _check_names(path, found)
    _check_data(path, found)
    return found


def _drop_nulls(data: Any) -> Any:
    """Plain data without the entries of mappings that are null, which Go leaves at their defaults."""
    if isinstance(data, dict):
        return {name: _drop_nulls(value) for name, value in data.items() if value is not None}
    return [_drop_nulls(value) for value in data] if isinstance(data, list) else data


def _check_names(path: str, found: KubeconfigFile) -> None:
    named: list[tuple[str, Iterable[Any]]] = [("clusters", found.clusters), ("users", found.users), ("contexts", found.contexts)]
    owners = [found, found.preferences, *(getattr(item, part[:-1]) for part, items in named for item in items)]
    for part, items in [*named, *(("extensions", owner.extensions) for owner in owners)]:
        seen: set[str] = set()
        for item in items:
            if item.name in seen:
                raise InputError(messages.describe_repeated_name(path, part, item.name))
            seen.add(item.name)


def _check_data(path: str, found: KubeconfigFile) -> None:
    """Whether each base64 field is base64: one that is not makes the whole file unreadable."""
    for place, part in _iter_parts(found):
        for name in _DATA_FIELDS:
            try:
                decode_data(getattr(part, name, ""))
            except (ValueError, binascii.Error):
                raise InputError(messages.describe_invalid_base64(path, f"{place}.{name.replace('_', '-')}")) from None


def _iter_parts(found: KubeconfigFile) -> Iterator[tuple[str, Cluster | User]]:
    yield from ((f"cluster {named.name}", named.cluster) for named in found.clusters)
    yield from ((f"user {named.name}", named.user) for named in found.users)


def _merge(paths: str, files: Sequence[tuple[str, KubeconfigFile]]) -> Kubeconfig:
    clusters: dict[str, Cluster] = {}
    users: dict[str, User] = {}
    contexts: dict[str, Context] = {}
    current = ""
    for path, found in files:
        folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
        for cluster in found.clusters:
            clusters.setdefault(cluster.name, _resolve_cluster(cluster.cluster, folder))
        for user in found.users:
            users.setdefault(user.name, _resolve_user(user.user, folder))
        for context in found.contexts:
            contexts.setdefault(context.name, context.context)
        current = current or found.current_context
    return Kubeconfig(paths, not files, clusters, users, contexts, current)


def _resolve_cluster(cluster: Cluster, folder: str) -> Cluster:
    return replace(cluster, certificate_authority=_resolve_path(cluster.certificate_authority, folder))


def _resolve_user(user: User, folder: str) -> User:
    return replace(
        user,
        client_certificate=_resolve_path(user.client_certificate, folder),
        client_key=_resolve_path(user.client_key, folder),
        token_file=_resolve_path(user.token_file, folder),
        exec=_resolve_exec(user.exec, folder) if user.exec else None,
    )


def _resolve_exec(plugin: ExecConfig, folder: str) -> ExecConfig:
    """1. A command with a slash is a path. 2. Old versions have a default of `interactiveMode` (`api/v1/defaults.go`)."""
    command = _resolve_path(plugin.command, folder) if os.sep in plugin.command else plugin.command
    mode = plugin.interactive_mode or ("IfAvailable" if plugin.api_version in _OLD_EXEC_VERSIONS else "")
    return replace(plugin, command=command, interactive_mode=mode)


def _resolve_path(path: str, folder: str) -> str:
    return os.path.normpath(os.path.join(folder, path)) if path and not os.path.isabs(path) else path  # noqa: PTH117, PTH118
