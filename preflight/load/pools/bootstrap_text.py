"""Taints that a node registers with by its user data: settings of Bottlerocket, flags of the kubelet in a script.

Source: bottlerocket settings-reference `settings.kubernetes.node-taints`; kubelet `--register-with-taints`; nodeadm `NodeConfig`.
"""

from __future__ import annotations

import re
import tomllib

from preflight.load.kinds import get_path
from preflight.load.pools.taint_formats import is_placeholder

_FLAG = re.compile(r"--register-with-taints[=\s]+[\"']?([^\s\"'\\]+)")
_MOST = 65536


def list_registered_taints(user_data: str) -> list[str]:
    """The taints of user data as texts, `key=value:Effect`; what is filled in later, or in another form, is not read."""
    text = user_data[:_MOST]
    found = [part for match in _FLAG.finditer(text) for part in match[1].split(",") if ":" in part and not is_placeholder(part)]
    if "node-taints" in text:
        try:
            settings = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return found
        found += list_bottlerocket_taints(get_path(settings, ("settings", "kubernetes", "node-taints")))
    return found


def list_bottlerocket_taints(settings: object) -> list[str]:
    """The taints of Bottlerocket's `node-taints`: a map from keys to `value:Effect`, or to lists of them."""
    if not isinstance(settings, dict):
        return []
    pairs = [(key, part) for key, value in settings.items() for part in (value if isinstance(value, list) else [value])]
    return [f"{key}={part}" if not part.startswith(":") else f"{key}{part}" for key, part in pairs if isinstance(part, str)]
