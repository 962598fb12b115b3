"""From a kubeconfig, or the pod that this runs in, to a server and the right to ask it: the official client's part."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any
from urllib.parse import quote

from preflight.errors import InputError
from preflight.load.live.target import ClusterTarget
from preflight.messages.live import (
    GROUP_WITHOUT_USER,
    NO_CLUSTER,
    NO_SERVER,
    describe_invalid_kubeconfig,
    describe_invalid_server,
    describe_missing_kubeconfig,
    describe_no_credentials,
    describe_no_current_context,
    describe_unknown_context,
    describe_unusable_context,
    describe_unusable_kubeconfig,
    describe_unusable_proxy,
)

MAX_PARALLEL = 8
"""How many requests are under way at a time."""

_NAMESPACE = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"


_PREFIX = "preflight-"
_LOADING = threading.Lock()
"""The client knows the files that it has written by their content alone, for all clusters: one kubeconfig is read at a time, and what
was written for it belongs to it from then on."""


class ClusterAccess:
    """A server, and the right to ask it.

    `context` and `namespace` are the kubeconfig's (`in-cluster` where there is none); `host` is the address as it stands there. `pool` is
    a urllib3 connection pool that trusts what the kubeconfig trusts and takes the way through its proxy.
    """

    def __init__(self, context: str, namespace: str, configuration: Any, impersonated: Sequence[tuple[str, str]], folder: str) -> None:
        from kubernetes.client import rest

        self.context, self.namespace, self.host = context, namespace, str(configuration.host)
        self._configuration, self._impersonated, self._folder = configuration, impersonated, folder
        self._files = _list_credential_files()
        self._renewing = threading.Lock()
        configuration.connection_pool_maxsize = MAX_PARALLEL
        self.pool: Any = rest.RESTClientObject(configuration).pool_manager

    def build_headers(self) -> list[tuple[str, str]]:
        """The headers that say who asks; a token that has expired is renewed."""
        configuration = self._configuration
        with self._renewing:  # a plugin is run once, and not by each of the requests that are under way
            tokens = [configuration.get_api_key_with_prefix(name) for name in tuple(configuration.api_key)]
        return [*self._impersonated, *(("Authorization", str(token)) for token in tokens[:1] if token)]

    def close(self) -> None:
        """Close the connections, and remove the keys and certificates that the client wrote to files."""
        self.pool.clear()
        _remove_credential_files(self._folder, self._files)


def open_access(target: ClusterTarget) -> ClusterAccess:
    """The server and the credentials of a target.

    1. $KUBECONFIG may name several files, which are merged, and the first that names a current context chooses it; without any, the
       service account of the pod around is used.
    2. Whom the kubeconfig impersonates (`as`, `as-uid`, `as-groups`, `as-user-extra`) is impersonated. A user or groups of the target take
       the place of its own, and of nothing else, as in kubectl (client-go `tools/clientcmd/client_config.go`).
    3. Nothing is written back: a renewed token serves this run only.

    Errors: InputError that names the file or the context, and never shows a credential.
    """
    import urllib3
    from kubernetes.client import Configuration

    urllib3.disable_warnings()  # of insecure-skip-tls-verify, which the kubeconfig asks for
    paths = target.kubeconfig or os.environ.get("KUBECONFIG") or os.path.expanduser("~/.kube/config")  # noqa: PTH111
    given = [path for path in paths.split(os.pathsep) if path and os.path.isfile(path)]  # noqa: PTH113
    configuration = Configuration()
    if not given:
        if target.kubeconfig or target.context:
            raise InputError(describe_missing_kubeconfig(paths))
        return _load_in_cluster(configuration, target)
    with contextlib.suppress(ValueError):  # in a thread it is not allowed
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # a job's time limit, too, leaves no credential behind
    with _LOADING:
        folder, said = tempfile.mkdtemp(prefix=_PREFIX), _ClientLogHandler()
        logging.getLogger().addHandler(said)
        try:
            return _read_kubeconfig(paths, given, configuration, target, folder, said)
        except BaseException:
            _remove_credential_files(folder, _list_credential_files())
            raise
        finally:
            logging.getLogger().removeHandler(said)


def _read_kubeconfig(
    paths: str, named_files: Sequence[str], configuration: Any, target: ClusterTarget, folder: str, client_log: _ClientLogHandler
) -> ClusterAccess:
    from kubernetes.config import ConfigException

    kube_config: Any = import_module("kubernetes.config.kube_config")
    try:
        merger = kube_config.KubeConfigMerger(os.pathsep.join(named_files))
        merged = merger.config
        name = target.context or next(
            filter(None, (config_file.get("current-context") for config_file in merger.config_files.values())), ""
        )
        if not name:
            raise InputError(describe_no_current_context(paths))
        if not (merged.safe_get("contexts") and merged["contexts"].get_with_name(name, safe=True)):
            raise InputError(describe_unknown_context(paths, name))
        loader = kube_config.KubeConfigLoader(merged, active_context=name, config_base_path=None, temp_file_path=folder)
        loader.load_and_set(configuration)
        context = loader.current_context["context"]
        user = merged["users"].get_with_name(context["user"], safe=True) if context.get("user") and merged.safe_get("users") else None
        impersonated = _impersonation_headers(target, user.value.get("user") or {} if user else {})
    except ConfigException as error:
        raise InputError(describe_invalid_kubeconfig(paths, _first_safe_line(error))) from None
    except InputError:
        raise
    except Exception as error:  # whatever YAML, paths and files can do to the client
        raise InputError(describe_unusable_kubeconfig(paths, error)) from None
    if client_log.lines and not configuration.api_key and not configuration.cert_file:
        raise InputError(describe_unusable_context(name, describe_no_credentials(client_log.lines[0])))
    if why := _explain_unusable(str(getattr(loader, "host", "")), str(configuration.proxy or "")):
        raise InputError(describe_unusable_context(name, why))
    return ClusterAccess(name, str(context.get("namespace") or "default"), configuration, impersonated, folder)


def _explain_unusable(host: str, proxy: str) -> str:
    """Why a server cannot be asked, "" where it can; no user name and no password is in the words."""
    if not host:
        return NO_SERVER
    if not host.lower().startswith(("http://", "https://")):
        return describe_invalid_server(host.rpartition("@")[2])
    scheme, _, rest = proxy.rpartition("://")
    speaks_socks = scheme.lower().startswith("socks") and find_spec("socks") is not None
    if proxy and not speaks_socks and scheme.lower() not in ("http", "https"):
        shown = f"{scheme}://{rest.rpartition('@')[2]}" if scheme else rest.rpartition("@")[2]
        return describe_unusable_proxy(shown)
    return ""


def _load_in_cluster(configuration: Any, target: ClusterTarget) -> ClusterAccess:
    from kubernetes.config import ConfigException

    incluster: Any = import_module("kubernetes.config.incluster_config")
    try:
        incluster.load_incluster_config(client_configuration=configuration)
        with open(_NAMESPACE, encoding="utf-8") as file:  # noqa: PTH123 (as everywhere: pathlib is slow to import)
            namespace = file.read().strip()
    except (ConfigException, OSError):
        raise InputError(NO_CLUSTER) from None
    return ClusterAccess("in-cluster", namespace or "default", configuration, _impersonation_headers(target, {}), "")


def _impersonation_headers(target: ClusterTarget, user: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The headers that impersonate; there is one for each group."""
    if target.groups and not target.user:
        raise InputError(GROUP_WITHOUT_USER)
    name, groups = target.user or str(user.get("as") or ""), target.groups or tuple(map(str, user.get("as-groups") or ()))
    more = [("Impersonate-Uid", str(user["as-uid"]))] if user.get("as-uid") else []
    for key, values in (user.get("as-user-extra") or {}).items():
        more += [(f"Impersonate-Extra-{quote(str(key), safe='')}", str(value)) for value in values]
    return [("Impersonate-User", name), *(("Impersonate-Group", group) for group in groups), *more] if name else []


