"""Alerting rules of Prometheus, as data: what `preflight alerts` writes."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class AlertRule(Struct, frozen=True, gc=False):
    """One alerting rule: its name, its expression in PromQL, how long it has to hold, and what is said.

    `labels` and `annotations` are those of the rule; annotations may hold Prometheus' templates (`{{ $labels.node }}`).
    """

    alert: str
    expr: str
    for_duration: str
    labels: Mapping[str, str]
    annotations: Mapping[str, str]


class AlertGroup(Struct, frozen=True, gc=False):
    """Rules that are evaluated together."""

    name: str
    rules: tuple[AlertRule, ...]


class AlertRules(Struct, frozen=True, gc=False):
    """The rules of one cluster: `description` says in a line what they are made of, `notes` what they leave out."""

    groups: tuple[AlertGroup, ...]
    description: str
    notes: tuple[str, ...] = ()
