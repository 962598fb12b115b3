"""The smallest edit of a manifest: every way to write tolerations, byte for byte."""

from __future__ import annotations

import pytest

from preflight.fix.edit_model import AddToleration, DropField, Operation, ReplaceToleration, SetFields
from tests.fix.manifests import HEAD, RDMA, fixed

TAIL = "      containers: [{name: agent, image: a}]\n"
GPU = {"key": "nvidia.com/gpu", "operator": "Equal", "value": "true", "effect": "NoExecute"}

ADDED: dict[str, tuple[str, str]] = {
    "a block list, indented": (
        "      tolerations:\n        - key: a\n          operator: Exists\n",
        "      tolerations:\n        - key: a\n          operator: Exists\n"
        "        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n",
    ),
    "dashes at the column of the key": (
        "      tolerations:\n      - operator: Exists\n        effect: NoExecute\n",
        "      tolerations:\n      - operator: Exists\n        effect: NoExecute\n"
        "      - key: dedicated\n        operator: Equal\n        value: rdma\n        effect: NoSchedule\n",
    ),
    "wide dashes": (
        "      tolerations:\n        -   key: a\n            operator: Exists\n",
        "      tolerations:\n        -   key: a\n            operator: Exists\n"
        "        -   key: dedicated\n            operator: Equal\n            value: rdma\n            effect: NoSchedule\n",
    ),
    "a dash on a line of its own": (
        "      tolerations:\n        -\n          key: a\n          operator: Exists\n",
        "      tolerations:\n        -\n          key: a\n          operator: Exists\n"
        "        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n",
    ),
    "items in braces": (
        "      tolerations:\n        - {key: a, operator: Exists}\n",
        "      tolerations:\n        - {key: a, operator: Exists}\n"
        "        - {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}\n",
    ),
    "items in braces with blanks and quotes": (
        "      tolerations:\n        - { \"key\": 'a', \"operator\": 'Exists' }\n",
        "      tolerations:\n        - { \"key\": 'a', \"operator\": 'Exists' }\n"
        "        - { \"key\": 'dedicated', \"operator\": 'Equal', \"value\": 'rdma', \"effect\": 'NoSchedule' }\n",
    ),
    "fields in the order of the alphabet, as programs write them": (
        "      tolerations:\n      - effect: NoSchedule\n        key: a\n        operator: Exists\n",
        "      tolerations:\n      - effect: NoSchedule\n        key: a\n        operator: Exists\n"
        "      - effect: NoSchedule\n        key: dedicated\n        operator: Equal\n        value: rdma\n",
    ),
    "quotes for values alone": (
        '      tolerations:\n      - key: a\n        operator: Equal\n        value: "b"\n',
        '      tolerations:\n      - key: a\n        operator: Equal\n        value: "b"\n'
        '      - key: dedicated\n        operator: Equal\n        value: "rdma"\n        effect: NoSchedule\n',
    ),
    "comments behind, between and below": (
        "      tolerations: # all\n        # first\n        - key: a # a\n          operator: Exists # last\n"
        "          # deeper: of the item\n        # - key: b\n\n",
        "      tolerations: # all\n        # first\n        - key: a # a\n          operator: Exists # last\n"
        "          # deeper: of the item\n"
        "        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n"
        "        # - key: b\n\n",
    ),
    "a comment with tabs": (
        "      tolerations:\n        - key: a\t# a\tb\n",
        "      tolerations:\n        - key: a\t# a\tb\n"
        "        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n",
    ),
    "an empty value last": (
        "      tolerations:\n        - key: a\n          effect:\n          # below\n",
        "      tolerations:\n        - key: a\n          effect:\n          # below\n"
        "        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n",
    ),
    "a list in brackets": (
        "      tolerations: [{key: a, operator: Exists}] # c\n",
        "      tolerations: [{key: a, operator: Exists}, {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}] # c\n",
    ),
    "a list in brackets, a line each": (
        "      tolerations: [\n        {key: a}, # a\n        {key: b} # b\n      ]\n",
        "      tolerations: [\n        {key: a}, # a\n        {key: b}, # b\n"
        "        {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}\n      ]\n",
    ),
    "a list in brackets, a line each, with a comma at the end": (
        "      tolerations: [\n        {key: a},\n        {key: b}, # b\n      ]\n",
        "      tolerations: [\n        {key: a},\n        {key: b}, # b\n"
        "        {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule},\n      ]\n",
    ),
    "a list in brackets that ends on the last item's line": (
        "      tolerations: [\n        {key: a},\n        {key: b}]\n",
        "      tolerations: [\n        {key: a},\n        {key: b},\n"
        "        {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}]\n",
    ),
    "a comma at the end of one line": (
        "      tolerations: [{key: a},]\n",
        "      tolerations: [{key: a}, {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule},]\n",
    ),
    "an empty list": (
        "      tolerations: []\n",
        "      tolerations: [{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}]\n",
    ),
    "null": (
        "      tolerations: null # none\n      containers:\n      - {name: agent, image: a}\n",
        "      tolerations: # none\n      - key: dedicated\n        operator: Equal\n        value: rdma\n        effect: NoSchedule\n"
        "      containers:\n      - {name: agent, image: a}\n",
    ),
    "nothing": (
        "      tolerations:   # none\n",
        "      tolerations:   # none\n"
        "        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n",
    ),
    "quoted keys": (
        '      "tolerations":\n        - "key": "a"\n',
        '      "tolerations":\n        - "key": "a"\n'
        '        - "key": "dedicated"\n          "operator": "Equal"\n          "value": "rdma"\n          "effect": "NoSchedule"\n',
    ),
    "the key twice: the last one counts": (
        "      tolerations:\n        - key: a\n      hostPID: true\n      tolerations:\n        - key: b\n",
        "      tolerations:\n        - key: a\n      hostPID: true\n      tolerations:\n        - key: b\n"
        "        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n",
    ),
    "an anchor that nobody repeats": (
        "      tolerations: &mine\n        - key: a\n",
        "      tolerations: &mine\n        - key: a\n"
        "        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n",
    ),
    "no key": (
        "      hostPID: true\n      # the only one\n",
        "      hostPID: true\n      tolerations:\n        - key: dedicated\n          operator: Equal\n          value: rdma\n"
        "          effect: NoSchedule\n      # the only one\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), [pytest.param(*texts, id=name) for name, texts in ADDED.items()])
@pytest.mark.parametrize("newline", ["\n", "\r\n"], ids=["line feeds", "carriage returns"])
def test_a_toleration_is_added_and_nothing_else_changes(before: str, after: str, newline: str) -> None:
    tail = "" if "containers" in before else TAIL
    for mark in ("", "\ufeff"):
        text, expected = (mark + (HEAD + each + tail).replace("\n", newline) for each in (before, after))
        found = fixed(text)
        assert found.refusals == (None,)
        assert found.text == expected


@pytest.mark.parametrize(
    ("pod", "after"),
    [
        pytest.param(
            "      containers: []\n      tolerations:\n      - key: a",
            "      containers: []\n      tolerations:\n      - key: a\n"
            "      - key: dedicated\n        operator: Equal\n        value: rdma\n        effect: NoSchedule",
            id="no line end at the end of the file",
        ),
        pytest.param(
            "      containers:\n      -   name: a\n      hostPID: true",
            "      tolerations:\n      -   key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n"
            "      containers:\n      -   name: a\n      hostPID: true",
            id="a new key has the dashes of its neighbours",
        ),
        pytest.param(
            "      containers: []\n      tolerations:",
            "      containers: []\n      tolerations:\n"
            "        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule",
            id="nothing at the end of the file",
        ),
    ],
)
def test_at_the_end_of_a_file(pod: str, after: str) -> None:
    assert fixed(HEAD + pod).text == HEAD + after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "{tolerations: [{key: a}], containers: []}",
            "{tolerations: [{key: a}, {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}], containers: []}",
            id="a list",
        ),
        pytest.param(
            '{"hostPID": true, "containers": []}',
            '{"hostPID": true, "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "rdma", "effect": "NoSchedule"}], '
            '"containers": []}',
            id="no key",
        ),
        pytest.param(
            "{tolerations: , containers: []}",
            "{tolerations: [{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}] , containers: []}",
            id="nothing",
        ),
        pytest.param(
            "{tolerations: null, containers: []}",
            "{tolerations: [{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}], containers: []}",
            id="null",
        ),
        pytest.param(
            "{\n        hostPID: true,\n        containers: [],\n      }",
            "{\n        hostPID: true,\n        tolerations: [{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}],\n"
            "        containers: [],\n      }",
            id="a line a key",
        ),
    ],
)
def test_a_pod_spec_in_braces(before: str, after: str) -> None:
    head = HEAD.removesuffix("\n") + " "
    found = fixed(f"{head}{before}\n")
    assert found.refusals == (None,)
    assert found.text == f"{head}{after}\n"


