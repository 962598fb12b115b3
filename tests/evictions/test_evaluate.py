"""Who goes by a drain, a NoExecute taint or the end of a node, where to, and what becomes of Jobs: over whole clusters."""

from __future__ import annotations

import io
from typing import Any

import pytest
from msgspec.structs import replace

from preflight import load
from preflight.messages.evictions import describe_advice, describe_assumption, describe_obstacles, describe_reason
from preflight.messages.jobs import describe_job_reason, describe_unknown
from preflight.model.eviction_reasons import OnlyNamespaces
from preflight.model.evictions import Eviction, EvictionVerdict
from preflight.model.job_reasons import LeaderLabelMissing, LeaderMoves
from preflight.model.world import ClusterListing
from tests.builders import write_list
from tests.evictions.clusters import budget, evaluated, evicted, job, node, owned, pod, pods, world

TWO = (node("n1"), node("n2"))
WEB = (owned("ReplicaSet", "web", 2), pod("web-1", "n1", "ReplicaSet/web"), pod("web-2", "n2", "ReplicaSet/web"))
ANY = budget("other", "nothing", maxUnavailable=1)
INDEX = "batch.kubernetes.io/job-completion-index"
NO_EXECUTE = "taint nodes n1 a=b:NoExecute"
TOLERATES = {"tolerations": [{"key": "a", "operator": "Exists", "tolerationSeconds": 60}]}