class _ClientLogHandler(logging.Handler):
    """What the client logs in the place of an error: a credential plugin that failed."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(_first_safe_line(record.getMessage()))


def _first_safe_line(error: object) -> str:
    """The first line of a message of the client, without the piece of the kubeconfig that it may quote, which can hold a token."""
    text = str(error).partition("\n")[0].partition("{")[0].removeprefix("Invalid kube-config file. ").removeprefix("Invalid kube-config. ")
    return text.rpartition(" in ")[0] or text if " in " in text and text.rstrip().endswith("/") else text[:200].rstrip(" :/")


def _list_credential_files() -> tuple[str, ...]:
    """The files of credentials that the client has written; it forgets them, and writes them anew for the next cluster."""
    from kubernetes.config import kube_config

    files: dict[str, str] = getattr(kube_config, "_temp_files", {})
    return tuple(files.pop(content) for content in tuple(files))


def _remove_credential_files(folder: str, files: Sequence[str]) -> None:
    """Remove files of credentials; an issuer's certificate lies outside the folder, also one that a renewal wrote meanwhile."""
    from kubernetes.config import kube_config

    if folder:
        written: dict[str, str] = getattr(kube_config, "_temp_files", {})
        late = {content: file for content, file in tuple(written.items()) if file.startswith(folder) or f"/{_PREFIX}" not in file}
        for content in late:
            written.pop(content, None)
        for file in (*files, *late.values()):
            with contextlib.suppress(OSError):
                os.remove(file)  # noqa: PTH107 (as everywhere: pathlib is slow to import)
        shutil.rmtree(folder, ignore_errors=True)
