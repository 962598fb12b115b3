"""A group of findings as rustc and ruff show theirs: what, where, the source line, what follows from it, and the fix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from preflight.inert_text import escape_unprintable
from preflight.messages import report as messages
from preflight.messages.groups import count_subjects, describe_shared_effect
from preflight.messages.lists import join_names, join_node_names
from preflight.model.report import Finding, Location
from preflight.report.formatting import format_headline, format_location
from preflight.report.groups import FindingGroup, GroupMember
from preflight.report.source_excerpt import draw_source
from preflight.report.terminal import Ink, count_columns, fold

Note = tuple[str, str]
"""A label and a text."""


def draw_group(group: FindingGroup, ink: Ink, width: int, *, most_members: int = 0, short: bool = False) -> Iterator[str]:
    """The lines of a group: of one finding as it is, of several what they share, then what differs, then the fix.

    `short` leaves out all but what and where. More objects than `most_members` are counted, 0 for no limit.
    """
    if len(group.members) == 1:
        return draw_finding(group.first, ink, width, consequences=group.members[0].consequences, short=short)
    return _draw_shared(group, ink, width, most_members=most_members, short=short)


def draw_finding(finding: Finding, ink: Ink, width: int, *, consequences: Sequence[Finding] = (), short: bool = False) -> Iterator[str]:
    """The lines of one finding.

    1. The source line stands in a gutter with its number, the token that the finding is about underlined, and the label behind that.
    2. Where the source is not known, the label is a note.
    3. Notes, related places and the fix follow; their labels are padded so that the texts line up. The fix is never folded. `consequences`
       stand in the place of the note that sums them up.
    4. `short` leaves out all but what and where.
    """
    sort, text = format_headline(finding)
    yield from _draw_headline(sort, text, finding, ink, width)
    location = finding.location
    gutter = " " * (len(str(location.line)) if location and location.line else 1)
    pointed = False
    if location:
        yield f"{gutter}--> {format_place(location)}"
        if short:
            return
        if location.line and location.source.strip():
            pointed = bool(location.column)
            yield from draw_source(finding, location, gutter, ink, width)
    elif short:
        return
    for label, note in list_notes(GroupMember(finding, tuple(consequences)), is_label_shown=pointed):
        room = max(20, width - len(gutter) - 9) if width else 0
        yield from _draw_note(f"{gutter} = ", label, fold(note, room), ink)
    if finding.suggestion and finding.suggestion.text:
        yield from _draw_note(f"{gutter} = ", messages.FIX, finding.suggestion.text, ink)


def draw_brief(group: FindingGroup, ink: Ink, width: int) -> Iterator[str]:
    """A group without its details: what and where, for findings that a table has explained already; of many objects the first names."""
    finding = group.first
    names = join_names([str(member.finding.subject) for member in group.members])
    if len(group.members) > 1:
        names = f"{describe_group(group)}: {names}"
    elif finding.location and finding.location.source:
        names = f"{names} ({format_place(finding.location)})"
    yield from _draw_headline(f"{group.severity}[{group.rule}]", f" {group.name}: {names}", finding, ink, width)


def _draw_shared(group: FindingGroup, ink: Ink, width: int, *, most_members: int, short: bool) -> Iterator[str]:
    sort, text = f"{group.severity}[{group.rule}]", f" {group.name}: {describe_group(group)}"
    yield from _draw_headline(sort, text, group.first, ink, width)
    notes = [[] if short else list_notes(member, is_label_shown=group.effect is not None) for member in group.members]
    shared = [note for note in notes[0] if all(note in others for others in notes)]
    shown = group.members if not most_members or len(group.members) <= most_members + 1 else group.members[:most_members]
    is_message_shared = group.effect is None and len({member.finding.message for member in group.members}) == 1
    if is_message_shared:
        shared = [(messages.NOTE, messages.describe_shared_message(group.first.message)), *shared]
    if is_message_shared and most_members and not any(map(_has_own_lines, group.members)):
        names = messages.list_members([str(member.finding.subject) for member in group.members])
        yield from (f"  {line}" for line in fold(names, max(20, width - 2) if width else 0))
        shown = group.members
        notes = []
    for member, own in zip(shown, notes, strict=False):
        yield from _draw_member(group, member, width, says_message=group.effect is None and not is_message_shared)
        for label, text in (note for note in own if note not in shared):
            yield from _draw_note("    ", label, fold(text, max(20, width - 12) if width else 0), ink)
    if hidden := len(group.members) - len(shown):
        yield messages.count_hidden_members(hidden)
    for label, text in shared:
        yield from _draw_note("  ", label, fold(text, max(20, width - 10) if width else 0), ink)
    if group.suggestion and group.suggestion.text:
        yield from _draw_note("  ", messages.FIX, group.suggestion.text, ink)


def _has_own_lines(member: GroupMember) -> bool:
    """Whether a finding has a line in a file that people read, or notes."""
    finding = member.finding
    is_in_text = finding.location is not None and bool(finding.location.source)
    return is_in_text or bool(finding.notes or finding.related or member.consequences)


def _draw_headline(sort: str, text: str, finding: Finding, ink: Ink, width: int) -> Iterator[str]:
    first, *rest = fold(sort + text, width)
    yield ink(sort, finding.severity) + ink(first.removeprefix(sort), "strong")
    yield from (ink(line, "strong") for line in rest)


def _draw_member(group: FindingGroup, member: GroupMember, width: int, *, says_message: bool) -> Iterator[str]:
    """The lines of one object: its name, its nodes if others have others, what it says if that is not shared, and its place."""
    finding = member.finding
    nodes = f" on {join_node_names(finding.nodes)}" if group.effect is not None and finding.nodes != group.nodes else ""
    said = f" {finding.message}" if says_message else ""
    place = f" ({format_place(finding.location)})" if finding.location else ""
    first, *rest = fold(f"{finding.subject}{nodes}{said}{place}", max(20, width - 4) if width else 0)
    yield f"  {first}"
    yield from (f"    {line}" for line in rest)


def describe_group(group: FindingGroup) -> str:
    """What several findings share, in words."""
    if group.effect is not None:
        return describe_shared_effect(len(group.members), group.nodes, group.effect)
    return count_subjects(len(group.members), group.kind)


def list_notes(member: GroupMember, *, is_label_shown: bool) -> list[Note]:
    """What stands below a finding, with its labels.

    1. The label of the place comes first, where no source line shows it.
    2. Consequences stand in the place of the note that sums them up; their workloads are named by them.
    """
    finding = member.finding
    notes = [(messages.NOTE_LABELS.get(heading, heading), text) for heading, text in finding.notes]
    texts = [(messages.NOTE, finding.label)] if finding.label and not is_label_shown else []
    texts += [note for note in notes if note[0] != messages.IMPACT or not member.consequences]
    texts += [
        (messages.IMPACT, messages.describe_consequence(consequence.message, consequence.rule)) for consequence in member.consequences
    ]
    for related in finding.related:
        where = f" ({format_place(related.location)})" if related.location else ""
        texts.append((messages.NOTE, f"{related.message}{where}"))
    return texts


def list_checks(finding: Finding) -> list[str]:
    """The commands that show what a finding is about."""
    return [text for heading, text in finding.notes if messages.NOTE_LABELS.get(heading, heading) == messages.CHECK]


def format_place(location: Location) -> str:
    """`file:line:column`; the path of the field where the file is one long line, of which no person finds a column."""
    if location.path and not location.source:
        return escape_unprintable(f"{location.file} {location.path}")
    return format_location(location)


def _draw_note(start: str, label: str, lines: Iterable[str], ink: Ink) -> Iterator[str]:
    head = f"{escape_unprintable(label)}:"
    for at, line in enumerate(lines):
        lead = start + ink(f"{head:<5}", "strong") if at == 0 else " " * (len(start) + max(5, count_columns(head)))
        yield f"{lead} {escape_unprintable(line)}".rstrip()
