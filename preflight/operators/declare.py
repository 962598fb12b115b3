"""The DaemonSets that the custom resources of operators declare."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from preflight.model.apps import DaemonSet
from preflight.model.convert import convert
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.declaration import Declaration, FieldMode, FieldPath, OperatorResource, ProvidedComponent, TolerationField
from preflight.model.meta import Origin
from preflight.operators.conditions import is_fulfilled
from preflight.operators.facts import DaemonSetFact, FieldFact, OperatorFacts, ResourceFact, index_resources
from preflight.operators.fields import FieldValue, get_value, read_field, split_path
from preflight.operators.longhorn import join_longhorn_settings

_BRACED = re.compile(r"\{([a-zA-Z.]+)\}")
_SPEC_FIELDS = ("tolerations", "nodeSelector", "affinity", "priorityClassName")


def declare_daemonsets(resources: Sequence[OperatorResource]) -> Iterator[DaemonSet]:
    """The DaemonSets that the operators make of these resources, in order.

    1. What the resource and the operator's defaults state is in the DaemonSet; its containers are not known. What else cannot be
       known is in `declaration.unknowns`.
    2. A DaemonSet's origin is the resource's: `origin.fields` leads from the fields of the DaemonSet to those of the resource.
    3. Values of a wrong type are refusals of the DaemonSet, as they would be in its own manifest.
    """
    for resource in (*resources, *join_longhorn_settings(resources)):
        for operator, fact in index_resources()[resource.kind, resource.group]:
            if fact.names and resource.name not in fact.names:
                continue
            fallbacks = [other for other in resources if fact.fallback and (other.kind, other.group) == (fact.fallback, fact.group)]
            for daemonset_fact in fact.daemonsets:
                if all(is_fulfilled(condition, resource.data) for condition in daemonset_fact.when):
                    yield _declare(operator, fact, daemonset_fact, resource, fallbacks)


def _declare(
    operator: OperatorFacts, fact: ResourceFact, made: DaemonSetFact, resource: OperatorResource, fallbacks: Iterable[OperatorResource]
) -> DaemonSet:
    shared = fact.shared
    parts = {
        "tolerations": (made.tolerations or shared.tolerations, list),
        "nodeSelector": (made.node_selector or shared.node_selector, dict),
        "affinity": (made.affinity or shared.affinity, dict),
        "priorityClassName": (made.priority_class or shared.priority_class, str),
        "updateStrategy": (made.update_strategy or shared.update_strategy, dict),
    }
    values = {name: read_field(part, type_, resource, fallbacks) for name, (part, type_) in parts.items()}
    if not values["affinity"].is_stated and values["affinity"].value:
        values["affinity"] = values["affinity"]._replace(value=_presume_exclusions(values["affinity"].value))
    name = _fill(made.name, operator, resource)
    labels = {"app.kubernetes.io/name": name.replace("*", "x")}
    spec = {field: values[field].value for field in _SPEC_FIELDS if values[field].value not in (None, [], {}, "")}
    data: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": _fill(made.namespace, operator, resource) if made.namespace else operator.namespace},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}},
    }
    if values["updateStrategy"].value:
        data["spec"]["updateStrategy"] = _complete_update_strategy(values["updateStrategy"], resource)
    origin = replace(resource.origin, fields=tuple(_map_fields(values)), declares=name)
    daemonset, refusals = convert(data, DaemonSet, origin)
    if daemonset is None:  # not even a part of it has the right type: the DaemonSet without what the resource states
        data["spec"]["template"]["spec"] = {}
        data["spec"].pop("updateStrategy", None)
        daemonset = replace(_convert_surely(data, origin), refusals=refusals)
    tolerations = parts["tolerations"][0]
    return replace(
        daemonset,
        declaration=Declaration(
            operator=operator.operator,
            kind=str(resource.data.get("kind", resource.kind)),
            name=resource.name,
            versions=operator.versions,
            source=operator.source,
            tolerations=_describe_toleration_field(tolerations, values["tolerations"]),
            provides=tuple(_fill_component(component, operator, resource) for component in made.provides),
            assigned_labels=made.assigned_labels,
            unknowns=made.unknowns,
            problems=tuple(problem for value in values.values() for problem in value.problems),
        ),
    )


def _complete_update_strategy(strategy: FieldValue, resource: OperatorResource) -> Any:
    """The update strategy as a DaemonSet has it: some operators state its type alone, and `rollingUpdate` next to it."""
    if not isinstance(strategy.value, str):
        return strategy.value
    rolling = get_value(resource.data, (*strategy.path[:-1], "rollingUpdate"))
    return {"type": strategy.value, **({"rollingUpdate": rolling} if isinstance(rolling, dict) else {})}


def _presume_exclusions(affinity: dict[str, Any]) -> dict[str, Any]:
    """An operator's own affinity, its exclusions of special nodes marked: see `SelectorRequirement.is_presumed`."""
    marked = copy.deepcopy(affinity)
    required = marked.get("nodeAffinity", {}).get("requiredDuringSchedulingIgnoredDuringExecution", {})
    for term in required.get("nodeSelectorTerms", ()):
        for requirement in term.get("matchExpressions", ()):
            if requirement["operator"] in ("NotIn", "DoesNotExist"):
                requirement["\ue000presumed"] = True
    return marked


