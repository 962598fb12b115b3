"""What the API server refuses of tolerations, taints, strategies, labels and affinity: paths and reasons."""

from __future__ import annotations

import pytest

from preflight.model.apps import DaemonSetUpdateStrategy, RollingUpdateDaemonSet
from preflight.model.core import (
    Affinity,
    Container,
    NodeAffinity,
    NodeSelector,
    NodeSelectorTerm,
    PodSpec,
    Resources,
    Taint,
    Toleration,
)
from preflight.model.meta import SelectorRequirement
from preflight.scheduling.name_validation import validate_label_value, validate_qualified_name
from preflight.scheduling.request_validation import validate_requests
from preflight.scheduling.validation import (
    validate_labels,
    validate_node_selection,
    validate_taints,
    validate_tolerations,
    validate_update_strategy,
)

Refused = list[tuple[tuple[str | int, ...], str]]

NO_KEY = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
SUPPORTED = 'supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"'
[NO_VALUE] = validate_label_value("-5")
[NO_NAME] = validate_qualified_name("a b")


@pytest.mark.parametrize(
    ("toleration", "gate", "refused"),
    [
        pytest.param(Toleration(operator="Exists"), None, [], id="the wildcard"),
        pytest.param(Toleration("a"), None, [], id="a key alone"),
        pytest.param(Toleration("a", "Exists", "", "NoExecute", -1), None, [], id="negative seconds"),
        pytest.param(Toleration("a", "Exists", "", "NoExecute", 0), None, [], id="0 seconds"),
        pytest.param(Toleration("a", "Gt", "5"), None, [], id="Gt where the gate is unknown"),
        pytest.param(Toleration("a", "Lt", "5"), True, [], id="Lt where the gate is on"),
        pytest.param(Toleration("a b", "Exists"), None, [(("key",), f'key: Invalid value: "a b": {NO_NAME}')], id="a key that is none"),
        pytest.param(
            Toleration(operator="Equal", value="x"),
            None,
            [(("operator",), f'operator: Invalid value: "Equal": {NO_KEY}')],
            id="Equal without a key",
        ),
        pytest.param(
            Toleration(effect="NoSchedule"),
            None,
            [(("operator",), f'operator: Invalid value: "": {NO_KEY}')],
            id="neither key nor operator",
        ),
        pytest.param(Toleration("a", "", "-5"), None, [(("value",), f'value: Invalid value: "-5": {NO_VALUE}')], id="a value that is none"),
        pytest.param(
            Toleration("a", "Exists", "x"),
            None,
            [(("value",), "value: Invalid value: \"x\": value must be empty when `operator` is 'Exists'")],
            id="Exists with a value",
        ),
        pytest.param(
            Toleration("a", "Exists", "", "", 5),
            None,
            [(("effect",), "effect: Invalid value: \"\": effect must be 'NoExecute' when `tolerationSeconds` is set")],
            id="seconds without an effect",
        ),
        pytest.param(
            Toleration("a", "Gt", "x"),
            True,
            [(("value",), 'value: Invalid value: "x": value must be a valid integer for Lt and Gt')],
            id="Gt no number",
        ),
        pytest.param(
            Toleration("a", "Gt", "5"),
            False,
            [(("operator",), 'operator: Unsupported value: "Gt": supported values: "Equal", "Exists"')],
            id="Gt where the gate is off",
        ),
        pytest.param(
            Toleration("a", "exists"),
            None,
            [(("operator",), 'operator: Unsupported value: "exists": supported values: "Equal", "Exists"')],
            id="an operator in lower case",
        ),
        pytest.param(
            Toleration("a", "Exists", "", "noExecute"),
            None,
            [(("effect",), f'effect: Unsupported value: "noExecute": {SUPPORTED}')],
            id="an effect in lower case",
        ),
        pytest.param(
            Toleration("", "exists", "", "no"),
            None,
            [
                (("operator",), f'operator: Invalid value: "exists": {NO_KEY}'),
                (("operator",), 'operator: Unsupported value: "exists": supported values: "Equal", "Exists"'),
                (("effect",), f'effect: Unsupported value: "no": {SUPPORTED}'),
            ],
            id="all that is wrong is said",
        ),
    ],
)
def test_tolerations(toleration: Toleration, gate: bool | None, refused: Refused) -> None:
    found = [
        (refusal.path, refusal.reason) for refusal in validate_tolerations([Toleration("fine"), toleration], ("spec", "tolerations"), gate)
    ]
    assert found == [(("spec", "tolerations", 1, *path), reason) for path, reason in refused]


def test_repeated_tolerations_are_accepted() -> None:
    assert list(validate_tolerations([Toleration("a", "Exists")] * 2, (), None)) == []


