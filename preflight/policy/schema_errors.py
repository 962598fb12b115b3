"""What a JSON Schema refuses in plain data: every unknown key and every wrong value, each with its path and what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from preflight.messages import policy as messages

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

Path = tuple[str | int, ...]
Fault = tuple[Path, str]

_NOUNS = {"rule": "rule", "rules": "rule", "mandatory": "rule", "kinds": "kind of component", "add": "kind of component"}
"""What the strings of a field name, where they are no words of the policy itself."""


MAX_FAULTS = 1000
"""How many faults are looked for; a hostile file has a million."""


def find_faults(data: object, schema: Mapping[str, Any], path: Path = ()) -> list[Fault]:
    """What in plain data is not as a schema wants it, at most MAX_FAULTS; `path` leads to the data.

    1. Of several alternatives (`anyOf`) the first that takes data of this type is explained; where none does, all are named.
    2. An unknown key or word comes with the known one that is nearest to it.
    """
    from jsonschema import Draft202012Validator, validators

    extend: Any = validators.extend  # its types know no own checks
    # Only an int is an integer: msgspec takes no 1e23, which has no fraction either.
    checker = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    explainer = _Explainer(schema, path)
    validator = extend(Draft202012Validator, {"anyOf": explainer.check_alternatives}, type_checker=checker)(schema)
    faults = (fault for error in validator.iter_errors(data) for fault in explainer.explain(error))
    return list(dict.fromkeys(islice(faults, MAX_FAULTS)))


class _Explainer:
    """The errors of one schema in our words."""

    def __init__(self, schema: Mapping[str, Any], path: Path) -> None:
        self.schema, self.path = schema, path

    def check_alternatives(self, validator: Any, asked: object, value: object, schema: Mapping[str, Any]) -> Iterator[ValidationError]:
        """`anyOf` as a generator: jsonschema's own lists the errors of all alternatives before it yields one."""
        from jsonschema.exceptions import ValidationError

        del asked
        alternatives = self._iter_alternatives(schema)
        alternative = next((candidate for candidate in alternatives if _takes_type(validator, candidate, value)), None)
        if alternative is None:
            yield ValidationError(messages.NO_ALTERNATIVE)
        else:
            yield from validator.descend(value, alternative)

    def explain(self, error: ValidationError) -> Iterator[Fault]:
        """The faults of one error."""
        path = (*self.path, *error.absolute_path)
        value: Any = error.instance
        asked: Any = error.validator_value
        schema: Any = error.schema
        if error.validator == "additionalProperties":
            for key in value:
                if key not in schema.get("properties", {}):
                    yield (*path, key), self._describe_unknown_key(path, key, schema["properties"])
        elif error.validator == "required":
            yield from ((path, messages.describe_missing_field(name)) for name in asked if name not in value)
        elif error.validator == "pattern":
            yield path, messages.describe_invalid_day(value)
        elif error.validator == "maxProperties":
            yield path, messages.describe_useless_options(next(name for name in reversed(path[:-1]) if isinstance(name, str)))
        elif error.validator in ("minLength", "maxLength"):
            yield path, messages.describe_glob_length(value, asked)
        else:
            yield path, self._describe_mismatch(path, value, schema)

    def _describe_unknown_key(self, path: Path, key: str, known: Iterable[str]) -> str:
        noun = _NOUNS.get(path[-1] if path and isinstance(path[-1], str) else "")
        return messages.describe_unknown_name(noun, key, known) if noun else messages.describe_unknown_key(key, known)

    def _describe_mismatch(self, path: Path, value: object, schema: Mapping[str, Any]) -> str:
        alternatives = list(self._iter_alternatives(schema))
        choices = [choice for alternative in alternatives for choice in alternative.get("enum", ()) if isinstance(choice, str)]
        types = [alternative["type"] for alternative in alternatives if "type" in alternative]
        noun = _NOUNS.get(next((name for name in reversed(path) if isinstance(name, str)), ""))
        if noun and choices:
            if isinstance(value, str):
                return messages.describe_unknown_name(noun, value, choices)
            choices, types = [], ["string", *types]
        return messages.describe_wrong_value(value, choices, types)

    def _iter_alternatives(self, schema: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """The schemas of which one is to fit, with references and `anyOf` in `anyOf` resolved."""
        if "$ref" in schema:
            schema = self.schema["$defs"][schema["$ref"].removeprefix("#/$defs/")]
        if "anyOf" in schema:
            for alternative in schema["anyOf"]:
                yield from self._iter_alternatives(alternative)
        else:
            yield schema


def _takes_type(validator: Any, schema: Mapping[str, Any], value: object) -> bool:
    """Whether a schema takes data of this type, or this word; what is in it comes later."""
    if "enum" in schema:
        return any(type(choice) is type(value) and choice == value for choice in schema["enum"])
    return "type" not in schema or bool(validator.is_type(value, schema["type"]))
