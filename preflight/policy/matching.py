"""Which objects a `match` of a policy means: globs, never regular expressions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from preflight.model.batch import JobSet
from preflight.model.core import Node
from preflight.model.policy import PodDisruptionBudget
from preflight.model.report import Finding, Subject
from preflight.model.workloads import CustomResource, Workload

if TYPE_CHECKING:
    from preflight.documents import Chunk
    from preflight.model.meta import Origin
    from preflight.policy.config import Globs, Match

ExemptibleObject = Workload | CustomResource | JobSet | Node | PodDisruptionBudget
"""What can bear an exemption, in an annotation or in a comment."""
MAX_GLOB = 200
"""How many characters a glob may have."""


class MatchTarget(Struct, frozen=True):
    """What is matched: an object by its kind, namespace and name, its file as it was given, and its labels."""

    subject: Subject
    file: str
    labels: Mapping[str, str] = {}


class LocatedFinding(NamedTuple):
    """A finding, and the object that it is about: its origin, and what a match reads of it."""

    finding: Finding
    origin: Origin
    target: MatchTarget


class ExemptionScope(Struct, frozen=True):
    """What a run has judged, as far as it tells whether an exemption is of use.

    1. `objects` are those whose exemptions are read: in lint all that are judged, under a change those that a finding is about. `texts` are
       the documents that they stand in.
    2. `paths` are what a person named. `is_lint` without a change. `has_nodes` where coverage was judged.
    """

    objects: Sequence[ExemptibleObject]
    chunks: Mapping[tuple[str, int], Chunk]
    paths: Sequence[str] = ()
    is_lint: bool = True
    has_nodes: bool = False


def to_texts(value: Globs | None) -> tuple[str, ...]:
    """One text or several, as several."""
    return (value,) if isinstance(value, str) else value or ()


def matches_target(match: Match | None, target: MatchTarget, folder: str) -> bool:
    """Whether a match means an object.

    1. None means everything. All keys must fit; of the globs of one key, one.
    2. `file` fits the path below `folder`, the policy's; of a file elsewhere its path as it was given.
    3. A manifest that states no namespace has the namespace "", which only `*` fits.
    """
    if match is None:
        return True
    subject = target.subject
    asked = ((match.namespace, subject.namespace), (match.name, subject.name), (match.kind, subject.kind))
    if not all(matches_any_glob(globs, value) for globs, value in asked if to_texts(globs)):
        return False
    if to_texts(match.file) and not matches_any_glob(match.file, make_relative_path(target.file, folder)):
        return False
    return all(key in target.labels and matches_any_glob(globs, target.labels[key]) for key, globs in match.labels.items())


def matches_any_glob(globs: Globs, value: str) -> bool:
    """Whether one of some globs fits a value; the case counts."""
    return any(fnmatchcase(value, glob) for glob in to_texts(globs))


def make_relative_path(file: str, folder: str) -> str:
    """The path of a file below a folder, with `/`; where it is not below, the path as it was given."""
    if not folder or file == "-":
        return file
    path = os.path.normpath(os.path.abspath(file))  # noqa: PTH100
    return path[len(folder) :].lstrip("/") if path.startswith(folder.rstrip("/") + "/") else os.path.normpath(file)
