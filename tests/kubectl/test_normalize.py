"""Pod templates that are the same to the API server, and those that are not; kubectl's merge of lists."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.kubectl.apiserver.normalize import is_same_template
from preflight.kubectl.patch.three_way import merge_three_way
from tests.change.changes import manifest

SAME: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("nothing", {}, {}),
    ("null is absent", {"tolerations": None}, {}),
    ("empty lists and maps", {"tolerations": [], "nodeSelector": {}, "imagePullSecrets": []}, {}),
    ("false where the API leaves it out", {"hostNetwork": False, "hostPID": False}, {}),
    ("defaults of the pod", {"restartPolicy": "Always", "dnsPolicy": "ClusterFirst", "terminationGracePeriodSeconds": 30}, {}),
    ("more defaults of the pod", {"schedulerName": "default-scheduler", "securityContext": {}}, {}),
    ("the old name of the service account", {"serviceAccount": "a"}, {"serviceAccountName": "a", "serviceAccount": "a"}),
    ("a volume of nothing is an emptyDir", {"volumes": [{"name": "v"}]}, {"volumes": [{"name": "v", "emptyDir": {}}]}),
    (
        "modes of volumes",
        {"volumes": [{"name": "v", "configMap": {"name": "c"}}]},
        {"volumes": [{"name": "v", "configMap": {"name": "c", "defaultMode": 420}}]},
    ),
    (
        "sizes of volumes",
        {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}]},
        {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1024Mi"}}]},
    ),
]

SAME_CONTAINERS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("a thousandth is a thousandth", {"resources": {"limits": {"cpu": "1000m"}}}, {"resources": {"limits": {"cpu": 1}}}),
    ("half a core", {"resources": {"limits": {"cpu": "0.5"}}}, {"resources": {"limits": {"cpu": "500m"}}}),
    ("exponents", {"resources": {"limits": {"memory": "1e9"}}}, {"resources": {"limits": {"memory": "1G"}}}),
    ("powers of two", {"resources": {"limits": {"memory": "1Ki"}}}, {"resources": {"limits": {"memory": 1024}}}),
    ("empty resources", {"resources": {"limits": {}}}, {}),
    ("the protocol", {"ports": [{"containerPort": 1}]}, {"ports": [{"containerPort": 1, "protocol": "TCP", "hostPort": 0}]}),
    ("an empty value", {"env": [{"name": "A", "value": ""}]}, {"env": [{"name": "A"}]}),
    ("the pull policy of a tag", {"image": "a:1"}, {"image": "a:1", "imagePullPolicy": "IfNotPresent"}),
    ("the pull policy of no tag", {"image": "r:5/a"}, {"image": "r:5/a", "imagePullPolicy": "Always"}),
    ("the pull policy of latest", {"image": "r:5/a:latest"}, {"image": "r:5/a:latest", "imagePullPolicy": "Always"}),
    ("the pull policy of what is no image", {"image": "TO BE SET"}, {"image": "TO BE SET", "imagePullPolicy": "IfNotPresent"}),
    ("the pull policy of an upper case path", {"image": "r.io/A/b"}, {"image": "r.io/A/b", "imagePullPolicy": "IfNotPresent"}),
    ("the pull policy of an upper case registry", {"image": "R/a"}, {"image": "R/a", "imagePullPolicy": "Always"}),
    ("the pull policy of a digest", {"image": "a@sha256:0"}, {"image": "a@sha256:0", "imagePullPolicy": "IfNotPresent"}),
    ("a probe's numbers", {"livenessProbe": {"periodSeconds": 0}}, {"livenessProbe": {"timeoutSeconds": 1, "failureThreshold": 3}}),
    (
        "a probe's path",
        {"livenessProbe": {"httpGet": {"port": 1}}},
        {"livenessProbe": {"httpGet": {"port": 1, "path": "/", "scheme": "HTTP"}}},
    ),
    ("a terminal", {"tty": False, "stdin": None}, {}),
]

OTHER: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("another number", {"terminationGracePeriodSeconds": 0}, {}),
    (
        "a security context of nothing in a container",
        {"containers": [{"name": "c", "securityContext": {}}]},
        {"containers": [{"name": "c"}]},
    ),
    ("the order of a list", {"tolerations": [{"key": "a"}, {"key": "b"}]}, {"tolerations": [{"key": "b"}, {"key": "a"}]}),
    ("an affinity of nothing", {"affinity": {}}, {}),
    ("a label of an empty value", {"nodeSelector": {"gpu": ""}}, {}),
    ("no quantity", {"containers": [{"resources": {"limits": {"cpu": "1x"}}}]}, {"containers": [{"resources": {"limits": {"cpu": "1y"}}}]}),
    (
        "a bool is no quantity",
        {"containers": [{"resources": {"limits": {"cpu": True}}}]},
        {"containers": [{"resources": {"limits": {"cpu": "1"}}}]},
    ),
]


def template(**spec: Any) -> Any:
    return manifest("d", **spec)["spec"]["template"]


@pytest.mark.parametrize(("one", "other"), [pytest.param(one, other, id=name) for name, one, other in SAME])
def test_is_the_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert is_same_template(template(**one), template(**other))


@pytest.mark.parametrize(("one", "other"), [pytest.param(one, other, id=name) for name, one, other in SAME_CONTAINERS])
def test_is_the_same_container(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert is_same_template(template(containers=[{"name": "c", **one}]), template(containers=[{"name": "c", **other}]))


@pytest.mark.parametrize(("one", "other"), [pytest.param(one, other, id=name) for name, one, other in OTHER])
def test_is_another(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert not is_same_template(template(**one), template(**other))


@pytest.mark.parametrize("odd", [None, [], "x", 5, {"spec": None}, {"spec": []}, {"spec": {"containers": 5, "volumes": ["x"]}}])
def test_odd_data_is_compared_too(odd: object) -> None:
    assert is_same_template(odd, odd)
    assert not is_same_template(odd, template())


@pytest.mark.parametrize(
    ("name", "last", "new", "there", "merged"),
    [
        (
            "env",
            [],
            [{"name": "A", "value": "2"}],
            [{"name": "A", "value": "1"}, {"name": "B"}],
            [{"name": "A", "value": "2"}, {"name": "B"}],
        ),
        ("env", [{"name": "B"}], [{"name": "A"}], [{"name": "A"}, {"name": "B"}, {"name": "C"}], [{"name": "A"}, {"name": "C"}]),
        ("env", [], [{"name": "A"}, {"name": "B"}], [{"name": "X"}, {"name": "B"}], [{"name": "A"}, {"name": "X"}, {"name": "B"}]),
        ("env", [], [{"name": "A"}], [], [{"name": "A"}]),
        ("env", [], [{"name": "A"}, {"name": "A", "value": "1"}], [{"name": "B"}], [{"name": "A"}, {"name": "A", "value": "1"}]),
        ("ports", [], [{"containerPort": 1}], [{"containerPort": 1, "protocol": "UDP"}], [{"containerPort": 1, "protocol": "UDP"}]),
        ("volumes", [], [{"name": "v", "a": {"b": 1}}], [{"name": "v", "a": {"c": 2}, "d": {}}], [{"name": "v", "a": {"c": 2, "b": 1}}]),
        ("tolerations", [], [{"key": "a"}], [{"key": "b"}], [{"key": "a"}]),
        ("nodeSelector", {"a": "b"}, {"c": "d"}, {"a": "b", "x": "y"}, {"x": "y", "c": "d"}),
        ("nodeSelector", None, {"x": None, "c": "d"}, {"a": "b", "x": "y"}, {"a": "b", "c": "d"}),
        ("env", None, ["odd"], [{"name": "A"}], ["odd"]),
    ],
)
def test_three_way(name: str, last: Any, new: Any, there: Any, merged: Any) -> None:
    assert merge_three_way({name: last}, {name: new}, {name: there}) == {name: merged}
