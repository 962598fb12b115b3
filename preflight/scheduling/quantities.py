"""Amounts of resources as Kubernetes reads and rounds them: whole numbers all the way, never a float."""

from __future__ import annotations

import re
from functools import lru_cache

_SHAPE = re.compile(r"([+-]?)([0-9]*+)(?:\.([0-9]*+))?+([eEinumkKMGTP]*+[+-]?[0-9]*+)", re.ASCII)
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_MAX_INT64 = 2**63 - 1
_MAX_LENGTH = 200  # digits and exponents beyond it mean nothing, and cost time


class QuantityError(ValueError):
    """A quantity that the API server refuses, or that the scheduler cannot count: what it is, and why."""


@lru_cache(maxsize=4096, typed=True)
def parse_millis(quantity: str | float) -> int:
    """A quantity in thousandths, as the API server keeps what a pod asks for and what a node can allocate.

    1. Suffixes are n, u, m, k, M, G, T, P, E, and Ki to Ei; or an exponent (`1e3`, `1E-3`). `E` alone is 10^18.
    2. Digits may be missing on either side of the point, not on both: the server then reads 0 or refuses, and nobody means it.
    3. What is smaller than a thousandth is rounded up: `0.1m` is `1m`.
    4. With a binary suffix it ends at 2^63 - 1.
    5. Spaces around it are ignored. A number is read as it is written.

    Raises QuantityError for anything else, true, false and what is below 0 included.

    Source: `staging/src/k8s.io/apimachinery/pkg/api/resource/quantity.go`, ParseQuantity, and `pkg/apis/core/v1/defaults.go`,
    SetDefaults_ResourceList.
    """
    text = str(quantity).strip()
    shape = _SHAPE.fullmatch(text)
    if not shape or len(text) > _MAX_LENGTH:
        raise QuantityError(f"{text[:_MAX_LENGTH]!r} is no quantity")
    sign, whole, fraction, suffix = shape[1], shape[2], shape[3] or "", shape[4]
    if not whole + fraction:
        raise QuantityError(f"{text!r} is no quantity: it has no digits")
    number = int(whole + fraction)
    binary = _BINARY.get(suffix)
    scale = 3 - len(fraction) + (0 if binary else _parse_exponent(suffix, text))
    if number and sign == "-":
        raise QuantityError(f"{text!r} is below 0")
    if number and scale > _MAX_LENGTH:
        raise QuantityError(f"{text!r} is more than the scheduler can count")
    number <<= binary or 0
    milli: int = number * 10 ** min(scale, _MAX_LENGTH) if scale >= 0 else -(-number // 10 ** min(-scale, 2 * _MAX_LENGTH))
    return min(milli, _MAX_INT64 * 1000) if binary else milli


def _parse_exponent(suffix: str, text: str) -> int:
    """The power of ten that a suffix other than a binary one stands for."""
    if suffix in _DECIMAL:
        return _DECIMAL[suffix]
    written = _EXPONENT.fullmatch(suffix)
    if not written or abs(int(written[1])) >= 2**31:
        raise QuantityError(f"{text!r} is no quantity: {suffix!r} is no suffix")
    return int(written[1])


def count_units(resource: str, milli: int) -> int:
    """Thousandths as the scheduler counts them: CPU in thousandths, all else in whole units, rounded up.

    Raises QuantityError beyond 64 bits, where the scheduler's own numbers mean nothing.

    Source: `pkg/scheduler/framework/types.go`, Resource.Add.
    """
    count = milli if resource == "cpu" else -(-milli // 1000)
    if count > _MAX_INT64:
        raise QuantityError(f"{resource} is more than the scheduler can count")
    return count
