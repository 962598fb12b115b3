"""The help pages of kubectl's verbs for DaemonSets, manifests and other objects."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.messages.help.model import HelpPage

_NAMESPACE = ("-n, --namespace NAME", 'Namespace of what is named. Default: the context\'s, with files "default".')
_SELECTOR = ("-l, --selector SELECTOR", "Objects with these labels, instead of names.")
_FILENAME = ("-f, --filename FILE", "Manifest, folder or - (standard input). Repeatable.")
_RECURSIVE = ("-R, --recursive", "Read subfolders of -f, too. Default: false.")

PAGES: Mapping[str, HelpPage] = {
    "set": HelpPage(
        "Show what a new image restarts (set image ds/NAME CONTAINER=IMAGE)",
        ("image (ds/NAME... | ds NAME... | ds -l SELECTOR | ds --all) CONTAINER=IMAGE... [OPTIONS]",),
        ("Shows where the update stalls, too. Images of DaemonSets only.",),
        (("ds/NAME", "The DaemonSet."), ("CONTAINER=IMAGE", "Name of a container and its new image; *=IMAGE for all containers.")),
        (
            ("Update the agent", "preflight set image ds/agent agent=registry.example.com/agent:2 -n storage"),
            (
                "The same with manifests in place of the cluster",
                "preflight set image ds/agent '*=registry.example.com/agent:2' -n storage --from manifests/",
            ),
        ),
        (_NAMESPACE, _SELECTOR, ("--all", "All DaemonSets of the namespace. Default: false.")),
        ("--filename", "--kustomize", "--local"),
    ),
    "rollout": HelpPage(
        "Show what a restart of DaemonSets loses (rollout restart ds/NAME)",
        ("restart (ds/NAME... | ds NAME... | ds -l SELECTOR | ds) [OPTIONS]",),
        ("Restarts of DaemonSets only.",),
        (("ds/NAME", "The DaemonSet; the word ds alone means all of the namespace."),),
        (
            ("Restart the agent", "preflight rollout restart ds/agent -n storage"),
            (
                "Restart all DaemonSets of a namespace, with manifests in place of the cluster",
                "preflight rollout restart ds -n storage --from manifests/",
            ),
        ),
        (_NAMESPACE, _SELECTOR),
        ("--filename", "--kustomize"),
    ),
    "apply": HelpPage(
        "Show what changed manifests cost (apply -f FILE)",
        ("-f FILE... [OPTIONS]",),
        ("FILE is the change; --from or the cluster is what it is applied to.",),
        (),
        (
            ("Apply a manifest to the cluster of the current context", "preflight apply -f agent.yaml"),
            ("Apply a folder, with the manifests of today in place of the cluster", "preflight apply -R -f changed/ --from manifests/"),
        ),
        (
            _FILENAME,
            _RECURSIVE,
            ("-n, --namespace NAME", 'Namespace of objects that state none. Default: the context\'s, with files "default".'),
            ("-l, --selector SELECTOR", "Only objects with these labels."),
            ("--server-side", "Merge as the API server does. Default: false."),
        ),
        ("--kustomize", "--prune", "--subresource"),
    ),
    "patch": HelpPage(
        "Show what a patch of a DaemonSet or a node costs",
        ("(ds/NAME | node/NAME)... (-p PATCH | --patch-file FILE) [OPTIONS]",),
        (),
        (("ds/NAME, node/NAME", "What is patched. NAME... after the word ds or node is the same."),),
        (
            (
                "Make a node unschedulable",
                'preflight patch node gpu-1 -p \'{"spec":{"unschedulable":true}}\'',
            ),
            (
                "Select other nodes, with manifests in place of the cluster",
                'preflight patch ds/agent -n storage --type merge -p \'{"spec":{"template":{"spec":{"nodeSelector":{"pool":"rdma"}}}}}\''
                " --from manifests/",
            ),
        ),
        (
            ("-p, --patch PATCH", "The patch, as JSON or YAML."),
            ("--patch-file FILE", "A file with the patch."),
            ("--type TYPE", "strategic, merge or json. Default: strategic."),
            _NAMESPACE,
        ),
        ("--filename", "--kustomize", "--local", "--subresource"),
    ),
    "delete": HelpPage(
        "Show what is lost with a deleted node, DaemonSet, pod or namespace",
        ("(node | ds | pod) (NAME... | -l SELECTOR | --all) [OPTIONS]", "namespace NAME... [OPTIONS]", "-f FILE... [OPTIONS]"),
        (),
        (("NAME...", "Names, separated by spaces; ds/NAME and node/NAME are the same."),),
        (
            ("Delete a node", "preflight delete node gpu-1"),
            ("Delete a DaemonSet, with manifests in place of the cluster", "preflight delete ds agent -n storage --from manifests/"),
        ),
        (
            _SELECTOR,
            ("--all", "All objects of the kind. Default: false."),
            _NAMESPACE,
            ("-A, --all-namespaces", "In all namespaces. Default: false."),
            ("--field-selector SELECTOR", "Pods of a node: spec.nodeName=NODE. No other selector is supported."),
            _FILENAME,
            _RECURSIVE,
            ("--cascade MODE", "background, foreground or orphan (leave the pods). Default: background."),
            ("--grace-period SECONDS", "Time for each pod to end. Default: -1, the pod's own terminationGracePeriodSeconds."),
            ("--now", "The same as --grace-period=1. Default: false."),
            ("--force", "Delete pods without asking the kubelet. Default: false."),
            ("--ignore-not-found", "Accept names that do not exist. Default: false; always true with --all and --selector."),
            ("--wait", "Wait until the objects are gone. Default: true."),
            ("--timeout DURATION", "Give up waiting after this time. Default: 0s, no limit."),
        ),
        ("--kustomize", "--raw"),
    ),
}
