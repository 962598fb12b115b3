"""Which toleration matches which taint, which comes first, and for how long: semantics 3 to 5."""

from __future__ import annotations

import pytest

from preflight.model.core import PodSpec, Taint, Toleration
from preflight.model.reasons import NearMissKind
from preflight.scheduling.tolerations import (
    NEVER,
    add_default_tolerations,
    add_implicit_tolerations,
    find_eviction_delay,
    find_nearest_toleration,
    find_toleration,
    list_implicit_tolerations,
    tolerates,
)

RDMA = Taint("dedicated", "rdma", "NoSchedule")
EMPTY = Taint("dedicated", "", "NoSchedule")


def key(operator: str = "", value: str = "", effect: str = "NoSchedule", name: str = "dedicated", seconds: int | None = None) -> Toleration:
    return Toleration(name, operator, value, effect, seconds)


# Every operator in every situation. The taint is dedicated=rdma:NoSchedule, the gate of Lt and Gt is on.

OPERATORS = ("", "Equal", "Exists", "Gt", "Lt", "exists", "In")
SITUATIONS: dict[str, tuple[Toleration, Taint, set[str]]] = {
    "the key, the value and the effect are equal": (key(value="rdma"), RDMA, {"", "Equal", "Exists"}),
    "the value is absent, and that of the taint is not": (key(), RDMA, {"Exists"}),
    "both values are absent": (key(), EMPTY, {"", "Equal", "Exists"}),
    "the value is another": (key(value="gpu"), RDMA, {"Exists"}),
    "the value differs by case": (key(value="RDMA"), RDMA, {"Exists"}),
    "the taint has no value, and the toleration has one": (key(value="rdma"), EMPTY, {"Exists"}),
    "the effect is another": (key(value="rdma", effect="NoExecute"), RDMA, set()),
    "the effect is absent": (key(value="rdma", effect=""), RDMA, {"", "Equal", "Exists"}),
    "the effect differs by case": (key(value="rdma", effect="noSchedule"), RDMA, set()),
    "the key is another": (key(value="rdma", name="other"), RDMA, set()),
    "the key differs by case": (key(value="rdma", name="Dedicated"), RDMA, set()),
    "the key is a part of the taint's": (key(value="rdma", name="dedicate"), RDMA, set()),
    "there is no key, and the value is equal": (key(value="rdma", name=""), RDMA, {"", "Equal", "Exists"}),
    "there is no key and no value": (key(name=""), RDMA, {"Exists"}),
    "there is no key, no value and no effect": (key(name="", effect=""), RDMA, {"Exists"}),
    "there is no key, and the effect is another": (key(name="", effect="NoExecute"), RDMA, set()),
    "the taint's number is above": (key(value="5"), Taint("dedicated", "7", "NoSchedule"), {"Exists", "Gt"}),
    "the taint's number is below": (key(value="5"), Taint("dedicated", "-456", "NoSchedule"), {"Exists", "Lt"}),
    "the numbers are equal": (key(value="5"), Taint("dedicated", "5", "NoSchedule"), {"", "Equal", "Exists"}),
    "the taint's number is above, and the effect is another": (
        key(value="5", effect="NoExecute"),
        Taint("dedicated", "7", "NoSchedule"),
        set(),
    ),
}


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator or "no operator")
@pytest.mark.parametrize("situation", SITUATIONS)
def test_one_toleration_and_one_taint(situation: str, operator: str) -> None:
    toleration, taint, matching = SITUATIONS[situation]
    toleration = Toleration(toleration.key, operator, toleration.value, toleration.effect)
    assert tolerates(toleration, taint, True) is (operator in matching)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("0", True, id="zero"),
        pytest.param("-456", True, id="a negative number"),
        pytest.param("9223372036854775807", True, id="the largest"),
        pytest.param("-9223372036854775808", True, id="the smallest"),
        pytest.param("9223372036854775808", False, id="one more than the largest"),
        pytest.param("-9223372036854775809", False, id="one less than the smallest"),
        pytest.param("0550", False, id="a leading zero"),
        pytest.param("007", False, id="leading zeros"),
        pytest.param("00", False, id="two zeros"),
        pytest.param("+5", False, id="a plus"),
        pytest.param("-0", False, id="minus zero"),
        pytest.param("95.5", False, id="a fraction"),
        pytest.param("1e3", False, id="an exponent"),
        pytest.param("", False, id="nothing"),
        pytest.param("-", False, id="a sign alone"),
        pytest.param("high", False, id="a word"),
        pytest.param("\u0667", False, id="a digit of another script"),
    ],
)
def test_what_is_a_number_to_lt_and_gt(text: str, number: bool) -> None:
    """On either side of the comparison; a text that is no number never matches, whatever the gate."""
    taint = Taint("level", text, "NoSchedule")
    bounds = (key("Gt", "-9223372036854775808", name="level"), key("Lt", "9223372036854775807", name="level"))
    assert any(tolerates(bound, taint, True) for bound in bounds) is number
    written = (key("Gt", text, name="level"), key("Lt", text, name="level"))
    others = (Taint("level", "-1", "NoSchedule"), Taint("level", "1", "NoSchedule"))
    for gate, answer in ((True, True), (None, None)):
        answers = {tolerates(toleration, other, gate) for toleration in written for other in others}
        assert answers - {False} == ({answer} if number else set())