def _convert_surely(data: dict[str, Any], origin: Origin) -> DaemonSet:
    daemonset, _ = convert(data, DaemonSet, origin)
    assert daemonset is not None, "a DaemonSet of our own making"
    return daemonset


def _describe_toleration_field(fact: FieldFact, value: FieldValue) -> TolerationField:
    default = tuple(fact.default or ())
    path = value.path or (split_path(fact.fields[0]) if fact.fields else ())
    return TolerationField(path, fact.mode, fact.form, default, value.is_stated)


def _map_fields(values: dict[str, FieldValue]) -> Iterator[tuple[FieldPath, FieldPath]]:
    """From fields of the DaemonSet to those of the resource; of a list that is added to, item by item."""
    for name, value in values.items():
        target: FieldPath = ("spec", "updateStrategy") if name == "updateStrategy" else (*POD_TEMPLATE_SPEC, name)
        if not value.path:
            continue
        if isinstance(value.value, list) and value.default_count:
            for index in range(value.default_count, len(value.value)):
                yield (*target, index), (*value.path, index - value.default_count)
            for index in range(value.default_count):
                yield (*target, index), value.path
        yield target, value.path


def _fill(text: str, operator: OperatorFacts, resource: OperatorResource) -> str:
    """A name with its parts in braces filled in; `*` for a part that is not known, the operator's namespace for an unknown one."""

    def get(found: re.Match[str]) -> str:
        if found[1] == "name":
            return resource.name
        if found[1] == "namespace":
            return resource.namespace or operator.namespace
        value: Any = resource.data
        for key in split_path(found[1]):
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str) and value:
            return value
        return operator.namespace if found[0] == text else "*"

    return _BRACED.sub(get, text)


def select_stated_tolerations(daemonset: DaemonSet) -> DaemonSet:
    """The DaemonSet with the tolerations that its custom resource states, without those that the operator adds."""
    declaration = daemonset.declaration
    if declaration is None or declaration.tolerations.mode is not FieldMode.ADD or not declaration.tolerations.default:
        return daemonset
    count, path = len(declaration.tolerations.default), (*POD_TEMPLATE_SPEC, "tolerations")
    data: dict[str, Any] = copy.deepcopy(daemonset.data)
    pod_spec = data["spec"]["template"]["spec"]
    pod_spec["tolerations"] = pod_spec["tolerations"][count:]
    fields = tuple(pair for pair in daemonset.origin.fields if pair[0][: len(path)] != path or pair[0] == path)
    stated, _ = convert(data, DaemonSet, replace(daemonset.origin, fields=fields))
    return replace(stated, declaration=declaration) if stated is not None else daemonset


def find_braced_paths(text: str) -> list[str]:
    """The paths of a custom resource in a name with braces."""
    return [path for path in _BRACED.findall(text) if path not in ("name", "namespace")]


def _fill_component(component: ProvidedComponent, operator: OperatorFacts, resource: OperatorResource) -> ProvidedComponent:
    return replace(component, drivers=tuple(_fill(driver, operator, resource) for driver in component.drivers))
