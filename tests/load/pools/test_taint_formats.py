"""How pools spell taints, and what of it nobody accepts."""

from __future__ import annotations

import pytest

from preflight.load.pools.taint_formats import CLOUD_EFFECTS, CORE_EFFECTS, TAINT_FIELDS, TaintFormat, parse_taints

PLAIN, UPPER, BY_KEY = TaintFormat(), TaintFormat(effects=CLOUD_EFFECTS), TaintFormat(by_key=True)
SUPPORTED = 'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'


@pytest.mark.parametrize(
    ("data", "form", "taints"),
    [
        (None, PLAIN, []),
        ([], PLAIN, []),
        ([{"key": "a", "value": "b", "effect": "NoSchedule", "timeAdded": "2020-01-01T00:00:00Z"}], PLAIN, ["a=b:NoSchedule"]),
        ([{"key": "a", "value": None, "effect": "NoExecute"}], PLAIN, ["a:NoExecute"]),
        (
            ["a=b:NoSchedule", "x.io/c:PreferNoSchedule", "d=:NoExecute"],
            PLAIN,
            ["a=b:NoSchedule", "x.io/c:PreferNoSchedule", "d:NoExecute"],
        ),
        ("a=b:NoSchedule, c:NoExecute", PLAIN, ["a=b:NoSchedule", "c:NoExecute"]),
        ({"a": "b:NoSchedule", "c": ":NoExecute"}, BY_KEY, ["a=b:NoSchedule", "c:NoExecute"]),
        (
            [{"key": "a", "effect": "NO_SCHEDULE"}, {"key": "a", "effect": "PREFER_NO_SCHEDULE"}],
            UPPER,
            ["a:NoSchedule", "a:PreferNoSchedule"],
        ),
        ([{"key": "${KEY}", "value": "${VALUE}", "effect": "NoSchedule"}], PLAIN, ["${KEY}=${VALUE}:NoSchedule"]),
        ([{"key": "a", "effect": "${EFFECT}"}], PLAIN, []),
    ],
    ids=[
        "none",
        "an empty list",
        "maps",
        "null is no value",
        "texts",
        "one text with commas",
        "a map by key",
        "effects in upper case",
        "what is filled in later is kept",
        "an effect that is filled in later is left out",
    ],
)
def test_taints_that_everybody_accepts(data: object, form: TaintFormat, taints: list[str]) -> None:
    read = parse_taints(data, ("spec", "taints"), form)
    assert [str(taint) for taint in read.taints] == taints
    assert (read.refused, read.suspicious) == ((), ())


