"""The recorded answers of kubectl 1.37.2, and what preflight says where it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

ANSWERS = Path(__file__).with_name("answers.json")


def read_answers() -> dict[str, dict[str, Any]]:
    """For each case whether it `works`, what was `asked`, and what kubectl `says`."""
    found: dict[str, dict[str, Any]] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return found


def read_refusals() -> dict[str, str]:
    """What preflight says, for each case that it refuses."""
    found: dict[str, str] = yaml.safe_load(ANSWERS.with_name("refusals.yaml").read_text(encoding="utf-8"))
    return found
