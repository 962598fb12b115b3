"""Whether a pod's nodeSelector and required node affinity match a node, and every reason why not."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache

from msgspec import Struct

from preflight.model.core import Node, NodeSelectorTerm, PodSpec
from preflight.model.meta import SelectorRequirement
from preflight.model.reasons import SelectorMismatch, TermMismatch
from preflight.scheduling.name_validation import validate_label_value, validate_qualified_name


class UnknownLabel(Enum):
    """The one value of a label that a partly known node does not state."""

    UNKNOWN = "unknown"


UNKNOWN = UnknownLabel.UNKNOWN


def get_label(node: Node, key: str) -> str | UnknownLabel | None:
    """The value of a node's label: None where it is absent, UNKNOWN where a partly known node does not state it."""
    value = node.metadata.labels.get(key)
    if value is None and key not in node.absent_labels and (node.is_partial or key in node.unstated_labels):
        return UNKNOWN
    return value


class AffinityMatch(Struct, frozen=True):
    """The answer for one pod and one node.

    1. `matches` is None where it depends on labels that are not known (`unknown_labels` names them).
    2. `selector_mismatches` and `term_mismatches` are all mismatches, empty where it matches; terms are ORed, so each is one reason.
    3. `has_no_terms` where a required affinity has no term at all: it matches nothing.
    4. `errors` are those of the broken terms where nodeSelector matched and no term did.
    """

    matches: bool | None
    selector_mismatches: tuple[SelectorMismatch, ...] = ()
    term_mismatches: tuple[TermMismatch, ...] = ()
    has_no_terms: bool = False
    errors: tuple[str, ...] = ()
    unknown_labels: tuple[str, ...] = ()


def match_affinity(spec: PodSpec, node: Node) -> AffinityMatch:
    """Whether nodeSelector and required node affinity both match.

    1. Every entry of nodeSelector must equal the node's label.
    2. Terms are ORed, what is in a term is ANDed; a term with nothing in it, and an empty list of terms, match nothing.
    3. A term that cannot be parsed counts as no match.
    4. The first wrong reasons do not hide the others.

    Source: `staging/src/k8s.io/component-helpers/scheduling/corev1/nodeaffinity/nodeaffinity.go`, RequiredNodeAffinity.
    """
    unknown: list[str] = []
    mismatches = []
    selector: bool | None = True
    for key, wanted in spec.nodeSelector.items():
        found = get_label(node, key)
        if found is UNKNOWN:
            unknown.append(key)
            selector = None if selector is not False else False
        elif found != wanted:
            mismatches.append(SelectorMismatch(key, wanted, found))
            selector = False
    required = None
    if spec.affinity and spec.affinity.nodeAffinity:
        required = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
    if required is None:
        return AffinityMatch(selector, tuple(mismatches), unknown_labels=tuple(unknown) if selector is None else ())
    terms: list[TermMismatch] = []
    errors: list[str] = []
    affinity: bool | None = False
    for place, term in enumerate(required.nodeSelectorTerms):
        answer, mismatch, missing = _match_term(term, node, f"nodeSelectorTerms[{place}]")
        if answer:
            affinity, terms = True, []
            break
        if answer is None:
            affinity = None
            unknown.extend(missing)
        else:
            terms.append(mismatch)
            errors.extend(mismatch.errors)
    matches = False if selector is False or affinity is False else None if selector is None or affinity is None else True
    return AffinityMatch(
        matches=matches,
        selector_mismatches=tuple(mismatches),
        term_mismatches=tuple(terms) if affinity is False else (),
        has_no_terms=not required.nodeSelectorTerms,
        errors=tuple(dict.fromkeys(errors)) if selector and affinity is False else (),
        unknown_labels=tuple(dict.fromkeys(unknown)) if matches is None else (),
    )


def _match_term(term: NodeSelectorTerm, node: Node, path: str) -> tuple[bool | None, TermMismatch, list[str]]:
    if not term.matchExpressions and not term.matchFields:
        return False, TermMismatch(), []
    errors: list[str] = []
    for place, requirement in enumerate(term.matchExpressions):
        errors += validate_requirement(requirement, f"{path}.matchExpressions[{place}]")
    for place, requirement in enumerate(term.matchFields):
        errors += _validate_match_field(requirement, f"{path}.matchFields[{place}]")
    if errors:
        return False, TermMismatch(errors=tuple(errors)), []
    failed, unknown = [], []
    for requirement in term.matchExpressions:
        answer = match_requirement(requirement, get_label(node, requirement.key))
        if answer is None and not requirement.is_presumed:
            unknown.append(requirement.key)
        elif answer is False:
            failed.append(requirement)
    failed_fields = []
    for requirement in term.matchFields:
        value = node.name if requirement.key == "metadata.name" else ""
        if node.is_partial and node.name.startswith("("):
            unknown.append(requirement.key)
        elif (value == requirement.values[0]) != (requirement.operator == "In"):
            failed_fields.append(requirement)
    if failed or failed_fields:
        return False, TermMismatch(tuple(failed), tuple(failed_fields)), []
    return (None if unknown else True), TermMismatch(), unknown