@pytest.mark.parametrize(
    ("data", "form", "taints", "place", "reason"),
    [
        (
            [{"key": "a", "value": True, "effect": "NoSchedule"}],
            PLAIN,
            ["a=true:NoSchedule"],
            (0, "value"),
            "value must be a string: true is a boolean; quote it",
        ),
        (
            [{"key": "a", "value": 10, "effect": "NoSchedule"}],
            PLAIN,
            ["a=10:NoSchedule"],
            (0, "value"),
            "value must be a string: 10 is a number; quote it",
        ),
        (
            [{"key": "a", "value": ["b"], "effect": "NoSchedule"}],
            PLAIN,
            ["a:NoSchedule"],
            (0, "value"),
            "value must be a string, not a list",
        ),
        (
            [{"key": "a", "operator": "Exists", "effect": "NoSchedule"}],
            PLAIN,
            ["a:NoSchedule"],
            (0, "operator"),
            'unknown field "operator": only tolerations have an operator',
        ),
        ([{"key": "a", "efect": "x", "effect": "NoSchedule"}], PLAIN, ["a:NoSchedule"], (0, "efect"), 'unknown field "efect"'),
        (
            [{"key": "a", "effect": "noschedule"}],
            PLAIN,
            ["a:NoSchedule"],
            (0, "effect"),
            f'effect: Unsupported value: "noschedule": {SUPPORTED}',
        ),
        (
            [{"key": "a", "effect": "NO_EXECUTE"}],
            PLAIN,
            ["a:NoExecute"],
            (0, "effect"),
            f'effect: Unsupported value: "NO_EXECUTE": {SUPPORTED}',
        ),
        (
            [{"key": "a", "effect": "NoSchedule"}],
            UPPER,
            ["a:NoSchedule"],
            (0, "effect"),
            'effect: Unsupported value: "NoSchedule": supported values: "NO_SCHEDULE", "PREFER_NO_SCHEDULE", "NO_EXECUTE"',
        ),
        ([{"key": "a"}], PLAIN, [], (0, "effect"), "effect: Required value"),
        ([{"value": "a", "effect": "NoSchedule"}], PLAIN, [], (0, "key"), "key: Required value"),
        (["a=b:c"], PLAIN, [], (0,), f'effect: Unsupported value: "c": {SUPPORTED}'),
        (["a"], PLAIN, [], (0,), "effect: Required value"),
        (["a=b=c:NoSchedule"], PLAIN, [], (0,), "invalid taint spec: a=b=c:NoSchedule"),
        ([5], PLAIN, [], (0,), "a taint must be a map or a string, not 5"),
        (7, PLAIN, [], (), "taints must be a list, not 7"),
        ({"a": "b:NoSchedule"}, PLAIN, [], (), "taints must be a list, not a map"),
        ({"a": "NoSchedule"}, BY_KEY, [], ("a",), 'a taint under its key must be "value:Effect", not "NoSchedule"'),
        (
            ["a=b:NoSchedule", "a=c:NoSchedule"],
            PLAIN,
            ["a=b:NoSchedule"],
            (1,),
            "Duplicate value: a=c:NoSchedule: taints must be unique by key and effect pair",
        ),
    ],
    ids=[
        "a boolean is the text it means",
        "so is a number",
        "a list means nothing",
        "an operator is a toleration's",
        "a field that a taint does not have",
        "lower case",
        "the spelling of the clouds",
        "Kubernetes' spelling where the cloud wants its own",
        "no effect",
        "no key",
        "a text whose effect makes no sense",
        "a text that is a key alone",
        "a text with two values",
        "an item that is neither",
        "no list",
        "a map where none is read",
        "an entry of a map without a value",
        "one key and effect twice",
    ],
)
def test_what_is_refused(data: object, form: TaintFormat, taints: list[str], place: tuple[str | int, ...], reason: str) -> None:
    read = parse_taints(data, ("taints",), form)
    assert [str(taint) for taint in read.taints] == taints
    assert [(refusal.path, refusal.reason) for refusal in read.refused] == [(("taints", *place), reason)]
    assert read.suspicious == ()


def test_a_key_and_a_value_that_are_none() -> None:
    read = parse_taints([{"key": "a b", "value": "-", "effect": "NoSchedule"}], ("taints",), PLAIN)
    assert [refusal.path for refusal in read.refused] == [("taints", 0, "key"), ("taints", 0, "value")]


def test_a_value_that_is_the_word_of_an_operator_is_accepted_and_doubtful() -> None:
    read = parse_taints([{"key": "CriticalAddonsOnly", "value": "Exists", "effect": "NO_SCHEDULE"}], ("taints",), UPPER)
    assert [str(taint) for taint in read.taints] == ["CriticalAddonsOnly=Exists:NoSchedule"]
    assert read.refused == ()
    assert [(refusal.path, refusal.reason) for refusal in read.suspicious] == [
        (
            ("taints", 0, "value"),
            'its value is the text "Exists", because a taint has no operator; without a value it is CriticalAddonsOnly:NoSchedule',
        )
    ]


def test_the_tables_are_complete() -> None:
    assert set(CLOUD_EFFECTS.values()) == set(CORE_EFFECTS)
    assert TAINT_FIELDS == ("key", "value", "effect", "timeAdded")
