"""Messages about credential plugins. None of them contains a credential."""

from __future__ import annotations

import re
from collections.abc import Iterable

from preflight.inert_text import make_inert

_LINE_END = re.compile(r"[\r\n\v\f\x85\u2028\u2029]+")


def name_plugin_data(part: str, command: str) -> str:
    """A part of what a plugin printed."""
    return f"the {part} of the credential plugin {command}"


def describe_exec_without(user: str, field: str) -> str:
    """A field that a credential plugin needs."""
    return f"exec of user {make_inert(user)} has no {field}"


def describe_exec_version(user: str, version: str, known: Iterable[str]) -> str:
    """A version of the protocol that kubectl does not support."""
    return f"exec of user {make_inert(user)} has apiVersion {make_inert(version)}: kubectl supports {' and '.join(known)}"


def describe_exec_mode(user: str, mode: str, known: Iterable[str]) -> str:
    """A mode that does not exist."""
    return f"exec of user {make_inert(user)} has interactiveMode {make_inert(mode)}: it must be one of {', '.join(known)}"


def describe_no_terminal(command: str) -> str:
    """That a plugin needs a terminal."""
    return f"the credential plugin {make_inert(command)} asks for input (interactiveMode Always), and standard input is not a terminal"


def describe_denied_plugin(command: str, path: str) -> str:
    """That the preferences of kubectl allow no plugin."""
    return f"the credential plugin {make_inert(command)} may not be run: {make_inert(path)} has credentialPluginPolicy DenyAll"


def describe_unlisted_plugin(command: str, path: str) -> str:
    """That the preferences of kubectl allow other plugins."""
    return f"the credential plugin {make_inert(command)} may not be run: it is not in the credentialPluginAllowlist of {make_inert(path)}"


def describe_invalid_plugin_policy(path: str) -> str:
    """That the preferences of kubectl are invalid."""
    return f"{make_inert(path)}: credentialPluginPolicy must be AllowAll, DenyAll, or Allowlist together with a credentialPluginAllowlist"


def describe_unreadable_kuberc(path: str, reason: str) -> str:
    """That the preferences of kubectl cannot be read."""
    return f"KUBERC {make_inert(path)} cannot be read: {reason}"


def describe_missing_plugin(command: str, hint: str) -> str:
    """That a plugin is not installed, and what the kubeconfig says about that."""
    lines = [make_inert(line) for line in _LINE_END.split(hint) if line.strip()]
    return "\n".join([f"the credential plugin {make_inert(command)} is not installed", *(f"  hint: {line}" for line in lines)])


def describe_unusable_plugin(command: str, reason: str) -> str:
    """That a plugin cannot be run."""
    return f"the credential plugin {make_inert(command)} cannot be run: {reason}"


def describe_failed_plugin(command: str, code: int) -> str:
    """That a plugin fails; its own words are on standard error already."""
    how = f"failed with exit code {code}" if code >= 0 else f"was killed by signal {-code}"
    return f"the credential plugin {make_inert(command)} {how}"


def describe_slow_plugin(command: str, seconds: float) -> str:
    """That a plugin does not end."""
    return f"the credential plugin {make_inert(command)} did not finish within {seconds:g} seconds"


def describe_waiting(command: str) -> str:
    """What preflight waits for."""
    return f"waiting for the credential plugin {make_inert(command)} (Ctrl-C stops it)"


def describe_talkative_plugin(command: str) -> str:
    """That a plugin prints too much."""
    return f"the credential plugin {make_inert(command)} prints more than 1 MiB"


def describe_unreadable_credential(command: str) -> str:
    """That a plugin prints something else than credentials."""
    return f"the credential plugin {make_inert(command)} does not print an ExecCredential"


def describe_other_exec_version(command: str, version: str) -> str:
    """That a plugin answers in another version than the kubeconfig says."""
    return f"the credential plugin {make_inert(command)} does not answer in {version}, the version in its apiVersion"


def describe_empty_credential(command: str) -> str:
    """That a plugin gives no credentials."""
    return f"the credential plugin {make_inert(command)} gives neither a token nor a certificate"


def describe_half_credential(command: str) -> str:
    """That a plugin gives a certificate without a key, or the reverse."""
    return f"the credential plugin {make_inert(command)} gives only one of certificate and key"
