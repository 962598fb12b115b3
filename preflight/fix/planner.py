"""One fix: what is wrong, what is to become of it, and whether that helps; nothing is written here."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from preflight.change import workload_verbs
from preflight.documents import Broken, split
from preflight.errors import InputError
from preflight.fix import kubectl_patch, manifest
from preflight.fix.edits import Operation, applied
from preflight.fix.evaluate import Found, Judged, Question, ask
from preflight.fix.plan import COVERAGE, FOLLOWS, SECONDS, Plan, Selection, plans, raw
from preflight.fix.provenance import Maker, maker
from preflight.fix.write import read_file
from preflight.fix.yaml_tree import CannotEdit
from preflight.model.objects import POD_TEMPLATE_SPEC, DaemonSet, ObjectKey, Origin
from preflight.model.report import Severity

STDIN = "-"
GZIP = b"\x1f\x8b"


class Way(Struct, frozen=True):
    """How a fix is made: as an edit of files, or as `patches`; `rendered` where what Helm rendered is edited all the same.

    `around` are the files that are only surroundings: they are not edited.
    """

    patches: bool = False
    rendered: bool = False
    around: frozenset[str] = frozenset()


class Fix(Struct, frozen=True):
    """One DaemonSet that is fixed: as it is, as it will be, and what for."""

    daemonset: DaemonSet
    after: DaemonSet
    operations: tuple[Operation, ...]
    causes: tuple[Found, ...]
    maker: Maker | None = None


class Outcome(Struct, frozen=True):
    """What a fix comes to.

    1. `files` are the texts of the files that change, before and after, by name; empty where patches are asked for.
    2. `left` is what is still there after it, each with the reason; `rollout` what the rollout of the fix itself sets off.
    3. `unknown`: a pair that the change touches cannot be judged, fixed or not. `assumed`: pods were assumed, none were given.
    """

    fixes: tuple[Fix, ...]
    files: Mapping[str, tuple[bytes, bytes]]
    left: tuple[tuple[Found, str], ...]
    rollout: tuple[Found, ...]
    unknown: bool
    nothing: bool
    assumed: bool

    @property
    def loses(self) -> bool:
        """Whether the rollout of the fix itself costs something."""
        return any(each.severity is Severity.ERROR for each in self.rollout)


def work_out(question: Question, selection: Selection, way: Way, originals: Mapping[Origin, DaemonSet]) -> Outcome:
    """What is to be done about what a change would cost, or about what is wrong today.

    1. Each DaemonSet is fixed as a whole, or left as it is with a reason.
    2. A fix never takes a DaemonSet from a node, and brings no new error or warning: all is judged again, with the fixes rolled out first.
    3. An object that stands twice with the same content is fixed in both places.
    """
    before = ask(question)
    chosen = [each for each in before.found if selection.takes(each)]
    wanted, refused = plans(chosen, before, originals)
    reasons: dict[tuple[str, Origin], str] = {(each.rule.id, each.hit.place.origin): reason for each, reason in refused}
    work = _Work(way)
    candidates = []
    for plan in wanted:
        try:
            candidates += [work.fix(each) for each in (plan, *_twins(plan, originals, way))]
        except CannotEdit as refusal:
            reasons |= {(each.rule.id, each.hit.place.origin): str(refusal) for each in plan.causes}
    fixes = candidates
    files: dict[str, tuple[bytes, bytes]] = {}
    while True:
        if not way.patches:
            files, failed = work.files(fixes)
            reasons |= failed
        fixes = [each for each in fixes if not _is_refused(each, reasons)]
        after = ask(question, {each.daemonset.origin: each.after for each in fixes})
        worse = _worse(before, after, fixes)
        if not worse:
            break
        reasons |= worse
        fixes = [each for each in fixes if not _is_refused(each, reasons)]
    kept = [each for each in after.found if each.step and selection.keeps(each)]
    return Outcome(
        fixes=tuple(fixes),
        files=files,
        left=tuple((each, reasons.get((each.rule.id, each.hit.place.origin), "")) for each in kept),
        rollout=tuple(each for each in after.found if not each.step and each.severity is not Severity.NOTE),
        unknown=after.unknown,
        nothing=not chosen,
        assumed=any(group.assumed for impact in after.impacts for group in impact.groups),
    )


def _twins(plan: Plan, originals: Mapping[Origin, DaemonSet], way: Way) -> list[Plan]:
    """The same for the same object in other places: one that is left as it was would contradict the other."""
    own = plan.daemonset
    same = [
        each
        for origin, each in originals.items()
        if origin != own.origin and origin.file not in way.around and each.key == own.key and each.data.get("spec") == own.data.get("spec")
    ]
    return [] if way.patches else [Plan(each, plan.operations, plan.causes) for each in same]


def _is_refused(fix: Fix, reasons: Mapping[tuple[str, Origin], str]) -> bool:
    return all((each.rule.id, each.hit.place.origin) in reasons for each in fix.causes)


def _worse(before: Judged, after: Judged, fixes: Iterable[Fix]) -> dict[tuple[str, Origin], str]:
    """Why a fix is no good, by the findings that it is for: it takes nodes away, or brings what was not there."""
    found: dict[tuple[str, Origin], str] = {}
    covered, now = before.covered(), after.covered()
    old = {(each.step, each.rule.id, each.hit.subject) for each in before.found}
    new = [each for each in after.found if each.step and each.severity is not Severity.NOTE and _is_loss(each)]
    for fix in fixes:
        lost: frozenset[str] = frozenset()
        for (step, key), nodes in covered.items():
            if _is_same(key, fix.daemonset):
                lost |= nodes - now.get((step, key), frozenset())
        fresh = [
            each for each in new if each.hit.place.origin == fix.daemonset.origin and (each.step, each.rule.id, each.hit.subject) not in old
        ]
        if lost:
            reason = f"the fix would take it from {', '.join(sorted(lost)[:4])}: edit it by hand"
        elif fresh:
            reason = f"the fix would bring {fresh[0].rule.id}: {fresh[0].hit.message}"
        else:
            continue
        found |= {(each.rule.id, each.hit.place.origin): reason for each in fix.causes}
    return found


def _is_loss(found: Found) -> bool:
    """Whether it is about coverage, or a toleration that is refused; other hygiene is said and forbids no fix."""
    return found.rule.id in COVERAGE | SECONDS | FOLLOWS | {"PF205"}


def _is_same(key: ObjectKey, daemonset: DaemonSet) -> bool:
    own = daemonset.metadata
    return key.name == own.name and key.namespace in ("", own.namespace)


class _Work:
    """The files that are read on the way."""

    def __init__(self, way: Way) -> None:
        self.way = way
        self.read: dict[str, bytes] = {}

    def fix(self, plan: Plan) -> Fix:
        """The fix of one DaemonSet; CannotEdit where it must not be touched here."""
        daemonset, origin = plan.daemonset, plan.daemonset.origin
        found = maker(daemonset, self._document(origin))
        if found and (found.kind == "operator" or not (self.way.patches or self.way.rendered)):
            more = "" if found.kind == "operator" else "; --rendered edits this file all the same"
            raise CannotEdit(f"{found.evidence}: {found.where}{more}")
        if self.way.patches:
            kubectl_patch.kubectl(daemonset, plan.operations)
        elif origin.file in self.way.around:
            raise CannotEdit("its file was given only as surroundings (--from): name it as a PATH, or use --patch")
        elif origin.file == STDIN:
            raise CannotEdit("it came from standard input, which cannot be edited: --patch prints a patch")
        return Fix(daemonset, _after(daemonset, plan.operations), tuple(plan.operations), tuple(plan.causes), found)

    def files(self, fixes: Iterable[Fix]) -> tuple[dict[str, tuple[bytes, bytes]], dict[tuple[str, Origin], str]]:
        """The texts of the files that the fixes change, and why some are left as they are."""
        by_file: dict[str, list[Fix]] = {}
        for each in fixes:
            by_file.setdefault(each.daemonset.origin.file, []).append(each)
        texts: dict[str, tuple[bytes, bytes]] = {}
        reasons: dict[tuple[str, Origin], str] = {}
        for file, here in by_file.items():
            refusals = [""] * len(here)
            try:
                before = self._bytes(file)
                fixed = manifest.fix(_text(before), [_wanted(each) for each in here])
                refusals = [refusal or "" for refusal in fixed.refusals]
                after = fixed.text.encode()
                if after != before:
                    texts[file] = (before, after)
            except (CannotEdit, InputError) as refusal:
                refusals = [str(refusal)] * len(here)
            for each, reason in zip(here, refusals, strict=True):
                if reason:
                    reasons |= {(cause.rule.id, cause.hit.place.origin): reason for cause in each.causes}
        return texts, reasons

    def _bytes(self, file: str) -> bytes:
        if file not in self.read:
            self.read[file] = read_file(file)
        return self.read[file]

    def _document(self, origin: Origin) -> str:
        """The text of a document as it is in its file; "" where it cannot be had."""
        if origin.file == STDIN:
            return ""
        try:
            text = _text(self._bytes(origin.file))
        except (InputError, CannotEdit):
            return ""
        return next((each.text for each in split(text) if not isinstance(each, Broken) and each.index == origin.document), "")


def _text(data: bytes) -> str:
    if data[:2] == GZIP:
        raise CannotEdit("its file is packed: unpack it first")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise CannotEdit("its file is not UTF-8: save it as UTF-8 first") from None


def _wanted(fix: Fix) -> manifest.Wanted:
    origin = fix.daemonset.origin
    data: Any = fix.daemonset.data
    for name in POD_TEMPLATE_SPEC:
        data = data[name]
    return manifest.Wanted(origin.document, (*origin.path, *POD_TEMPLATE_SPEC), data, fix.operations)


def _after(daemonset: DaemonSet, operations: Iterable[Operation]) -> DaemonSet:
    """The DaemonSet with its tolerations changed."""
    data = copy.deepcopy(workload_verbs.plain(daemonset))
    spec: Any = data
    for name in POD_TEMPLATE_SPEC:
        spec = spec[name]
    spec["tolerations"] = applied(raw(daemonset), operations)
    return workload_verbs.typed(data, daemonset)