def match_requirement(requirement: SelectorRequirement, value: str | UnknownLabel | None) -> bool | None:
    """Whether one well-formed requirement holds for the value of its label; None where the value is not known.

    1. In and Exists do not hold for an absent label, NotIn and DoesNotExist do.
    2. Gt and Lt compare integers (plain parsing: `007` and `+5` are fine) and do not hold for an absent label or other text.

    Source: `staging/src/k8s.io/apimachinery/pkg/labels/selector.go`, Requirement.Matches.
    """
    if value is UNKNOWN:
        return None
    operator = requirement.operator
    if operator == "In":
        return value is not None and value in requirement.values
    if operator == "NotIn":
        return value is None or value not in requirement.values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    have, bound = None if value is None else parse_int64(value), parse_int64("".join(requirement.values[:1]))
    if have is None or bound is None:
        return False
    return have > bound if operator == "Gt" else have < bound


def parse_int64(text: str) -> int | None:
    """Go's ParseInt(text, 10, 64): an optional sign and ASCII digits, within 64 bits; None for anything else."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 400:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


@cache
def validate_requirement(requirement: SelectorRequirement, path: str) -> tuple[str, ...]:
    """Why a `matchExpressions` entry cannot be parsed, in Kubernetes' words; empty where it can.

    Source: `staging/src/k8s.io/apimachinery/pkg/labels/selector.go`, NewRequirement.
    """
    values = requirement.values
    errors = [f'{path}.key: Invalid value: "{requirement.key}": {reason}' for reason in validate_qualified_name(requirement.key)]
    shown = "[" + " ".join(values) + "]"
    if requirement.operator in ("In", "NotIn"):
        if not values:
            errors.append(f"{path}.values: Invalid value: {shown}: for 'in', 'notin' operators, values set can't be empty")
    elif requirement.operator in ("Exists", "DoesNotExist"):
        if values:
            errors.append(f"{path}.values: Invalid value: {shown}: values set must be empty for exists and does not exist")
    elif requirement.operator in ("Gt", "Lt"):
        if len(values) != 1:
            errors.append(f"{path}.values: Invalid value: {shown}: for 'Gt', 'Lt' operators, exactly one value is required")
        errors += [
            f"{path}.values[{place}]: Invalid value: \"{value}\": for 'Gt', 'Lt' operators, the value must be an integer"
            for place, value in enumerate(values)
            if parse_int64(value) is None
        ]
    else:
        errors.append(f'{path}.operator: Invalid value: "{requirement.operator}": not a valid selector operator')
    for place, value in enumerate(values):
        errors += [f'{path}.values[{place}]: Invalid value: "{value}": {reason}' for reason in validate_label_value(value)]
    return tuple(errors)


def _validate_match_field(requirement: SelectorRequirement, path: str) -> list[str]:
    """Source: nodeaffinity.go, nodeSelectorRequirementsAsFieldSelector: In and NotIn with exactly one value."""
    if requirement.operator not in ("In", "NotIn"):
        return [f'{path}.operator: Invalid value: "{requirement.operator}": not a valid selector operator']
    if len(requirement.values) != 1:
        return [f"{path}.values: Invalid value: {len(requirement.values)}: must have one element"]
    return []


def collect_label_keys(spec: PodSpec) -> tuple[frozenset[str], bool]:
    """The node labels that placement reads, and whether it reads the node's name (`matchFields` or `nodeName`)."""
    keys = set(spec.nodeSelector)
    by_name = bool(spec.nodeName)
    if spec.affinity and spec.affinity.nodeAffinity:
        required = spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution
        for term in required.nodeSelectorTerms if required else ():
            keys.update(requirement.key for requirement in term.matchExpressions)
            by_name = by_name or bool(term.matchFields)
    return frozenset(keys), by_name


def matches_labels(selector: Mapping[str, str], expressions: tuple[SelectorRequirement, ...], labels: Mapping[str, str]) -> bool:
    """Whether a label selector of a workload (`matchLabels` and `matchExpressions`, ANDed) matches a pod's labels."""
    if any(labels.get(key) != value for key, value in selector.items()):
        return False
    return all(match_requirement(requirement, labels.get(requirement.key)) for requirement in expressions)
