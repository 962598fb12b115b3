"""The help pages of our own commands that look at a cluster."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.messages.help.model import HelpPage

PAGES: Mapping[str, HelpPage] = {
    "snapshot": HelpPage(
        "Save the cluster state, without secrets, for --from and verify",
        ("-o FILE [OPTIONS]",),
        (
            "Only the fields that preflight reads are saved: no argument, environment variable or Secret. FILE is replaced only by a "
            "complete snapshot. Kinds that could not be listed are named, and the exit code is then 3.",
        ),
        (),
        (
            ("Save the cluster of the current context", "preflight snapshot -o before.json.gz"),
            ("Turn a dump into a snapshot", "kubectl get nodes,ds,pods,pdb -A -o json | preflight snapshot -o before.json --from -"),
        ),
    ),
    "verify": HelpPage(
        "Compare a cluster with the snapshot taken before a change",
        ("SNAPSHOT [OPTIONS]",),
        (
            "Reports pods, nodes, DaemonSets, resources, labels and taints that are missing or differ now, unless they were missing "
            "before the change.",
        ),
        (("SNAPSHOT", "What `preflight snapshot` saved before the change."),),
        (
            ("Compare the cluster of the current context", "preflight verify before.json"),
            ("Compare two snapshots", "preflight verify before.json --from after.json"),
        ),
    ),
    "doctor": HelpPage(
        "Diagnose what is broken in a cluster, why, and how to check it",
        ("[OPTIONS]",),
        (
            "Finds nodes that lack a component, time bombs (pods that run but will not come back), devices that cannot be used, and pods "
            "that wait. Several --context or snapshots are several clusters, one report each.",
        ),
        (),
        (
            ("Diagnose the cluster of the current context", "preflight doctor"),
            (
                "Explain one pod, from a dump",
                "kubectl get nodes,ds,pods,events -A -o json | preflight doctor --pod storage/agent-x1 --from -",
            ),
        ),
    ),
    "capacity": HelpPage(
        "Count how many copies of a pod fit, and what uses the capacity",
        ("(-f FILE | --like KIND/NAME | --request RESOURCE=AMOUNT...) [OPTIONS]",),
        (
            "Counts what pods request, not what they use, and shows on which nodes the copies fit. What is unknown is named, and never "
            "counted as free.",
        ),
        (),
        (
            ("Count how many more pods of a Deployment fit", "preflight capacity --like deploy/web -n shop"),
            (
                "Count pods with a GPU on a pool, from a dump",
                "preflight capacity --request nvidia.com/gpu=1 -l pool=rdma --from cluster.json",
            ),
        ),
    ),
    "alerts": HelpPage(
        "Generate Prometheus rules that fire when a node loses a component",
        ("[OPTIONS]",),
        (
            "The rules state which DaemonSet must run on which nodes, and what it provides there. They need only stable metrics of "
            "kube-state-metrics. docs/alerts.md says why an alert on desired minus ready never fires.",
        ),
        (),
        (
            ("Print rules for the cluster of the current context", "preflight alerts"),
            (
                "Write a PrometheusRule from a dump",
                "preflight alerts --format prometheusrule --label release=prometheus -n monitoring -o rules.yaml --from cluster.json",
            ),
        ),
    ),
    "components": HelpPage(
        "List what each DaemonSet provides, and the evidence",
        ("[PATH...] [OPTIONS]",),
        (),
        (("PATH...", "Files, folders or - (standard input). Default: current directory."),),
        (
            ("List the DaemonSets of a folder", "preflight components manifests/"),
            ("List those of the current context as JSON", "preflight components --live -o json"),
        ),
    ),
}
