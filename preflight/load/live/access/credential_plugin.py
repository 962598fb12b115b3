"""A credential plugin: a program that a kubeconfig names, and that prints a token or a certificate.

Source: client-go `plugin/pkg/client/auth/exec/exec.go` (refreshCredsLocked, isInteractive), `pkg/apis/clientauthentication/v1/types.go`.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Struct, field

from preflight.documents import InvalidDocument, split_documents
from preflight.documents.reader import read_chunk
from preflight.errors import InputError
from preflight.inert_text import make_inert
from preflight.load.live.access.credentials import ClientCertificate
from preflight.load.live.access.model import ExecConfig
from preflight.load.live.access.plugin_policy import check_plugin
from preflight.messages import credential_plugins as messages

LONGEST = 300.0
"""How many seconds a plugin may take: somebody may have to log in meanwhile."""

_LINGER = 1.0
"""How many seconds a program that has ended is waited for whose children hold its standard output."""

_PATIENCE = 5.0
"""After how many seconds people are told what is waited for."""

_LARGEST = 1 << 20
_PIECE = 1 << 16


class _Status(Struct, rename="camel"):
    expiration_timestamp: str | None = None
    token: str = ""
    client_certificate_data: str = ""
    client_key_data: str = ""


class _ExecCredential(Struct, rename="camel"):
    kind: str = ""
    api_version: str = ""
    status: _Status | None = None


class _Issued(Struct, frozen=True):
    """What a plugin gave: `expires` is in seconds since 1970, None for never."""

    authorization: str
    certificate: ClientCertificate | None
    expires: float | None = field(default=None)


class CredentialPlugin:
    """The credentials of a plugin: it is run when they are first needed, and again when they have expired.

    1. It gets KUBERNETES_EXEC_INFO, with the cluster if `provideClusterInfo` is set.
    2. It gets standard input only as `interactiveMode` says and if that is a terminal. Else it has an empty one, so that it cannot take a
       manifest that is piped in. Before a plugin is run, whatever a command line reads from standard input has been read.
    3. Its standard error is ours, so that people see a prompt.
    4. It may take `LONGEST` seconds. It is not run if the preferences of kubectl forbid it.
    """

    def __init__(self, plugin: ExecConfig, cluster: Mapping[str, Any]) -> None:
        self._plugin, self._cluster = plugin, cluster
        self._issued: _Issued | None = None

    def get_authorization(self) -> str:
        """The value of the header, "" for none. Errors: InputError."""
        return self._get_issued().authorization

    def get_certificate(self) -> ClientCertificate | None:
        """The certificate that the plugin gave, None for none. Errors: InputError."""
        return self._get_issued().certificate

    def _get_issued(self) -> _Issued:
        issued = self._issued
        if issued is None or (issued.expires is not None and time.time() > issued.expires):
            self._issued = issued = self._run()
        return issued

    def _run(self) -> _Issued:
        plugin = self._plugin
        check_plugin(plugin.command, os.environ)
        is_interactive = _is_interactive(plugin)
        spec: dict[str, Any] = {"interactive": is_interactive}
        if plugin.provide_cluster_info:
            spec["cluster"] = self._cluster
        info = {"kind": "ExecCredential", "apiVersion": plugin.api_version, "spec": spec}
        variables = {variable.name: variable.value for variable in plugin.env}
        environment = {**os.environ, **variables, "KUBERNETES_EXEC_INFO": msgspec.json.encode(info).decode()}
        return _read_answer(plugin, _run_program(plugin, environment, None if is_interactive else subprocess.DEVNULL))


def _is_interactive(plugin: ExecConfig) -> bool:
    """Whether a plugin gets standard input."""
    if plugin.interactive_mode == "Never":
        return False
    try:
        is_terminal = os.isatty(sys.__stdin__.fileno()) if sys.__stdin__ is not None else False
    except (OSError, ValueError):
        is_terminal = False
    if plugin.interactive_mode == "Always" and not is_terminal:
        raise InputError(messages.describe_no_terminal(plugin.command))
    return is_terminal


def _run_program(plugin: ExecConfig, environment: Mapping[str, str], stdin: int | None) -> bytes:
    """What a program prints. Errors: InputError if it cannot be run, fails, or takes too long."""
    command = os.path.normpath(plugin.command)
    try:
        path = command if os.sep in command else shutil.which(command)
        if path is None:
            raise FileNotFoundError
        process = subprocess.Popen([path, *plugin.args], stdin=stdin, stdout=subprocess.PIPE, env=dict(environment))
    except FileNotFoundError:
        raise InputError(messages.describe_missing_plugin(plugin.command, plugin.install_hint)) from None
    except (OSError, ValueError) as error:
        raise InputError(messages.describe_unusable_plugin(plugin.command, getattr(error, "strerror", None) or "not a command")) from None
    pieces: list[bytes] = []
    reader = threading.Thread(target=_collect_output, args=(process, pieces), daemon=True)
    reader.start()
    try:
        _wait(plugin, process)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    reader.join(_LINGER)
    if process.returncode:
        raise InputError(messages.describe_failed_plugin(plugin.command, process.returncode))
    output = b"".join(pieces)
    if len(output) > _LARGEST:
        raise InputError(messages.describe_talkative_plugin(plugin.command))
    return output


def _wait(plugin: ExecConfig, process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a program, and say on standard error what is being waited for."""
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(f"{make_inert(messages.describe_waiting(plugin.command))}\n")
            sys.stderr.flush()
    try:
        process.wait(LONGEST)
    except subprocess.TimeoutExpired:
        raise InputError(messages.describe_slow_plugin(plugin.command, LONGEST)) from None


