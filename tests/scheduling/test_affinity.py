"""nodeSelector and node affinity against a node: semantics 7, with all reasons, and what is not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from preflight.model.core import Affinity, Node, NodeAffinity, NodeSelector, NodeSelectorTerm, PodSpec
from preflight.model.meta import Metadata, SelectorRequirement
from preflight.model.reasons import SelectorMismatch, TermMismatch
from preflight.scheduling.affinity import (
    UNKNOWN,
    AffinityMatch,
    collect_label_keys,
    get_label,
    match_affinity,
    match_requirement,
    matches_labels,
    parse_int64,
)

Requirement = SelectorRequirement


def need(text: str, key: str = "pool") -> Requirement:
    """`In a b`: an operator and its values."""
    operator, *values = text.split()
    return Requirement(key, operator, tuple(values))


def term(*needs: str, fields: Sequence[str] = (), key: str = "pool") -> NodeSelectorTerm:
    return NodeSelectorTerm(tuple(need(text, key) for text in needs), tuple(need(text, "metadata.name") for text in fields))


def spec(*terms: NodeSelectorTerm, selector: dict[str, str] | None = None, required: bool = True, **fields: Any) -> PodSpec:
    affinity = Affinity(NodeAffinity(NodeSelector(terms))) if required else None
    return PodSpec(nodeSelector=selector or {}, affinity=affinity, **fields)


def node(partial: bool = False, absent: Sequence[str] = (), name: str = "n1", **labels: str) -> Node:
    return Node(metadata=Metadata(name=name, labels=labels), is_partial=partial, absent_labels=frozenset(absent))


# One requirement, every operator in every situation: where the label is absent, empty, one of the values, another value, a number.

LABELS: tuple[str | None, ...] = (None, "", "a", "b", "5", "007", "+9", "x1")


@pytest.mark.parametrize(
    ("requirement", "matching"),
    [
        pytest.param("In a", {"a"}, id="In one value"),
        pytest.param("In a b", {"a", "b"}, id="In two values"),
        pytest.param("NotIn a", {None, "", "b", "5", "007", "+9", "x1"}, id="NotIn holds without the label"),
        pytest.param("Exists", {"", "a", "b", "5", "007", "+9", "x1"}, id="Exists holds for the empty value"),
        pytest.param("DoesNotExist", {None}, id="DoesNotExist"),
        pytest.param("Gt 5", {"007", "+9"}, id="Gt parses plainly"),
        pytest.param("Gt 007", {"+9"}, id="Gt with leading zeros"),
        pytest.param("Lt +9", {"5", "007"}, id="Lt with a plus"),
        pytest.param("Lt -5", set(), id="Lt a negative number"),
        pytest.param("Gt x", set(), id="Gt no number"),
        pytest.param("Gt 9223372036854775808", set(), id="Gt a number that is too large"),
    ],
)
def test_one_requirement_and_one_label(requirement: str, matching: set[str | None]) -> None:
    assert {value for value in LABELS if match_requirement(need(requirement), value)} == matching
    assert match_requirement(need(requirement), UNKNOWN) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("0", 0, id="zero"),
        pytest.param("-0", 0, id="minus zero"),
        pytest.param("007", 7, id="leading zeros"),
        pytest.param("+5", 5, id="a plus"),
        pytest.param("-5", -5, id="a minus"),
        pytest.param("9223372036854775807", 2**63 - 1, id="the largest"),
        pytest.param("9223372036854775808", None, id="too large"),
        pytest.param("-9223372036854775808", -(2**63), id="the smallest"),
        pytest.param("-9223372036854775809", None, id="too small"),
        pytest.param("0" * 300 + "7", 7, id="many zeros"),
        pytest.param("", None, id="nothing"),
        pytest.param("+", None, id="a sign alone"),
        pytest.param("5 ", None, id="a blank"),
        pytest.param("1_000", None, id="an underscore"),
        pytest.param("0x1f", None, id="a base"),
        pytest.param("\u0663", None, id="a digit of another script"),
        pytest.param("\u00b2", None, id="a digit that is no decimal"),
    ],
)
def test_parse_int64(text: str, number: int | None) -> None:
    assert parse_int64(text) == number


# A whole pod spec.

MATCH = AffinityMatch(True)


@pytest.mark.parametrize(
    ("pod", "there", "answer"),
    [
        pytest.param(PodSpec(), node(), MATCH, id="nothing is asked for"),
        pytest.param(PodSpec(affinity=Affinity()), node(), MATCH, id="an empty affinity"),
        pytest.param(PodSpec(affinity=Affinity(NodeAffinity())), node(), MATCH, id="only preferred terms"),
        pytest.param(spec(selector={"pool": "rdma"}, required=False), node(pool="rdma"), MATCH, id="the label is there"),
        pytest.param(
            spec(selector={"pool": "rdma", "zone": "a", "os": "linux"}, required=False),
            node(pool="gpu", os="linux"),
            AffinityMatch(False, (SelectorMismatch("pool", "rdma", "gpu"), SelectorMismatch("zone", "a", None))),
            id="all mismatches of the nodeSelector are said",
        ),
        pytest.param(
            spec(selector={"pool": ""}, required=False),
            node(),
            AffinityMatch(False, (SelectorMismatch("pool", "", None),)),
            id="an absent label is not an empty one",
        ),
        pytest.param(spec(term("In a"), term("In rdma")), node(pool="rdma"), MATCH, id="terms are ORed"),
        pytest.param(
            spec(term("In a"), term("Exists", "NotIn rdma")),
            node(pool="rdma"),
            AffinityMatch(False, term_mismatches=(TermMismatch((need("In a"),)), TermMismatch((need("NotIn rdma"),)))),
            id="what is in a term is ANDed, and every term is a reason",
        ),
        pytest.param(spec(), node(), AffinityMatch(False, has_no_terms=True), id="no term at all matches nothing"),
        pytest.param(spec(term()), node(), AffinityMatch(False, term_mismatches=(TermMismatch(),)), id="an empty term matches nothing"),
        pytest.param(spec(term(), term("Exists")), node(pool="a"), MATCH, id="an empty term beside one that matches"),
        pytest.param(spec(term("NotIn a", "DoesNotExist")), node(), MATCH, id="NotIn and DoesNotExist hold without the label"),
        pytest.param(
            spec(term("Exists"), selector={"zone": "a"}),
            node(pool="x", zone="b"),
            AffinityMatch(False, (SelectorMismatch("zone", "a", "b"),)),
            id="nodeSelector and affinity must both match",
        ),
        pytest.param(
            spec(term("In a"), selector={"zone": "a"}),
            node(zone="b"),
            AffinityMatch(False, (SelectorMismatch("zone", "a", "b"),), (TermMismatch((need("In a"),)),)),
            id="both are said where neither does",
        ),
        pytest.param(spec(term(fields=["In n1"])), node(), MATCH, id="the name is in matchFields"),
        pytest.param(
            spec(term(fields=["NotIn n1"])),
            node(),
            AffinityMatch(False, term_mismatches=(TermMismatch(fields=(need("NotIn n1", "metadata.name"),)),)),
            id="the name is excluded",
        ),
        pytest.param(
            spec(term("Exists", fields=["In n2"])),
            node(),
            AffinityMatch(False, term_mismatches=(TermMismatch((need("Exists"),), (need("In n2", "metadata.name"),)),)),
            id="expressions and fields are ANDed",
        ),
    ],
)
def test_match_affinity(pod: PodSpec, there: Node, answer: AffinityMatch) -> None:
    assert match_affinity(pod, there) == answer


PATH = "nodeSelectorTerms[0].matchExpressions[0]"


@pytest.mark.parametrize(
    ("broken", "errors"),
    [
        pytest.param(
            term("In"), [f"{PATH}.values: Invalid value: []: for 'in', 'notin' operators, values set can't be empty"], id="In nothing"
        ),
        pytest.param(
            term("Exists a"),
            [f"{PATH}.values: Invalid value: [a]: values set must be empty for exists and does not exist"],
            id="Exists a value",
        ),
        pytest.param(
            term("Gt 1 2"),
            [f"{PATH}.values: Invalid value: [1 2]: for 'Gt', 'Lt' operators, exactly one value is required"],
            id="Gt two values",
        ),
        pytest.param(
            term("Lt x"),
            [f"{PATH}.values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"],
            id="Lt no number",
        ),
        pytest.param(term("in a"), [f'{PATH}.operator: Invalid value: "in": not a valid selector operator'], id="in lower case"),
        pytest.param(
            term(fields=["Exists"]),
            ['nodeSelectorTerms[0].matchFields[0].operator: Invalid value: "Exists": not a valid selector operator'],
            id="matchFields know In and NotIn alone",
        ),
        pytest.param(
            term(fields=["In a b"]),
            ["nodeSelectorTerms[0].matchFields[0].values: Invalid value: 2: must have one element"],
            id="matchFields take one value",
        ),
    ],
)
def test_a_term_that_cannot_be_parsed_counts_as_no_match(broken: NodeSelectorTerm, errors: list[str]) -> None:
    there = node(pool="a")
    mismatch = TermMismatch(errors=tuple(errors))
    assert match_affinity(spec(broken), there) == AffinityMatch(False, term_mismatches=(mismatch,), errors=tuple(errors))
    assert match_affinity(spec(broken, term("In a")), there) == MATCH


# Nodes that are only partly known.


@pytest.mark.parametrize(
    ("pod", "there", "answer"),
    [
        pytest.param(spec(selector={"pool": "a"}, required=False), node(True, pool="a"), MATCH, id="a label that is stated"),
        pytest.param(
            spec(selector={"pool": "a"}, required=False),
            node(True, pool="b"),
            AffinityMatch(False, (SelectorMismatch("pool", "a", "b"),)),
            id="a label that is stated, with another value",
        ),
        pytest.param(
            spec(selector={"pool": "a"}, required=False),
            node(True, absent=["pool"]),
            AffinityMatch(False, (SelectorMismatch("pool", "a", None),)),
            id="a label that is known to be absent",
        ),
        pytest.param(
            spec(selector={"pool": "a", "zone": "b"}, required=False),
            node(True, pool="a"),
            AffinityMatch(None, unknown_labels=("zone",)),
            id="a label that is not stated",
        ),
        pytest.param(
            spec(selector={"zone": "b", "pool": "a"}, required=False),
            node(True, pool="x"),
            AffinityMatch(False, (SelectorMismatch("pool", "a", "x"),)),
            id="what does not match decides, whatever is unknown",
        ),
        pytest.param(spec(term("Exists", key="zone"), term("In a")), node(True, pool="a"), MATCH, id="a term that matches decides"),
        pytest.param(
            spec(term("Exists", key="zone"), term("In b")),
            node(True, pool="a"),
            AffinityMatch(None, unknown_labels=("zone",)),
            id="else a term may match",
        ),
        pytest.param(
            spec(NodeSelectorTerm((need("Exists", "zone"), need("In b")))),
            node(True, pool="a"),
            AffinityMatch(False, term_mismatches=(TermMismatch((need("In b"),)),)),
            id="a term with one requirement that fails does not match",
        ),
        pytest.param(spec(term("NotIn a")), node(True), AffinityMatch(None, unknown_labels=("pool",)), id="NotIn depends on the label too"),
        pytest.param(spec(term("NotIn a")), node(True, absent=["pool"]), MATCH, id="and holds where it is absent"),
        pytest.param(spec(term(fields=["In n1"])), node(True), MATCH, id="the name of a named node is known"),
        pytest.param(
            spec(term(fields=["In n1"])),
            node(True, name="(pool=a)"),
            AffinityMatch(None, unknown_labels=("metadata.name",)),
            id="a node that stands for many has no name",
        ),
        pytest.param(
            spec(term("Exists", key="zone"), selector={"pool": "a"}),
            node(True, pool="b"),
            AffinityMatch(False, (SelectorMismatch("pool", "a", "b"),)),
            id="a nodeSelector that does not match decides, whatever the affinity",
        ),
        pytest.param(
            spec(term("In b"), selector={"zone": "a"}),
            node(True, pool="a"),
            AffinityMatch(False, term_mismatches=(TermMismatch((need("In b"),)),)),
            id="and so does the affinity",
        ),
    ],
)
def test_a_partly_known_node(pod: PodSpec, there: Node, answer: AffinityMatch) -> None:
    assert match_affinity(pod, there) == answer


def test_a_label_is_there_absent_or_unknown() -> None:
    assert get_label(node(pool="a"), "pool") == "a"
    assert get_label(node(), "pool") is None
    assert get_label(node(True), "pool") is UNKNOWN
    assert get_label(node(True, absent=["pool"]), "pool") is None


@pytest.mark.parametrize(
    ("pod", "mentioned"),
    [
        pytest.param(PodSpec(), (frozenset(), False), id="nothing"),
        pytest.param(PodSpec(nodeName="n1"), (frozenset(), True), id="a nodeName"),
        pytest.param(
            spec(term("In a"), term("Exists", key="zone"), selector={"os": "linux"}),
            (frozenset({"pool", "zone", "os"}), False),
            id="labels",
        ),
        pytest.param(spec(term(fields=["In n1"])), (frozenset(), True), id="matchFields"),
    ],
)
def test_what_placement_reads_of_a_node(pod: PodSpec, mentioned: tuple[frozenset[str], bool]) -> None:
    assert collect_label_keys(pod) == mentioned


def test_the_selector_of_a_workload() -> None:
    labels = {"app": "agent", "tier": "node"}
    assert matches_labels({}, (), labels)
    assert matches_labels({"app": "agent"}, (need("In node", "tier"), need("DoesNotExist", "canary")), labels)
    assert not matches_labels({"app": "agent", "canary": "x"}, (), labels)
    assert not matches_labels({"app": "agent"}, (need("NotIn node", "tier"),), labels)
