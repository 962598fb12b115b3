"""Which version of an operator runs, where the input says so."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from preflight.model.declaration import OperatorResource
from preflight.model.workloads import Workload, locate_pod_spec
from preflight.operators.facts import OlderDefault, OperatorFacts

Version = tuple[int, ...]

CHART_LABEL = "helm.sh/chart"
_CHART = re.compile(r"(?P<name>[a-z0-9.-]+?)-v?(?P<version>\d+\.\d+\.\d+)(?:[-+_].*)?")
_TAG = re.compile(r"v?(\d+\.\d+(?:\.\d+)?)(?:[-+_].*)?")


def parse_version(text: str) -> Version:
    """The numbers of a version such as `v26.7.0` or `1.18`; () for anything else."""
    found = _TAG.fullmatch(text)
    return tuple(map(int, found[1].split("."))) if found else ()


def list_images(workloads: Iterable[Workload]) -> frozenset[str]:
    """The images of all containers of workloads."""
    return frozenset(container.image for workload in workloads for container in locate_pod_spec(workload)[0].containers)


def find_version(operator: OperatorFacts, resource: OperatorResource, images: Collection[str] = ()) -> Version:
    """The version of the operator that reads a resource; () where nothing says it.

    1. The label of the chart that made the resource, if that is a chart of the operator.
    2. The tag of the operator's image among `images`, those of the input, if all have the same one.
    """
    metadata = resource.data.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, Mapping) else None
    chart = labels.get(CHART_LABEL) if isinstance(labels, Mapping) else None
    found = _CHART.fullmatch(chart) if isinstance(chart, str) else None
    if found is not None and found["name"] in operator.charts:
        return parse_version(found["version"])
    versions = {parse_version(tag) for image in images for tag in _find_tag(image, operator.images)}
    return versions.pop() if len(versions) == 1 else ()


def _find_tag(image: str, names: Iterable[str]) -> Iterator[str]:
    name, _, tag = image.partition("@")[0].rpartition(":")
    if any(name == known or name.endswith(f"/{known}") for known in names):
        yield tag


def select_older(older: Sequence[OlderDefault], version: Version) -> Sequence[OlderDefault]:
    """The default that holds for a version, in a list; none where that is the newest one."""
    return [item for item in older if version < parse_version(item.before)][:1]