@pytest.mark.parametrize(
    ("taints", "refused"),
    [
        pytest.param([], [], id="none"),
        pytest.param(
            [Taint("a", "", "NoSchedule"), Taint("a", "", "NoExecute"), Taint("b", "", "NoSchedule")], [], id="one key with two effects"
        ),
        pytest.param(
            [Taint("a", "-5", "NoSchedule")], [((0, "value"), f'value: Invalid value: "-5": {NO_VALUE}')], id="a value that is none"
        ),
        pytest.param([Taint("a b", "", "NoSchedule")], [((0, "key"), f'key: Invalid value: "a b": {NO_NAME}')], id="a key that is none"),
        pytest.param([Taint("a")], [((0, "effect"), "effect: Required value")], id="no effect"),
        pytest.param(
            [Taint("a"), Taint("a")],
            [((0, "effect"), "effect: Required value"), ((1, "effect"), "effect: Required value")],
            id="no effect twice",
        ),
        pytest.param(
            [Taint("a", "", "noschedule")],
            [((0, "effect"), f'effect: Unsupported value: "noschedule": {SUPPORTED}')],
            id="an effect in lower case",
        ),
        pytest.param(
            [Taint("a", "p", "NoSchedule"), Taint("a", "q", "NoSchedule"), Taint("a", "p", "NoSchedule")],
            [
                ((1,), "Duplicate value: a=q:NoSchedule: taints must be unique by key and effect pair"),
                ((2,), "Duplicate value: a=p:NoSchedule: taints must be unique by key and effect pair"),
            ],
            id="the same key and effect, whatever the value",
        ),
    ],
)
def test_taints(taints: list[Taint], refused: Refused) -> None:
    assert [(refusal.path, refusal.reason) for refusal in validate_taints(taints)] == [
        (("spec", "taints", *path), reason) for path, reason in refused
    ]


PERCENT = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%', or '93%', or '0%')"


@pytest.mark.parametrize(
    ("kind", "unavailable", "surge", "refused"),
    [
        pytest.param("", None, None, [], id="the default"),
        pytest.param("RollingUpdate", "100%", 0, [], id="all of them"),
        pytest.param("RollingUpdate", 0, "1%", [], id="a surge"),
        pytest.param("OnDelete", 0, 0, [], id="OnDelete looks at nothing else"),
        pytest.param(
            "onDelete",
            None,
            None,
            [(("type",), 'type: Unsupported value: "onDelete": supported values: "RollingUpdate", "OnDelete"')],
            id="a type that is none",
        ),
        pytest.param(
            "", 0, None, [(("maxUnavailable",), "maxUnavailable: Required value: cannot be 0 when maxSurge is 0")], id="nothing may go"
        ),
        pytest.param(
            "", "0%", "0%", [(("maxUnavailable",), "maxUnavailable: Required value: cannot be 0 when maxSurge is 0")], id="0 % of both"
        ),
        pytest.param(
            "", None, 1, [(("maxSurge",), "maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero")], id="a surge alone"
        ),
        pytest.param(
            "", 2, "50%", [(("maxSurge",), 'maxSurge: Invalid value: "50%": may not be set when maxUnavailable is non-zero')], id="both"
        ),
        pytest.param(
            "",
            -1,
            None,
            [(("maxUnavailable",), 'maxUnavailable: Invalid value: "-1": must be greater than or equal to 0')],
            id="a negative number",
        ),
        pytest.param(
            "",
            "101%",
            None,
            [(("maxUnavailable",), 'maxUnavailable: Invalid value: "101%": must not be greater than 100%')],
            id="more than all",
        ),
        pytest.param("", "5", None, [(("maxUnavailable",), f'maxUnavailable: Invalid value: "5": {PERCENT}')], id="a number in quotes"),
        pytest.param(
            "",
            "many",
            "-5%",
            [
                (("maxUnavailable",), f'maxUnavailable: Invalid value: "many": {PERCENT}'),
                (("maxSurge",), f'maxSurge: Invalid value: "-5%": {PERCENT}'),
            ],
            id="two texts that are no percentages",
        ),
    ],
)
def test_strategies(kind: str, unavailable: int | str | None, surge: int | str | None, refused: Refused) -> None:
    strategy = DaemonSetUpdateStrategy(kind, RollingUpdateDaemonSet(unavailable, surge))
    inside = () if refused and refused[0][0] == ("type",) else ("rollingUpdate",)
    found = [(refusal.path, refusal.reason) for refusal in validate_update_strategy(strategy)]
    assert found == [(("spec", "updateStrategy", *inside, *path), reason) for path, reason in refused]


def test_labels() -> None:
    assert list(validate_labels({"example.com/pool": "rdma", "empty": ""}, ("metadata", "labels"))) == []
    found = [(refusal.path, refusal.reason) for refusal in validate_labels({"a b": "-5"}, ("metadata", "labels"))]
    assert found == [
        (("metadata", "labels", "a b"), f'a b: Invalid value: "a b": {NO_NAME}'),
        (("metadata", "labels", "a b"), f'a b: Invalid value: "-5": {NO_VALUE}'),
    ]


def expression(operator: str, *values: str, key: str = "pool") -> NodeSelectorTerm:
    return NodeSelectorTerm(matchExpressions=(SelectorRequirement(key, operator, values),))


