"""Plain data to Structs: what null means, what the API would refuse, what is left when something is not understood."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.apps import DaemonSet
from preflight.model.batch import Job
from preflight.model.convert import convert, is_one_edit
from preflight.model.core import CoveragePod, Node, NodeSpec, Pod, Taint, Toleration
from preflight.model.meta import Metadata, Origin, Refusal

ORIGIN = Origin("a.yaml", 2, 7)


def refused(refusals: tuple[Refusal, ...]) -> list[tuple[tuple[str | int, ...], str]]:
    return [(refusal.path, refusal.reason) for refusal in refusals]


@pytest.mark.parametrize(
    ("data", "spec"),
    [
        pytest.param({}, NodeSpec(), id="an absent spec holds nothing"),
        pytest.param({"spec": None}, NodeSpec(), id="null is absent"),
        pytest.param({"spec": {"taints": None, "unschedulable": None}}, NodeSpec(), id="null inside is absent"),
        pytest.param({"spec": {"taints": [{"key": "a", "value": None}]}}, NodeSpec((Taint("a"),)), id="a null value is empty"),
        pytest.param({"spec": {"taints": [None]}}, NodeSpec((Taint(),)), id="null in a list is the zero value"),
        pytest.param(
            {"spec": {"taints": [{"key": "a", "timeAdded": None}]}}, NodeSpec((Taint("a"),)), id="timeAdded is a field of a taint"
        ),
        pytest.param({"spec": {"podCIDR": 5}}, NodeSpec(), id="unknown fields elsewhere are nobody's business"),
    ],
)
def test_nothing_is_refused(data: dict[str, Any], spec: NodeSpec) -> None:
    value, refusals = convert({"metadata": {"name": "n"}, **data}, Node, ORIGIN)
    assert value == Node(origin=ORIGIN, metadata=Metadata("n"), spec=spec)
    assert refusals == ()


def test_null_in_a_map_of_strings_is_the_empty_string() -> None:
    value, refusals = convert({"metadata": {"name": "n", "labels": {"a": None, "b": "x"}}}, Node, ORIGIN)
    assert value is not None
    assert value.metadata.labels == {"a": "", "b": "x"}
    assert refusals == ()


@pytest.mark.parametrize(
    ("toleration", "want", "reasons"),
    [
        pytest.param({"value": True}, Toleration(value="true"), ["value must be a string: true is a boolean; quote it"], id="true"),
        pytest.param({"value": 10}, Toleration(value="10"), ["value must be a string: 10 is a number; quote it"], id="a number"),
        pytest.param({"value": 1.5}, Toleration(value="1.5"), ["value must be a string: 1.5 is a number; quote it"], id="a fraction"),
        pytest.param(
            {"tolerationSeconds": "300"},
            Toleration(tolerationSeconds=300),
            ['tolerationSeconds must be a number: "300" is a string; remove the quotes'],
            id="a number in quotes",
        ),
        pytest.param({"tolerationSeconds": 300.0}, Toleration(tolerationSeconds=300), [], id="a whole number with a point"),
        pytest.param({"vlaue": "x"}, Toleration(), ['unknown field "vlaue": did you mean "value"?'], id="two letters swapped"),
        pytest.param({"Key": "x"}, Toleration(), ['unknown field "Key": did you mean "key"?'], id="a wrong case"),
        pytest.param({"timeAdded": "x"}, Toleration(), ['unknown field "timeAdded"'], id="a field of taints in a toleration"),
        pytest.param({"a\nb": "x"}, Toleration(), [r'unknown field "a\nb"'], id="a line end in a name is escaped"),
        pytest.param(
            {"key": 1, "value": True, "efect": "NoSchedule"},
            Toleration("1", value="true"),
            [
                "key must be a string: 1 is a number; quote it",
                "value must be a string: true is a boolean; quote it",
                'unknown field "efect": did you mean "effect"?',
            ],
            id="all mistakes of one are named",
        ),
    ],
)
def test_a_toleration_that_the_api_refuses_is_taken_for_what_it_means(
    toleration: dict[str, Any], want: Toleration, reasons: list[str]
) -> None:
    data = {"metadata": {"name": "d"}, "spec": {"template": {"spec": {"tolerations": [{"key": "a"}, toleration]}}}}
    kinds: tuple[type[DaemonSet | Job], ...] = (DaemonSet, Job)
    for kind in kinds:
        value, refusals = convert(data, kind, ORIGIN)
        assert value is not None
        assert value.spec.template.spec.tolerations == (Toleration("a"), want)
        assert [refusal.reason for refusal in refusals] == reasons
        assert value.refusals == refusals
        assert all(refusal.path[:5] == ("spec", "template", "spec", "tolerations", 1) for refusal in refusals)


@pytest.mark.parametrize(
    "toleration",
    [
        pytest.param("x", id="a word"),
        pytest.param({"key": {}}, id="a map for a key"),
        pytest.param({"tolerationSeconds": "soon"}, id="a word for a number"),
        pytest.param({"tolerationSeconds": 1.5}, id="half a second"),
        pytest.param({"tolerationSeconds": True}, id="a boolean for a number"),
        pytest.param({"tolerationSeconds": float("nan")}, id="not a number for a number"),
    ],
)
def test_a_toleration_that_cannot_be_understood_tolerates_nothing(toleration: object) -> None:
    value, refusals = convert({"metadata": {"name": "p"}, "spec": {"tolerations": [toleration, {"key": "b"}]}}, Pod, ORIGIN)
    assert value is not None
    assert value.spec.tolerations == (Toleration("b"),)
    assert [refusal.path[:3] for refusal in refusals] == [("spec", "tolerations", 0)]


def test_every_wrong_value_has_its_exact_path() -> None:
    data = {
        "metadata": {"name": 10, "labels": {"a.b/c": True, "d": [1]}},
        "spec": {"taints": [{"key": "a", "effect": 1}, 5], "unschedulable": "true"},
        "status": {"conditions": {"type": "Ready"}},
    }
    value, refusals = convert(data, Node, ORIGIN)
    assert value is not None
    assert value.name == "10"
    assert value.metadata.labels == {"a.b/c": "true"}
    assert value.spec == NodeSpec((Taint("a", effect="1"),), unschedulable=True)
    assert refused(refusals) == [
        (("metadata", "name"), "name must be a string: 10 is a number; quote it"),
        (("metadata", "labels", "a.b/c"), "a.b/c must be a string: true is a boolean; quote it"),
        (("metadata", "labels", "d"), "d must be a string: it is a list"),
        (("spec", "taints", 0, "effect"), "effect must be a string: 1 is a number; quote it"),
        (("spec", "taints", 1), "taints[1] must be a map: 5 is a number"),
        (("spec", "unschedulable"), 'unschedulable must be a boolean: "true" is a string; remove the quotes'),
        (("status", "conditions"), "conditions must be a list: it is a map"),
    ]


@pytest.mark.parametrize(
    ("written", "want", "reason"),
    [
        (1, 1, None),
        ("1", "1", None),
        ("10%", "10%", None),
        (2.0, 2, None),
        (1.5, None, "maxUnavailable must be a number or a string: 1.5 is a number"),
        (True, None, "maxUnavailable must be a number or a string: true is a boolean"),
        ([], None, "maxUnavailable must be a number or a string: it is a list"),
    ],
)
def test_an_integer_and_a_string_stay_what_they_are(written: object, want: int | str | None, reason: str | None) -> None:
    data = {"metadata": {"name": "d"}, "spec": {"updateStrategy": {"rollingUpdate": {"maxUnavailable": written}}}}
    value, refusals = convert(data, DaemonSet, ORIGIN)
    assert value is not None
    kept = value.spec.updateStrategy.rollingUpdate.maxUnavailable
    assert (type(kept), kept) == (type(want), want)
    assert [refusal.reason for refusal in refusals] == ([reason] if reason else [])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param([], "the object must be a map: it is a list", id="no map"),
        pytest.param({"metadata": []}, "metadata must be a map: it is a list", id="metadata is a list"),
        pytest.param({"metadata": {"name": {}}}, "name must be a string: it is a map", id="the name is a map"),
        pytest.param({"metadata": {}, "spec": "x"}, 'spec must be a map: "x" is a string', id="the spec is a word"),
        pytest.param({"spec": {"template": []}}, "template must be a map: it is a list", id="the template is a list"),
        pytest.param({"spec": {"template": {"spec": 5}}}, "spec must be a map: 5 is a number", id="the pod's spec is a number"),
    ],
)
def test_an_object_without_sense_is_none(data: object, reason: str) -> None:
    value, refusals = convert(data, DaemonSet, ORIGIN)
    assert value is None
    assert [refusal.reason for refusal in refusals] == [reason]


def test_a_daemonset_keeps_the_whole_object() -> None:
    data = {"metadata": {"name": "d"}, "spec": {"template": {"spec": {"dnsPolicy": "Default", "affinity": None}}}}
    value, _ = convert(data, DaemonSet, ORIGIN)
    assert value is not None
    assert value.data == data
    assert value.origin == ORIGIN


def test_an_input_cannot_set_our_own_fields() -> None:
    value, _ = convert({"metadata": {"name": "n"}, "\ue000partial": True, "\ue000origin": {"file": "x"}}, Node, ORIGIN)
    assert value == Node(origin=ORIGIN, metadata=Metadata("n"))


def test_a_huge_number_is_named_and_not_printed() -> None:
    _, refusals = convert({"metadata": {"name": 10**5000}}, Node, ORIGIN)
    assert refused(refusals) == [(("metadata", "name"), "name must be a string: a huge number is a number; quote it")]


def test_what_stays_text_is_encoded_again() -> None:
    pod, refusals = convert({"metadata": {"name": "p", "labels": {"a": "b"}, "namespace": None}}, CoveragePod, ORIGIN)
    assert pod is not None
    assert bytes(pod.metadata.labels) == b'{"a":"b"}'
    assert refusals == ()


@pytest.mark.parametrize("word", ["value", "vlaue", "valu", "values", "walue", "avlue", "vaule", "vale", "valuex"])
def test_one_edit_away(word: str) -> None:
    assert is_one_edit(word, "value")
    assert is_one_edit("value", word)


@pytest.mark.parametrize("word", ["", "val", "vxlxe", "eulav", "valuexy", "lvaeu"])
def test_more_than_one_edit_away(word: str) -> None:
    assert not is_one_edit(word, "value")
    assert not is_one_edit("value", word)


@pytest.mark.parametrize(
    ("spec", "refused"),
    [
        pytest.param({"tolerations": []}, [], id="the field as it is"),
        pytest.param({"hostname": "x", "subdomain": "y", "priority": 1}, [], id="other fields of the API"),
        pytest.param({"toleration": []}, ['unknown field "toleration": did you mean "tolerations"?'], id="a letter left out"),
        pytest.param({"Tolerations": []}, ['unknown field "Tolerations": did you mean "tolerations"?'], id="another case"),
        pytest.param({"nodeselector": {}}, ['unknown field "nodeselector": did you mean "nodeSelector"?'], id="another case inside"),
    ],
)
def test_a_field_that_decides_where_pods_run_is_not_missed_in_silence(spec: dict[str, Any], refused: list[str]) -> None:
    data = {"metadata": {"name": "d"}, "spec": {"template": {"spec": spec}}}
    _, refusals = convert(data, DaemonSet, Origin("d.yaml"))
    assert [refusal.reason for refusal in refusals] == refused


def test_taints_in_another_case_are_refused() -> None:
    _, refusals = convert({"metadata": {"name": "n"}, "spec": {"Taints": []}}, Node, Origin("n.yaml"))
    assert [(refusal.path, refusal.reason) for refusal in refusals] == [
        (("spec", "Taints"), 'unknown field "Taints": did you mean "taints"?')
    ]
