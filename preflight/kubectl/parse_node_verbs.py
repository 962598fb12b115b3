"""The command lines about nodes, from their arguments to a Command: taint, label, cordon, uncordon, drain, reboot, replace.

Source: kubectl `pkg/cmd/taint/taint.go`, `pkg/cmd/label/label.go`, `pkg/cmd/drain/drain.go`: the order of the checks is theirs.
"""

from __future__ import annotations

from preflight.errors import UsageError
from preflight.kubectl.commands import Chosen, Command, CordonNodes, DrainNodes, LabelNodes, RebootNodes, ReplaceNodes, TaintNodes
from preflight.kubectl.flags import Given, integer, seconds
from preflight.kubectl.label_args import key_problem, parse_labels
from preflight.kubectl.label_selector import parse_selector
from preflight.kubectl.resource_args import NODE, chosen, resource_of, resources_and_pairs, selector_of, split_name
from preflight.kubectl.taint_args import conflicts, is_taint, parse_taints


def taint(text: str, given: Given) -> Command:
    """`kubectl taint nodes (NAME... | -l SELECTOR | --all) TAINT...`; with a selector or `--all`, names are ignored as kubectl does."""
    resources: list[str] = []
    specs: list[str] = []
    for argument in given.args:
        if is_taint(argument):
            specs.append(argument)
        elif specs:
            raise UsageError(f"all resources must be specified before taint changes: {argument}")
        else:
            resources.append(argument)
    if not resources:
        raise UsageError("one or more resources must be specified as <resource> <name>")
    if not specs:
        raise UsageError("at least one taint update is required")
    add, remove = parse_taints(specs)
    _only_nodes(resources[0])
    both = conflicts(add, remove)
    if both:
        raise UsageError(f"can not both modify and remove the following taint(s) in the same command: {both}")
    everything, selector, names = given.on("all"), given.text("selector"), resources[1:]
    if everything and selector:
        raise UsageError("setting 'all' parameter with a non empty selector is prohibited")
    if not (everything or selector or names):
        raise UsageError("at least one resource name must be specified since 'all' parameter is not set")
    chosen_names = () if everything or selector else tuple(dict.fromkeys(_node_name(name) for name in names))
    nodes = Chosen(chosen_names, selector_of(given), everything)
    return TaintNodes(text, nodes, add, remove, given.on("overwrite"))


def label(text: str, given: Given) -> Command:
    """`kubectl label nodes (NAME... | -l SELECTOR | --all) (KEY=VALUE | KEY-)...`."""
    resources, specs = resources_and_pairs(given.args, "label")
    add, remove = parse_labels(specs)
    if given.on("all") and given.text("selector"):
        raise UsageError("cannot set --all and --selector at the same time")
    if given.on("all") and given.text("field-selector"):
        raise UsageError("cannot set --all and --field-selector at the same time")
    if given.texts("filename") or given.text("kustomize") or given.on("local"):
        raise UsageError("preflight judges labels of nodes by name, --selector or --all, not of the objects of files")
    if not resources:
        raise UsageError("one or more resources must be specified as <resource> <name> or <resource>/<name>")
    if given.on("list"):
        raise UsageError("--list only prints labels: there is no change to judge")
    if not add and not remove:
        raise UsageError("at least one label update is required")
    if given.text("field-selector"):
        raise UsageError("preflight knows no --field-selector: name the nodes, or use --selector")
    _, nodes = chosen(resources, given, (NODE,), "labels")
    if given.text("resource-version") and len(nodes.names) != 1:
        raise UsageError("--resource-version may only be used with a single resource")
    problem = key_problem(add)
    if problem:
        raise UsageError(f'The Node "{nodes.names[0]}" is invalid: {problem}' if nodes.names else f"The Node is invalid: {problem}")
    return LabelNodes(text, nodes, add, remove, given.on("overwrite"))


def cordon(text: str, given: Given) -> Command:
    """`kubectl cordon (NAME... | -l SELECTOR)`."""
    return CordonNodes(text, _nodes("cordon", given), unschedulable=True)


def uncordon(text: str, given: Given) -> Command:
    """`kubectl uncordon (NAME... | -l SELECTOR)`."""
    return CordonNodes(text, _nodes("uncordon", given), unschedulable=False)


