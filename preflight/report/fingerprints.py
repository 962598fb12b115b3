"""What makes a finding the same one in the next run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256

from preflight.model.report import Finding
from preflight.report.ci_annotation import get_file_path


def make_fingerprints(findings: Iterable[Finding]) -> list[str]:
    """A fingerprint for each finding, in their order: 32 hexadecimal digits, no two alike.

    1. It is made of the rule, the object, the file and the message. The message tells the reasons of one object apart, so that whoever
       dismisses one does not dismiss the next.
    2. Lines, columns and field paths are no part of it, nor are the nodes that the message lists: a manifest whose lines move and a pool
       that grows keep their findings.
    3. Findings that are alike in all of this are numbered.
    """
    seen: Counter[str] = Counter()
    made = []
    for finding in findings:
        key = "\0".join(_get_key_parts(finding))
        seen[key] += 1
        made.append(sha256(f"{key}\0{seen[key]}".encode(errors="surrogatepass")).hexdigest()[:32])
    return made


def _get_key_parts(finding: Finding) -> tuple[str, ...]:
    subject = finding.subject
    return (
        finding.rule,
        subject.kind,
        subject.namespace,
        subject.name,
        get_file_path(finding.location),
        _remove_node_list(finding.message, finding.nodes),
    )


def _remove_node_list(message: str, nodes: Sequence[str]) -> str:
    """The message without its list of nodes: all of them, or the first ones `and 7 more nodes`."""
    if not nodes:
        return message
    every = ", ".join(nodes)
    if every in message:
        return message.replace(every, "", 1)
    before, _, after = message.partition(f"{', '.join(nodes[:3])} and ")
    number, more, rest = after.partition(" more nodes")
    return before + rest if more and number.isdecimal() else message
