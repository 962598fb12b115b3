"""What holds for every template: any shape is survived, a name decides nothing, the order of containers neither."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.components import load_kinds, recognize_components
from preflight.components.catalog import load_csi_drivers, load_programs
from preflight.components.recognize import PROVEN_KINDS
from preflight.model.apps import DaemonSet
from preflight.model.meta import Metadata
from tests.components.test_recognize import PROJECTS

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
        recognize_components(DaemonSet(data=data))


def test_variables_that_grow_without_end_are_survived() -> None:
    env = [{"name": f"A{number}", "value": f"$(A{number - 1})" * 64} for number in range(64)]
    spec = {"containers": [{"env": env, "args": ["$(A63)" * 64]}]}
    assert recognize_components(DaemonSet(data={"spec": {"template": {"spec": spec}}})) == ()


@pytest.mark.parametrize("daemonset", [each for each, _ in PROJECTS.values()], ids=PROJECTS)
@pytest.mark.parametrize("name", ["nvidia-device-plugin", "calico-node", "x"])
def test_the_name_of_a_daemonset_decides_nothing(daemonset: DaemonSet, name: str) -> None:
    renamed = DaemonSet(metadata=Metadata(name=name, namespace="here", labels={"app": name}), data=daemonset.data)
    assert recognize_components(renamed) == recognize_components(daemonset)


@pytest.mark.parametrize("daemonset", [each for each, _ in PROJECTS.values()], ids=PROJECTS)
def test_the_order_of_containers_changes_no_kind(daemonset: DaemonSet) -> None:
    spec = daemonset.data["spec"]["template"]["spec"]
    other = {**spec, "containers": spec["containers"][::-1], "volumes": spec["volumes"][::-1]}
    turned = DaemonSet(metadata=daemonset.metadata, data={"spec": {"template": {"spec": other}}})
    assert [recognize_component.kind.id for recognize_component in recognize_components(turned)] == [
        component.kind.id for component in recognize_components(daemonset)
    ]


def test_the_facts_hold_together() -> None:
    every = load_kinds()
    assert [kind.rank for kind in every.values()] == list(range(len(every)))
    for kind in every.values():
        assert kind.title
        assert not kind.symptom.endswith(".")
        assert kind.symptom[0].islower() or kind.symptom.startswith("Service ")
    names = [name for product in load_programs() for name in product.programs]
    assert sorted(names) == sorted(set(names))
    for product in load_programs():
        assert every.keys() >= {*product.kinds, *(kind for setting in product.settings for kind in setting.kinds)}
        assert product.source
        assert all(name == name.lower() for name in product.programs)
        if product.resources:
            assert product.kinds
    assert all(csi_driver.source and (csi_driver.folder or csi_driver.taint) for csi_driver in load_csi_drivers())
    assert every.keys() > PROVEN_KINDS