def _collect_output(process: subprocess.Popen[bytes], pieces: list[bytes]) -> None:
    """Take what it prints; one that prints too much finds nobody reading."""
    size = 0
    assert process.stdout is not None
    with process.stdout as stream:
        while size <= _LARGEST and (piece := os.read(stream.fileno(), _PIECE)):
            pieces.append(piece)
            size += len(piece)


def _read_answer(plugin: ExecConfig, output: bytes) -> _Issued:
    """The credentials that a plugin printed, as JSON or YAML. Nothing of it is ever in an error."""
    chunk = next(iter(split_documents(output.decode("utf-8", "replace"))), None)
    document = chunk if chunk is None or isinstance(chunk, InvalidDocument) else read_chunk(chunk)
    try:
        answer = msgspec.convert(getattr(document, "data", None), _ExecCredential)
    except msgspec.ValidationError:
        raise InputError(messages.describe_unreadable_credential(plugin.command)) from None
    if answer.kind != "ExecCredential":
        raise InputError(messages.describe_unreadable_credential(plugin.command))
    if answer.api_version != plugin.api_version:
        raise InputError(messages.describe_other_exec_version(plugin.command, plugin.api_version))
    status = answer.status
    if status is None or not (status.token or status.client_certificate_data or status.client_key_data):
        raise InputError(messages.describe_empty_credential(plugin.command))
    if bool(status.client_certificate_data) != bool(status.client_key_data):
        raise InputError(messages.describe_half_credential(plugin.command))
    certificate = None
    if status.client_certificate_data:
        certificate = ClientCertificate(
            status.client_certificate_data.encode(),
            status.client_key_data.encode(),
            messages.name_plugin_data("certificate", plugin.command),
            messages.name_plugin_data("key", plugin.command),
        )
    return _Issued(f"Bearer {status.token}" if status.token else "", certificate, _parse_expiry(plugin, status.expiration_timestamp))


def _parse_expiry(plugin: ExecConfig, text: str | None) -> float | None:
    if text is None:
        return None
    try:
        time_of_expiry = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(messages.describe_unreadable_credential(plugin.command)) from None
    return (time_of_expiry if time_of_expiry.tzinfo else time_of_expiry.replace(tzinfo=UTC)).timestamp()
