"""What a policy may say, and what is refused: at its line, with the nearest word that is known."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from preflight.documents import Document, read_yaml
from preflight.errors import UsageError
from preflight.policy import load
from preflight.policy.schema import build_schema
from tests.paths import ROOT
from tests.policy.conftest import Write


def plain(text: str) -> object:
    """The data of a policy as we read it: days are strings."""
    return next((item.data for item in read_yaml(text, ()) if isinstance(item, Document)), {})


GOOD = {
    "nothing at all": "",
    "comments alone": "# nothing yet\n",
    "sections with nothing in them yet": "rules:\nexemptions:\ntaints:\n",
    "a severity alone": "rules: {PF201: error}\n",
    "a rule by its name": "rules: {tolerates-everything: note}\n",
    "off, which YAML reads as false": "rules: {PF202: off}\n",
    "off in quotes": 'rules: {PF202: "off"}\n',
    "a setting with match": "rules: {PF201: {severity: error, match: {namespace: kube-*, labels: {app: [a, b*]}}}}\n",
    "several settings": "rules: {PF201: [{severity: error}, {severity: off, match: {kind: Job}}]}\n",
    "options": "rules: {PF201: {options: {kinds: [cni, log-agent]}}}\n",
    "a taint with one value": "taints: [{key: dedicated, values: rdma, effects: NoSchedule}]\n",
    "a taint with several, and what it means": "taints: [{key: a/b, values: [x, ''], effects: [NoSchedule, NoExecute], meaning: m}]\n",
    "a node pool": "nodePools: [{name: rdma, labels: {pool: rdma}, taints: [{key: a, value: b, effect: NoExecute}], count: 3}]\n",
    "required tolerations": "required: [{name: r, kinds: [cni], tolerations: [{operator: Exists}], exactly: true, reason: because}]\n",
    "components": "components: [{image: 'a/*', kinds: []}, {match: {name: x}, add: [cni], resources: [a/b]}]\n",
    "what DaemonSets do": "noExecute: leave\n",
    "mandatory rules": "mandatory: [PF205, invalid-taint]\n",
    "exemptions": "exemptions: [{rule: PF201, match: {file: 'a/*'}, reason: because, expires: 2027-01-31}]\nrequireExpires: true\n",
    "packs below it": "extends: [strict, gpu-rdma]\n",
    "nothing below it": "extends: []\n",
    "JSON": '{"extends": "baseline", "rules": {"PF201": "error"}}',
}


@pytest.mark.parametrize("text", GOOD.values(), ids=GOOD)
def test_good(text: str, write: Write) -> None:
    write("policy.yaml", text)
    load("policy.yaml")
    jsonschema.validate(plain(text), build_schema())


# Each with what is said, and whether the schema refuses it too (it knows no days, globs or what must be given together).
BAD: dict[str, tuple[str, str, bool]] = {
    "a list": ("[a]\n", "policy.yaml:1:1: a policy is a map", True),
    "an unknown key": ("rules: {}\nexemption: []\n", 'policy.yaml:2:1: unknown key "exemption": did you mean "exemptions"?', True),
    "an unknown key of another case": ("nodepools: []\n", 'policy.yaml:1:1: unknown key "nodepools": did you mean "nodePools"?', True),
    "an unknown key like no other": (
        "taints:\n- {key: a, effects: NoSchedule, zzz: 1}\n",
        'unknown key "zzz": valid values are key, effects, values, meaning',
        True,
    ),
    "an unknown key deep inside": (
        "rules:\n  PF201:\n    - severty: error\n",
        'policy.yaml:3:7: unknown key "severty": did you mean "severity"?',
        True,
    ),
    "an unknown rule": ("rules:\n  F201: error\n", 'policy.yaml:2:3: no rule "F201": did you mean "PF201"?', True),
    "an unknown name of a rule": (
        "mandatory:\n- tolerates-everthing\n",
        'policy.yaml:2:3: no rule "tolerates-everthing": did you mean "tolerates-everything"?',
        True,
    ),
    "a rule of another case": ("rules: {pf201: error}\n", 'policy.yaml:1:9: no rule "pf201": did you mean "PF201"?', True),
    "the rule that is no rule": ("rules: {PF900: note}\n", "policy.yaml:1:9: a crash of a rule is always an error", True),
    "an unknown severity": (
        "rules: {PF201: eror}\n",
        'policy.yaml:1:9: "eror" is not one of error, warning, note, off: did you mean "error"?',
        True,
    ),
    "on, which YAML reads as true": ("rules: {PF201: on}\n", 'policy.yaml:1:9: "true" is not one of error, warning, note, off', True),
    "an unknown kind of component": (
        "required:\n- name: r\n  kinds: [csi-node-drivr]\n  tolerations: [{operator: Exists}]\n",
        'policy.yaml:3:11: no kind of component "csi-node-drivr": did you mean "csi-node-driver"?',
        True,
    ),
    "an unknown kind in options": (
        "rules: {PF201: {options: {kinds: [cnii]}}}\n",
        'no kind of component "cnii": did you mean "cni"?',
        True,
    ),
    "options of a rule that has none": ("rules: {PF202: {options: {kinds: [cni]}}}\n", "policy.yaml:1:17: PF202 has no options", True),
    "an unknown option": ("rules: {PF201: {options: {kind: [cni]}}}\n", 'unknown key "kind": did you mean "kinds"?', True),
    "options for some objects": (
        "rules: {PF201: {options: {kinds: [cni]}, match: {kind: Job}}}\n",
        "policy.yaml:1:17: apply to all objects: set them without match",
        False,
    ),
    "a number where a string is needed": (
        "taints: [{key: a, values: [1], effects: NoSchedule}]\n",
        "policy.yaml:1:28: must be a string: 1 is a number; quote it",
        True,
    ),
    "a boolean where a string is needed": (
        "nodePools:\n- name: a\n  labels: {gpu: true}\n",
        "policy.yaml:3:12: must be a string: true is a boolean; quote it",
        True,
    ),
    "a text where a list is needed": ("exemptions: all\n", 'policy.yaml:1:1: must be a list: "all" is a string', True),
    "a list where a map is needed": ("rules: [PF201]\n", "policy.yaml:1:1: must be a map: it is a list", True),
    "no value where one is needed": ("taints: [{key: , effects: NoSchedule}]\n", "policy.yaml:1:11: must be a string: it is empty", True),
    "a key that has to be there": ("taints: [{effects: NoSchedule}]\n", "policy.yaml:1:10: lacks key", True),
    "an effect that is none": (
        "taints: [{key: a, effects: [NoSchedul]}]\n",
        '"NoSchedul" is not one of NoSchedule, PreferNoSchedule, NoExecute: did you mean "NoSchedule"?',
        True,
    ),
    "no effect": ("taints: [{key: a, effects: []}]\n", "policy.yaml:1:19: is empty: name one effect or more", False),
    "a key that the API server refuses": ("taints: [{key: 'a b', effects: NoSchedule}]\n", "policy.yaml:1:11: ", False),
    "a value that the API server refuses": (
        "nodePools: [{name: a, taints: [{key: a, value: '-5', effect: NoSchedule}]}]\n",
        "policy.yaml:1:41: ",
        False,
    ),
    "less than no nodes": ("nodePools: [{name: a, count: -1}]\n", "policy.yaml:1:23: is less than 0", False),
    "a required toleration of nobody": (
        "required: [{name: r, tolerations: [{operator: Exists}]}]\n",
        "policy.yaml:1:12: selects no workload: set kinds, match or both",
        False,
    ),
    "a toleration without a key": (
        "required: [{name: r, kinds: cni, tolerations: [{effect: NoSchedule}]}]\n",
        "lacks key: only `operator: Exists` allows an empty key",
        False,
    ),
    "components of nobody": ("components: [{kinds: [cni]}]\n", "policy.yaml:1:14: selects no workload: set image, match or both", False),
    "components that say nothing": ("components: [{image: a}]\n", "policy.yaml:1:14: has no effect: set kinds or add", False),
    "an empty match": ("rules: {PF201: {severity: off, match: {}}}\n", "policy.yaml:1:32: is empty: name at least one of namespace", False),
    "a glob without end": (
        f"exemptions: [{{rule: PF201, reason: r, match: {{name: {'a*' * 101}}}}}]\n",
        "a glob has more than 200 characters",
        True,
    ),
    "an exemption without a reason": ("exemptions: [{rule: PF201}]\n", "policy.yaml:1:14: lacks reason", True),
    "an exemption with an empty reason": ("exemptions: [{rule: PF201, reason: ' '}]\n", "is empty: an exemption needs a reason", False),
    "a day that is none": (
        "exemptions: [{rule: PF201, reason: r, expires: 2027-02-30}]\n",
        'policy.yaml:1:39: "2027-02-30" is not a date: write it as 2027-01-31',
        False,
    ),
    "a day in other words": ("exemptions: [{rule: PF201, reason: r, expires: next week}]\n", '"next week" is not a date', True),
    "an unknown wish": ("noExecute: stays\n", 'policy.yaml:1:1: "stays" is not one of stay, leave, decide: did you mean "stay"?', True),
    "a mandatory rule that is off": (
        "mandatory: [PF205]\nrules:\n  invalid-toleration: off\n",
        "policy.yaml:3:3: PF205 is mandatory (policy.yaml:1): it cannot be off",
        False,
    ),
}


@pytest.mark.parametrize(("text", "said", "by_schema"), BAD.values(), ids=BAD)
def test_refused(text: str, said: str, by_schema: bool, write: Write) -> None:
    write("policy.yaml", text)
    with pytest.raises(UsageError) as error:
        load("policy.yaml")
    assert said in str(error.value)
    assert str(error.value).startswith("policy.yaml:")
    validator = jsonschema.Draft202012Validator(build_schema())
    assert (not validator.is_valid(plain(text))) is by_schema


def test_all_that_is_wrong_is_said_in_order_up_to_forty(write: Write) -> None:
    write("policy.yaml", "rules:\n" + "".join(f"  PF20{number}: wrong\n" for number in (1, 2)) + "extra: 1\n")
    with pytest.raises(UsageError) as error:
        load("policy.yaml")
    lines = str(error.value).split("\n")
    assert [line.split(": ")[0] for line in lines] == ["policy.yaml:2:3", "policy.yaml:3:3", "policy.yaml:4:1"]
    assert lines[0].startswith('policy.yaml:2:3: "wrong" is not one of error, warning, note, off')
    assert lines[2].startswith('policy.yaml:4:1: unknown key "extra"')
    write("policy.yaml", "".join(f"extra{number}: 1\n" for number in range(43)))
    with pytest.raises(UsageError) as error:
        load("policy.yaml")
    lines = str(error.value).split("\n")
    assert [line.split(":")[1] for line in lines[:40]] == [str(number) for number in range(1, 41)]
    assert lines[40:] == ["and 3 more"]


def test_faults_of_form_hide_no_faults_of_values(write: Write) -> None:
    write(
        "policy.yaml",
        "rulez: {}\nrules:\n  PF102: eror\n  PF9999: error\nexemptions:\n"
        "- {rule: PF102, reason: ''}\n- {rule: PF102, reason: r, expires: someday}\n- {rul: PF102}\n"
        "taints: [{key: a, effects: []}]\nnoExecute: stay\nnoExecute: stay\n",
    )
    with pytest.raises(UsageError) as error:
        load("policy.yaml")
    assert [line.split(": ")[0].removeprefix("policy.yaml:") for line in str(error.value).split("\n")] == [
        *("1:1", "3:3", "4:3", "6:17", "7:28", "8:3", "8:3", "8:4", "9:19", "11:1"),
    ]


# What strangers write: a clear error, at once.


def bomb(levels: int) -> str:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, levels)]
    return "\n".join(lines) + "\n"


HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "an alias bomb": (bomb(9), "the aliases of this document repeat more than"),
    "10 MB": (b"# " + b"x" * (10 << 20), "policy.yaml: larger than 1 MiB"),
    "lists in lists": ("rules: " + "[" * 5000, "policy.yaml:1:"),
    "an anchor that contains itself": ("rules: &a {PF201: *a}\n", "the anchor &a contains itself"),
    "bytes that are no text": (b"rules:\n  \xff: error\n", "policy.yaml:2:1: not UTF-8"),
    "two documents": ("rules: {}\n---\nrules: {}\n", "policy.yaml:3:1: only one document is allowed, and a second one starts here"),
    "a key twice": ("noExecute: stay\nnoExecute: leave\n", "policy.yaml:2:1: 'noExecute' is repeated, first in line 1"),
    "broken YAML": ("rules: {PF201\n", "policy.yaml:"),
    "control characters": ('rules: {"\\e[31m\\u202e::error::x": error}\n', 'no rule "\\u001b[31m\\u202e::error::x"'),
    "a key as long as a book": (f"{'k' * 900}: 1\n", 'unknown key "' + "k" * 60 + '..."'),
    "more faults than are looked for": ("exemptions: [" + "1," * 5000 + "1]\n", "and at least 960 more"),
    "more faults in one of two types": ("extends: [" + "1," * 5000 + "1]\n", "policy.yaml:1:11: must be a string: 1 is a number"),
    "a huge number": ("nodePools: [{name: a, count: 99999999999999999999999}]\n", "must be a whole number"),
}


@pytest.mark.parametrize(("text", "said"), HOSTILE.values(), ids=HOSTILE)
def test_hostile(text: str | bytes, said: str, folder: Path) -> None:
    (folder / "policy.yaml").write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError) as error:
        load("policy.yaml")
    message = str(error.value)
    assert said in message
    assert message.isascii()
    assert len(message) < 3000


def test_what_is_no_file_is_not_opened_for_long(folder: Path) -> None:
    os.mkfifo(folder / "policy.yaml")
    descriptor = os.open(folder / "policy.yaml", os.O_RDWR)  # a reader would wait for ever without a writer
    with pytest.raises(UsageError, match=r"policy\.yaml: not a file"):
        load("policy.yaml")
    os.close(descriptor)
    with pytest.raises(UsageError, match=r"none\.yaml: cannot be read: no such file"):
        load("none.yaml")


def test_the_schema_is_one_and_its_file_is_what_is_made() -> None:
    """Regenerate it with `preflight policy schema > policies/schema.json`."""
    made: dict[str, Any] = build_schema()
    jsonschema.Draft202012Validator.check_schema(made)
    committed = ROOT / "policies" / "schema.json"
    assert committed.read_text(encoding="utf-8") == json.dumps(made, indent=2) + "\n"
