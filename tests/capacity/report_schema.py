"""The JSON Schema of the report, made from the model; run as a module it writes the file anew."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from preflight.model.capacity import CapacityReport
from tests.paths import ROOT

PATH = ROOT / "preflight/report/capacity/schema.v1.json"


def schema() -> dict[str, Any]:
    """Closed: every field is there, and no other."""
    (_,), components = msgspec.json.schema_components([CapacityReport], ref_template="#/$defs/{name}")
    for component in components.values():
        component.pop("title", None)
        if "properties" not in component:  # an enum
            continue
        component["required"] = sorted(component["properties"])
        component["additionalProperties"] = False
        for part in component["properties"].values():
            part.pop("default", None)
    top = components.pop("CapacityReport")
    top["properties"] = {"version": {"const": 1}, **top["properties"]}
    top["required"] = sorted(top["properties"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "preflight capacity, version 1", **top, "$defs": components}


def text() -> str:
    """The file."""
    return json.dumps(schema(), indent=2) + "\n"


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
