"""What the reading of files and clusters says to people: what could not be read, and what was left out."""

from __future__ import annotations

from preflight.model.objects import Origin
from preflight.model.world import Ambiguity

NOT_A_SNAPSHOT = "not a snapshot: make one with `preflight snapshot -o FILE`, or give it as manifests"


def describe_ambiguity(ambiguity: Ambiguity) -> str:
    """That an object is given several times with other content, and where: four places at most, else three and a count."""
    places = [_format_origin(origin) for origin in ambiguity.origins]
    shown = places if len(places) <= 4 else [*places[:3], f"{len(places) - 3} more places"]
    where = f"{', '.join(shown[:-1])} and {shown[-1]}"
    name = str(ambiguity.key) if ambiguity.is_namespaced else ambiguity.key.name
    return f"{ambiguity.kind} {name} is in {where}, each time with other content"


def _format_origin(origin: Origin) -> str:
    item = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in origin.path).lstrip(".")
    return f"{origin.file}:{origin.line}" + (f" ({item})" if item else "")
