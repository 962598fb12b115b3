"""What a real API server refused is an error of PF205, PF206 or PF207, in its words; what it accepted is none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import make_daemonset
from tests.cli.program import program
from tests.paths import VECTORS

Recorded = dict[str, Any]

RECORDED: list[Recorded] = json.loads((VECTORS / "api-validation.json").read_text(encoding="utf-8"))

GATE_OFF = ("--feature-gates", "TaintTolerationComparisonOperators=false")

OTHERWISE = {
    # Without --validate=false the field is refused, and lint cannot know how somebody will apply the file.
    "unknown field, --validate=false": [("PF206", 'unknown field "vlaue": did you mean "value"?')],
    # The server names the operator as the wrong field, though the value is what has to go.
    "toleration: Exists with value": [("PF205", "value: Invalid value: \"x\": value must be empty when `operator` is 'Exists'")],
    # It lists the operators of the gate among the supported ones while it refuses them.
    "toleration: Gt without the gate": [("PF205", 'operator: Unsupported value: "Gt": supported values: "Equal", "Exists"')],
    # It writes a taint as JSON, and we as kubectl's command line does.
    "taint duplicate key and effect, different values": [
        ("PF206", "Duplicate value: a=q:NoSchedule: taints must be unique by key and effect pair"),
    ],
    # kubectl or the decoder fails here, in words that are about Go.
    "taint value unquoted true": [("PF206", "value must be a string: true is a boolean; quote it")],
    "taint value unquoted 10": [("PF206", "value must be a string: 10 is a number; quote it")],
    "taint value unquoted no": [("PF206", "value must be a string: false is a boolean; quote it")],
    "server-side: value unquoted y": [("PF206", "value must be a string: true is a boolean; quote it")],
    "label value unquoted true": [("PF207", "x must be a string: true is a boolean; quote it")],
    "unknown field in a taint": [("PF206", 'unknown field "vlaue": did you mean "value"?')],
    # The two fields are unknown, so the taint has neither a key nor an effect; the server stops at the first.
    "wrong-case field": [
        ("PF206", 'unknown field "Key": did you mean "key"?'),
        ("PF206", 'unknown field "Effect": did you mean "effect"?'),
        ("PF206", 'key: Invalid value: "": name part must be non-empty'),
        (
            "PF206",
            "key: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
            "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
            "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
        ),
        ("PF206", "effect: Required value"),
    ],
}


def manifest(recorded: Recorded) -> str:
    """The object that was applied."""
    if "yaml" in recorded:
        return str(recorded["yaml"])
    spec: dict[str, Any] = {}
    if "tolerations" in recorded:
        spec["tolerations"] = recorded["tolerations"]
    if "nodeSelectorTerms" in recorded:
        required = {"nodeSelectorTerms": recorded["nodeSelectorTerms"]}
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    return json.dumps(make_daemonset("e5", fields={"updateStrategy": recorded.get("updateStrategy", {})}, **spec))


def refused(recorded: Recorded) -> list[tuple[str, str]]:
    """What is to be found: the rule, and the server's reason from the field on; nothing of what was accepted."""
    name = recorded["object"]
    if name in OTHERWISE:
        return OTHERWISE[name]
    if recorded["accepted"]:
        return []
    path, reason = recorded["says"].partition(" is invalid: ")[2].split(": ", 1)
    rule = "PF205" if "tolerations" in path else "PF206" if "taints" in path else "PF207"
    field = path.rpartition(".")[2]
    return [(rule, f"{field}: {reason}")]


@pytest.mark.parametrize(
    "recorded", [pytest.param(recorded, id=f"{number}: {recorded['object']}") for number, recorded in enumerate(RECORDED)]
)
def test_the_server_and_the_rules_agree(recorded: Recorded, tmp_path: Path) -> None:
    file = tmp_path / "object.yaml"
    file.write_text(manifest(recorded), encoding="utf-8")
    gate = GATE_OFF if "without the gate" in recorded["object"] else ()
    result = program("lint", str(file), "-o", "json", *gate)
    found = [
        (finding["rule"], finding["message"].partition(" the API server refuses: ")[2] or finding["message"].partition("server: ")[2])
        for finding in json.loads(result.out)["findings"]
        if finding["rule"] in ("PF205", "PF206", "PF207")
    ]
    assert sorted(found) == sorted(refused(recorded))
    assert result.code == (1 if refused(recorded) else 0)


def test_every_exception_is_one_of_a_recorded_object() -> None:
    assert set(OTHERWISE) <= {recorded["object"] for recorded in RECORDED}


def test_what_the_server_accepts_of_repeated_keys_is_said_by_another_rule(tmp_path: Path) -> None:
    twice = [recorded for recorded in RECORDED if "duplicate YAML key" in recorded["object"]]
    assert [recorded["object"] for recorded in twice] == ["duplicate YAML key in a taint", "server-side: duplicate YAML key"]
    for recorded in twice:
        file = tmp_path / "object.yaml"
        file.write_text(recorded["yaml"], encoding="utf-8")
        report = json.loads(program("lint", str(file), "-o", "json").out)
        assert [(finding["rule"], finding["message"]) for finding in report["findings"]] == [
            ("PF901", "has 'value' twice in one map (line 6): the last one applies")
        ]