# What goes: a sentence, the command line, the objects; for each pod its verdict, why, and what becomes of its replacement.
GOING: list[tuple[str, str, tuple[dict[str, Any], ...], dict[str, tuple[str, str, str]]]] = [
    ("nothing is there", "drain n1", (*TWO, ANY), {}),
    (
        "a pod of a DaemonSet stays",
        "drain n1 --ignore-daemonsets",
        (*TWO, ANY, owned("DaemonSet", "a"), pod("a-1", "n1", "DaemonSet/a")),
        {},
    ),
    ("a pod of another node is not spoken of", "drain n2 --force", (*TWO, ANY, pod("b-1", "n1")), {}),
    (
        "a budget that allows it",
        "drain n1",
        (*TWO, *WEB, budget("web", "web", maxUnavailable=1)),
        {"web-1": ("evicted", "allowed", "fits")},
    ),
    (
        "a budget that wants all",
        "drain n1",
        (*TWO, *WEB, budget("web", "web", minAvailable=2)),
        {"web-1": ("blocked-for-ever", "needs-all", "")},
    ),
    (
        "--disable-eviction asks no budget",
        "drain n1 --disable-eviction",
        (*TWO, *WEB, budget("web", "web", minAvailable=2)),
        {"web-1": ("deleted", "bypassed", "fits")},
    ),
    (
        "two budgets",
        "drain n1",
        (*TWO, *WEB, budget("a", "web", maxUnavailable=1), budget("b", "web", maxUnavailable=1)),
        {"web-1": ("blocked-for-ever", "several-budgets", "")},
    ),
    (
        "the second waits for the replacement of the first",
        "drain n1",
        (
            *TWO,
            owned("ReplicaSet", "web", 2),
            pod("web-1", "n1", "ReplicaSet/web"),
            pod("web-2", "n1", "ReplicaSet/web"),
            budget("w", "web", maxUnavailable=1),
        ),
        {"web-1": ("evicted", "allowed", "fits"), "web-2": ("waits", "shared", "fits")},
    ),
    (
        "the second waits for ever where the replacement of the first fits nowhere",
        "drain n1",
        (
            *(node("n1"), node("n2", "1"), owned("ReplicaSet", "web", 2), budget("w", "web", maxUnavailable=1)),
            *(pod("web-1", "n1", "ReplicaSet/web", cpu="2"), pod("web-2", "n1", "ReplicaSet/web", cpu="2")),
        ),
        {"web-1": ("evicted", "allowed", "pending"), "web-2": ("blocked-now", "shared", "")},
    ),
    ("nobody knows the budgets", "drain n1", (*TWO, *WEB), {"web-1": ("unknown", "not-known", "")}),
    (
        "a bare pod is refused, and so are the others",
        "drain n1",
        (*TWO, *WEB, ANY, pod("x-1", "n1")),
        {"web-1": ("held", "node-refused", ""), "x-1": ("refused", "filtered", "")},
    ),
    ("a bare pod is gone for good", "drain n1 --force", (*TWO, ANY, pod("x-1", "n1")), {"x-1": ("evicted", "no-budget", "none")}),
    (
        "--pod-selector leaves the others",
        "drain n1 --pod-selector app=web",
        (*TWO, *WEB, ANY, pod("x-1", "n1")),
        {"web-1": ("evicted", "no-budget", "fits")},
    ),
    (
        "a cordoned node takes nothing",
        "drain n1",
        (node("n1"), node("n2", cordoned=True), *WEB, ANY),
        {"web-1": ("evicted", "no-budget", "pending")},
    ),
    (
        "two of three find room",
        "drain n1",
        (
            *(node("n1"), node("n2", "2"), owned("ReplicaSet", "web", 3), ANY),
            *(pod(f"web-{number}", "n1", "ReplicaSet/web") for number in range(3)),
        ),
        {
            "web-0": ("evicted", "no-budget", "fits"),
            "web-1": ("evicted", "no-budget", "fits"),
            "web-2": ("evicted", "no-budget", "pending"),
        },
    ),
    (
        "what others may take is not promised",
        "drain n1",
        (
            *(node("n1"), node("n2", "2"), owned("ReplicaSet", "web", 1), owned("ReplicaSet", "api", 1), ANY),
            *(pod("web-1", "n1", "ReplicaSet/web", cpu="2"), pod("api-1", "n1", "ReplicaSet/api")),
        ),
        {"api-1": ("evicted", "no-budget", "fits"), "web-1": ("evicted", "no-budget", "unknown")},
    ),
    (
        "a volume may be tied to a zone",
        "drain n1",
        (
            *TWO,
            ANY,
            owned("StatefulSet", "db"),
            pod("db-0", "n1", "StatefulSet/db", spec={"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "v"}}]}),
        ),
        {"db-0": ("evicted", "no-budget", "unknown")},
    ),
    (
        "a NoExecute taint asks no budget",
        NO_EXECUTE,
        (*TWO, *WEB, budget("web", "web", minAvailable=2)),
        {"web-1": ("deleted", "taint", "fits")},
    ),
    (
        "a NoExecute taint that is tolerated for a while",
        NO_EXECUTE,
        (*TWO, pod("x-1", "n1", spec=TOLERATES)),
        {"x-1": ("deleted", "taint", "none")},
    ),
    (
        "a taint that only keeps pods out",
        "taint nodes n1 a=b:NoExecute",
        (*TWO, pod("x-1", "n1", spec={"tolerations": [{"operator": "Exists"}]})),
        {},
    ),
    ("a node that is deleted", "delete node n1", (*TWO, *WEB), {"web-1": ("ends", "node", "fits")}),
    ("a node that shuts down", "reboot n1 --graceful", (*TWO, *WEB), {"web-1": ("ends", "node", "fits")}),
    ("a node that is replaced", "replace n1", (*TWO, pod("x-1", "n1")), {"x-1": ("ends", "node", "none")}),
]


@pytest.mark.parametrize(("line", "objects", "wanted"), [pytest.param(*case, id=name) for name, *case in GOING])
def test_what_goes(line: str, objects: tuple[dict[str, Any], ...], wanted: dict[str, tuple[str, str, str]]) -> None:
    assert {name: (pod.verdict, pod.why, pod.replacement) for name, pod in pods(line, *objects).items()} == wanted


@pytest.mark.parametrize("line", ["taint nodes n1 a=b:NoSchedule", "cordon n1", "label nodes n1 a=b", "reboot n1"])
def test_what_lets_no_pod_go_says_nothing(line: str) -> None:
    assert evaluated(line, world(*TWO, *WEB)) is None


@pytest.mark.parametrize(
    ("budgets", "missing", "says"),
    [
        pytest.param((), {}, "no PodDisruptionBudgets in the input", id="none was given"),
        pytest.param(
            (budget("web", "web", namespace="", maxUnavailable=0),), {}, "PodDisruptionBudget -/web has no namespace", id="no namespace"
        ),
        pytest.param((ANY,), {"PodDisruptionBudget": "no right"}, "not all PodDisruptionBudgets could be read", id="not all were shown"),
    ],
)
def test_what_nobody_knows_of_budgets_is_unknown_and_said(budgets: tuple[dict[str, Any], ...], missing: dict[str, str], says: str) -> None:
    on = world(*TWO, *WEB, *budgets)
    if missing:
        on = replace(on, missing_kinds=missing, listing=ClusterListing(live=True, missing=missing, complete=frozenset({"DaemonSet"})))
    found = evicted("drain n1", on).evictions
    assert [pod.verdict for pod in found.nodes[0].pods] == ["unknown"]
    assert found.has_unknown_pods
    assert describe_assumption(found.notes[0]).startswith(f"{says}, so the answer of the API server is unknown")


MIRROR = {"annotations": {"kubernetes.io/config.mirror": "x"}}
SCRATCH = {"volumes": [{"name": "v", "emptyDir": {}}]}
AGENT = (owned("DaemonSet", "agent"), pod("agent-1", "n1", "DaemonSet/agent"))
EARLIER = node("n1")
EARLIER["spec"] = {"taints": [{"key": "a", "value": "b", "effect": "NoExecute"}]}


@pytest.mark.parametrize(
    ("line", "objects", "staying", "missing"),
    [
        pytest.param("drain n1 --ignore-daemonsets", (*TWO, ANY), (0, (), 0), (), id="nothing"),
        pytest.param("drain n1 --ignore-daemonsets", (*TWO, ANY, *AGENT), (1, (), 0), (), id="a pod of a DaemonSet"),
        pytest.param("drain n1", (*TWO, ANY, *AGENT), (1, (), 0), ("--ignore-daemonsets",), id="a pod of a DaemonSet without the flag"),
        pytest.param(
            "drain n1",
            (*TWO, ANY, *WEB, pod("s-1", "n1", metadata=MIRROR)),
            (0, ("shop/s-1",), 0),
            (),
            id="a static pod, which no flag moves",
        ),
        pytest.param(
            "drain n1 --pod-selector app=web", (*TWO, ANY, *WEB, pod("x-1", "n1"), pod("y-1", "n1")), (0, (), 2), (), id="pods left out"
        ),
        pytest.param("drain n1", (*TWO, ANY, pod("x-1", "n1")), (0, (), 0), ("--force",), id="a bare pod"),
        pytest.param(
            "drain n1",
            (*TWO, ANY, *AGENT, pod("x-1", "n1"), pod("y-1", "n1", spec=SCRATCH), pod("z-1", "n1")),
            (1, (), 0),
            ("--ignore-daemonsets", "--force", "--delete-emptydir-data"),
            id="each flag once",
        ),
        pytest.param(
            NO_EXECUTE, (*TWO, ANY, *AGENT, pod("s-1", "n1", metadata=MIRROR), pod("x-1", "n1")), (1, ("shop/s-1",), 0), (), id="a taint"
        ),
        pytest.param(
            "taint nodes n1 c=d:NoExecute",
            (
                EARLIER,
                node("n2"),
                ANY,
                pod(
                    "x-1",
                    "n1",
                    spec={"tolerations": [{"key": "a", "tolerationSeconds": 5, "operator": "Exists"}, {"key": "c", "operator": "Exists"}]},
                ),
            ),
            (0, (), 1),
            (),
            id="a pod whose time runs already",
        ),
    ],
)
def test_who_stays_on_a_node(
    line: str, objects: tuple[dict[str, Any], ...], staying: tuple[int, tuple[str, ...], int], missing: tuple[str, ...]
) -> None:
    (found,) = evicted(line, world(*objects)).evictions.nodes
    assert (found.daemonsets, found.static, found.staying) == staying
    assert sorted(found.missing) == sorted(missing)


@pytest.mark.parametrize(
    ("capacity", "expected"),
    [pytest.param("1", ["fits"] * 20 + ["pending"] * 2, id="one on each node"), pytest.param("4", ["fits"] * 22, id="more on each")],
)
def test_replacements_are_placed_on_as_many_nodes_as_it_takes(capacity: str, expected: list[str]) -> None:
    nodes = (node("n1", "30"), *(node(f"m{number:02}", capacity) for number in range(20)))
    web = (pod(f"web-{number:02}", "n1", "ReplicaSet/web") for number in range(22))
    found = pods("drain n1", *nodes, ANY, owned("ReplicaSet", "web", 22), *web)
    assert [found[f"web-{number:02}"].replacement for number in range(22)] == expected


def test_nodes_come_in_the_order_of_the_command_line() -> None:
    on = world(*TWO, *WEB, ANY)
    assert [node.node for node in evicted("drain n2 n1", on).evictions.nodes] == ["n2", "n1"]


def test_a_node_after_one_that_never_ends_is_not_reached() -> None:
    found = evicted("drain n1 n2", world(*TWO, node("n3"), *WEB, budget("web", "web", minAvailable=2))).evictions
    assert [(evictions.node, evictions.ends, evictions.reached, evictions.exitCodes) for evictions in found.nodes] == [
        ("n1", False, True, ()),
        ("n2", False, False, ()),
    ]
    assert (found.ends, found.least) == (False, None)


def test_the_time_is_that_of_grace_periods_and_of_the_retry_grid() -> None:
    both = (pod("web-1", "n1", "ReplicaSet/web"), pod("web-2", "n1", "ReplicaSet/web"))
    found = evicted("drain n1", world(*TWO, owned("ReplicaSet", "web", 2), *both, budget("w", "web", maxUnavailable=1))).evictions
    assert (found.ends, found.least, found.withGrace) == (None, 5, 35)
    assert tuple(map(describe_assumption, found.notes)) == (
        "assumes that replacements that fit on a node become Ready; until then kubectl retries every 5 s",
    )


def test_a_node_where_kubectl_waits_for_nothing_adds_nothing_to_the_least_time() -> None:
    found = evicted("drain n1 n2 n3 --force", world(*TWO, node("n3"), ANY, pod("b-1", "n2"), pod("b-2", "n3"))).evictions
    assert (found.ends, found.least, found.withGrace) == (True, 0, 62)


STATEFUL = (owned("StatefulSet", "db", 3), *(pod(f"db-{number}", "n1", "StatefulSet/db") for number in range(3)))


@pytest.mark.parametrize("flags", [pytest.param("", id="a pod may end at once"), pytest.param("--grace-period=0", id="its name is back")])
def test_a_replacement_of_a_stateful_set_may_be_there_before_the_timeout(flags: str) -> None:
    """It comes once the old pod is gone; without a grace period, the controller may take it for gone all the same."""
    on = world(*TWO, *STATEFUL, budget("db", "db", maxUnavailable=1))
    (found,) = evicted(f"drain n1 --timeout=20s {flags}", on).evictions.nodes
    assert [(pod.verdict, pod.after) for pod in found.pods] == [("evicted", 0), ("waits", 5), ("waits", 10)]
    assert found.exitCodes == (0, 1)


def test_the_time_of_a_stateful_set_is_that_of_pods_one_after_another() -> None:
    found = evicted("drain n1", world(*TWO, *STATEFUL, budget("db", "db", maxUnavailable=1))).evictions
    assert (found.ends, found.least, found.withGrace) == (None, 10, 100)


def test_the_last_ready_pod_of_an_owner_is_named() -> None:
    found = pods("drain n1", *TWO, ANY, owned("StatefulSet", "db"), pod("db-0", "n1", "StatefulSet/db"))["db-0"]
    assert (found.last, str(found.owner)) == (True, "StatefulSet shop/db")
    assert tuple(map(describe_reason, found.reasons)) == (
        "StatefulSet shop/db has no Ready pod until a replacement is Ready: it loses its only one",
    )


def test_a_deployment_is_found_by_the_hash_of_its_replica_set() -> None:
    labelled = {"labels": {"app": "web", "pod-template-hash": "6d5f"}}
    found = pods("drain n1", *TWO, ANY, owned("Deployment", "web", 2), pod("web-1", "n1", "ReplicaSet/web-6d5f", metadata=labelled))
    assert str(found["web-1"].owner) == "Deployment shop/web"


# Jobs and JobSets.


def worker(index: int, on: str, of: str = "train") -> dict[str, Any]:
    return pod(f"{of}-{index}", on, f"Job/{of}", metadata={"annotations": {INDEX: str(index)}})


INDEXED: dict[str, Any] = {"completionMode": "Indexed", "completions": 2, "parallelism": 2}


def test_two_pods_of_one_index_run_at_once() -> None:
    found = evicted("drain n1", world(*TWO, ANY, job("train", **INDEXED), worker(0, "n1"), worker(1, "n2"))).evictions
    (fate,) = found.jobs
    assert (fate.job, fate.pods, fate.fails, fate.limit, fate.overlap, fate.indexed) == (
        "shop/train",
        ("shop/train-0",),
        "",
        ("backoffLimit",),
        20,
        True,
    )


@pytest.mark.parametrize(
    ("line", "spec", "fails", "overlap"),
    [
        pytest.param("drain n1", {"podReplacementPolicy": "Failed"}, "", 0, id="it waits for the end of the old pod"),
        pytest.param("drain n1", {"backoffLimit": 0}, "BackoffLimitExceeded", 0, id="one eviction is enough"),
        pytest.param("drain n1", {"backoffLimitPerIndex": 0}, "FailedIndexes", 0, id="one eviction gives the index up"),
        pytest.param(
            "drain n1",
            {"backoffLimit": 0, "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}},
            "",
            0,
            id="a rule ignores disruptions",
        ),
        pytest.param(
            "drain n1 --disable-eviction",
            {"backoffLimit": 0, "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]}},
            "BackoffLimitExceeded",
            0,
            id="and does not help against a deletion",
        ),
    ],
)
def test_what_becomes_of_a_job(line: str, spec: dict[str, Any], fails: str, overlap: float) -> None:
    found = evicted(line, world(*TWO, ANY, job("train", **INDEXED, **spec), worker(0, "n1"), worker(1, "n2"))).evictions
    assert [(outcome.fails, outcome.overlap) for outcome in found.jobs] == [(fails, overlap)]


def test_a_job_that_is_not_given_is_unknown() -> None:
    (fate,) = evicted("drain n1", world(*TWO, ANY, worker(0, "n1"))).evictions.jobs
    assert describe_unknown(fate.unknown) == "Job shop/train is not in the input"


SET = {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet"}
RACK = "alpha.jobset.sigs.k8s.io/exclusive-topology"


def job_set(**spec: Any) -> dict[str, Any]:
    child = {"completionMode": "Indexed", "completions": 2, "parallelism": 2, "backoffLimit": 0}
    replicated = [{"name": "w", "replicas": 1, "template": {"spec": {**child, "template": {"spec": {"containers": [{"name": "main"}]}}}}}]
    metadata = {"name": "sim", "namespace": "shop", "annotations": {RACK: "rack"}}
    return {**SET, "metadata": metadata, "spec": {"replicatedJobs": replicated, **spec}}


@pytest.mark.parametrize(
    ("spec", "fails", "restarts", "left"),
    [
        pytest.param({}, "FailedJobs", "none", 0, id="no failure policy"),
        pytest.param({"failurePolicy": {"maxRestarts": 2}}, "", "all", 1, id="a restart is left"),
        pytest.param({"failurePolicy": {"maxRestarts": 0}}, "ReachedMaxRestarts", "none", 0, id="no restart is left"),
    ],
)
def test_what_becomes_of_a_job_set(spec: dict[str, Any], fails: str, restarts: str, left: int) -> None:
    above = {"ownerReferences": [{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "sim", "controller": True}]}
    child = job("sim-w-0", metadata=above, **INDEXED, backoffLimit=0)
    nodes = (node("n1", labels={"rack": "r1"}), node("n2", labels={"rack": "r1"}), node("n3", labels={"rack": "r2"}))
    there = (job_set(**spec), child, worker(0, "n1", "sim-w-0"), worker(1, "n2", "sim-w-0"))
    (fate,) = evicted("drain n1", world(*nodes, ANY, *there)).evictions.jobSets
    assert (fate.fails, fate.restarts, fate.left, fate.leader, fate.certain) == (fails, restarts, left, True, True)
    assert (
        describe_job_reason(fate.reasons[0])
        == "the leader pod of Job shop/sim-w-0 is lost, and its replacement has to be scheduled in the domain rack=r1"
    )


CHILD = {"ownerReferences": [{"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "name": "sim", "controller": True}]}
LABELLED = {"labels": {"jobset.sigs.k8s.io/jobset-name": "sim"}}
TWO_CHILDREN = (
    *(node("n1", labels={"rack": "r1"}), node("n2"), ANY, job_set(failurePolicy={"maxRestarts": 1})),
    *(job("sim-w-0", metadata=CHILD, **INDEXED, backoffLimit=0), worker(0, "n1", "sim-w-0"), worker(1, "n1", "sim-w-0")),
)


def test_a_job_set_is_unknown_as_long_as_one_of_its_jobs_is() -> None:
    lost = pod("sim-w-1-0", "n1", "Job/sim-w-1", metadata={**LABELLED, "annotations": {INDEX: "0"}})
    (fate,) = evicted("drain n1", world(*TWO_CHILDREN, lost)).evictions.jobSets
    assert fate.jobs == ("shop/sim-w-0", "shop/sim-w-1")
    assert describe_unknown(fate.unknown) == "the outcome of Job shop/sim-w-1 is unknown"


@pytest.mark.parametrize(
    ("leader_on", "lost_on", "leader", "reasons"),
    [
        pytest.param("n1", "n1", True, 1, id="the leader goes"),
        pytest.param("n3", "n1", False, 0, id="a follower goes, and its leader is in a domain"),
        pytest.param("n2", "n1", False, 1, id="a follower goes, and the node of its leader has no domain"),
    ],
)
def test_what_a_follower_asks_of_its_leader(leader_on: str, lost_on: str, leader: bool, reasons: int) -> None:
    nodes = (node("n1", labels={"rack": "r1"}), node("n2"), node("n3", labels={"rack": "r3"}))
    there = (job_set(failurePolicy={"maxRestarts": 1}), job("sim-w-0", metadata=CHILD, **INDEXED, backoffLimit=5))
    workers = (worker(0, leader_on, "sim-w-0"), worker(1, lost_on, "sim-w-0"))
    (fate,) = evicted("drain n1", world(*nodes, ANY, *there, *workers)).evictions.jobSets
    placement = [reason for reason in fate.reasons if isinstance(reason, LeaderMoves | LeaderLabelMissing)]
    assert (fate.leader, len(placement)) == (leader, reasons)


def test_the_pods_of_one_namespace_are_said_to_be_all() -> None:
    text = write_list([*TWO, *WEB, budget("web", "web", maxUnavailable=1)])
    part = load.load_world(["-"], stdin=io.BytesIO(text.encode()), one_cluster=True, wants_whole_pods=True).world
    assert OnlyNamespaces(("shop",)) in evicted("drain n1", part).evictions.notes
    whole = evicted("drain n1", world(*TWO, *WEB, budget("web", "web", maxUnavailable=1))).evictions
    assert not any(isinstance(note, OnlyNamespaces) for note in whole.notes)


# What is done first, and what the next step starts from.


@pytest.mark.parametrize(
    ("line", "objects", "first"),
    [
        pytest.param("drain n1", (*TWO, *WEB, budget("web", "web", maxUnavailable=1)), (), id="nothing"),
        pytest.param(
            "drain n1",
            (*TWO, ANY, pod("x-1", "n1", spec={"volumes": [{"name": "v", "emptyDir": {}}]})),
            ("add --delete-emptydir-data; without it kubectl evicts nothing there",),
            id="a flag",
        ),
        pytest.param(
            "drain n1",
            (*TWO, *WEB, budget("web", "web", minAvailable=2)),
            ("scale ReplicaSet shop/web to 3 or more, or lower minAvailable of PodDisruptionBudget shop/web",),
            id="an owner",
        ),
        pytest.param(
            "drain n1",
            (*TWO, *WEB, budget("web", "web", maxUnavailable=0)),
            ("set maxUnavailable of PodDisruptionBudget shop/web to 1 or more during the drain",),
            id="a budget",
        ),
        pytest.param(
            "drain n1",
            (*TWO, *WEB, budget("a", "web", maxUnavailable=1), budget("b", "web", maxUnavailable=1)),
            ("delete all but one of PodDisruptionBudget shop/a and PodDisruptionBudget shop/b, or narrow a selector",),
            id="one of two budgets",
        ),
        pytest.param(
            "drain n1",
            (node("n1"), node("n2", cordoned=True), *WEB, ANY),
            ("uncordon n2 for the replacement of shop/web-1",),
            id="a node",
        ),
        pytest.param(
            "drain n1",
            (
                *TWO,
                owned("ReplicaSet", "web", 2),
                pod("web-1", "n1", "ReplicaSet/web"),
                pod("web-2", "n2", "ReplicaSet/web", ready=False),
                budget("w", "web", maxUnavailable=1),
            ),
            ("get shop/web-2 Ready: PodDisruptionBudget shop/w requires more healthy pods",),
            id="a pod that is not Ready",
        ),
    ],
)
def test_what_to_do_first(line: str, objects: tuple[dict[str, Any], ...], first: tuple[str, ...]) -> None:
    assert tuple(map(describe_advice, evicted(line, world(*objects)).evictions.first)) == first


def test_what_went_is_on_no_node_afterwards_and_its_replacement_counts_as_ready() -> None:
    on = world(*TWO, node("n3"), *WEB, budget("web", "web", maxUnavailable=1), pod("x-1", "n1"))
    after = evicted("drain n1 --force", on).after
    assert after.pods_by_key is not None
    assert {name: each.spec.nodeName for (_, name), each in after.pods_by_key.items()} == {"quiet-1": "", "web-1": "", "web-2": "n2"}
    second = evicted("drain n2", after).evictions
    (each,) = second.nodes[0].pods
    assert (each.pod, each.verdict, each.replacement) == ("shop/web-2", "evicted", "unknown")
    assert tuple(map(describe_assumption, second.notes)) == (
        "assumes that pods evicted in earlier steps are Ready again, on unknown nodes",
    )


def test_a_daemonset_that_finds_its_node_full_is_named() -> None:
    big = pod("agent-1", "n1", "DaemonSet/agent", cpu="3")
    stuck = pod("web-1", "n1", "ReplicaSet/web", cpu="3")
    found = evicted(
        "drain n1 --ignore-daemonsets",
        world(*TWO, owned("DaemonSet", "agent"), big, stuck, owned("ReplicaSet", "web", 1), budget("web", "web", maxUnavailable=0)),
    )
    (back,) = found.evictions.nodes[0].returning
    assert (back.daemonset, back.fits, describe_obstacles(back.obstacles)) == ("shop/agent", False, "Insufficient cpu")


def test_a_pod_is_told_by_what_the_report_reads() -> None:
    assert Eviction("a/b", None, EvictionVerdict.WAITS).is_leaving
    assert not Eviction("a/b", None, EvictionVerdict.HELD).is_leaving