@pytest.mark.parametrize(("gate", "answer"), [(True, True), (False, False), (None, None)])
def test_the_gate_decides_where_the_numbers_hold(gate: bool | None, answer: bool | None) -> None:
    assert tolerates(key("Gt", "5", name="level"), Taint("level", "7", "NoSchedule"), gate) is answer
    assert tolerates(key("Gt", "5", name="level"), Taint("level", "3", "NoSchedule"), gate) is False


GT, EXISTS, EQUAL = key("Gt", "5", name="level"), key("Exists", name="level"), key("Equal", "7", name="level")
LEVEL = Taint("level", "7", "NoSchedule")


@pytest.mark.parametrize(
    ("tolerations", "gate", "found"),
    [
        pytest.param((), True, (None, True), id="none of none"),
        pytest.param((key("Exists"),), None, (None, True), id="none where none matches"),
        pytest.param((EXISTS, EQUAL), None, (EXISTS, True), id="the first of two that match"),
        pytest.param((EQUAL, EXISTS), None, (EQUAL, True), id="the first of two, the other way round"),
        pytest.param((GT, EXISTS), True, (GT, True), id="Gt is first where the gate is on"),
        pytest.param((GT, EXISTS), False, (EXISTS, True), id="Gt is passed over where the gate is off"),
        pytest.param((GT, EXISTS), None, (EXISTS, False), id="which is first is not certain where the gate is unknown"),
        pytest.param((EXISTS, GT), None, (EXISTS, True), id="what stands after the match changes nothing"),
        pytest.param((GT,), None, (None, False), id="whether any matches is not certain"),
    ],
)
def test_the_first_toleration_that_matches(
    tolerations: tuple[Toleration, ...], gate: bool | None, found: tuple[Toleration | None, bool]
) -> None:
    assert find_toleration(tolerations, LEVEL, gate) == found


# Time.


def execute(name: str, seconds: int | None = None, operator: str = "Exists", value: str = "") -> Toleration:
    return Toleration(name, operator, value, "NoExecute", seconds)


A, B = Taint("a", "", "NoExecute"), Taint("b", "7", "NoExecute")


@pytest.mark.parametrize(
    ("tolerations", "taints", "gate", "seconds"),
    [
        pytest.param([], [], None, NEVER, id="no taint, never"),
        pytest.param([], [RDMA, Taint("soft", "", "PreferNoSchedule")], None, NEVER, id="other effects do not count"),
        pytest.param([], [A], None, 0.0, id="not tolerated, now"),
        pytest.param([execute("a")], [A], None, NEVER, id="no seconds, for ever"),
        pytest.param([execute("a", 300)], [A], None, 300.0, id="the seconds of the toleration"),
        pytest.param([execute("a", 0)], [A], None, 0.0, id="0 is now"),
        pytest.param([execute("a", -1)], [A], None, 0.0, id="less than 0 is now"),
        pytest.param([execute("a", 5), execute("a")], [A], None, 5.0, id="5 s and then for ever is 5 s"),
        pytest.param([execute("a"), execute("a", 5)], [A], None, NEVER, id="for ever and then 5 s is for ever"),
        pytest.param([execute("a", 300), execute("a", 5)], [A], None, 300.0, id="the first counts, not the fewest"),
        pytest.param([Toleration("", "Exists"), execute("a", 5)], [A], None, NEVER, id="a wildcard first is for ever"),
        pytest.param([Toleration("", "Exists", "", "NoExecute", 60)], [A, B], None, 60.0, id="a wildcard with seconds"),
        pytest.param([execute("a", 300), execute("b", 5)], [A, B], None, 5.0, id="the fewest seconds of two taints"),
        pytest.param([execute("a", 300), execute("b", 5)], [B, A], None, 5.0, id="in any order of the taints"),
        pytest.param([execute("a", 300), execute("b")], [A, B], None, 300.0, id="for ever on one and 300 s on the other"),
        pytest.param([execute("a", 300)], [A, B], None, 0.0, id="one tolerated and one not is now"),
        pytest.param([execute("b", 9, "Gt", "5")], [B], True, 9.0, id="Gt where the gate is on"),
        pytest.param([execute("b", 9, "Gt", "5")], [B], False, 0.0, id="Gt where the gate is off"),
        pytest.param([execute("b", 9, "Gt", "5")], [B], None, None, id="Gt where the gate is unknown"),
        pytest.param([execute("b", None, "Gt", "5"), execute("b", 9)], [B], None, None, id="Gt first decides for ever or 9 s"),
        pytest.param([execute("b", 9, "Gt", "5")], [A, B], None, 0.0, id="now is now, whatever the gate"),
        pytest.param([execute("a", 0), execute("b", 9, "Gt", "5")], [A, B], None, 0.0, id="so is 0 s"),
        pytest.param([execute("b", 9, "Gt", "8")], [B], None, 0.0, id="numbers that do not hold need no gate"),
    ],
)
def test_evict_after(tolerations: list[Toleration], taints: list[Taint], gate: bool | None, seconds: float | None) -> None:
    assert find_eviction_delay(tolerations, taints, gate) == seconds


