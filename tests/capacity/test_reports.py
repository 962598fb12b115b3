"""The formats of `preflight capacity`: whole reports, hostile names, and widths."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from preflight.engine.capacity import CapacityQuery, query_capacity
from preflight.engine.pod_from_flags import parse_pod_flags
from preflight.engine.session import Session
from preflight.load.inputs import Files
from preflight.messages.amounts import format_amount
from preflight.report.capacity import FORMATS, text
from tests.capacity.snapshots import GPU, node, pod, snapshot
from tests.capacity.test_command import ASKS, thirteen_free, write
from tests.cli.program import program
from tests.report.readers import Document


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_whole_markdown() -> None:
    said = program("capacity", *ASKS[:2], "--from", write("w.json", [node("a"), node("b", gpus=4), pod("p", "a", 3)]), "-o", "markdown").out
    what = f"a pod that requests {GPU}=1"
    assert (
        said
        == f"""\
<!-- preflight capacity -->
### capacity for `{what}`

#### `w.json`

`{what}`

**`9 copies fit now: 9 of 12 {GPU} free`**

| amount | of it free | what | nodes |
| --: | --: | --- | --- |
| `12` | `9` | `on 2 nodes` |  |
| `-3` |  | `requested by pods` | `a` |
| `=9` | `9` | `capacity for 9 copies` |  |

- `largest free block on one eligible node: 5 (a)`
- not checked: `changes made by admission (webhooks, LimitRanges, Pod Security), scheduler extenders and other scheduler settings`
- note: `counts what pods request, not what they use`

| nodes | type | allocatable | used | stale | free | fit | why not more |
| --- | --- | --: | --: | --: | --: | --: | --- |
| `1: a` | `-` | `8` | `3` |  | `5` | `5` |  |
| `1: b` | `-` | `4` | `0` |  | `4` | `4` |  |

| node | type | allocatable | used | stale | free | fit | why not more |
| --- | --- | --: | --: | --: | --: | --: | --- |
| `a` | `-` | `8` | `3` |  | `5` | `5` |  |
| `b` | `-` | `4` | `0` |  | `4` | `4` |  |