ITEMS: dict[str, tuple[str, Operation, str]] = {
    "operator and value behind the key": (
        "        - key: dedicated # why\n          effect: NoSchedule\n",
        SetFields(0, {"operator": "Equal", "value": "rdma"}),
        "        - key: dedicated # why\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n",
    ),
    "operator and value in braces": (
        "        - {key: dedicated, effect: NoSchedule}\n",
        SetFields(0, {"operator": "Equal", "value": "rdma"}),
        "        - {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}\n",
    ),
    "operator and value in the order of the alphabet": (
        "        - effect: NoSchedule\n          key: dedicated\n",
        SetFields(0, {"operator": "Equal", "value": "rdma"}),
        "        - effect: NoSchedule\n          key: dedicated\n          operator: Equal\n          value: rdma\n",
    ),
    "in the place of what is there": (
        '        - key: "dedicated"\n          operator: "Exists" # any\n',
        SetFields(0, {"operator": "Equal", "value": "rdma", "effect": "NoSchedule"}),
        '        - key: "dedicated"\n          operator: "Equal" # any\n          value: "rdma"\n          effect: "NoSchedule"\n',
    ),
    "in the place of nothing": (
        "        - key: dedicated\n          operator:\n          value: # none\n          effect: NoSchedule\n",
        SetFields(0, {"operator": "Equal", "value": "rdma"}),
        "        - key: dedicated\n          operator: Equal\n          value: rdma # none\n          effect: NoSchedule\n",
    ),
    "a field goes with its line": (
        "        - key: a\n          effect: NoExecute\n          tolerationSeconds: 300 # five minutes\n          operator: Exists\n",
        DropField(0, "tolerationSeconds"),
        "        - key: a\n          effect: NoExecute\n          operator: Exists\n",
    ),
    "the first field goes": (
        "        - tolerationSeconds: 300\n          key: a\n",
        DropField(0, "tolerationSeconds"),
        "        - key: a\n",
    ),
    "a field goes out of braces": (
        "        - {key: a, tolerationSeconds: 300, effect: NoExecute}\n",
        DropField(0, "tolerationSeconds"),
        "        - {key: a, effect: NoExecute}\n",
    ),
    "the last field goes out of braces": (
        "        - {key: a, tolerationSeconds: 300}\n",
        DropField(0, "tolerationSeconds"),
        "        - {key: a}\n",
    ),
    "a wildcard becomes two": (
        "        # all\n        - operator: Exists # every one\n        - key: b\n",
        ReplaceToleration(0, (RDMA, GPU)),
        "        # all\n        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule"
        " # every one\n"
        "        - key: b\n"
        '        - key: nvidia.com/gpu\n          operator: Equal\n          value: "true"\n          effect: NoExecute\n',
    ),
    "a wildcard in braces becomes one": (
        "        - {operator: Exists}\n",
        ReplaceToleration(0, (RDMA,)),
        "        - {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}\n",
    ),
}