def drain(text: str, given: Given) -> Command:
    """`kubectl drain (NAME... | -l SELECTOR)`."""
    nodes = _nodes("drain", given)
    try:
        pods = parse_selector(given.text("pod-selector"))
    except UsageError:
        raise UsageError("--pod-selector=<pod_selector> must be a valid label selector") from None
    return DrainNodes(
        text,
        nodes,
        ignore_daemonsets=given.on("ignore-daemonsets"),
        delete_emptydir_data=given.on("delete-emptydir-data"),
        force=given.on("force"),
        disable_eviction=given.on("disable-eviction"),
        grace_period=integer(given.text("grace-period", "-1")),
        timeout=seconds(given.text("timeout", "0")),
        pod_selector=pods if given.text("pod-selector") else None,
        skip_wait_for_delete_timeout=integer(given.text("skip-wait-for-delete-timeout", "0")),
    )


def reboot(text: str, given: Given) -> Command:
    """`preflight reboot (NAME... | -l SELECTOR | --all) [--graceful]`: preflight's own."""
    return RebootNodes(text, _own("reboot", given), given.on("graceful"))


def replace(text: str, given: Given) -> Command:
    """`preflight replace (NAME... | -l SELECTOR | --all) [--label KEY=VALUE]... [--taint TAINT]...`: preflight's own.

    `--labels a=b,c=d` is the kubelet's `--node-labels` in one word. Without labels the node keeps those of today, and so with taints;
    `--labels=` and `--taint=` say that it has none.
    """
    nodes = _own("replace", given)
    pairs = (*given.texts("label"), *given.texts("labels"))
    labels, removed = parse_labels(pairs)
    taints, untaints = parse_taints(text for text in given.texts("taint") if text)
    if removed or untaints:
        raise UsageError("replace takes the labels and the taints of the new node: a trailing '-' removes nothing there")
    problem = key_problem(labels)
    if problem:
        raise UsageError(f"invalid --label: {problem}")
    return ReplaceNodes(text, nodes, labels if pairs or "labels" in given.values else None, taints if given.texts("taint") else None)


def _only_nodes(word: str) -> None:
    """Refuse a resource word that is not `node`, `nodes` or `no`, in any case."""
    lower = word.lower()
    resource = resource_of(lower.partition(".")[0])
    if "/" in word and resource_of(lower.partition("/")[0]) == NODE:
        name = word.partition("/")[2] or "NAME"
        raise UsageError(f'the server doesn\'t have a resource type "{lower}" (kubectl taint takes them apart: taint nodes {name})')
    if "," in word:
        raise UsageError(f"unrecognized character in action: U+002C ',' (kubectl taint takes nodes only, not {word})")
    if not resource:
        raise UsageError(f'the server doesn\'t have a resource type "{lower}"')
    if resource != NODE:
        raise UsageError(f"invalid resource type {lower}, only node types are supported")


def _nodes(verb: str, given: Given) -> Chosen:
    """The nodes of `cordon`, `uncordon` and `drain`: names or `node/NAME`, or a selector."""
    if not given.args and "selector" not in given.values:
        raise UsageError(f"USAGE: {verb} NODE [flags]")
    if given.args and given.text("selector"):
        raise UsageError("cannot specify both a node name and a --selector option")
    selector = selector_of(given)
    if not given.args and selector is None:
        raise UsageError("You must provide one or more resources by argument or filename.")
    for argument in given.args:
        if argument in ("node", "nodes", "no"):
            raise UsageError(f'nodes "{argument}" not found (kubectl {verb} takes names alone)')
    return Chosen(tuple(dict.fromkeys(_node_name(argument) for argument in given.args)), selector)


def _own(verb: str, given: Given) -> Chosen:
    """The nodes of preflight's own verbs: as `cordon`, or all of them; the word `node` may stand before the names."""
    args = given.args[1:] if given.args and resource_of(given.args[0]) == NODE else given.args
    if given.on("all"):
        if args or given.text("selector"):
            raise UsageError("--all takes neither a name nor a --selector")
        return Chosen(all=True)
    return _nodes(verb, Given(args, given.values))


def _node_name(argument: str) -> str:
    """The name in `n1` or `node/n1`."""
    if "/" not in argument:
        return argument
    word, name = split_name(argument)
    if resource_of(word) != NODE:
        raise UsageError(f"expected resource of type node, got {resource_of(word) or word}")
    return name