# Implicit tolerations.

NODE = "node.kubernetes.io/"
NOT_READY, UNREACHABLE = execute(f"{NODE}not-ready"), execute(f"{NODE}unreachable")
OTHERS = tuple(
    Toleration(f"{NODE}{name}", "Exists", "", "NoSchedule")
    for name in ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
)
NETWORK = Toleration(f"{NODE}network-unavailable", "Exists", "", "NoSchedule")


def test_the_implicit_tolerations() -> None:
    assert list_implicit_tolerations(False) == (NOT_READY, UNREACHABLE, *OTHERS)
    assert list_implicit_tolerations(True) == (NOT_READY, UNREACHABLE, *OTHERS, NETWORK)


@pytest.mark.parametrize(
    ("own", "all_of_them"),
    [
        pytest.param((), (NOT_READY, UNREACHABLE, *OTHERS), id="the implicit ones alone"),
        pytest.param((key("Exists"),), (key("Exists"), NOT_READY, UNREACHABLE, *OTHERS), id="they follow the template's"),
        pytest.param(
            (execute(f"{NODE}unreachable", 30), key("Exists")),
            (UNREACHABLE, key("Exists"), NOT_READY, *OTHERS),
            id="one replaces what has its key, operator, value and effect, where it stands",
        ),
        pytest.param(
            (execute(f"{NODE}unreachable", 30), execute(f"{NODE}unreachable", 60)),
            (UNREACHABLE, execute(f"{NODE}unreachable", 60), NOT_READY, *OTHERS),
            id="only the first of two",
        ),
        pytest.param(
            (execute(f"{NODE}not-ready", 30, "Equal"),),
            (execute(f"{NODE}not-ready", 30, "Equal"), NOT_READY, UNREACHABLE, *OTHERS),
            id="Equal is another operator",
        ),
        pytest.param(
            (Toleration(f"{NODE}not-ready", "Exists"),),
            (Toleration(f"{NODE}not-ready", "Exists"), NOT_READY, UNREACHABLE, *OTHERS),
            id="no effect is another effect",
        ),
        pytest.param(
            (Toleration("", "Exists", "", "NoExecute", 60),),
            (Toleration("", "Exists", "", "NoExecute", 60), NOT_READY, UNREACHABLE, *OTHERS),
            id="no key is another toleration, and stands first",
        ),
    ],
)
def test_daemon_tolerations(own: tuple[Toleration, ...], all_of_them: tuple[Toleration, ...]) -> None:
    assert add_implicit_tolerations(PodSpec(tolerations=own)) == all_of_them
    assert add_implicit_tolerations(PodSpec(tolerations=own, hostNetwork=True)) == (*all_of_them, NETWORK)


@pytest.mark.parametrize(
    ("taint", "tolerated", "with_host_network"),
    [
        pytest.param(f"{NODE}not-ready:NoExecute", True, True, id="not-ready, NoExecute"),
        pytest.param(f"{NODE}not-ready:NoSchedule", False, False, id="not-ready, NoSchedule"),
        pytest.param(f"{NODE}unreachable:NoExecute", True, True, id="unreachable, NoExecute"),
        pytest.param(f"{NODE}unreachable:NoSchedule", False, False, id="unreachable, NoSchedule"),
        pytest.param(f"{NODE}disk-pressure:NoSchedule", True, True, id="disk-pressure"),
        pytest.param(f"{NODE}memory-pressure:NoSchedule", True, True, id="memory-pressure"),
        pytest.param(f"{NODE}pid-pressure:NoSchedule", True, True, id="pid-pressure"),
        pytest.param(f"{NODE}unschedulable:NoSchedule", True, True, id="unschedulable"),
        pytest.param(f"{NODE}unschedulable:NoExecute", False, False, id="unschedulable, NoExecute"),
        pytest.param(f"{NODE}network-unavailable:NoSchedule", False, True, id="network-unavailable"),
        pytest.param(f"{NODE}out-of-service:NoExecute", False, False, id="out-of-service"),
        pytest.param("node.cloudprovider.kubernetes.io/uninitialized:NoSchedule", False, False, id="uninitialized"),
        pytest.param("node.cilium.io/agent-not-ready:NoExecute", False, False, id="a startup taint"),
    ],
)
def test_what_every_daemonset_tolerates(taint: str, tolerated: bool, with_host_network: bool) -> None:
    name, _, effect = taint.rpartition(":")
    there = Taint(name, "", effect)
    for host_network, answer in ((False, tolerated), (True, with_host_network)):
        found, certain = find_toleration(add_implicit_tolerations(PodSpec(hostNetwork=host_network)), there, None)
        assert (found is not None, certain) == (answer, True)


