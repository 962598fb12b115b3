"""What rules say of one world and did not say of another."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from preflight.rules.api import Hit, Rule

RuleHit = tuple[Rule, Hit, int]
"""A rule, what it says, and the step that it belongs to."""


def select_new_hits(hits_now: Sequence[RuleHit], hits_before: Sequence[RuleHit], roots: tuple[str, str]) -> list[RuleHit]:
    """What is said now and was not said before, in its order; `roots` are what the names of files begin with, now and before.

    1. The same is what the same rule says of the same object with the same key: in the same file below the roots first, then in any, for
       files move; then also where only one of the two states the object's namespace.
    2. What is said twice now and was said once is new once.
    """
    left, gone = set(range(len(hits_now))), set(range(len(hits_before)))
    for same in (_make_file_key, _make_object_key, _make_added_namespace_key, _make_dropped_namespace_key):
        shelf: dict[Hashable, list[int]] = {}
        for number in sorted(gone, reverse=True):
            if (key := same(hits_before[number], roots[1], is_before=True)) is not None:
                shelf.setdefault(key, []).append(number)
        for number in sorted(left):
            known = shelf.get(same(hits_now[number], roots[0], is_before=False))
            if known:
                gone.discard(known.pop())
                left.discard(number)
    return [hits_now[number] for number in sorted(left)]


def _make_file_key(rule_hit: RuleHit, root: str, *, is_before: bool) -> Hashable:
    del is_before
    return (*_make_reason_key(rule_hit), rule_hit[1].subject.namespace, rule_hit[1].location.origin.file.removeprefix(root))


def _make_object_key(rule_hit: RuleHit, root: str, *, is_before: bool) -> Hashable:
    del root, is_before
    return (*_make_reason_key(rule_hit), rule_hit[1].subject.namespace)


def _make_added_namespace_key(rule_hit: RuleHit, root: str, *, is_before: bool) -> Hashable:
    """By the name alone, where the namespace was not stated and is now."""
    del root
    return _make_reason_key(rule_hit) if bool(rule_hit[1].subject.namespace) is not is_before else None


def _make_dropped_namespace_key(rule_hit: RuleHit, root: str, *, is_before: bool) -> Hashable:
    """By the name alone, where the namespace was stated and is not now."""
    del root
    return _make_reason_key(rule_hit) if bool(rule_hit[1].subject.namespace) is is_before else None


def _make_reason_key(rule_hit: RuleHit) -> tuple[Hashable, ...]:
    rule, hit, _ = rule_hit
    return rule.id, hit.subject.kind, hit.subject.name, hit.key
