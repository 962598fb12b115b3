"""What holds for every template: any shape is survived, a name decides nothing, the order of containers neither."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.components import kinds, recognise
from preflight.components.catalog import drivers, products
from preflight.components.recognize import PROVED
from preflight.model.objects import DaemonSet, Metadata
from tests.components.test_recognition import PROJECTS

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
WORDS = st.sampled_from(
    [
        "kubectl",
        "sh",
        "-c",
        "exec kube-proxy",
        "--kubelet-registration-path",
        "$(A)",
        "/var/lib/kubelet/device-plugins",
        "C:\\",
        "",
        "--a=",
        "-",
    ]
)
ANYTHING = st.recursive(
    SCALARS | WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=8
)
FIELDS = [
    "name", "image", "command", "args", "env", "value", "valueFrom", "envFrom", "ports", "containerPort", "volumeMounts", "mountPath",
    "readOnly", "subPath", "securityContext", "privileged", "restartPolicy", "hostPath", "path", "configMap", "projected", "sources",
    "containers", "initContainers", "volumes", "tolerations", "key", "spec", "template",
]  # fmt: skip
MAPS = st.recursive(
    ANYTHING,
    lambda inner: st.dictionaries(st.sampled_from(FIELDS), inner | st.lists(inner, max_size=3), max_size=5),
    max_leaves=30,
)


@given(MAPS)
def test_a_template_of_any_shape_is_survived(spec: Any) -> None:
    for data in (spec, {"spec": spec}, {"spec": {"template": spec}}, {"spec": {"template": {"spec": spec}}}):
        recognise(DaemonSet(data=data))


def test_variables_that_grow_without_end_are_survived() -> None:
    env = [{"name": f"A{number}", "value": f"$(A{number - 1})" * 64} for number in range(64)]
    spec = {"containers": [{"env": env, "args": ["$(A63)" * 64]}]}
    assert recognise(DaemonSet(data={"spec": {"template": {"spec": spec}}})) == ()


@pytest.mark.parametrize("daemonset", [each for each, _ in PROJECTS.values()], ids=PROJECTS)
@pytest.mark.parametrize("name", ["nvidia-device-plugin", "calico-node", "x"])
def test_the_name_of_a_daemonset_decides_nothing(daemonset: DaemonSet, name: str) -> None:
    renamed = DaemonSet(metadata=Metadata(name=name, namespace="here", labels={"app": name}), data=daemonset.data)
    assert recognise(renamed) == recognise(daemonset)


@pytest.mark.parametrize("daemonset", [each for each, _ in PROJECTS.values()], ids=PROJECTS)
def test_the_order_of_containers_changes_no_kind(daemonset: DaemonSet) -> None:
    spec = daemonset.data["spec"]["template"]["spec"]
    other = {**spec, "containers": spec["containers"][::-1], "volumes": spec["volumes"][::-1]}
    turned = DaemonSet(metadata=daemonset.metadata, data={"spec": {"template": {"spec": other}}})
    assert [each.kind.id for each in recognise(turned)] == [each.kind.id for each in recognise(daemonset)]


def test_the_facts_hold_together() -> None:
    every = kinds()
    assert [kind.rank for kind in every.values()] == list(range(len(every)))
    for kind in every.values():
        assert kind.title
        assert not kind.symptom.endswith(".")
        assert kind.symptom[0].islower() or kind.symptom.startswith("Service ")
    names = [name for product in products() for name in product.programs]
    assert sorted(names) == sorted(set(names))
    for product in products():
        assert every.keys() >= {*product.kinds, *(kind for setting in product.settings for kind in setting.kinds)}
        assert product.source
        assert all(name == name.lower() for name in product.programs)
        if product.resources:
            assert product.kinds
    assert all(each.source and (each.folder or each.taint) for each in drivers())
    assert every.keys() > PROVED
