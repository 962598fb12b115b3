"""One fix: what is wrong, what is to become of it, and whether that helps; nothing is written here."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from preflight.change import workload_verbs
from preflight.documents import InvalidDocument, split_documents
from preflight.errors import InputError
from preflight.fix import manifest
from preflight.fix.custom_resource import check_resource_change, make_resource_change
from preflight.fix.edit_model import AddToleration, Operation, apply_operations
from preflight.fix.evaluation import Evaluate, Evaluation, StepHit
from preflight.fix.patches import format_patch
from preflight.fix.plan import FindingSelection, FixPlan, get_raw_tolerations, get_written_tolerations, make_fix_plans
from preflight.fix.provenance import Manager, find_manager
from preflight.fix.text_fields import TextChange
from preflight.fix.write import read_file
from preflight.fix.yaml_tree import CannotEdit
from preflight.messages import fix as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.meta import ObjectKey, Origin
from preflight.model.report import Severity
from preflight.rules.api import FixKind

_MAX_ROUNDS = 4
STDIN = "-"
GZIP = b"\x1f\x8b"


class FixOptions(Struct, frozen=True):
    """How a fix is made: as an edit of files, or as `makes_patches`; `edits_rendered` where what Helm rendered is edited all the same.

    `context_files` are the files that are only surroundings: they are not edited.
    """

    makes_patches: bool = False
    edits_rendered: bool = False
    context_files: frozenset[str] = frozenset()


class DaemonSetFix(Struct, frozen=True):
    """One DaemonSet that is fixed: as it is, as it will be, and what for.

    `declaration` is how a custom resource declares a DaemonSet that was read, too: the resource is edited then.
    """

    daemonset: DaemonSet
    fixed: DaemonSet
    operations: tuple[Operation, ...]
    causes: tuple[StepHit, ...]
    manager: Manager | None = None
    declaration: DaemonSet | None = None

    @property
    def edited(self) -> DaemonSet:
        """The DaemonSet whose manifest, or whose custom resource, is edited."""
        return self.declaration or self.daemonset


class FixResult(Struct, frozen=True):
    """What a fix comes to.

    1. `edit_files` are the texts of the files that change, before and after, by name; empty where patches are asked for.
    2. `unfixed` is what is still there after it, each with the reason; `rollout_hits` what the rollout of the fix itself sets off.
    3. `is_unknown`: a pair that the change touches cannot be judged, fixed or not. `has_assumed_pods`: pods were assumed, none were given.
    """

    fixes: tuple[DaemonSetFix, ...]
    files: Mapping[str, tuple[bytes, bytes]]
    unfixed: tuple[tuple[StepHit, str], ...]
    rollout_hits: tuple[StepHit, ...]
    is_unknown: bool
    is_empty: bool
    has_assumed_pods: bool

    @property
    def has_losses(self) -> bool:
        """Whether the rollout of the fix itself costs something."""
        return any(rollout_hit.severity is Severity.ERROR for rollout_hit in self.rollout_hits)


def plan_fixes(
    evaluate: Evaluate,
    selection: FindingSelection,
    fix_options: FixOptions,
    originals: Mapping[Origin, DaemonSet],
    declared: Mapping[ObjectKey, DaemonSet] = MappingProxyType({}),
) -> FixResult:
    """What is to be done about what a change would cost, or about what is wrong today.

    1. Each DaemonSet is fixed as a whole, or left as it is with a reason.
    2. A fix never takes a DaemonSet from a node, and brings no new error or warning: all is judged again, with the fixes rolled out first.
    3. An object that stands twice with the same content is fixed in both places.
    4. `declared` are the declarations of DaemonSets that were read: the fix of one goes to the custom resource.
    5. `evaluate` says what the rules find, with the DaemonSets that are fixed.
    6. Where one edit makes room for another, both are made: fixing twice is fixing once.
    """
    work = _FixBuilder(fix_options, declared)
    result = _plan_once(evaluate, selection, work, originals)
    fixed: dict[Origin, DaemonSet] = {}
    for _ in range(_MAX_ROUNDS):
        if not (result.unfixed and result.files):
            break
        fixed |= {fix.daemonset.origin: fix.fixed for fix in result.fixes}
        work.contents_by_file |= {file: after for file, (_, after) in result.files.items()}
        known = dict(fixed)
        again = _plan_once(partial(_evaluate_more, evaluate, known), selection, work, {**originals, **known})
        if not again.fixes:
            break
        files = {file: (result.files.get(file, texts)[0], texts[1]) for file, texts in again.files.items()}
        result = replace(again, fixes=(*result.fixes, *again.fixes), files={**result.files, **files})
    return result


def _evaluate_more(evaluate: Evaluate, fixed: Mapping[Origin, DaemonSet], more: Mapping[Origin, DaemonSet]) -> Evaluation:
    return evaluate({**fixed, **more})


def _plan_once(evaluate: Evaluate, selection: FindingSelection, work: _FixBuilder, originals: Mapping[Origin, DaemonSet]) -> FixResult:
    fix_options = work.fix_options
    before = evaluate({})
    chosen = [step_hit for step_hit in before.step_hits if step_hit.step and selection.includes(step_hit)]
    wanted, refused = make_fix_plans(chosen, before, originals)
    reasons: dict[tuple[str, Origin], str] = {(hit.rule.id, hit.hit.location.origin): reason for hit, reason in refused}
    candidates = []
    for plan in _join_plans(wanted):
        try:
            candidates += [work.make_fix(duplicate) for duplicate in (plan, *_plan_duplicates(plan, originals, fix_options))]
        except CannotEdit as refusal:
            reasons |= {(cause.rule.id, cause.hit.location.origin): str(refusal) for cause in plan.causes}
    fixes = candidates
    files: dict[str, tuple[bytes, bytes]] = {}
    while True:
        if not fix_options.makes_patches:
            files, failed = work.edit_files(fixes)
            reasons |= failed
        fixes = [fix for fix in fixes if not _is_refused(fix, reasons)]
        after = evaluate({fix.daemonset.origin: fix.fixed for fix in fixes})
        worse = _find_regressions(before, after, fixes)
        if not worse:
            break
        reasons |= worse
        fixes = [fix for fix in fixes if not _is_refused(fix, reasons)]
    kept = [step_hit for step_hit in after.step_hits if step_hit.step and selection.should_report(step_hit)]
    return FixResult(
        fixes=tuple(fixes),
        files=files,
        unfixed=tuple((step_hit, reasons.get((step_hit.rule.id, step_hit.hit.location.origin), "")) for step_hit in kept),
        rollout_hits=tuple(hit for hit in after.step_hits if not hit.step and hit.severity is not Severity.NOTE),
        is_unknown=after.is_unknown,
        is_empty=not chosen,
        has_assumed_pods=any(group.is_assumed for impact in after.impacts for group in impact.groups),
    )


def _plan_duplicates(plan: FixPlan, originals: Mapping[Origin, DaemonSet], fix_options: FixOptions) -> list[FixPlan]:
    """The same for the same object in other places: one that is left as it was would contradict the other."""
    own = plan.daemonset
    if own.declaration is not None:
        return [FixPlan(other, plan.operations, plan.causes) for other in _list_siblings(own, originals)]
    same = [
        original
        for origin, original in originals.items()
        if origin != own.origin
        and origin.file not in fix_options.context_files
        and original.key == own.key
        and original.data.get("spec") == own.data.get("spec")
    ]
    return [] if fix_options.makes_patches else [FixPlan(daemonset, plan.operations, plan.causes) for daemonset in same]


def _join_plans(plans: Iterable[FixPlan]) -> list[FixPlan]:
    """The plans, those for one field of a custom resource joined into one."""
    joined: list[FixPlan] = []
    by_field: dict[object, FixPlan] = {}
    for plan in plans:
        declaration, origin = plan.daemonset.declaration, plan.daemonset.origin
        if declaration is None:
            joined.append(plan)
            continue
        place = origin.file, origin.document, origin.path, declaration.tolerations.path
        known = by_field.get(place)
        if known is None:
            by_field[place] = plan
            joined.append(plan)
        else:
            known.operations += [operation for operation in plan.operations if operation not in known.operations]
            known.causes += plan.causes
    return joined


def _list_siblings(own: DaemonSet, originals: Mapping[Origin, DaemonSet]) -> list[DaemonSet]:
    """The other DaemonSets that take their tolerations from the same field of a custom resource: what is added there reaches them."""
    assert own.declaration is not None
    return [
        other
        for origin, other in originals.items()
        if other.declaration is not None
        and (origin.file, origin.document, origin.path) == (own.origin.file, own.origin.document, own.origin.path)
        and other.declaration.tolerations.path == own.declaration.tolerations.path
        and origin.declares != own.origin.declares
    ]


def _is_refused(fix: DaemonSetFix, reasons: Mapping[tuple[str, Origin], str]) -> bool:
    return all((cause.rule.id, cause.hit.location.origin) in reasons for cause in fix.causes)


def _find_regressions(before: Evaluation, after: Evaluation, fixes: Iterable[DaemonSetFix]) -> dict[tuple[str, Origin], str]:
    """Why a fix is no good, by the findings that it is for: it takes nodes away, or brings what was not there."""
    found: dict[tuple[str, Origin], str] = {}
    covered, now = before.collect_coverage(), after.collect_coverage()
    old = {step_hit.identity for step_hit in before.step_hits}
    new = [hit for hit in after.step_hits if hit.step and hit.severity is not Severity.NOTE and _is_loss(hit)]
    for fix in fixes:
        lost: frozenset[str] = frozenset()
        for (step, key), nodes in covered.items():
            if _is_same(key, fix.daemonset):
                lost |= nodes - now.get((step, key), frozenset())
        fresh = [step_hit for step_hit in new if step_hit.hit.location.origin == fix.daemonset.origin and step_hit.identity not in old]
        if lost:
            reason = messages.explain_lost_nodes(lost)
        elif fresh:
            reason = messages.explain_new_finding(fresh[0].rule.id, fresh[0].hit.message)
        else:
            continue
        found |= {(cause.rule.id, cause.hit.location.origin): reason for cause in fix.causes}
    return found


def _is_loss(step_hit: StepHit) -> bool:
    """Whether it is about coverage, or a toleration that is refused; other hygiene is said and forbids no fix."""
    rule = step_hit.rule
    return rule.fix in (FixKind.COVERAGE, FixKind.SECONDS) or rule.is_consequence or rule.forbids_fix


def _is_same(key: ObjectKey, daemonset: DaemonSet) -> bool:
    own = daemonset.metadata
    return key.name == own.name and key.namespace in ("", own.namespace)


class _FixBuilder:
    """The files that are read on the way."""

    def __init__(self, fix_options: FixOptions, declared: Mapping[ObjectKey, DaemonSet]) -> None:
        self.fix_options, self.declared = fix_options, declared
        self.contents_by_file: dict[str, bytes] = {}

    def make_fix(self, plan: FixPlan) -> DaemonSetFix:
        """The fix of one DaemonSet; CannotEdit where it must not be touched here."""
        daemonset = plan.daemonset
        resource = self._find_resource(daemonset, plan.operations)
        edited = resource or daemonset
        origin = edited.origin
        if edited.declaration is not None:
            check_resource_change(edited.declaration, plan.operations)
        found = find_manager(edited, self._read_document(origin))
        if found and (found.kind == "operator" or not (self.fix_options.makes_patches or self.fix_options.edits_rendered)):
            more = "" if found.kind == "operator" else messages.EDIT_RENDERED
            raise CannotEdit(f"{found.evidence}: {found.advice}{more}")
        if self.fix_options.makes_patches:
            format_patch(edited, plan.operations)
        elif origin.file in self.fix_options.context_files:
            raise CannotEdit(messages.IS_CONTEXT)
        elif origin.file == STDIN:
            raise CannotEdit(messages.IS_STDIN)
        fixed = _apply_fix(daemonset, plan.operations)
        return DaemonSetFix(daemonset, fixed, tuple(plan.operations), tuple(plan.causes), found, resource)

    def _find_resource(self, daemonset: DaemonSet, operations: Sequence[Operation]) -> DaemonSet | None:
        """The declaration of a DaemonSet that an operator made, if its custom resource can be edited for it; else None."""
        declared = self.declared.get(daemonset.key)
        is_added = all(isinstance(operation, AddToleration) for operation in operations)
        if declared is None or declared.declaration is None or not declared.declaration.tolerations.path or not is_added:
            return None
        is_context = declared.origin.file in self.fix_options.context_files
        return None if is_context and not self.fix_options.makes_patches else declared

    def edit_files(self, fixes: Iterable[DaemonSetFix]) -> tuple[dict[str, tuple[bytes, bytes]], dict[tuple[str, Origin], str]]:
        """The texts of the files that the fixes change, and why some are left as they are."""
        by_file: dict[str, list[DaemonSetFix]] = {}
        for fix in fixes:
            by_file.setdefault(fix.edited.origin.file, []).append(fix)
        texts: dict[str, tuple[bytes, bytes]] = {}
        reasons: dict[tuple[str, Origin], str] = {}
        for file, here in by_file.items():
            refusals = [""] * len(here)
            try:
                before = self._read_bytes(file)
                changes = [_make_manifest_change(fix) for fix in here]
                unique = list(dict.fromkeys((change.document, change.path) for change in changes))
                first = [next(change for change in changes if (change.document, change.path) == place) for place in unique]
                fixed = manifest.fix_manifest(_decode_text(before), first)
                by_place = dict(zip(unique, fixed.refusals, strict=True))
                refusals = [by_place[change.document, change.path] or "" for change in changes]
                after = fixed.text.encode()
                if after != before:
                    texts[file] = (before, after)
            except (CannotEdit, InputError) as refusal:
                refusals = [str(refusal)] * len(here)
            for fix, reason in zip(here, refusals, strict=True):
                if reason:
                    reasons |= {(cause.rule.id, cause.hit.location.origin): reason for cause in fix.causes}
        return texts, reasons

    def _read_bytes(self, file: str) -> bytes:
        if file not in self.contents_by_file:
            self.contents_by_file[file] = read_file(file)
        return self.contents_by_file[file]

    def _read_document(self, origin: Origin) -> str:
        """The text of a document as it is in its file; "" where it cannot be had."""
        if origin.file == STDIN:
            return ""
        try:
            text = _decode_text(self._read_bytes(origin.file))
        except (InputError, CannotEdit):
            return ""
        return next(
            (
                document.text
                for document in split_documents(text)
                if not isinstance(document, InvalidDocument) and document.index == origin.document
            ),
            "",
        )


def _decode_text(data: bytes) -> str:
    if data[:2] == GZIP:
        raise CannotEdit(messages.IS_PACKED)
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise CannotEdit(messages.NOT_UTF8) from None


def _make_manifest_change(fix: DaemonSetFix) -> manifest.ManifestChange | TextChange:
    origin, declaration = fix.edited.origin, fix.edited.declaration
    if declaration is not None:
        return make_resource_change(fix.edited, declaration, fix.operations)
    tolerations = get_written_tolerations(fix.daemonset) or []
    return manifest.ManifestChange(origin.document, (*origin.path, *POD_TEMPLATE_SPEC, "tolerations"), tolerations, fix.operations)


def _apply_fix(daemonset: DaemonSet, operations: Iterable[Operation]) -> DaemonSet:
    """The DaemonSet with its tolerations changed."""
    data = copy.deepcopy(workload_verbs.to_plain(daemonset))
    spec: Any = data
    for name in POD_TEMPLATE_SPEC:
        spec = spec[name]
    spec["tolerations"] = apply_operations(get_raw_tolerations(daemonset), operations)
    return workload_verbs.from_plain(data, daemonset)