def field(operator: str, *values: str, key: str = "metadata.name") -> NodeSelectorTerm:
    return NodeSelectorTerm(matchFields=(SelectorRequirement(key, operator, values),))


EXPRESSION, FIELD = ("nodeSelectorTerms", 1, "matchExpressions", 0), ("nodeSelectorTerms", 1, "matchFields", 0)


@pytest.mark.parametrize(
    ("term", "refused"),
    [
        pytest.param(NodeSelectorTerm(), [], id="an empty term"),
        pytest.param(expression("In", "a"), [], id="In"),
        pytest.param(expression("Gt", "x"), [], id="Gt with a text"),
        pytest.param(expression("DoesNotExist"), [], id="DoesNotExist"),
        pytest.param(field("NotIn", "n1"), [], id="a field"),
        pytest.param(
            expression("NotIn"),
            [((*EXPRESSION, "values"), "values: Required value: must be specified when `operator` is 'In' or 'NotIn'")],
            id="NotIn nothing",
        ),
        pytest.param(
            expression("Exists", "a"),
            [((*EXPRESSION, "values"), "values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'")],
            id="Exists a value",
        ),
        pytest.param(
            expression("Lt", "1", "2"),
            [((*EXPRESSION, "values"), "values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'")],
            id="Lt two values",
        ),
        pytest.param(
            expression("exists"),
            [((*EXPRESSION, "operator"), 'operator: Invalid value: "exists": not a valid selector operator')],
            id="an operator in lower case",
        ),
        pytest.param(
            expression("Exists", key="a b"), [((*EXPRESSION, "key"), f'key: Invalid value: "a b": {NO_NAME}')], id="a key that is none"
        ),
        pytest.param(
            field("Exists"),
            [((*FIELD, "operator"), 'operator: Invalid value: "Exists": not a valid selector operator')],
            id="a field that exists",
        ),
        pytest.param(
            field("In", "a", "b"),
            [
                (
                    (*FIELD, "values"),
                    "values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
                )
            ],
            id="a field with two values",
        ),
        pytest.param(
            field("In", "a", key="spec.nodeName"),
            [((*FIELD, "key"), 'key: Invalid value: "spec.nodeName": not a valid field selector key')],
            id="another field",
        ),
    ],
)
def test_affinity(term: NodeSelectorTerm, refused: Refused) -> None:
    spec = PodSpec(affinity=Affinity(NodeAffinity(NodeSelector((expression("In", "a"), term)))))
    where = ("spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution")
    assert [(refusal.path, refusal.reason) for refusal in validate_node_selection(spec, ("spec",))] == [
        ((*where, *path), reason) for path, reason in refused
    ]


def test_no_term_at_all_is_refused() -> None:
    spec = PodSpec(nodeSelector={"pool": "-5"}, affinity=Affinity(NodeAffinity(NodeSelector())))
    assert [refusal.reason for refusal in validate_node_selection(spec, ())] == [
        f'pool: Invalid value: "-5": {NO_VALUE}',
        "nodeSelectorTerms: Required value: must have at least one node selector term",
    ]


@pytest.mark.parametrize(
    ("limits", "requests", "refused"),
    [
        pytest.param({"cpu": "1"}, {"cpu": "1000m"}, [], id="as much"),
        pytest.param({"memory": "1Gi"}, {"memory": "1024Mi", "cpu": "4"}, [], id="no limit of the other"),
        pytest.param({}, {"memory": "1Gi"}, [], id="no limit at all"),
        pytest.param({"cpu": "one"}, {"cpu": "2"}, [], id="no quantity"),
        pytest.param({"cpu": "1"}, {"cpu": 2}, ['"2": must be less than or equal to cpu limit of 1'], id="more"),
        pytest.param({"gpus/a": 2}, {"gpus/a": 1}, ['"1": must be equal to gpus/a limit of 2'], id="less of an extended resource"),
        pytest.param({"hugepages-2Mi": "4Mi"}, {"hugepages-2Mi": "2Mi"}, ['"2Mi": must be equal to hugepages-2Mi limit of 4Mi'], id="huge"),
        pytest.param({"kubernetes.io/x": "2"}, {"kubernetes.io/x": "1"}, [], id="less of what is Kubernetes' own"),
    ],
)
@pytest.mark.parametrize("kind", ["containers", "initContainers"])
def test_requests_beside_limits(
    kind: str, limits: dict[str, str | int | float], requests: dict[str, str | int | float], refused: list[str]
) -> None:
    both = (Container(name="a"), Container(name="b", resources=Resources(limits, requests)))
    spec = PodSpec(containers=both) if kind == "containers" else PodSpec(initContainers=both)
    found = list(validate_requests(spec, ("spec",)))
    assert [refusal.problem for refusal in found] == [f"Invalid value: {reason}" for reason in refused]
    assert {refusal.path for refusal in found} <= {("spec", kind, 1, "resources", "requests")}
