"""The help pages of our own commands that check manifests and changes."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.messages.help.model import HelpPage

_PATH = ("PATH...", "Files, folders or - (standard input). Default: current directory.")

PAGES: Mapping[str, HelpPage] = {
    "plan": HelpPage(
        "Show what a sequence of changes costs, step by step",
        ("FILE [OPTIONS]",),
        ("Each step starts from what the step before leaves. The sum comes last.",),
        (("FILE", "A YAML list of command lines (- kubectl taint nodes gpu-1 ...), or a shell script with kubectl commands."),),
        (
            ("Check a plan for the cluster of the current context", "preflight plan plan.yaml"),
            ("Check a maintenance script, with manifests in place of the cluster", "preflight plan maintenance.sh --from manifests/"),
        ),
    ),
    "diff": HelpPage(
        "Show what merging HEAD costs, or what has drifted from BASE",
        ("BASE HEAD [OPTIONS]",),
        (
            "Only what HEAD brings is reported. Where HEAD is the list of a cluster, the report is what has drifted from BASE; where BASE "
            "is one, what applying HEAD costs.",
        ),
        (
            (
                "BASE, HEAD",
                "A folder, a file, a snapshot, the output of `kubectl get -o json`, - (standard input), a git revision (main, HEAD~1, "
                "origin/main:deploy/), or live (the cluster). ./PATH is never read as a revision.",
            ),
        ),
        (
            ("Check a branch, with the nodes of a file", "preflight diff main HEAD --from nodes.yaml"),
            ("Compare two folders", "preflight diff manifests/ changed/ --from nodes.yaml"),
        ),
    ),
    "lint": HelpPage(
        "Check tolerations in manifests, and coverage where nodes are known",
        ("[PATH...] [OPTIONS]",),
        ("No cluster is contacted unless --live, --context or --kubeconfig is given.",),
        (_PATH,),
        (
            ("Check a folder", "preflight lint manifests/"),
            ("Check a rendered chart against the nodes of a file", "helm template my-release chart/ | preflight lint - --from nodes.yaml"),
        ),
    ),
    "upgrade": HelpPage(
        "Show what an upgrade of Kubernetes changes, and its order",
        ("--to VERSION [OPTIONS]",),
        (
            "The version of today is that of the cluster, or --kubernetes-version. Reported are objects that newer controllers treat "
            "differently, fields that take effect, and old names of taints and labels.",
        ),
        (),
        (
            ("Check the current context", "preflight upgrade --to 1.34"),
            ("Check files", "preflight upgrade --to 1.34 --kubernetes-version 1.30 --from manifests/"),
        ),
    ),
    "fix": HelpPage(
        "Add the smallest exact toleration, as an edit or as a patch",
        ("[PATH...] [OPTIONS]",),
        (
            "Fixes what lint finds, or with --for and --plan what a change would cost. Comments and layout are kept. "
            "The diff goes to standard output, the summary to standard error.",
        ),
        (_PATH,),
        (
            (
                "Print a diff that makes a taint harmless",
                "preflight fix manifests/ --for 'taint nodes -l pool=rdma dedicated=rdma:NoSchedule'",
            ),
            ("Fix only some findings in place", "preflight fix manifests/ --rule PF102 --write"),
        ),
    ),
}