@pytest.mark.parametrize(("before", "operation", "after"), [pytest.param(*each, id=name) for name, each in ITEMS.items()])
def test_one_toleration_changes(before: str, operation: Operation, after: str) -> None:
    found = fixed(f"{HEAD}      tolerations:\n{before}{TAIL}", operation)
    assert found.refusals == (None,)
    assert found.text == f"{HEAD}      tolerations:\n{after}{TAIL}"


def test_the_last_line_goes_from_a_file_without_a_line_end() -> None:
    text = HEAD + TAIL + "      tolerations:\n      - key: a\n        tolerationSeconds: 3"
    assert fixed(text, DropField(0, "tolerationSeconds")).text == HEAD + TAIL + "      tolerations:\n      - key: a"


LIST = """\
# two of one list
apiVersion: v1
kind: List
items:
- kind: ConfigMap
- kind: DaemonSet
  spec:
    template:
      spec:
        containers: []
        tolerations:
        - key: a
---
{"kind": "x"}
--- # last
spec:
  template:
    spec:
      tolerations: [] # none
...
"""


def test_the_right_object_of_the_right_document() -> None:
    expected = LIST.replace(
        "        - key: a\n",
        "        - key: a\n        - key: dedicated\n          operator: Equal\n          value: rdma\n          effect: NoSchedule\n",
    )
    assert fixed(LIST, path=("items", 1, "spec", "template", "spec")).text == expected
    third = fixed(LIST, document=2)
    assert third.text == LIST.replace("[]", "[{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}]").replace(
        "containers: [{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}]", "containers: []"
    )


