"""The namespaces that command lines name: where a right in all namespaces is missing, one in these may be there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.kubectl.commands import Command, DeleteNamespaces, TargetObjects


def list_named_namespaces(commands: Sequence[Command]) -> tuple[str, ...]:
    """The namespaces in the order of the lines, each once."""
    return tuple(dict.fromkeys(namespace for command in commands for namespace in _iter_namespaces(command) if namespace))


def _iter_namespaces(command: Command) -> Iterator[str]:
    if isinstance(command, DeleteNamespaces):
        yield from command.names
        return
    for field in command.__struct_fields__:
        value = getattr(command, field)
        if isinstance(value, TargetObjects):
            yield value.namespace
        elif field == "namespace":
            yield value
