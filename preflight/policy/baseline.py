"""The baseline: findings that existed on one day and are accepted until another, identified by rule, object and key."""

from __future__ import annotations

import datetime
import json
from collections import Counter
from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from preflight.documents import Chunk, locate_paths
from preflight.errors import UsageError
from preflight.messages import policy as messages
from preflight.model.report import Finding
from preflight.policy.reader import raise_faults, read_plain_document
from preflight.policy.schema_errors import find_faults
from preflight.policy.validate import parse_day

VERSION = 2
_MESSAGE_VERSION = 1
"""The version whose entries held messages; no release wrote it."""
MAX_SIZE = 32 << 20
"""How many bytes a baseline may have."""
DEFAULT_DAYS = 90
"""How long a baseline accepts what it holds, where nobody says otherwise."""


FindingIdentity = tuple[str, str, tuple[str, ...]]
"""The rule, the object (`DaemonSet storage/csi`) and the key of a finding."""


class BaselineEntry(Struct, frozen=True, forbid_unknown_fields=True, order=True):
    """Findings of one rule on one object (`DaemonSet storage/csi`) with one key; `count` is how many there may be."""

    rule: str
    subject: str
    key: tuple[str, ...] = ()
    count: int = 1

    @property
    def identity(self) -> FindingIdentity:
        """What its findings are known by."""
        return self.rule, self.subject, self.key


class _BaselineFile(Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    expires: str
    findings: tuple[BaselineEntry, ...] = ()


class Baseline:
    """What is accepted: each entry takes as many findings as it counts, in the order of the report."""

    def __init__(self, file: str, expires: str, entries: Sequence[BaselineEntry], chunk: Chunk | None = None) -> None:
        """`chunk` is the text of the file, None of a new one."""
        self.file, self.expires = file, expires
        self._entries, self._chunk = entries, chunk
        self._remaining: Counter[FindingIdentity] = Counter()
        for entry in entries:
            self._remaining[entry.identity] += entry.count

    @property
    def finding_count(self) -> int:
        """How many findings it accepts."""
        return sum(entry.count for entry in self._entries)

    def has_expired(self, today: datetime.date) -> bool:
        """Whether its last day is over."""
        until = parse_day(self.expires)
        return until is not None and until < today

    def accept_finding(self, finding: Finding) -> bool:
        """Whether it accepts one more such finding; then there is room for one less."""
        identity = get_finding_identity(finding)
        if self._remaining[identity] <= 0:
            return False
        self._remaining[identity] -= 1
        return True

    def list_unused_entries(self) -> list[tuple[BaselineEntry, int]]:
        """The entries that have taken nothing, each with its line."""
        left = [(number, entry) for number, entry in enumerate(self._entries) if self._remaining[entry.identity] >= entry.count]
        if self._chunk is None:
            return [(entry, 0) for _, entry in left]
        places = locate_paths(self._chunk, [("findings", number) for number, _ in left])
        return [(entry, place.line) for (_, entry), place in zip(left, places, strict=True)]

    def format_file(self) -> str:
        """The file: sorted, the same bytes for the same findings."""
        lines = [f"version: {VERSION}", f'expires: "{self.expires}"', "findings:" if self._entries else "findings: []"]
        for entry in sorted(self._entries):
            lines += [f"- rule: {entry.rule}", f"  subject: {_quote_text(entry.subject)}"]
            lines += [f"  key: [{', '.join(map(_quote_text, entry.key))}]"] if entry.key else []
            lines += [f"  count: {entry.count}"] if entry.count > 1 else []
        return messages.BASELINE_HEADER + "\n".join(lines) + "\n"


def get_finding_identity(finding: Finding) -> FindingIdentity:
    """What a finding is known by."""
    return finding.rule, f"{finding.subject.kind} {finding.subject}", finding.key


def make_baseline(findings: Iterable[Finding], file: str, expires: str) -> Baseline:
    """The baseline that accepts some findings."""
    counted = Counter(get_finding_identity(finding) for finding in findings)
    return Baseline(file, expires, [BaselineEntry(*identity, count) for identity, count in counted.items()])


def read_baseline(path: str, display_name: str) -> Baseline:
    """The baseline of a file; UsageError, with every fault and its place, where it is none."""
    chunk, data = read_plain_document(path, display_name, MAX_SIZE)
    if isinstance(data, dict) and data.get("version") == _MESSAGE_VERSION:
        raise_faults(display_name, chunk, [(("version",), messages.describe_old_baseline(_MESSAGE_VERSION, VERSION))])
    try:
        written = msgspec.convert(data, _BaselineFile)
    except (msgspec.ValidationError, RecursionError) as error:
        from preflight.policy.schema import build_struct_schema

        raise_faults(display_name, chunk, find_faults(data, build_struct_schema(_BaselineFile)) or [((), str(error))])
    if written.version != VERSION:
        raise_faults(display_name, chunk, [(("version",), messages.describe_unknown_version(VERSION))])
    if parse_day(written.expires) is None:
        raise_faults(display_name, chunk, [(("expires",), messages.INVALID_DAY)])
    if wrong := [
        (("findings", number, "count"), messages.COUNT_BELOW_ONE) for number, entry in enumerate(written.findings) if entry.count < 1
    ]:
        raise_faults(display_name, chunk, wrong)
    return Baseline(display_name, written.expires, written.findings, chunk)


def parse_last_day(text: str, today: datetime.date) -> str:
    """The last day of a new baseline: of a number of days from today on, or the day itself; UsageError for anything else."""
    if text.isascii() and text.isdecimal() and 0 < int(text[:6]) <= 36500:
        return (today + datetime.timedelta(days=int(text))).isoformat()
    if parse_day(text) is None:
        raise UsageError(messages.describe_bad_expiry(text))
    return text


def _quote_text(text: str) -> str:
    return json.dumps(text)
