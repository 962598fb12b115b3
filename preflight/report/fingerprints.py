"""What makes a finding the same one in the next run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

from preflight.model.report import Finding
from preflight.report.ci_annotation import get_file_path

FINGERPRINT_NAME = "preflight/v1"
"""What a format calls our fingerprint next to those of others."""


def make_fingerprints(findings: Iterable[Finding]) -> list[str]:
    """A fingerprint for each finding, in their order: 32 hexadecimal digits, no two alike.

    1. It is made of the rule, the object, the file of the object and the finding's key. The key tells the findings of one rule on one
       object apart, so that dismissing one does not dismiss another. The file tells apart the objects of one name in several files.
    2. The message, lines, columns, field paths and nodes are no part of it: a reworded message, a manifest whose lines move and a pool that
       grows keep their findings.
    3. Findings that are equal in all of this, such as the same finding of two steps, are numbered.
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
    return finding.rule, subject.kind, subject.namespace, subject.name, get_file_path(finding.location), *finding.key
