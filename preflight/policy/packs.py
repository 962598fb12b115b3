"""Packs by their names and files beside one another: a policy with all that it extends."""

from __future__ import annotations

import os

from preflight.errors import RefusalError, UsageError
from preflight.inert_text import escape_unprintable
from preflight.messages import policy as messages
from preflight.messages.policy import quote_value
from preflight.policy.matching import to_texts
from preflight.policy.merge import merge_layers
from preflight.policy.model import Policy
from preflight.policy.reader import PolicyLayer, read_layer

PACKS = ("baseline", "default", "strict", "gpu-rdma")
_ENDINGS = (".yaml", ".yml", ".json")
_MOST_FILES = 20


def load_policy(name: str) -> Policy:
    """The policy that a pack's name or a file's path means, with all that it extends.

    1. A word without `/` and without the ending of a file is a pack. What follows `extends` is looked up beside the file that says it.
    2. A policy that stands there by several ways counts once, at its first place.
    3. UsageError where one can't be read or is no policy, where one extends itself, and for a URL.
    """
    layers: list[PolicyLayer] = []
    path, label, folder = _resolve_name(name, "", "")
    _add_layers(read_layer(path, label, folder), path, [path], layers, set())
    return merge_layers(layers)


def find_pack_file(name: str) -> str:
    """The file of a pack: in the package where it was installed, beside the package in a repository."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    inside = os.path.join(package, "policies", f"{name}.yaml")  # noqa: PTH118
    if os.path.isfile(inside):  # noqa: PTH113
        return inside
    return os.path.join(os.path.dirname(package), "policies", f"{name}.yaml")  # noqa: PTH118, PTH120


def is_pack(name: str) -> bool:
    """Whether a name is meant as that of a pack."""
    return "/" not in name and not name.endswith(_ENDINGS) and os.sep not in name


def _add_layers(layer: PolicyLayer, path: str, extends_chain: list[str], layers: list[PolicyLayer], seen: set[str]) -> None:
    """Add what a policy extends, then the policy itself."""
    seen.add(os.path.realpath(path))
    own = layer.policy_file.extends
    names = to_texts(own) if own is not None else (() if path == find_pack_file("default") else ("default",))
    for number, name in enumerate(names):
        at = ("extends",) if isinstance(own, str) else ("extends", number)
        line, column = layer.locate(at)
        said = f"{layer.file}:{line}:{column}: extends {quote_value(name)}"
        if "://" in name or name.startswith("/"):
            raise RefusalError(f"{said}: {messages.ONLY_RELATIVE_FILES}")
        target, label, folder = _resolve_name(name, layer.folder, f"{said}: ")
        if os.path.islink(target):  # noqa: PTH114
            raise RefusalError(f"{said}: {messages.LINK_NOT_FOLLOWED}")
        real = os.path.realpath(target)
        if real in [os.path.realpath(extending) for extending in extends_chain]:
            raise RefusalError(f"{said}: {messages.describe_extends_circle([*map(_get_file_name, extends_chain), _get_file_name(target)])}")
        if real in seen:
            continue
        if len(seen) >= _MOST_FILES:
            raise RefusalError(f"{said}: {messages.describe_long_chain(_MOST_FILES)}")
        _add_layers(read_layer(target, label, folder), target, [*extends_chain, target], layers, seen)
    layers.append(layer)


def _get_file_name(path: str) -> str:
    return os.path.basename(path)  # noqa: PTH119


def _resolve_name(name: str, folder: str, error_prefix: str) -> tuple[str, str, str]:
    """The path that a name means, what to call it, and the folder that its files are below."""
    if is_pack(name):
        if name not in PACKS:
            unknown = f"{error_prefix}{messages.describe_unknown_pack(name, PACKS)}"
            raise RefusalError(unknown) if error_prefix else UsageError(unknown)
        return find_pack_file(name), f"<{name}>", ""
    path = os.path.join(folder, name)  # noqa: PTH118
    label = os.path.relpath(path) if folder else name
    return path, escape_unprintable(label), os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120
