"""Messages about invalid policies, baselines and exemptions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import msgspec

from preflight.messages.counts import format_count

_MAX_SHOWN = 60
_MAX_NAMES = 12
"""Up to how many known names are all listed where none is similar."""
_TYPE_NAMES = {"string": "a string", "boolean": "true or false", "integer": "a whole number", "object": "a map", "array": "a list"}


EMPTY_NAME = "is empty"
EMPTY_EFFECTS = "is empty: name one effect or more"
EMPTY_REASON = "is empty: an exemption needs a reason"
EMPTY_MATCH = "is empty: name at least one of namespace, name, kind, file, labels, or leave match out"
EMPTY_TOLERATIONS = "is empty: name one or more"
NEGATIVE_COUNT = "is less than 0"
COUNT_BELOW_ONE = "is less than 1"
INVALID_DAY = "is not a date: write it as 2027-01-31"
SET_CRASH = "a crash of a rule is always an error"
MATCHED_OPTIONS = "apply to all objects: set them without match"
REQUIRED_WITHOUT_SELECTOR = "selects no workload: set kinds, match or both"
COMPONENTS_WITHOUT_SELECTOR = "selects no workload: set image, match or both"
COMPONENTS_WITHOUT_KINDS = "has no effect: set kinds or add"
TOLERATION_WITHOUT_KEY = "lacks key: only `operator: Exists` allows an empty key"
VALUE_WITH_EXISTS = "has no meaning with `operator: Exists`"
SECONDS_WITHOUT_EFFECT = "needs `effect: NoExecute`"
EXEMPTION_WITHOUT_RULE = "it names no rule"
EXEMPTION_WITHOUT_REASON = "it gives no reason"


def quote_value(value: object) -> str:
    """A value in quotes, in ASCII and cut where it is long: nothing in it reaches a terminal as it is."""
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode("utf-8", "replace")
    cut = f"{text[:_MAX_SHOWN]}..." if len(text) > _MAX_SHOWN else text
    return json.dumps(cut) if isinstance(value, str) else cut


def suggest_nearest(word: str, known_words: Iterable[str]) -> str:
    """`: did you mean "severity"?`, where a known word is similar; else all of them, where they are few, or nothing."""
    words = [known_word for known_word in known_words if known_word]
    nearest = _find_nearest(word, words)
    if nearest:
        return f": did you mean {quote_value(nearest)}?"
    return f": valid values are {', '.join(words)}" if len(words) <= _MAX_NAMES else ""


def suggest_near(word: str, known_words: Iterable[str]) -> str:
    """`: did you mean "severity"?`, where a known word is similar, else nothing."""
    nearest = _find_nearest(word, known_words)
    return f": did you mean {quote_value(nearest)}?" if nearest else ""


def _find_nearest(word: str, known_words: Iterable[str]) -> str:
    from difflib import get_close_matches

    by_case = {known_word.lower(): known_word for known_word in known_words if known_word}
    near = get_close_matches(word.lower()[:_MAX_SHOWN], by_case, 1)
    return by_case[near[0]] if near else ""


def describe_unknown_key(key: str, known_keys: Iterable[str]) -> str:
    """A key of a map that has no such key."""
    return f"unknown key {quote_value(key)}{suggest_nearest(key, known_keys)}"


def describe_unknown_name(noun: str, name: str, known_names: Iterable[str]) -> str:
    """A name that no rule, pack or kind of component has; `noun` says which of these."""
    return f"no {noun} {quote_value(name)}{suggest_nearest(name, known_names)}"


def describe_unknown_word(word: str, known_words: Sequence[str]) -> str:
    """A word that is none of those of a policy."""
    return f"{quote_value(word)} is not one of {', '.join(known_words)}{suggest_near(word, known_words)}"


def describe_missing_field(name: str) -> str:
    """A field that has to be there."""
    return f"lacks {name}"


def describe_invalid_day(text: str) -> str:
    """A date that is invalid."""
    return f"{quote_value(text)} {INVALID_DAY}"


def describe_useless_options(rule: str) -> str:
    """Options of a rule without options."""
    return f"{rule} has no options"


def describe_glob_length(glob: str, max_length: int) -> str:
    """A glob that is empty, or too long."""
    return f"a glob has more than {max_length} characters" if glob else "a glob is empty"


def describe_wrong_value(value: object, choices: Sequence[str], types: Iterable[str]) -> str:
    """A value that is none of the choices, nor of one of the types of JSON Schema."""
    if isinstance(value, str) and choices:
        return describe_unknown_word(value, choices)
    types = list(types)
    names = dict.fromkeys(_TYPE_NAMES[type] for type in types if type in _TYPE_NAMES)
    expected = " or ".join([*([f"one of {', '.join(choices)}"] if choices else []), *names])
    quote = "; quote it" if "string" in types and isinstance(value, bool | int | float) else ""
    if value is None:
        found = "it is empty"
    elif isinstance(value, dict | list):
        found = f"it is {_describe_type(value)}"
    else:
        found = f"{quote_value(value)} is {_describe_type(value)}"
    return f"must be {expected}: {found}{quote}"


def _describe_type(value: object) -> str:
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    return "a string" if isinstance(value, str) else "a map" if isinstance(value, dict) else "a list"


def count_more_faults(count: int, *, is_all: bool) -> str:
    """How many faults are not shown; `is_all` where no more were looked for."""
    return f"and {count} more" if is_all else f"and at least {count} more"


def describe_mandatory_off(rule: str, location: str) -> str:
    """A mandatory rule that is switched off; `location` is where it is made mandatory."""
    return f"{rule} is mandatory ({location}): it cannot be off"


def describe_old_baseline(version: int, current_version: int) -> str:
    """A baseline of the version that held messages."""
    return f"version {version} holds messages, version {current_version} holds keys: write the file again by --write-baseline"


def describe_unknown_version(version: int) -> str:
    """A baseline of a version that is not read."""
    return f"this preflight reads version {version}"


def describe_invalid_exemption(cause: str, where: str = "") -> str:
    """An exemption that is ignored; `where` is `annotation` or `comment`, "" in a policy."""
    return f"has an exemption{_format_where(where)} that is ignored: {cause}"


def describe_missing_expiry(policy: str) -> str:
    """Why an exemption without an expiry date is ignored; `policy` is the file that requires one, "" where it is unknown."""
    return f"it has no expiry date, and {policy or 'the policy'} requires one"


def describe_expired_exemption(rule: str, until: str, reason: str, where: str = "") -> str:
    """An exemption that has expired."""
    return f"has an exemption{_format_where(where)} of {rule} that expired on {until}: {reason}"


def describe_unused_exemption(rule: str, name: str, cause: str) -> str:
    """An exemption that exempts nothing; `cause` is its own reason, or why nothing can be exempted."""
    return f"has an exemption of {rule} {name} that exempts nothing: {cause}"


def describe_useless_exemption(mandatory_location: str) -> str:
    """Why a rule cannot be exempted: where it is made mandatory, "" where rules of its kind cannot be."""
    return f"the rule is mandatory ({mandatory_location})" if mandatory_location else "the rule cannot be exempted"


def describe_expired_baseline(expires: str, finding_count: int) -> str:
    """A baseline that has expired."""
    return f"expired on {expires}: its {format_count(finding_count, 'finding')} {'counts' if finding_count == 1 else 'count'} again"


def describe_unused_entry(rule: str, subject: str, key: Iterable[str]) -> str:
    """An entry of a baseline whose finding no longer exists."""
    return f"has an entry that matches no finding any more: {' '.join((rule, subject, *key))}"


def _format_where(where: str) -> str:
    return f" ({where})" if where else ""


ONLY_RELATIVE_FILES = "only packs and files relative to this one can be extended, no URL and no absolute path"
LINK_NOT_FOLLOWED = "a symbolic link is not followed"
LINKED_POLICY = f"{LINK_NOT_FOLLOWED}: name the policy by --policy"
NOT_A_MAP = "a policy is a map"
NOT_A_FILE = "not a file"
NOT_UTF8 = "not UTF-8"
SECOND_DOCUMENT = "only one document is allowed, and a second one starts here"
NO_ALTERNATIVE = "no alternative accepts data of this type"
BASELINE_HEADER = """\
# Findings that preflight accepts for now: they existed when `--write-baseline` wrote this file. New findings count.
# An entry is identified by its rule, object and key (tolerations, taints, fields, ...); messages, lines and files may change.
# `count` is the number of such findings that are accepted.
"""


def describe_extends_circle(files: Sequence[str]) -> str:
    """Policies that extend one another in a cycle."""
    return f"a policy cannot extend itself ({' -> '.join(files)})"


def describe_long_chain(most: int) -> str:
    """Too many policies, each of which extends the next."""
    return f"more than {most} policies extend one another"


def describe_unknown_pack(name: object, packs: Iterable[str]) -> str:
    """A pack that does not exist."""
    return f"no pack {quote_value(name)}{suggest_nearest(str(name), packs)}; a file ends in .yaml"


def describe_unreadable(reason: str) -> str:
    """A file that the system does not let be read."""
    return f"cannot be read: {reason[:1].lower()}{reason[1:]}"


def describe_large_file(mebibytes: int) -> str:
    """A file above the limit."""
    return f"larger than {mebibytes} MiB"


def describe_repeated_key(key: object, first_line: int) -> str:
    """A repeated key of a map."""
    return f"{key!r} is repeated, first in line {first_line}"


def describe_bad_expiry(text: str) -> str:
    """A value of --baseline-expires that is neither a number nor a day."""
    return f"--baseline-expires takes a number of days or a date like 2027-01-31, not {text!r}"


def describe_statement(location: object) -> str:
    """Where a policy states a component."""
    return f"stated by {location}"
