"""Findings that have one rule, one cause and one fix, as one group; what follows from a loss stands under it.

Formats for machines keep one finding for each object.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from preflight.model.report import CoverageEffect, Finding, FindingRole, Severity, Subject, TolerationSuggestion


class GroupMember(NamedTuple):
    """One finding of a group, and what breaks in consequence."""

    finding: Finding
    consequences: tuple[Finding, ...] = ()


class FindingGroup(NamedTuple):
    """Findings of one rule and step with the same severity, typed cause and fix, in the order of the report."""

    members: tuple[GroupMember, ...]

    @property
    def first(self) -> Finding:
        """The first finding."""
        return self.members[0].finding

    @property
    def rule(self) -> str:
        """The id of their rule."""
        return self.first.rule

    @property
    def name(self) -> str:
        """The name of their rule."""
        return self.first.name

    @property
    def severity(self) -> Severity:
        """Their severity."""
        return self.first.severity

    @property
    def kind(self) -> str:
        """The kind of their subjects."""
        return self.first.subject.kind

    @property
    def effect(self) -> CoverageEffect | None:
        """What they say of coverage, None where they are about something else."""
        return self.first.effect

    @property
    def suggestion(self) -> TolerationSuggestion | None:
        """The fix that they share."""
        return self.first.suggestion

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Their findings, without consequences."""
        return tuple(member.finding for member in self.members)

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of all of them, sorted."""
        if len({member.finding.nodes for member in self.members}) == 1:
            return self.first.nodes
        return tuple(sorted({node for member in self.members for node in member.finding.nodes}))

    @property
    def workloads(self) -> tuple[Subject, ...]:
        """The workloads that are affected in consequence, each once."""
        return tuple(
            dict.fromkeys(workload for member in self.members for finding in member.consequences for workload in finding.workloads)
        )

    @property
    def finding_count(self) -> int:
        """How many findings it stands for, consequences included."""
        return sum(1 + len(member.consequences) for member in self.members)


def group_findings(findings: Iterable[Finding]) -> list[FindingGroup]:
    """Findings in groups, each at the place of its first one.

    1. Two findings join if they have the same step, rule, severity, kind of subject, typed key, effect and suggestion. No text is
       compared.
    2. A consequence stands under the finding on the loss that it follows from: of the same DaemonSet in the same step, and of its nodes.
       One without such a finding is in a group of its own rule.
    """
    every = list(findings)
    children, left = _assign_consequences(every)
    groups: dict[Hashable, list[GroupMember]] = {}
    for finding in left:
        groups.setdefault(_make_key(finding), []).append(GroupMember(finding, tuple(children.get(id(finding), ()))))
    return [FindingGroup(tuple(members)) for members in groups.values()]


def _assign_consequences(findings: Sequence[Finding]) -> tuple[dict[int, list[Finding]], list[Finding]]:
    """The consequences of each loss, by the identity of its finding, and the findings that are no consequence of one of them."""
    losses: dict[tuple[int, Subject, str], list[Finding]] = {}
    for finding in findings:
        if finding.effect is not None and finding.role is not FindingRole.CONSEQUENCE:
            losses.setdefault(_make_owner_key(finding), []).append(finding)
    children: dict[int, list[Finding]] = {}
    left = []
    for finding in findings:
        parent = _find_parent(finding, losses.get(_make_owner_key(finding), ())) if finding.role is FindingRole.CONSEQUENCE else None
        if parent is None:
            left.append(finding)
        else:
            children.setdefault(id(parent), []).append(finding)
    return children, left


def _find_parent(consequence: Finding, losses: Sequence[Finding]) -> Finding | None:
    nodes = frozenset(consequence.nodes)
    return next((loss for loss in losses if not nodes or nodes.intersection(loss.nodes)), None)


def _make_owner_key(finding: Finding) -> tuple[int, Subject, str]:
    """The DaemonSet of a step; one whose manifest states no namespace is told apart by its file."""
    file = finding.location.file if finding.location is not None and not finding.subject.namespace else ""
    return finding.step, finding.subject, file


def _make_key(finding: Finding) -> Hashable:
    fix = finding.suggestion
    tolerations = None if fix is None else tuple(tuple(sorted(toleration.items())) for toleration in fix.tolerations)
    return finding.step, finding.rule, finding.severity, finding.subject.kind, finding.key, finding.effect, tolerations, finding.role
