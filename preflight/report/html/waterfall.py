"""A waterfall: from a sum, over what is taken from it, to what is left; drawn, and readable as a table without the drawing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from preflight.report.html.environment import render_macro
from preflight.report.html.escaping import format_number

_UNITS = 1000
_LEAST_WIDTH = 2


class WaterfallBar(NamedTuple):
    """A row: the amount in words with its sign, and where its bar begins and how wide it is."""

    kind: str
    label: str
    sign: str
    amount: str
    x: float
    width: float


class Waterfall(NamedTuple):
    """The rows, and the width of the drawing in units of its own."""

    caption: str
    width: int
    bars: list[WaterfallBar]


def render_waterfall(
    caption: str, amounts: Sequence[tuple[str, float]], remainder_label: str = "left", format_value: Callable[[float], str] = format_number
) -> Markup:
    """The drawing as HTML.

    1. The first amount is the sum. Each further one is what is added to it, so that what is taken has a minus. A last bar, called
       `remainder_label`, is what all amounts come to.
    2. No amount is no drawing: nothing is answered. An amount of 0 keeps its row, since it says that nothing is taken there.
    3. `format_value` writes an amount, such as a quantity with its unit; a minus is drawn before it here, and it only gets amounts from 0
       up.
    4. All bars share one scale, from the least level to the greatest, 0 included: a level below 0 is drawn to the left of the line.
    """
    if not amounts:
        return Markup("")
    return render_macro("waterfall.html.j2", "draw_waterfall", _make_waterfall(caption, amounts, remainder_label, format_value))


def _make_waterfall(
    caption: str, amounts: Sequence[tuple[str, float]], remainder_label: str, format_value: Callable[[float], str]
) -> Waterfall:
    levels: list[tuple[str, float, float, float]] = []
    level: float = 0
    for label, amount in amounts:
        levels.append((label, amount, level, level + amount))
        level += amount
    ends = [end for _, _, _, end in levels]
    least, most = min(0.0, *ends), max(0.0, *ends)
    scale = _UNITS / (most - least) if most > least else 0.0
    zero = -least * scale
    bars = []
    for at, (label, amount, start, end) in enumerate([*levels, (remainder_label, level, 0.0, level)]):
        kind = "whole" if at == 0 else "rest" if at == len(levels) else "more" if amount > 0 else "less"
        lower, upper = zero + min(start, end) * scale, zero + max(start, end) * scale
        bars.append(
            WaterfallBar(
                kind=kind,
                label=label,
                sign="-" if amount < 0 else "+" if kind == "more" else "",
                amount=format_value(abs(amount)),
                x=lower,
                width=max(upper - lower, _LEAST_WIDTH if amount else 0),
            )
        )
    return Waterfall(caption, _UNITS, bars)