"""
    )


@pytest.mark.parametrize(
    ("resource", "number", "text"),
    [
        (GPU, None, "?"),
        (GPU, 13, "13"),
        ("pods", 0, "0"),
        ("cpu", 64_000, "64"),
        ("cpu", 1_500, "1500m"),
        ("memory", 512 << 30, "512Gi"),
        ("memory", (15 << 30) + (512 << 20), "15.5Gi"),
        ("memory", 500_000_000, "476.8Mi"),
        ("memory", 1000, "1000"),
        ("hugepages-2Mi", 2 << 20, "2Mi"),
        ("ephemeral-storage", 3 << 40, "3Ti"),
    ],
)
def test_amounts_are_written_as_people_do(resource: str, number: int | None, text: str) -> None:
    assert format_amount(resource, number) == text


def test_the_formats_by_name() -> None:
    assert list(FORMATS) == ["text", "concise", "json", "markdown", "html"]
    with pytest.raises(KeyError):
        FORMATS["sarif"]


HOSTILE = "::error::x\x1b[31m\u202e|`<b>@all"


@pytest.mark.parametrize("form", ["text", "concise", "markdown", "json", "html"])
def test_names_from_strangers_command_nothing(form: str) -> None:
    nodes = [node(HOSTILE, f"{HOSTILE}=v:NoSchedule", labels={"node.kubernetes.io/instance-type": HOSTILE}), node("b")]
    world = snapshot([*nodes, pod(HOSTILE, "b", 1, "Pending")], context=HOSTILE, server=HOSTILE)
    Path("w.json").write_text(world)
    said = program("capacity", *ASKS[:2], "--from", "w.json", "-o", form).out
    assert not any(word in said for word in ("\x1b", "\u202e"))
    assert not [line for line in said.splitlines() if line.lstrip().startswith("::")]
    if form == "html":
        Document(said)
    if form == "markdown":
        assert "`x" not in said.replace(r"\x60", "")
        outside = "".join(part for at, part in enumerate(said.split("`")) if at % 2 == 0)
        assert "<b>" not in outside
        assert "@all" not in outside


def test_many_nodes_are_cut_and_counted() -> None:
    world = write("w.json", [node(f"n{number:03}", gpus=number % 40 + 1) for number in range(40)])
    said = program("capacity", *ASKS[:2], "--from", world)
    assert "  10 more nodes not shown (--all-rows)\n" in said.out
    assert "  10 more classes not shown (--all-rows)\n" in said.out
    assert "10 more rows not shown" in program("capacity", *ASKS[:2], "--from", world, "-o", "markdown").out
    assert "not shown" not in program("capacity", *ASKS[:2], "--from", world, "--all-rows").out


def test_ghosts_that_are_not_shown_are_counted() -> None:
    world = write("w.json", [node("a", gpus=40), *(pod(f"p{number:02}", "a", 1, "Pending") for number in range(32))])
    words = ("capacity", "--request", f"{GPU}=1", "--from", world)
    lines = [line.strip() for line in program(*words).out.splitlines() if "stale allocation" in line.split(":")[0]]
    assert [line.split()[2] for line in lines[:-1]] == [f"team/p{number:02}" for number in range(30)]
    assert lines[-1] == "2 more stale allocations not shown (--all-rows)"
    assert program(*words, "--all-rows").out.count("  stale allocation: ") == 32


def test_a_narrow_terminal_gets_folded_lines() -> None:
    world = write("w.json", thirteen_free())
    new = parse_pod_flags([f"{GPU}=1"], "node_env=prod", (), "")
    report = query_capacity(Session(Files((world,))), CapacityQuery(new, new.description))
    said = text.render(report, width=100, color=True)
    assert "\x1b[1;31m" in said
    assert max(len(re.sub(r"\x1b\[[\d;]*m", "", line)) for line in said.splitlines()) <= 100


def test_where_nothing_fits_the_pod_without_which_a_copy_fits_comes_first() -> None:
    stale = [
        pod("small", "n-0", 3, "Pending", "one team"),
        pod("smaller", "n-1", 2, "Pending", "a"),
        pod("large", "n-2", 6, "Pending", "a"),
        pod("larger", "n-3", 7, "Pending", "a"),
    ]
    running = [pod("used", "n-1", 6), pod("used-2", "n-2", 2)]
    nodes = [node("n-0"), node("n-1"), node("n-2"), node("n-3", "dedicated=x:NoSchedule")]
    words = ("capacity", "--request", f"{GPU}=8", "--from", write("w.json", [*nodes, *stale, *running]))
    lines = program(*words).out.splitlines()
    assert lines[lines.index("Next:") + 1 :] == [
        "  kubectl -n 'one team' describe pod small  # does not run: a copy fits on n-0 without it",
        f"  kubectl -n a describe pod larger  # does not run, and holds 7 {GPU} on n-3",
        "  preflight doctor --from w.json  # why nodes, labels and devices are out of use",
    ]


def test_a_node_with_nothing_free_has_a_row_only_if_asked() -> None:
    path = write("w.json", [node("a"), node("b", gpus=4), pod("p", "b", 4)])
    said = program("capacity", *ASKS[:2], "--from", path).out
    assert "1 more node not shown (--all-rows)" in said
    assert not re.search(r"^  b ", said, re.MULTILINE)
    assert re.search(r"^  b ", program("capacity", *ASKS[:2], "--from", path, "--all-rows").out, re.MULTILINE)


def test_what_a_copy_lacks_is_a_number_where_nothing_else_is_in_its_way() -> None:
    world = [node("short", gpus=4), pod("p", "short", 3), node("free", gpus=4), node("cordoned", gpus=1, state="cordoned")]
    new = parse_pod_flags([f"{GPU}=2"], "", (), "")
    report = query_capacity(Session(Files((write("w.json", world),))), CapacityQuery(new, new.description))
    [answer] = report.clusters
    assert answer.room is not None
    assert {row.node: row.missing for row in answer.room.nodes} == {"short": 1, "free": None, "cordoned": None}
