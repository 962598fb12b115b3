"""Changes that were kept are judged again, beside what was seen of them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tests.builders import list_daemonset_pod, make_daemonset, write_list
from tests.truth.again import judge_again
from tests.truth.worlds import registered

PLAIN = make_daemonset("plain", "storage", metadata={"uid": "plain-0"})


def test_what_is_said_now_stands_beside_what_was_seen(tmp_path: Path) -> None:
    folder = tmp_path / "003"
    folder.mkdir()
    (folder / "command").write_text("preflight taint nodes n1 'team=red:NoExecute'\nkubectl taint nodes n1 team=red:NoExecute")
    dump = write_list([registered("n1", {}, []), PLAIN, list_daemonset_pod(PLAIN, "n1", ready="True")])
    (folder / "dump.json.gz").write_bytes(gzip.compress(dump.encode()))
    found = [
        {"pair": ["storage", "plain", "n1"], "stage": "settled", "seen": "same"},
        {"daemonset": "storage/plain", "said": "", "status": ""},
    ]
    (folder / "mismatches.jsonl").write_text("\n".join(map(json.dumps, found)))
    assert list(judge_again(tmp_path)) == [
        "003: preflight taint nodes n1 'team=red:NoExecute'",
        "    storage/plain/n1 settled: lost-now: absent, re-created: none; seen same",
    ]


def test_a_line_that_is_refused_says_why(tmp_path: Path) -> None:
    (tmp_path / "001").mkdir()
    (tmp_path / "001/command").write_text("preflight taint nodes n1 team-")
    (tmp_path / "001/dump.json.gz").write_bytes(gzip.compress(write_list([registered("n1", {}, []), PLAIN]).encode()))
    (tmp_path / "001/mismatches.jsonl").write_text("")
    assert [line.startswith("    exit 2: ") for line in judge_again(tmp_path)] == [False, True]
