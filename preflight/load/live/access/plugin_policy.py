"""Which credential plugins may be run, as the preferences of kubectl (kuberc) say.

Source: kubectl `pkg/kuberc/kuberc.go` (LoadKuberc, convertPluginPolicy), `pkg/kuberc/marshal.go`, `pkg/config/v1beta1/types.go`; client-go
`plugin/pkg/client/auth/exec/exec.go` (ValidatePluginPolicy, checkAllowlistLocked).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence

import msgspec
from msgspec import Struct

from preflight.documents import Document, read_yaml
from preflight.errors import InputError
from preflight.messages import kubeconfig as messages

_MAX_SIZE = 1 << 20
_VERSIONS = ("kubectl.config.k8s.io/v1beta1", "kubectl.config.k8s.io/v1alpha1")


class _Entry(Struct):
    command: str = ""


class _Preference(Struct, rename="camel"):
    """Its fields that are about plugins."""

    api_version: str = ""
    kind: str = ""
    credential_plugin_policy: str = ""
    credential_plugin_allowlist: tuple[_Entry, ...] | None = None


def check_plugin(command: str, environment: Mapping[str, str]) -> None:
    """Whether a plugin may be run.

    1. Preferences are in the file that $KUBERC names, else in ~/.kube/kuberc; the first document of a known kind counts. There are none
       with KUBERC=off or KUBECTL_KUBERC=false. A default file that is missing or cannot be read counts for nothing.
    2. `DenyAll` allows none. `Allowlist` allows a command that an entry names: as it stands, or by the file that both lead to. No policy,
       and `AllowAll`, allow all.

    Errors: InputError if it may not be run, or if $KUBERC or the policy cannot be used.
    """
    named = environment.get("KUBERC", "")
    if named == "off" or environment.get("KUBECTL_KUBERC", "").lower() == "false":
        return
    path = named or os.path.expanduser("~/.kube/kuberc")  # noqa: PTH111 (pathlib is slow to import)
    preference = _read_preference(path, is_named=bool(named))
    if preference is None:
        return
    policy, entries = preference.credential_plugin_policy, preference.credential_plugin_allowlist
    if policy == "Allowlist" and entries:
        if not _is_listed(os.path.normpath(command), [entry.command for entry in entries]):
            raise InputError(messages.describe_unlisted_plugin(command, path))
    elif policy == "Allowlist" or policy not in ("", "AllowAll", "DenyAll") or entries is not None:
        raise InputError(messages.describe_invalid_plugin_policy(path))
    elif policy == "DenyAll":
        raise InputError(messages.describe_denied_plugin(command, path))


def _read_preference(path: str, *, is_named: bool) -> _Preference | None:
    try:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            text = file.read(_MAX_SIZE)
    except (OSError, ValueError) as error:
        if is_named:
            raise InputError(messages.describe_unreadable_kuberc(path, getattr(error, "strerror", None) or "not a text")) from None
        return None
    documents = [found for found in read_yaml(text, ()) if not (isinstance(found, Document) and found.data is None)]
    for document in documents:
        try:
            preference = msgspec.convert(getattr(document, "data", None), _Preference)
        except msgspec.ValidationError:
            continue
        if preference.kind == "Preference" and preference.api_version in _VERSIONS:
            return preference if preference.api_version == _VERSIONS[0] else _Preference()  # the older one has no policy
    if documents and is_named:
        raise InputError(messages.describe_unreadable_kuberc(path, "it has no Preference of kubectl"))
    return None


def _is_listed(command: str, entries: Sequence[str]) -> bool:
    found = shutil.which(command)
    return command in entries or (found is not None and any(found in (entry, shutil.which(entry)) for entry in entries))
