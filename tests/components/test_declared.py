"""What a policy states of DaemonSets goes before what is recognised."""

from __future__ import annotations

import pytest

from preflight.components import recognize_components
from preflight.model.apps import DaemonSet
from preflight.model.declared_components import ComponentOverride
from tests.components.daemonset_templates import container, daemonset

PROXY = daemonset(container("registry.k8s.io/kube-proxy:v1"), name="kube-proxy")
OWN = daemonset(container("registry.example/own:1"), name="own")


def of(name: str, **said: tuple[str, ...] | None) -> ComponentOverride:
    def is_meant(each: DaemonSet) -> bool:
        return each.metadata.name == name

    return ComponentOverride(is_meant, stated_by="stated by policy.yaml:1", **said)  # type: ignore[arg-type]


CASES = {
    "nothing is stated": ((), PROXY, ["kube-proxy"]),
    "another DaemonSet is meant": ((of("own", kinds=("cni",)),), PROXY, ["kube-proxy"]),
    "an empty list says that it is nothing": ((of("kube-proxy", kinds=()),), PROXY, []),
    "kinds take the place of what is recognised": ((of("kube-proxy", kinds=("log-agent",)),), PROXY, ["log-agent"]),
    "the last that says kinds counts": ((of("own", kinds=("cni",)), of("own", kinds=("log-agent",))), OWN, ["log-agent"]),
    "what is added comes to it, worst first": (
        (of("kube-proxy", added_kinds=("log-agent", "cni")),),
        PROXY,
        ["cni", "kube-proxy", "log-agent"],
    ),
    "what is recognised already is not added again": ((of("kube-proxy", added_kinds=("kube-proxy",)),), PROXY, ["kube-proxy"]),
    "what is added comes to stated kinds too": ((of("own", kinds=("cni",)), of("own", added_kinds=("ingress",))), OWN, ["cni", "ingress"]),
}


@pytest.mark.parametrize(("stated", "given", "kinds"), CASES.values(), ids=CASES)
def test_stated(stated: tuple[ComponentOverride, ...], given: DaemonSet, kinds: list[str]) -> None:
    assert [component.kind.id for component in recognize_components(given, None, stated)] == kinds


def test_what_is_stated_comes_with_what_it_provides_and_who_says_so() -> None:
    (component,) = recognize_components(OWN, None, [of("own", kinds=("device-plugin",), resources=("rdma/hca",))])
    assert component.resources == ("rdma/hca",)
    assert [(evidence.path, evidence.description) for evidence in component.evidence] == [((), "stated by policy.yaml:1")]