# What comes near.


@pytest.mark.parametrize(
    ("tolerations", "near"),
    [
        pytest.param((), None, id="nothing"),
        pytest.param((key("Exists", name="other"), Toleration("", "Exists", "", "NoExecute")), None, id="nothing speaks of the key"),
        pytest.param((key(),), (key(), NearMissKind.EMPTY_VALUE), id="no operator and no value"),
        pytest.param((key("Equal"),), (key("Equal"), NearMissKind.VALUE), id="Equal and no value"),
        pytest.param((key(value="gpu"),), (key(value="gpu"), NearMissKind.VALUE), id="another value"),
        pytest.param((key("Exists", effect="NoExecute"),), (key("Exists", effect="NoExecute"), NearMissKind.EFFECT), id="another effect"),
        pytest.param((key("Gt", "5"),), (key("Gt", "5"), NearMissKind.COMPARISON), id="a number that does not hold"),
        pytest.param((key("exists"),), (key("exists"), NearMissKind.OPERATOR), id="no operator of Kubernetes"),
        pytest.param((key("Exists", name="DEDICATED"),), (key("Exists", name="DEDICATED"), NearMissKind.KEY), id="another case"),
        pytest.param(
            (key("Exists", effect="NoExecute"), key("Exists", name="Dedicated"), key("exists"), key(value="gpu"), key()),
            (key(value="gpu"), NearMissKind.VALUE),
            id="the right key and effect come nearest, of two the first",
        ),
        pytest.param(
            (key("Exists", effect="NoExecute"), key("exists")), (key("exists"), NearMissKind.OPERATOR), id="before another effect"
        ),
        pytest.param(
            (key("Exists", effect="NoExecute"), key("Exists", name="Dedicated")),
            (key("Exists", name="Dedicated"), NearMissKind.KEY),
            id="another case comes before another effect",
        ),
    ],
)
def test_near_miss(tolerations: tuple[Toleration, ...], near: tuple[Toleration, NearMissKind] | None) -> None:
    assert find_nearest_toleration(tolerations, RDMA) == near


# The two that an ordinary pod gets.

NOT_READY_300, UNREACHABLE_300 = (
    Toleration(f"node.kubernetes.io/{key}", "Exists", effect="NoExecute", tolerationSeconds=300) for key in ("not-ready", "unreachable")
)


@pytest.mark.parametrize(
    ("own", "added"),
    [
        pytest.param((), (NOT_READY_300, UNREACHABLE_300), id="it has none"),
        pytest.param((key(),), (NOT_READY_300, UNREACHABLE_300), id="it speaks of another key"),
        pytest.param((NOT_READY_300, UNREACHABLE_300), (), id="it has them already"),
        pytest.param((Toleration(operator="Exists"),), (), id="it tolerates everything"),
        pytest.param((Toleration(operator="Exists", effect="NoExecute"),), (), id="it tolerates every NoExecute"),
        pytest.param(
            (Toleration(operator="Exists", effect="NoSchedule"),), (NOT_READY_300, UNREACHABLE_300), id="it tolerates every NoSchedule"
        ),
        pytest.param(
            (Toleration(NOT_READY_300.key, "Exists", effect="NoSchedule"),), (NOT_READY_300, UNREACHABLE_300), id="its NoSchedule twin"
        ),
        pytest.param((Toleration(NOT_READY_300.key, "Exists"),), (UNREACHABLE_300,), id="one of them, with any effect"),
        pytest.param((Toleration(UNREACHABLE_300.key, "Equal", "x", "NoExecute"),), (NOT_READY_300,), id="one of them in vain"),
    ],
)
def test_the_tolerations_of_an_ordinary_pod(own: tuple[Toleration, ...], added: tuple[Toleration, ...]) -> None:
    assert add_default_tolerations(own) == (*own, *added)


def test_the_pods_of_a_daemonset_get_no_other_tolerations() -> None:
    own = add_implicit_tolerations(PodSpec())
    assert add_default_tolerations(own) == own
