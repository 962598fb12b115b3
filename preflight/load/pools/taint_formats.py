"""How pools spell taints: as maps, as texts, as one text with commas; and what of it nobody accepts.

Source: kubernetes `pkg/util/taints/taints.go` (texts), `pkg/apis/core/validation/validation.go` (keys and values); the spellings of
effects are those of the providers' own schemas (docs/node-pools.md).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from preflight.messages.pools import (
    EFFECT_REQUIRED,
    KEY_REQUIRED,
    explain_duplicate,
    explain_invalid_spec,
    explain_invalid_taint_part,
    explain_no_taint_list,
    explain_operator_as_value,
    explain_unknown_effect,
    explain_unknown_taint_field,
    explain_wrong_entry,
    explain_wrong_scalar,
    explain_wrong_taint,
    explain_wrong_value,
)
from preflight.model.core import TAINT_EFFECTS, Taint
from preflight.model.meta import Refusal
from preflight.scheduling.name_validation import validate_label_value, validate_qualified_name

FieldPath = tuple[str | int, ...]

CORE_EFFECTS: Mapping[str, str] = {effect: effect for effect in TAINT_EFFECTS}
"""The effects as Kubernetes spells them."""

CLOUD_EFFECTS: Mapping[str, str] = {"NO_SCHEDULE": "NoSchedule", "PREFER_NO_SCHEDULE": "PreferNoSchedule", "NO_EXECUTE": "NoExecute"}
"""The effects as the APIs of EKS and GKE spell them."""

TAINT_FIELDS = ("key", "value", "effect", "timeAdded")
_BY_LETTERS = {effect.lower(): effect for effect in CORE_EFFECTS}
_PLACEHOLDER = re.compile(r"\$\{|\$\(|\{\{|\$[A-Z_]")
_SHOWN = 60


class TaintFormat(NamedTuple):
    """How one kind of manifest spells its taints: the effects, the fields of a taint, and whether a map `{key: "value:Effect"}` is one."""

    effects: Mapping[str, str] = CORE_EFFECTS
    fields: tuple[str, ...] = TAINT_FIELDS
    by_key: bool = False


class ParsedTaints(Struct, frozen=True):
    """The taints that were read, in order; what nobody accepts of them, and what is accepted and looks like a mistake."""

    taints: tuple[Taint, ...] = ()
    refused: tuple[Refusal, ...] = ()
    suspicious: tuple[Refusal, ...] = ()


def parse_taints(data: object, path: FieldPath, form: TaintFormat) -> ParsedTaints:
    """The taints that stand at a path.

    1. A list of maps or of texts (`key=value:Effect`, `key:Effect`), one text with commas between, or a map by key where the form has one.
    2. A value that is no string is refused and taken for the text it clearly means: `true` for "true". So is an effect in another
       spelling: `noschedule`, `NO_SCHEDULE` where Kubernetes' own is wanted, and the other way round.
    3. A taint without a key or with no effect that makes sense is refused and left out; so is a second one of the same key and effect.
    4. A field that a taint does not have (`operator`) is refused and has no effect. The value `Exists` is accepted by everybody, and
       doubtful: it is how a toleration is written.
    5. Text that something else fills in later (`${TAINT}`, `{{ .x }}`) is kept as it is, and not refused; as an effect it is left out.
    """
    reader = _TaintReader(form)
    if data is None:
        return ParsedTaints()
    if isinstance(data, str):
        for text in filter(None, (part.strip() for part in data.split(","))):
            reader.read_text(text, path)
    elif isinstance(data, dict) and form.by_key:
        for key, value in data.items():
            reader.read_entry(str(key), value, (*path, str(key)))
    elif isinstance(data, list):
        for number, item in enumerate(data):
            if isinstance(item, dict):
                reader.read_object(item, (*path, number))
            elif isinstance(item, str):
                reader.read_text(item, (*path, number))
            else:
                reader.refuse((*path, number), explain_wrong_taint(item))
    else:
        reader.refuse(path, explain_no_taint_list(path[-1], data))
    return ParsedTaints(tuple(reader.taints), tuple(reader.refused), tuple(reader.doubtful))


class _TaintReader:
    def __init__(self, form: TaintFormat) -> None:
        self.form = form
        self.taints: list[Taint] = []
        self.refused: list[Refusal] = []
        self.doubtful: list[Refusal] = []

    def refuse(self, path: FieldPath, reason: str) -> None:
        self.refused.append(Refusal(path, reason))

    def read_text(self, text: str, path: FieldPath) -> None:
        before, *rest = text.split(":")
        key, *values = before.split("=")
        if len(rest) > 1 or len(values) > 1:
            self.refuse(path, explain_invalid_spec(text))
            return
        self.add_taint(key, values[0] if values else "", rest[0] if rest else "", {"": path})

    def read_entry(self, key: str, value: object, path: FieldPath) -> None:
        """One entry of `{key: "value:Effect"}`."""
        if not isinstance(value, str) or ":" not in value:
            self.refuse(path, explain_wrong_entry(value))
            return
        value, _, effect = value.partition(":")
        self.add_taint(key, value, effect, {"": path})

    def read_object(self, item: Mapping[str, object], path: FieldPath) -> None:
        for name in item:
            if name not in self.form.fields:
                self.refuse((*path, str(name)), explain_unknown_taint_field(name))
        texts = {}
        for name in ("key", "value", "effect"):
            value = item.get(name)
            if value is not None and not isinstance(value, str):
                self.refuse((*path, name), explain_non_string(name, value))
            texts[name] = to_text(value)
        self.add_taint(texts["key"], texts["value"], texts["effect"], {"": path, **{name: (*path, name) for name in texts}})

    def add_taint(self, key: str, value: str, effect: str, paths: Mapping[str, FieldPath]) -> None:
        """Take one taint; `paths` are the paths of its parts, with that of the whole under ""."""
        whole = paths[""]
        if not key:
            self.refuse(paths.get("key", whole), KEY_REQUIRED)
            return
        for name, text, errors in (("key", key, validate_qualified_name(key)), ("value", value, validate_label_value(value))):
            if not is_placeholder(text):
                for reason in errors:
                    self.refuse(paths.get(name, whole), explain_invalid_taint_part(name, text, reason))
        known = self.parse_effect(effect, paths.get("effect", whole))
        if not known:
            return
        if value in ("Exists", "Equal"):
            self.doubtful.append(Refusal(paths.get("value", whole), explain_operator_as_value(value, Taint(key, "", known))))
        if any(taint.key == key and taint.effect == known for taint in self.taints):
            self.refuse(whole, explain_duplicate(Taint(key, value, known)))
            return
        self.taints.append(Taint(key, value, known))

    def parse_effect(self, text: str, path: FieldPath) -> str:
        """The effect in Kubernetes' spelling, "" where the text is none."""
        spelled = self.form.effects.get(text)
        if spelled or is_placeholder(text):
            return spelled or ""
        if not text:
            self.refuse(path, EFFECT_REQUIRED)
            return ""
        self.refuse(path, explain_unknown_effect(text, self.form.effects))
        return _BY_LETTERS.get(re.sub("[^a-z]", "", text.lower()), "")


def iter_label_pairs(data: object) -> Iterator[tuple[str, object]]:
    """Labels as a map, as a list of `key=value`, or as one text with commas between."""
    if isinstance(data, dict):
        yield from ((str(key), value) for key, value in data.items())
        return
    texts = data.split(",") if isinstance(data, str) else data if isinstance(data, list) else []
    for text in texts:
        if isinstance(text, str) and text.strip():
            key, _, value = text.strip().partition("=")
            yield key, value


def is_placeholder(text: str) -> bool:
    """Whether something else fills the text in later: envsubst, a chart's template, cloud-init."""
    return _PLACEHOLDER.search(text) is not None


def to_text(value: object) -> str:
    """A scalar as the text that its author means; "" for null, and for what is no scalar."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else ""


def explain_non_string(name: str, value: object) -> str:
    """Why a value that must be a string is refused."""
    if isinstance(value, bool | int | float):
        return explain_wrong_scalar(name, to_text(value), is_boolean=isinstance(value, bool))
    return explain_wrong_value(name, value)