SHARED = """\
base: &base
  tolerations: &list
    - &item {key: a}
spec:
  template:
    spec:
"""

REFUSED = {
    "an alias": (
        SHARED + "      tolerations: *list\n",
        "its tolerations come from the alias *list, which is also used elsewhere: edit the anchor &list by hand",
    ),
    "a merge that brings tolerations": (
        SHARED + "      <<: *base\n      containers: []\n",
        "its pod spec takes keys from a merge (<<), which may contain tolerations: edit it by hand",
    ),
    "a pod spec that another repeats": (
        "spec:\n  template: &t\n    spec:\n      tolerations: []\nother: *t\n",
        "an alias refers to the anchor &t: an edit would change that place too",
    ),
    "tolerations that another repeats": (
        "spec:\n  template:\n    spec:\n      tolerations: &t\n      - key: a\nother: *t\n",
        "an alias refers to the anchor &t: an edit would change that place too",
    ),
    "a template": (
        'spec:\n  template:\n    spec:\n      tolerations: []\n      nodeName: "{{ .Values.node }}"\n',
        "its document contains {{ as templates do: edit the template, or what it is rendered from",
    ),
    "JSON": (
        '{"spec": {"template": {"spec": {"tolerations": []}}}}\n',
        "JSON files are not edited: print a patch with --patch",
    ),
    "tolerations that are none": (
        "spec:\n  template:\n    spec:\n      tolerations: {}\n",
        "its tolerations are not a list",
    ),
}


@pytest.mark.parametrize(("text", "reason"), [pytest.param(*each, id=name) for name, each in REFUSED.items()])
def test_what_is_left_alone(text: str, reason: str) -> None:
    found = fixed(text)
    assert found.refusals == (reason,)
    assert found.text == text


def test_an_alias_as_an_item_is_kept_and_another_stands_below() -> None:
    text = "a: &a {key: a}\nspec:\n  template:\n    spec:\n      tolerations:\n      - *a\n"
    added = "      - key: dedicated\n        operator: Equal\n        value: rdma\n        effect: NoSchedule\n"
    assert fixed(text).text == text + added
    assert fixed(text, SetFields(0, {"value": "b"})).refusals == (
        "its toleration is the alias *a, which is also used elsewhere: edit the anchor &a by hand",
    )


def test_a_comment_inside_what_would_go_is_no_loss() -> None:
    text = HEAD + "      tolerations:\n        - operator: Exists\n          # only these\n          effect: NoSchedule\n" + TAIL
    assert fixed(text, ReplaceToleration(0, (RDMA,))).refusals == (
        ("there is a comment inside the toleration that would be removed: edit it by hand"),
    )


def test_two_are_added_in_order() -> None:
    text = HEAD + "      tolerations: [{key: a}]\n" + TAIL
    assert (
        "[{key: a}, {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}, {key: nvidia.com/gpu"
        in fixed(text, AddToleration(RDMA), AddToleration(GPU)).text
    )
