"""Tolerations and selectors that operators read from text: Longhorn's settings, and the YAML texts of Rook's ConfigMap."""

from __future__ import annotations

from typing import Any

from preflight.documents import Document, read_yaml
from preflight.model.core import TAINT_EFFECTS


class UnreadableText(Exception):
    """A text that the operator itself would refuse or ignore; the message says why."""


def parse_longhorn_tolerations(text: str) -> list[dict[str, object]]:
    """The tolerations of Longhorn's setting `taint-toleration`.

    1. Parts are separated by semicolons; blanks around a part do not count, and an empty text has no part.
    2. `key=value:Effect` tolerates this value (Equal), `key:Effect` and `key=:Effect` any value (Exists); without an effect, each effect.
    3. `:` tolerates everything.

    Raises UnreadableText where Longhorn refuses the setting: an unknown effect, a comma, a part without a colon.
    Source: longhorn-manager, `types/setting.go`, UnmarshalTolerations.
    """
    return [_parse_longhorn_part(part.strip()) for part in text.split(";") if part.strip()]


def _parse_longhorn_part(part: str) -> dict[str, object]:
    if part.count(":") != 1:
        raise UnreadableText(f'"{part}" is not key=value:Effect or key:Effect (parts are separated by semicolons)')
    name, effect = part.split(":")
    if effect and effect not in TAINT_EFFECTS:
        raise UnreadableText(f'"{effect}" is not an effect (parts are separated by semicolons)')
    if name.count("=") > 1:
        raise UnreadableText(f'"{name}" has more than one "="')
    key, _, value = name.partition("=")
    toleration: dict[str, object] = {"key": key, "operator": "Equal" if value else "Exists"}
    if value:
        toleration["value"] = value
    if effect:
        toleration["effect"] = effect
    return {name: content for name, content in toleration.items() if content != ""}


def parse_longhorn_selector(text: str) -> dict[str, str]:
    """The labels of Longhorn's setting `system-managed-components-node-selector`: `key:value`, separated by semicolons.

    Raises UnreadableText where a part has no colon, as Longhorn's own help text shows it (`key=value`).
    """
    found = {}
    for part in (part.strip() for part in text.split(";")):
        if not part:
            continue
        key, colon, value = part.partition(":")
        if not colon:
            raise UnreadableText(f'"{part}" is not key:value')
        found[key.strip()] = value.strip()
    return found


def parse_yaml_text(text: str) -> Any:
    """The value of a YAML text; None where it is empty. Raises UnreadableText where it is not one YAML document."""
    documents = list(read_yaml(text, ()))
    if not documents:
        return None
    if len(documents) > 1 or not isinstance(documents[0], Document):
        raise UnreadableText("the text is not a YAML document")
    return documents[0].data


def parse_rook_affinity(text: str) -> dict[str, Any]:
    """The node affinity of Rook's `CSI_..._NODE_AFFINITY`: `role=a; zone=b,c; key` (each must hold), or YAML.

    Raises UnreadableText where it is neither.
    """
    if ":" in text:
        data = parse_yaml_text(text)
        if not isinstance(data, dict):
            raise UnreadableText("the text is not a node affinity")
        return {"nodeAffinity": data if "requiredDuringSchedulingIgnoredDuringExecution" in data else {}}
    expressions = []
    for part in (part.strip() for part in text.split(";")):
        if not part:
            continue
        key, equals, values = part.partition("=")
        if equals:
            expressions.append({"key": key.strip(), "operator": "In", "values": [value.strip() for value in values.split(",")]})
        else:
            expressions.append({"key": key.strip(), "operator": "Exists"})
    if not expressions:
        return {}
    terms = [{"matchExpressions": expressions}]
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
