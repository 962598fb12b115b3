"""The card of a group of findings: what they share, what each one adds, and the fix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from preflight.messages import html as words
from preflight.messages.lists import join_node_names
from preflight.model.report import Finding, Location, Report, Severity
from preflight.report.findings import Note, describe_group, format_place, list_notes
from preflight.report.groups import FindingGroup, GroupMember
from preflight.report.html.classes import PageNodeClasses
from preflight.report.source_excerpt import clip_source_line, measure_token
from preflight.report.terminal import count_columns

SEVERITY_SIGNS = {Severity.ERROR: "x", Severity.WARNING: "!", Severity.NOTE: "i"}
_MOST_NOTES = 100
_MOST_MEMBERS = 12
_SOURCE = 120


class SourceLine(NamedTuple):
    """A line of a file with its number. If its column is known, `token` is there, and the `label` says what is wrong with it."""

    line: int
    before: str
    token: str
    after: str
    label: str


class MemberView(NamedTuple):
    """One finding of a group: the name of its object, what it adds to what the group says, its place and its notes."""

    subject: str
    remark: str
    place: str
    source: SourceLine | None
    notes: list[Note]


class FindingCard(NamedTuple):
    """Findings with one cause and one fix.

    1. `number` is the place of the first one in the report, `finding_count` how many they are with their consequences.
    2. `filter_sign` is the sign that the filter goes by, "" where they are exempted; `letters` are the classes of their nodes.
    3. `subject` is the object of a single finding, "" of several: `message` then says what they share.
    4. Of many members the first 12 are shown, and `folded_summary` counts the others. `notes` are those that several share. `nodes` were
       written by a template.
    """

    number: int
    finding_count: int
    sign: str
    filter_sign: str
    letters: str
    is_open: bool
    severity: Severity
    subject: str
    message: str
    rule: str
    name: str
    step: str
    exemption: str | None
    members: list[MemberView]
    folded_members: list[MemberView]
    folded_summary: str
    notes: list[Note]
    nodes: Markup
    fix: tuple[str, ...]


def describe_card(group: FindingGroup) -> str:
    """The sentence of a card: what a single finding says, or what several share, with the name of their rule where that says too little."""
    if len(group.members) == 1:
        return group.first.message
    said = describe_group(group)
    return said if group.effect is not None else words.name_group(group.name, said)


def format_step(report: Report, finding: Finding) -> str:
    """`step 1 of 3`; "" where there is one step only, or the finding belongs to none."""
    return words.number_step(finding.step, len(report.steps)) if len(report.steps) > 1 and finding.step else ""


class CardMaker:
    """Makes the cards of a report, and numbers them."""

    def __init__(self, report: Report, classes: PageNodeClasses) -> None:
        self._report = report
        self._classes = classes
        self._numbers: Mapping[int, int] = {id(finding): number for number, finding in enumerate(report.findings, 1)}

    def make_cards(self, groups: Sequence[FindingGroup], open_count: int = 0) -> list[FindingCard]:
        """The groups in their order, of which the first `open_count` are open."""
        return [self._make_card(group, is_open=at < open_count) for at, group in enumerate(groups)]

    def _make_card(self, group: FindingGroup, *, is_open: bool) -> FindingCard:
        sign = SEVERITY_SIGNS[group.severity]
        is_single = len(group.members) == 1
        members = [_make_single(group.members[0])] if is_single else [_make_member(group, member) for member in group.members]
        shared = [] if is_single else [note for note in members[0].notes if all(note in member.notes for member in members)]
        own = [member._replace(notes=_limit_notes([note for note in member.notes if note not in shared])) for member in members]
        return FindingCard(
            number=self._numbers[id(group.first)],
            finding_count=group.finding_count,
            sign=sign,
            filter_sign=sign if group.first.exempted is None else "",
            letters=self._classes.get_letters(group.nodes),
            is_open=is_open,
            severity=group.severity,
            subject=str(group.first.subject) if is_single else "",
            message=describe_card(group),
            rule=group.rule,
            name=group.name,
            step=format_step(self._report, group.first),
            exemption=group.first.exempted,
            members=own[:_MOST_MEMBERS],
            folded_members=own[_MOST_MEMBERS:],
            folded_summary=words.count_more_members(len(own) - _MOST_MEMBERS),
            notes=shared,
            nodes=self._classes.render_nodes(group.nodes) if group.nodes else Markup(""),
            fix=group.suggestion.text if group.suggestion else (),
        )


def _make_single(member: GroupMember) -> MemberView:
    """The only finding of a group: its card says the rest."""
    location, label = member.finding.location, member.finding.label
    source = _make_source_line(location, label) if location and location.line and location.source.strip() else None
    place = format_place(location) if location is not None else ""
    return MemberView("", "", place, source, list_notes(member, is_label_shown=bool(source and source.token)))


def _make_member(group: FindingGroup, member: GroupMember) -> MemberView:
    """One of several: its nodes if others have others, and what it says if that is not shared."""
    finding = member.finding
    if group.effect is None:
        remark = finding.message
    else:
        remark = words.describe_own_nodes(join_node_names(finding.nodes)) if finding.nodes != group.nodes else ""
    place = format_place(finding.location) if finding.location is not None else ""
    return MemberView(str(finding.subject), remark, place, None, list_notes(member, is_label_shown=group.effect is not None))


def _limit_notes(notes: list[Note]) -> list[Note]:
    hidden = notes[_MOST_NOTES:]
    return [*notes[:_MOST_NOTES], ("note", words.count_hidden_notes(len(hidden)))] if hidden else notes


def _make_source_line(location: Location, label: str) -> SourceLine:
    before, after = clip_source_line(location.source, location.column, _SOURCE)
    length = _count_characters(after, measure_token(after)) if location.column else 0
    return SourceLine(location.line, before.lstrip(), after[:length], after[length:], label if length else "")


def _count_characters(text: str, columns: int) -> int:
    """How many characters of a text take so many columns of a terminal."""
    return next((at for at in range(len(text) + 1) if count_columns(text[:at]) >= columns), len(text))
