"""The help pages of kubectl's verbs for nodes, and of reboot and replace."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.messages.help.model import HelpPage

_NODES = ("NODE...", "Names of nodes, separated by spaces.")
_SELECTOR = (
    "-l, --selector SELECTOR",
    "Nodes with these labels: pool=rdma, pool!=cpu, 'pool in (rdma,gpu)', !pool. Not together with names.",
)
_ALL = ("--all", "All nodes. Default: false.")
_OVERWRITE = ("--overwrite", "Replace a value that exists. Default: false; kubectl then refuses the change.")

PAGES: Mapping[str, HelpPage] = {
    "taint": HelpPage(
        "Show which DaemonSets lose coverage when nodes are tainted",
        ("nodes (NODE... | -l SELECTOR | --all) TAINT... [OPTIONS]",),
        ("Write the taint as for kubectl. Nothing is changed in the cluster.",),
        (
            _NODES,
            (
                "TAINT",
                "KEY=VALUE:EFFECT or KEY:EFFECT (no value) adds a taint; KEY:EFFECT- removes that taint, KEY- the taints of all effects.",
            ),
            (
                "EFFECT",
                "NoSchedule (new pods stay away), PreferNoSchedule (new pods avoid the node) or NoExecute (running pods are evicted, too).",
            ),
        ),
        (
            ("Reserve a node for RDMA workloads", "preflight taint nodes gpu-1 dedicated=rdma:NoSchedule"),
            (
                "The same for a pool, with manifests in place of the cluster",
                "preflight taint nodes -l pool=rdma dedicated=rdma:NoSchedule --from manifests/",
            ),
            ("Remove the taint again", "preflight taint nodes gpu-1 dedicated=rdma:NoSchedule-"),
        ),
        (_SELECTOR, _ALL, _OVERWRITE),
    ),
    "label": HelpPage(
        "Show which DaemonSets lose or gain coverage when labels change",
        ("nodes (NODE... | -l SELECTOR | --all) LABEL... [OPTIONS]",),
        ("The answer includes labels that another DaemonSet sets or removes in consequence.",),
        (_NODES, ("LABEL", "KEY=VALUE sets a label, KEY- removes it.")),
        (
            ("Remove a label from a node", "preflight label nodes gpu-1 pool-"),
            (
                "Move a node to another pool, with manifests in place of the cluster",
                "preflight label nodes gpu-1 pool=cpu --overwrite --from manifests/",
            ),
        ),
        (_SELECTOR, _ALL, _OVERWRITE),
        ("--field-selector", "--filename", "--kustomize", "--list", "--local"),
    ),
    "cordon": HelpPage(
        "Show what changes for DaemonSets when nodes are cordoned",
        ("(NODE... | -l SELECTOR) [OPTIONS]",),
        (),
        (_NODES,),
        (
            ("Cordon a node", "preflight cordon gpu-1"),
            ("Cordon a pool, with manifests in place of the cluster", "preflight cordon -l pool=rdma --from manifests/"),
        ),
        (_SELECTOR,),
    ),
    "uncordon": HelpPage(
        "Show what changes for DaemonSets when nodes are uncordoned",
        ("(NODE... | -l SELECTOR) [OPTIONS]",),
        (),
        (_NODES,),
        (
            ("Uncordon a node", "preflight uncordon gpu-1"),
            ("Uncordon a pool, with manifests in place of the cluster", "preflight uncordon -l pool=rdma --from manifests/"),
        ),
        (_SELECTOR,),
    ),
    "drain": HelpPage(
        "Show which pods a drain evicts, and what blocks it",
        ("(NODE... | -l SELECTOR) [OPTIONS]",),
        (
            "Also shows which pods find no other node, what becomes of Jobs, and what a reboot or replacement of the node then costs. "
            "Without the pods and PodDisruptionBudgets of the cluster the answer is unknown (exit code 3).",
        ),
        (_NODES,),
        (
            ("Drain a node of the current context", "preflight drain gpu-1 --ignore-daemonsets --delete-emptydir-data"),
            (
                "The same with a dump of the cluster",
                "kubectl get nodes,ds,pods,pdb -A -o json | preflight drain gpu-1 --ignore-daemonsets --delete-emptydir-data --from -",
            ),
        ),
        (
            _SELECTOR,
            ("--ignore-daemonsets", "Leave DaemonSet pods on the node. Default: false; kubectl then refuses a node that has some."),
            ("--delete-emptydir-data", "Also evict pods with emptyDir volumes; their data is lost. Default: false."),
            ("--force", "Also evict pods without a controller; they are lost. Default: false."),
            ("--disable-eviction", "Delete pods instead of evicting them; no PodDisruptionBudget counts. Default: false."),
            ("--pod-selector SELECTOR", "Evict only pods with these labels."),
            ("--grace-period SECONDS", "Time for each pod to end. Default: -1, the pod's own terminationGracePeriodSeconds."),
            ("--timeout DURATION", "Give up after this time, such as 5m. Default: 0s, no limit."),
            ("--skip-wait-for-delete-timeout SECONDS", "Do not wait for pods that have been ending for longer. Default: 0, wait for all."),
        ),
    ),
    "reboot": HelpPage(
        "Show which DaemonSet pods do not come back when nodes reboot",
        ("(NODE... | -l SELECTOR | --all) [OPTIONS]",),
        ("A plain reboot restarts the same pods. kubectl has no such verb.",),
        (_NODES,),
        (
            ("Reboot a node", "preflight reboot gpu-1"),
            (
                "Reboot a pool with graceful node shutdown, with manifests in place of the cluster",
                "preflight reboot -l pool=rdma --graceful --from manifests/",
            ),
        ),
        (
            _SELECTOR,
            _ALL,
            ("--graceful", "The kubelet ends the pods first (graceful node shutdown), and new ones are created. Default: false."),
        ),
    ),
    "replace": HelpPage(
        "Show what is lost when nodes are replaced and register again",
        ("(NODE... | -l SELECTOR | --all) [OPTIONS]",),
        ("The new node has the labels and taints of today unless --label or --taint are given. kubectl has no such verb.",),
        (_NODES,),
        (
            ("Replace a node", "preflight replace gpu-1"),
            (
                "Replace it by a node with other labels and no taint, with manifests in place of the cluster",
                "preflight replace gpu-1 --label pool=rdma --taint= --from manifests/",
            ),
        ),
        (
            _SELECTOR,
            _ALL,
            ("--label KEY=VALUE", "A label of the new node; repeatable. The kubelet's own labels stay."),
            ("--labels KEY=VALUE,...", "The same in one word, as the kubelet's --node-labels; --labels= for none."),
            ("--taint KEY=VALUE:EFFECT", "A taint of the new node; repeatable. --taint= for none."),
        ),
    ),
}
