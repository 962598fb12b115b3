"""What to type next: commands that can be pasted, in their order."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from preflight.model.report import ClusterIdentity, FixCommand, Location, NextCommands, Outcome, Problem, Report, Severity
from preflight.report.next_steps import draw_next_steps, list_next_steps
from preflight.report.terminal import Ink
from tests.report.reports import DRAIN, RDMA, covered, finding, report, step

LINE = "taint nodes rdma-1 rdma-2 dedicated=rdma:NoSchedule"
FIX = FixCommand(("my cluster",), (LINE,))
FINE = report(step(covered("a/b", Outcome.KEPT)), next=NextCommands(kubectl=(LINE,)))
LIVE = ClusterIdentity("prod-eu", "https://10.0.0.1:6443")
DUMP = replace(RDMA.findings[0], location=Location("dump.json", 1, 0, "items[3].spec"))
EDITS, PATCHES = "# prints the edits and their order", "# prints patches for kubectl"
APPLY = "# apply the fixed manifests, and wait for each rollout: kubectl rollout status"
RUN = "# run these patches, and wait for each rollout: kubectl rollout status"
GIVE = "kubectl get nodes,ds,pods,pdb -A -o json > cluster.json  # then add --from cluster.json"


def faults(*nodes: tuple[str, ...]) -> Report:
    """What doctor finds of some nodes, or of a pod where there is none."""
    commands = [f"kubectl describe node {names[0]}" if names else "kubectl describe pod p" for names in nodes]
    found = tuple(
        finding("is broken", rule="PF430", nodes=names, notes=(("check", command),)) for names, command in zip(nodes, commands, strict=True)
    )
    return report(step(story=("a", "b")), findings=found, command="doctor", exit=1)


STEPS: dict[str, tuple[Report, list[str]]] = {
    "a loss in manifests": (
        replace(RDMA, next=NextCommands(FIX, (LINE,))),
        [f"preflight fix 'my cluster' --for \"{LINE}\"  {EDITS}", APPLY, f"kubectl {LINE}", "preflight explain PF102"],
    ),
    "a loss in what kubectl prints": (
        replace(RDMA, findings=(DUMP,), next=NextCommands(FixCommand(("dump.json",), (LINE,)), (LINE,))),
        [f'preflight fix --patch dump.json --for "{LINE}"  {PATCHES}', RUN, f"kubectl {LINE}", "preflight explain PF102"],
    ),
    "a loss in a live cluster": (
        replace(RDMA, cluster=LIVE, next=NextCommands(kubectl=(LINE,))),
        [
            "preflight snapshot -o cluster.json.gz",
            f'preflight fix --patch cluster.json.gz --for "{LINE}"  {PATCHES}',
            RUN,
            f"kubectl --context prod-eu {LINE}",
            "preflight explain PF102",
        ],
    ),
    "a loss of a plan": (
        replace(RDMA, next=NextCommands(FixCommand((".",), (), "plan.yaml"))),
        [f'preflight fix . --plan "plan.yaml"  {EDITS}', APPLY, "# run the steps of plan.yaml in this order", "preflight explain PF102"],
    ),
    "a loss between two trees": (RDMA, ["# add the suggested tolerations to the manifests, and check again", "preflight explain PF102"]),
    "a line with words of the shell": (
        replace(RDMA, next=NextCommands(FixCommand((".",), ("label nodes -l 'a in (b)' c=$d",)))),
        ["preflight fix . --for 'label nodes -l '\"'\"'a in (b)'\"'\"' c=$d'  " + EDITS, APPLY, "preflight explain PF102"],
    ),
    "standard input, which cannot be read again": (
        replace(RDMA, next=NextCommands(kubectl=(LINE,))),
        ["# add the suggested tolerations to the manifests, and check again", f"kubectl {LINE}", "preflight explain PF102"],
    ),
    "all is well": (FINE, [f"kubectl {LINE}"]),
    "all is well but for a warning": (
        replace(FINE, findings=(finding("x", Severity.WARNING, "PF105", "update-stalls"),)),
        [f"kubectl {LINE}", "preflight explain PF105"],
    ),
    "an answer that is unknown": (replace(FINE, steps=(step(covered("a/b", Outcome.UNKNOWN)),), exit=3), [GIVE]),
    "nodes that are missing": (replace(FINE, problems=(Problem("no node was given"),), exit=3), [GIVE]),
    "a file that is broken": (replace(FINE, problems=(Problem("no YAML", Location("a.yaml", 1)),), exit=3), []),
    "pods in the way": (
        replace(DRAIN, next=NextCommands(kubectl=("drain n-1 n-2",))),
        ["preflight drain n-1 n-2 --force  # check again after that"],
    ),
    "nothing was changed": (report(command=""), []),
    "faults of several nodes: a command for each of the first three": (
        faults(("n-1",), ("n-2",), ("n-3",), ("n-4",)),
        ["kubectl describe node n-1", "kubectl describe node n-2", "kubectl describe node n-3", "preflight explain PF430"],
    ),
    "faults of nodes that others before them are about": (
        faults(("n-1", "n-2"), ("n-2",), ("n-1", "n-2"), ("n-3",)),
        ["kubectl describe node n-1", "kubectl describe node n-3", "preflight explain PF430"],
    ),
    "pods that wait are of no node": (
        faults(("n-1",), ()),
        ["kubectl describe node n-1", "kubectl describe pod p", "preflight explain PF430"],
    ),
}


@pytest.mark.parametrize(("given", "steps"), STEPS.values(), ids=STEPS)
def test_next_steps(given: Report, steps: list[str]) -> None:
    assert [str(next_step) for next_step in list_next_steps(given)] == steps


def test_a_comment_that_does_not_fit_is_left_out_and_a_command_is_whole() -> None:
    given = replace(RDMA, next=NextCommands(FIX, (LINE,)))
    assert draw_next_steps(given, Ink(False), 80) == [
        "Next:",
        f"  preflight fix 'my cluster' --for \"{LINE}\"",
        f"  {APPLY}",
        f"  kubectl {LINE}",
        "  preflight explain PF102",
    ]
