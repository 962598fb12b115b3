"""`preflight diff` of two folders: what is new, changed, gone and the same, and what that costs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.change.diff.trees import (
    DEDICATED,
    EVERYTHING,
    NODES,
    RDMA,
    Files,
    diff,
    findings,
    headline,
    listed,
    manifest,
    node,
    notes,
    outcomes,
    pod,
    report,
    write,
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test runs in a folder with the nodes of one cluster."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"nodes.yaml": NODES})
    return tmp_path


def trees(base: Files, head: Files) -> tuple[str, str]:
    """Two folders with these files."""
    write(Path("base"), base)
    write(Path("head"), head)
    Path("base").mkdir(exist_ok=True)
    Path("head").mkdir(exist_ok=True)
    return "base", "head"


AGENT = manifest("agent")

SILENT: dict[str, tuple[Files, Files]] = {
    "equal trees": ({"a.yaml": AGENT}, {"a.yaml": AGENT}),
    "a file that moved": ({"a.yaml": AGENT}, {"deep/b.yaml": AGENT}),
    "a file that moved, of an object without a namespace": (
        {"a.yaml": manifest("agent", namespace=None)},
        {"deep/b.yaml": manifest("agent", namespace=None)},
    ),
    "two objects of one name without a namespace, in a file each": (
        {"a.yaml": manifest("agent", namespace=None), "b.yaml": manifest("agent", namespace=None, image="agent:2")},
        {"a.yaml": manifest("agent", namespace=None), "b.yaml": manifest("agent", namespace=None, image="agent:2")},
    ),
    "files that were merged into one": (
        {"a.yaml": AGENT, "b.yaml": manifest("other")},
        {"all.yaml": f"{manifest('other')}---\n{AGENT}"},
    ),
    "a list in the place of documents": ({"a.yaml": AGENT}, {"a.json": listed(AGENT).replace('"uid"', '"oid"')}),
    "line ends of Windows": ({"a.yaml": AGENT}, {"a.yaml": AGENT.replace("\n", "\r\n")}),
    "comments and quotes": ({"a.yaml": AGENT}, {"a.yaml": "# the agent\n" + AGENT.replace("image: agent:1", 'image: "agent:1"')}),
    "what the server fills in": (
        {"a.yaml": AGENT},
        {"a.yaml": manifest("agent", restartPolicy="Always", dnsPolicy="ClusterFirst")},
    ),
    "a node whose labels and taints stand in another order": (
        {"a.yaml": AGENT, "n.yaml": node("n9", {"key": "a", "effect": "NoSchedule"}, {"key": "b", "effect": "NoSchedule"}, x="1", y="2")},
        {"a.yaml": AGENT, "n.yaml": node("n9", {"key": "b", "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule"}, y="2", x="1")},
    ),
    "faults of hygiene of an object whose namespace came": (
        {"a.yaml": manifest("agent", EVERYTHING, namespace=None)},
        {"a.yaml": manifest("agent", EVERYTHING)},
    ),
    "faults of hygiene of an object whose namespace went": (
        {"a.yaml": manifest("agent", EVERYTHING)},
        {"a.yaml": manifest("agent", EVERYTHING, namespace=None)},
    ),
    "a key that stands twice, on lines that moved": (
        {"a.yaml": AGENT.replace("kind: DaemonSet\n", "kind: DaemonSet\nkind: DaemonSet\n")},
        {"a.yaml": "# moved\n" + AGENT.replace("kind: DaemonSet\n", "kind: DaemonSet\nkind: DaemonSet\n")},
    ),
    "faults of hygiene that BASE has too": (
        {"a.yaml": manifest("agent", {"key": "dedicated", "effect": "NoSchedule"}, EVERYTHING)},
        {"moved.yaml": "\n\n\n" + manifest("agent", {"key": "dedicated", "effect": "NoSchedule"}, EVERYTHING)},
    ),
}


@pytest.mark.parametrize(("base", "head"), SILENT.values(), ids=SILENT)
def test_nothing_is_said_of(base: Files, head: Files) -> None:
    result = diff(*trees(base, head), "--from", "nodes.yaml")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("no findings\n\nChecked ")
    assert result.out.count("\n") == 3


def test_the_summary_counts_what_base_has_already() -> None:
    wide = manifest("agent", EVERYTHING)
    assert re.search(
        r"no findings\n\nChecked .* \d+ findings? (is|are) already in base and not repeated\.",
        diff(*trees({"a.yaml": wide}, {"a.yaml": wide})).out,
    )
    assert re.search(r" \d+ findings? of base no longer appl(ies|y)\.", diff(*trees({"a.yaml": wide}, {"a.yaml": AGENT})).out)


OLD, NEW = manifest("agent"), manifest("agent", image="agent:2")

CHANGES: dict[str, tuple[Files, Files, str, list[str], dict[tuple[str, str], str]]] = {
    "a new DaemonSet that a known taint keeps out": (
        {},
        {"a.yaml": OLD},
        "from base to head: DaemonSets 1 new",
        ["PF104 apps/agent n1", "PF108 apps/agent rdma-1"],
        {("apps/agent", "n1"): "gained", ("apps/agent", "rdma-1"): "never"},
    ),
    "a new DaemonSet that tolerates the taint": (
        {},
        {"a.yaml": manifest("agent", DEDICATED)},
        "from base to head: DaemonSets 1 new",
        ["PF104 apps/agent n1,rdma-1"],
        {("apps/agent", "n1"): "gained", ("apps/agent", "rdma-1"): "gained"},
    ),
    "a DaemonSet that is gone": (
        {"a.yaml": OLD, "b.yaml": manifest("other")},
        {"b.yaml": manifest("other")},
        "from base to head: DaemonSets 1 deleted, 1 unchanged",
        ["PF101 apps/agent n1"],
        {("apps/agent", "n1"): "lost-now"},
    ),
    "another image, where no time bomb is known": (
        {"a.yaml": OLD},
        {"a.yaml": NEW},
        "from base to head: DaemonSets 1 changed",
        [],
        {("apps/agent", "n1"): "kept", ("apps/agent", "rdma-1"): "never"},
    ),
    "a label of the DaemonSet itself": (
        {"a.yaml": OLD},
        {"a.yaml": OLD.replace("  namespace: apps\n", "  namespace: apps\n  labels: {team: a}\n")},
        "from base to head: DaemonSets 1 changed",
        [],
        {("apps/agent", "n1"): "kept", ("apps/agent", "rdma-1"): "never"},
    ),
    "a toleration that goes": (
        {"a.yaml": manifest("agent", DEDICATED)},
        {"a.yaml": OLD},
        "from base to head: DaemonSets 1 changed",
        ["PF101 apps/agent rdma-1"],
        {("apps/agent", "n1"): "kept", ("apps/agent", "rdma-1"): "lost-now"},
    ),
    "a toleration that comes": (
        {"a.yaml": OLD},
        {"a.yaml": manifest("agent", DEDICATED)},
        "from base to head: DaemonSets 1 changed",
        ["PF104 apps/agent rdma-1"],
        {("apps/agent", "n1"): "kept", ("apps/agent", "rdma-1"): "gained"},
    ),
    "a namespace that comes, and another image": (
        {"a.yaml": manifest("agent", namespace=None)},
        {"a.yaml": NEW},
        "from base to head: DaemonSets 1 changed",
        [],
        {("apps/agent", "n1"): "kept", ("apps/agent", "rdma-1"): "never"},
    ),
    "a DaemonSet that is gone, and one of its name without a namespace whose file moved": (
        {"a.yaml": OLD, "b.yaml": manifest("agent", namespace=None)},
        {"c.yaml": manifest("agent", namespace=None)},
        "from base to head: DaemonSets 1 deleted, 1 unchanged",
        ["PF101 apps/agent n1"],
        {("apps/agent", "n1"): "lost-now"},
    ),
    "a label that a manifest of a node no longer states": (
        {"a.yaml": manifest("agent", nodeSelector={"pool": "a"}), "n.yaml": node("n1", pool="a")},
        {"a.yaml": manifest("agent", nodeSelector={"pool": "a"}), "n.yaml": node("n1")},
        "from base to head: DaemonSets 1 unchanged; nodes 1 changed",
        ["PF101 apps/agent n1"],
        {("apps/agent", "n1"): "lost-now"},
    ),
    "another namespace is another object": (
        {"a.yaml": OLD},
        {"a.yaml": manifest("agent", namespace="other")},
        "from base to head: DaemonSets 1 new, 1 deleted",
        ["PF101 apps/agent n1", "PF104 other/agent n1", "PF108 other/agent rdma-1"],
        {("apps/agent", "n1"): "lost-now", ("other/agent", "n1"): "gained", ("other/agent", "rdma-1"): "never"},
    ),
    "a node of the tree that gets a taint": (
        {"a.yaml": OLD, "n.yaml": node("n9")},
        {"a.yaml": OLD, "n.yaml": node("n9", RDMA)},
        "from base to head: DaemonSets 1 unchanged; nodes 1 changed",
        ["PF102 apps/agent n9"],
        {("apps/agent", "n9"): "lost-on-recreation"},
    ),
    "a node of the cluster that a manifest taints": (
        {"a.yaml": OLD, "n.yaml": node("n1")},
        {"a.yaml": OLD, "n.yaml": node("n1", RDMA)},
        "from base to head: DaemonSets 1 unchanged; nodes 1 changed",
        ["PF102 apps/agent n1"],
        {("apps/agent", "n1"): "lost-on-recreation"},
    ),
    "a node that is new": (
        {"a.yaml": OLD},
        {"a.yaml": OLD, "n.yaml": node("n9")},
        "from base to head: DaemonSets 1 unchanged; nodes 1 new",
        ["PF104 apps/agent n9"],
        {("apps/agent", "n9"): "gained"},
    ),
    "a selector that differs is refused, and the rest is judged": (
        {"a.yaml": OLD, "b.yaml": manifest("b", DEDICATED)},
        {"a.yaml": OLD.replace("app: agent", "app: renamed"), "b.yaml": manifest("b")},
        "from base to head: DaemonSets 2 changed",
        ["PF101 apps/b rdma-1", "PF207 apps/agent"],
        {("apps/b", "n1"): "kept", ("apps/b", "rdma-1"): "lost-now"},
    ),
}


@pytest.mark.parametrize(("base", "head", "says", "found", "pairs"), CHANGES.values(), ids=CHANGES)
def test_a_change_costs(base: Files, head: Files, says: str, found: list[str], pairs: dict[tuple[str, str], str]) -> None:
    given = report(*trees(base, head), "--from", "nodes.yaml")
    assert headline(given) == says
    assert sorted(findings(given)) == found
    assert outcomes(given) == pairs
    assert given["problems"] == []


def test_what_a_template_no_longer_tolerates_is_said_without_any_node() -> None:
    given = report(
        *trees({"a.yaml": manifest("agent", DEDICATED, priorityClassName="x")}, {"a.yaml": manifest("agent", priorityClassName="x")})
    )
    assert notes(given) == [
        "changed template, which starts an update: apps/agent",
        "apps/agent no longer tolerates dedicated=rdma:NoSchedule",
        "no node in the input, so coverage is not checked: add the nodes with --from",
    ]
    assert (findings(given), given["exit"]) == ([], 0)


def test_an_image_bump_on_a_time_bomb_is_lost_now() -> None:
    write(Path(), {"live.json": listed(NODES, AGENT, pods=(pod("agent", "n1"), pod("agent", "rdma-1")))})
    given = report(*trees({"a.yaml": OLD}, {"a.yaml": NEW}), "--from", "live.json")
    assert outcomes(given) == {("apps/agent", "n1"): "kept", ("apps/agent", "rdma-1"): "lost-now"}
    [finding] = given["findings"]
    assert (
        finding["message"]
        == "loses rdma-1 now through its update, which deletes the pod and creates no new one: no toleration for dedicated=rdma:NoSchedule"
    )
    assert finding["location"]["file"] == "head/a.yaml"
    assert [row["assumed"] for row in given["coverage"]] == [False, False]


def test_a_namespace_that_nobody_states_is_that_of_the_one_daemonset_around() -> None:
    write(Path(), {"live.json": listed(NODES, AGENT, pods=(pod("agent", "n1"), pod("agent", "rdma-1")))})
    base, head = {"a.yaml": manifest("agent", namespace=None)}, {"a.yaml": manifest("agent", namespace=None, image="agent:2")}
    given = report(*trees(base, head), "--from", "live.json")
    assert findings(given) == ["PF101 apps/agent rdma-1"]


def test_a_daemonset_that_is_around_already_is_not_new() -> None:
    write(Path(), {"live.json": listed(NODES, AGENT, pods=(pod("agent", "n1"), pod("agent", "rdma-1")))})
    given = report(*trees({"b.yaml": manifest("b")}, {"b.yaml": manifest("b"), "a.yaml": NEW}), "--from", "live.json")
    assert headline(given) == "from base to head: DaemonSets 1 changed, 1 unchanged"
    assert findings(given) == ["PF101 apps/agent rdma-1"]


def test_what_stands_twice_is_skipped_with_both_places_and_the_rest_is_judged() -> None:
    base = {"one/a.yaml": OLD, "b.yaml": manifest("b", DEDICATED)}
    head = {"one/a.yaml": OLD, "two/a.yaml": NEW, "b.yaml": manifest("b")}
    given = report(*trees(base, head), "--from", "nodes.yaml")
    assert findings(given) == ["PF101 apps/b rdma-1"]
    assert headline(given) == "from base to head: DaemonSets 1 changed"
    sentence = "DaemonSet apps/agent is in head/one/a.yaml:1 and head/two/a.yaml:1 with different content"
    assert {"what": sentence, "why": "given twice"} in given["skipped"]


def pool(name: str, *taints: str) -> str:
    """A Karpenter NodePool of Linux nodes with taints."""
    lines = [f"        - {{key: {taint.partition('=')[0]}, value: {taint.partition('=')[2]}, effect: NoSchedule}}" for taint in taints]
    listing = "".join(f"{line}\n" for line in ["      taints:", *lines]) if lines else ""
    labels = "    metadata:\n      labels: {kubernetes.io/os: linux}\n"
    reference = "      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}\n"
    head = f"apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: {name}}}\n"
    return f"{head}spec:\n  template:\n{labels}    spec:\n{reference}{listing}"


def test_a_pool_that_gets_a_taint_costs_what_its_next_nodes_lack() -> None:
    given = report(*trees({"a.yaml": OLD, "p.yaml": pool("rdma")}, {"a.yaml": OLD, "p.yaml": pool("rdma", "dedicated=rdma")}))
    assert headline(given) == "from base to head: DaemonSets 1 unchanged; nodes 1 changed"
    [name] = {name for _, name in outcomes(given)}
    assert "rdma" in name
    assert findings(given) == [f"PF102 apps/agent {name}"]
    assert diff(*trees({"p.yaml": pool("rdma")}, {"p.yaml": pool("rdma")})).out.startswith("no findings\n")


def test_a_pool_that_is_new_and_one_that_is_gone() -> None:
    given = report(*trees({"a.yaml": OLD, "p.yaml": pool("old")}, {"a.yaml": OLD, "p.yaml": pool("new", "dedicated=rdma")}))
    assert headline(given) == "from base to head: DaemonSets 1 unchanged; nodes 1 new, 1 removed"
    assert [rule for finding in findings(given) for rule in finding.split()[:1]] == ["PF108"]


def test_only_what_is_new_of_hygiene_is_said() -> None:
    base = {"a.yaml": manifest("a", EVERYTHING), "b.yaml": manifest("b")}
    head = {"a.yaml": manifest("a", EVERYTHING), "b.yaml": manifest("b", EVERYTHING), "c.yaml": manifest("c", EVERYTHING)}
    given = report(*trees(base, head))
    assert {finding.partition(" ")[2] for finding in findings(given)} == {"apps/b", "apps/c"}
    assert [text for text in given["assumptions"] if "already" in text] != []


def test_one_more_of_the_same_is_new() -> None:
    one, two = manifest("a", EVERYTHING), manifest("a", EVERYTHING, {"operator": "Exists"})
    before, after = (report(*trees({"x.yaml": AGENT}, {"x.yaml": AGENT, "a.yaml": text})) for text in (one, two))
    given = report(*trees({"a.yaml": one, "x.yaml": AGENT}, {"a.yaml": two, "x.yaml": AGENT}))
    assert len(findings(after)) >= len(findings(before))
    assert len(findings(given)) == len(findings(after)) - len(findings(before))


@pytest.mark.parametrize(
    ("base", "head", "code", "problems"),
    [
        pytest.param({"a.yaml": OLD}, {"a.yaml": OLD, "bad.yaml": "kind: DaemonSet\na: [\n"}, 3, 1, id="what HEAD breaks is a problem"),
        pytest.param({"a.yaml": OLD, "bad.yaml": "kind: DaemonSet\na: [\n"}, {"a.yaml": OLD}, 0, 0, id="what HEAD mends is none"),
        pytest.param(
            {"a.yaml": OLD, "bad.yaml": "kind: DaemonSet\na: [\n"},
            {"a.yaml": OLD, "bad.yaml": "kind: DaemonSet\na: [\n"},
            0,
            0,
            id="what was broken before is none",
        ),
    ],
)
def test_what_cannot_be_read(base: Files, head: Files, code: int, problems: int) -> None:
    given = report(*trees(base, head))
    assert (given["exit"], len(given["problems"])) == (code, problems)
    assert problems or any("read" in check["why"] for check in given["skipped"])


def test_nothing_to_compare_is_a_problem() -> None:
    Path("base").mkdir()
    Path("head").mkdir()
    assert diff("base", "head").code == 3
    assert "nothing to compare" in diff("base", "head").err
    assert diff("base", "head", "--allow-empty").code == 0


def test_the_chain_of_one_pair() -> None:
    result = diff(*trees({"a.yaml": manifest("agent", DEDICATED)}, {"a.yaml": OLD}), "--from", "nodes.yaml", "--why", "agent/rdma-1")
    assert "dedicated=rdma:NoSchedule" in result.out
    assert result.code == 1


# Policies: the pools that they declare stand in for nodes, and exemptions hold.

POLICY = """\
nodePools:
  - name: rdma
    labels: {kubernetes.io/os: linux}
    taints: [{key: dedicated, value: rdma, effect: NoSchedule}]
"""


def test_the_pools_of_a_policy_stand_in_for_nodes() -> None:
    write(Path(), {".preflight.yaml": POLICY})
    given = report(*trees({"a.yaml": manifest("agent", DEDICATED)}, {"a.yaml": OLD}))
    assert findings(given) == ["PF101 apps/agent (pool rdma)"]
    assert diff("base", "base").out.startswith("no findings\n")


def test_what_head_exempts_is_exempted() -> None:
    head = OLD.replace("  namespace: apps\n", '  namespace: apps\n  annotations: {preflight/exempt: "PF101: rdma nodes go"}\n')
    given = report(*trees({"a.yaml": manifest("agent", DEDICATED)}, {"a.yaml": head}), "--from", "nodes.yaml")
    assert [(finding["rule"], finding["exempted"]) for finding in given["findings"]] == [("PF101", "rdma nodes go")]
    assert given["exit"] == 0
