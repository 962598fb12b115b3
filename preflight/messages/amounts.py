"""Amounts of resources in sentences."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.messages.lists import join_and

_SIZE_UNITS = (("Ti", 1 << 40), ("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10))


def format_amount(resource: str, number: int | None) -> str:
    """An amount as people write it: cpu `1500m` or `2`, memory in the largest unit, other resources as the number; `?` for None."""
    if number is None:
        return "?"
    if resource == "cpu":
        return f"{number}m" if number % 1000 else str(number // 1000)
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        unit, size = next(((unit, size) for unit, size in _SIZE_UNITS if number >= size), ("", 1))
        rounded = number / size
        return f"{rounded:.4g}{unit}" if rounded < 1000 else f"{rounded:.0f}{unit}"
    return str(number)


def format_resources(resources: Mapping[str, int]) -> str:
    """`8 nvidia.com/gpu and 2 rdma/hca`."""
    return join_and(f"{amount} {resource}" for resource, amount in resources.items())
