"""A waterfall: from a sum, over what is taken from it, to what is left; drawn, and readable as a table without the drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from preflight.report.html.escaping import escape_text, format_number

_UNITS = 1000


def render_waterfall(
    caption: str, amounts: Sequence[tuple[str, float]], remainder_label: str = "left", format_value: Callable[[float], str] = format_number
) -> Iterator[str]:
    """The pieces of HTML.

    1. The first amount is the sum. Each further one is what is added to it, so that what is taken has a minus. A last bar, called
       `remainder_label`, is what all amounts come to.
    2. No amount is no drawing: nothing is answered. An amount of 0 keeps its row, since it says that nothing is taken there.
    3. `format_value` writes an amount, such as a quantity with its unit; a minus is drawn before it here, and it only gets amounts from 0
       up.
    4. All bars share one scale, from the least level to the greatest, 0 included: a level below 0 is drawn to the left of the line.
    """
    if not amounts:
        return
    bars: list[tuple[str, float, float, float]] = []
    level: float = 0
    for label, amount in amounts:
        bars.append((label, amount, level, level + amount))
        level += amount
    least, most = min(0.0, *(bar[3] for bar in bars)), max(0.0, *(bar[3] for bar in bars))
    scale = _UNITS / (most - least) if most > least else 0.0
    yield f"<table class=waterfall><caption>{escape_text(caption)}</caption>"
    yield "<thead class=v><tr><th scope=col>what<th scope=col>how many<th scope=col>drawn</tr></thead><tbody>"
    zero = -least * scale
    for at, (label, amount, start, end) in enumerate([*bars, (remainder_label, level, 0.0, level)]):
        kind = "whole" if at == 0 else "rest" if at == len(bars) else "more" if amount > 0 else "less"
        sign = "-" if amount < 0 else "+" if kind == "more" else ""
        lower, upper = (zero + min(start, end) * scale, zero + max(start, end) * scale)
        yield (
            f"<tr class={kind}><th scope=row>{escape_text(label, 300)}</th><td "
            f"class=n>{sign}{escape_text(format_value(abs(amount)), 60)}</td><td class=bar>"
            f'<svg viewBox="0 0 {_UNITS} 20" preserveAspectRatio=none aria-hidden=true><rect class=ground width={_UNITS} height=20 />'
            f"<rect x={_format_coordinate(lower)} width={_format_coordinate(max(upper - lower, 2 if amount else 0))} "
            f"y=2 height=16 /></svg></td></tr>"
        )
    yield "</tbody></table>"


def _format_coordinate(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
