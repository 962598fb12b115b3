"""The DaemonSets that the custom resources of operators declare."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from preflight.model.apps import DaemonSet
from preflight.model.convert import convert
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.declaration import (
    Declaration,
    FieldMode,
    FieldPath,
    IgnoredSetting,
    OperatorResource,
    ProvidedComponent,
    TolerationField,
)
from preflight.model.meta import Origin
from preflight.operators.affinity import exclude_labels, presume_exclusions
from preflight.operators.conditions import is_fulfilled, is_made
from preflight.operators.facts import DaemonSetFact, FieldFact, OperatorFacts, ResourceFact, index_resources
from preflight.operators.fields import FieldValue, get_value, read_field, split_path
from preflight.operators.longhorn import CONFIG_KEY, join_longhorn_settings, locate_setting
from preflight.operators.versions import Version, find_version

_BRACED = re.compile(r"\{([a-zA-Z.]+)\}")
_SPEC_FIELDS = ("tolerations", "nodeSelector", "affinity", "priorityClassName", "hostNetwork")


def declare_daemonsets(resources: Sequence[OperatorResource], images: Collection[str] = ()) -> Iterator[DaemonSet]:
    """The DaemonSets that the operators make of these resources, in order; `images` are those of the input: see `find_version`.

    1. What the resource and the operator's defaults state is in the DaemonSet; its containers are not known. What else cannot be
       known is in `declaration.unknowns`.
    2. A DaemonSet's origin is the resource's: `origin.fields` leads from the fields of the DaemonSet to those of the resource.
    3. Values of a wrong type are refusals of the DaemonSet, as they would be in its own manifest.
    """
    for resource in (*resources, *join_longhorn_settings(resources)):
        for operator, fact in index_resources()[resource.kind, resource.group]:
            if fact.names and resource.name not in fact.names:
                continue
            version = find_version(operator, resource, images)
            fallbacks = [other for other in resources if fact.fallback and (other.kind, other.group) == (fact.fallback, fact.group)]
            for made in fact.daemonsets:
                if is_made(made, resource.data, version):
                    parts = _read_parts(fact, made, resource, fallbacks, version)
                    yield _declare(operator, made, resource, parts, version, fact.change_note)


class _Part(NamedTuple):
    """A part of the pod template: where it comes from, and its value."""

    fact: FieldFact
    value: FieldValue


def _read_parts(
    fact: ResourceFact, made: DaemonSetFact, resource: OperatorResource, fallbacks: Iterable[OperatorResource], version: Version
) -> dict[str, _Part]:
    shared = fact.shared
    facts: dict[str, tuple[FieldFact, type]] = {
        "tolerations": (made.tolerations or shared.tolerations, list),
        "nodeSelector": (made.node_selector or shared.node_selector, dict),
        "affinity": (made.affinity or shared.affinity, dict),
        "priorityClassName": (made.priority_class or shared.priority_class, str),
        "hostNetwork": (made.host_network or shared.host_network, bool),
        "updateStrategy": (made.update_strategy or shared.update_strategy, dict),
    }
    parts = {name: _Part(part, read_field(part, type_, resource, fallbacks, version)) for name, (part, type_) in facts.items()}
    affinity = parts["affinity"].value
    own = affinity.value if affinity.is_stated or not affinity.value else presume_exclusions(affinity.value)
    parts["affinity"] = parts["affinity"]._replace(value=affinity._replace(value=exclude_labels(own, made.excludes)))
    return parts


def _declare(
    operator: OperatorFacts, made: DaemonSetFact, resource: OperatorResource, parts: Mapping[str, _Part], version: Version, change_note: str
) -> DaemonSet:
    values = {name: part.value for name, part in parts.items()}
    name = _fill(made.name, operator, resource)
    labels = {"app.kubernetes.io/name": name.replace("*", "x")}
    spec = {field: values[field].value for field in _SPEC_FIELDS if values[field].value not in (None, [], {}, "", False)}
    data: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": _fill(made.namespace, operator, resource) if made.namespace else operator.namespace},
        "spec": {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": spec}},
    }
    if values["updateStrategy"].value:
        data["spec"]["updateStrategy"] = _complete_update_strategy(values["updateStrategy"], resource)
    origin = replace(resource.origin, fields=tuple(_map_fields(resource, values)), declares=name)
    daemonset, refusals = convert(data, DaemonSet, origin)
    if daemonset is None:  # not even a part of it has the right type: the DaemonSet without what the resource states
        data["spec"]["template"]["spec"] = {}
        data["spec"].pop("updateStrategy", None)
        daemonset = replace(_convert_surely(data, origin), refusals=refusals)
    provides = made.provides if all(is_fulfilled(condition, resource.data, version) for condition in made.provides_when) else ()
    api_version = str(resource.data.get("apiVersion", resource.group))
    declaration = Declaration(
        operator=operator.operator,
        kind=str(resource.data.get("kind", resource.kind)),
        group=api_version.rpartition("/")[0],
        name=resource.name,
        namespace=resource.namespace,
        api_version=api_version,
        versions=operator.versions,
        source=operator.source,
        tolerations=_describe_toleration_field(resource, *parts["tolerations"]),
        stated={name: value.own for name, value in values.items() if value.is_stated},
        fields={
            name: part.value.path or split_path(part.fact.fields[0]) for name, part in parts.items() if part.value.path or part.fact.fields
        },
        has_known_namespace=_has_known_namespace(made, resource),
        provides=tuple(_fill_component(component, operator, resource) for component in provides),
        assigned_labels=made.assigned_labels,
        change_note=change_note,
        unknowns=made.unknowns,
        ignored=tuple(_list_ignored(made, resource, values)),
    )
    return replace(_mark_versions(daemonset, values["tolerations"]), declaration=declaration)


def _list_ignored(made: DaemonSetFact, resource: OperatorResource, values: Mapping[str, FieldValue]) -> Iterator[IgnoredSetting]:
    for path, problem in (problem for value in values.values() for problem in value.problems):
        yield IgnoredSetting(locate_setting(resource, path), ".".join(map(str, path)), problem)
    for unread in made.unread:
        path = split_path(unread.field)
        if get_value(resource.data, path) not in (None, "", [], {}):
            yield IgnoredSetting(path, unread.field, reason=unread.reason)


def _has_known_namespace(made: DaemonSetFact, resource: OperatorResource) -> bool:
    """Whether the resource or the operator decides the namespace of a DaemonSet, and not where the operator was installed."""
    if made.namespace == "{namespace}":
        return bool(resource.namespace)
    return bool(made.namespace) and "{" not in made.namespace


def _mark_versions(daemonset: DaemonSet, tolerations: FieldValue) -> DaemonSet:
    """The DaemonSet, those of its tolerations marked that only some versions of the operator set."""
    if not tolerations.since:
        return daemonset
    template = daemonset.spec.template
    count = tolerations.default_count if tolerations.is_stated else len(template.spec.tolerations)
    marked = tuple(
        replace(toleration, since=tolerations.since) if index < count else toleration
        for index, toleration in enumerate(template.spec.tolerations)
    )
    return replace(daemonset, spec=replace(daemonset.spec, template=replace(template, spec=replace(template.spec, tolerations=marked))))


def _complete_update_strategy(strategy: FieldValue, resource: OperatorResource) -> Any:
    """The update strategy as a DaemonSet has it: some operators state its type alone, and `rollingUpdate` next to it."""
    if not isinstance(strategy.value, str):
        return strategy.value
    rolling = get_value(resource.data, (*strategy.path[:-1], "rollingUpdate"))
    return {"type": strategy.value, **({"rollingUpdate": rolling} if isinstance(rolling, dict) else {})}


def _convert_surely(data: dict[str, Any], origin: Origin) -> DaemonSet:
    daemonset, _ = convert(data, DaemonSet, origin)
    assert daemonset is not None, "a DaemonSet of our own making"
    return daemonset


def _describe_toleration_field(resource: OperatorResource, fact: FieldFact, value: FieldValue) -> TolerationField:
    default = tuple(fact.default or ())
    stated = value.path or (split_path(fact.fields[-1]) if fact.fields else ())
    path = locate_setting(resource, stated)
    entry = str(stated[-1]) if path[-1:] == (CONFIG_KEY,) else ""
    text = resource.data.get(CONFIG_KEY) if entry else get_value(resource.data, stated)
    return TolerationField(path, fact.mode, fact.form, default, value.is_stated, text if isinstance(text, str) else "", entry)


def _map_fields(resource: OperatorResource, values: dict[str, FieldValue]) -> Iterator[tuple[FieldPath, FieldPath]]:
    """From fields of the DaemonSet to those of the resource; of a list that is added to, item by item."""
    for name, value in values.items():
        target: FieldPath = ("spec", "updateStrategy") if name == "updateStrategy" else (*POD_TEMPLATE_SPEC, name, *value.inner)
        path = locate_setting(resource, value.path)
        if not path:
            continue
        if isinstance(value.value, list) and value.default_count:
            for index in range(value.default_count, len(value.value)):
                yield (*target, index), (*path, index - value.default_count)
            for index in range(value.default_count):
                yield (*target, index), path
        yield target, path


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
    if not isinstance(pod_spec.get("tolerations"), list):  # a value of a wrong type, which is a refusal
        return daemonset
    pod_spec["tolerations"] = pod_spec["tolerations"][count:]
    fields = tuple(pair for pair in daemonset.origin.fields if pair[0][: len(path)] != path or pair[0] == path)
    stated, _ = convert(data, DaemonSet, replace(daemonset.origin, fields=fields))
    return replace(stated, declaration=declaration) if stated is not None else daemonset


def find_braced_paths(text: str) -> list[str]:
    """The paths of a custom resource in a name with braces."""
    return [path for path in _BRACED.findall(text) if path not in ("name", "namespace")]


def _fill_component(component: ProvidedComponent, operator: OperatorFacts, resource: OperatorResource) -> ProvidedComponent:
    return replace(component, drivers=tuple(_fill(driver, operator, resource) for driver in component.drivers))
