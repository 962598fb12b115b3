"""The command lines about nodes, from their arguments to a Command: taint, label, cordon, uncordon, drain, reboot, replace.

Source: kubectl `pkg/cmd/taint/taint.go`, `pkg/cmd/label/label.go`, `pkg/cmd/drain/drain.go`: the order of the checks is theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from preflight.errors import UsageError
from preflight.kubectl.commands import Command, CordonNodes, DrainNodes, LabelNodes, RebootNodes, ReplaceNodes, TaintNodes, TargetObjects
from preflight.kubectl.flags import ParsedArguments, parse_integer, parse_seconds
from preflight.kubectl.label_args import describe_key_problem, parse_labels
from preflight.kubectl.label_selector import parse_selector
from preflight.kubectl.resource_args import NODE, get_selector, parse_targets, resolve_resource, split_name, split_resources_and_pairs
from preflight.kubectl.taint_args import describe_conflicts, is_taint, parse_taints
from preflight.messages import kubectl as messages
from preflight.messages.suggestions import suggest
from preflight.model.drain_flags import DrainFlags


def parse_taint_command(text: str, arguments: ParsedArguments) -> Command:
    """`kubectl taint nodes (NAME... | -l SELECTOR | --all) TAINT...`; with a selector or `--all`, names are ignored as kubectl does."""
    resources: list[str] = []
    specs: list[str] = []
    for argument in arguments.args:
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
    _require_node_resource(resources[0])
    both = describe_conflicts(add, remove)
    if both:
        raise UsageError(f"can not both modify and remove the following taint(s) in the same command: {both}")
    everything, selector, names = arguments.is_set("all"), arguments.last_value("selector"), resources[1:]
    if everything and selector:
        raise UsageError("setting 'all' parameter with a non empty selector is prohibited")
    if not (everything or selector or names):
        raise UsageError("at least one resource name must be specified since 'all' parameter is not set")
    chosen_names = () if everything or selector else tuple(dict.fromkeys(_parse_node_name(name) for name in names))
    nodes = TargetObjects(chosen_names, get_selector(arguments), everything)
    return TaintNodes(text, nodes, add, remove, arguments.is_set("overwrite"))


def parse_label_command(text: str, arguments: ParsedArguments) -> Command:
    """`kubectl label nodes (NAME... | -l SELECTOR | --all) (KEY=VALUE | KEY-)...`."""
    resources, specs = split_resources_and_pairs(arguments.args, "label")
    add, remove = parse_labels(specs)
    if arguments.is_set("all") and arguments.last_value("selector"):
        raise UsageError("cannot set --all and --selector at the same time")
    if arguments.is_set("all") and arguments.last_value("field-selector"):
        raise UsageError("cannot set --all and --field-selector at the same time")
    if arguments.all_values("filename") or arguments.last_value("kustomize") or arguments.is_set("local"):
        raise UsageError(messages.LABELS_OF_FILES)
    if not resources:
        raise UsageError("one or more resources must be specified as <resource> <name> or <resource>/<name>")
    if arguments.is_set("list"):
        raise UsageError(messages.LIST_ONLY)
    if not add and not remove:
        raise UsageError("at least one label update is required")
    if arguments.last_value("field-selector"):
        raise UsageError(messages.NO_FIELD_SELECTOR)
    _, nodes = parse_targets(resources, arguments, (NODE,), "labels")
    if arguments.last_value("resource-version") and len(nodes.names) != 1:
        raise UsageError("--resource-version may only be used with a single resource")
    problem = describe_key_problem(add)
    if problem:
        raise UsageError(f'The Node "{nodes.names[0]}" is invalid: {problem}' if nodes.names else f"The Node is invalid: {problem}")
    return LabelNodes(text, nodes, add, remove, arguments.is_set("overwrite"))


def parse_cordon(text: str, arguments: ParsedArguments) -> Command:
    """`kubectl cordon (NAME... | -l SELECTOR)`."""
    return CordonNodes(text, _parse_node_targets("cordon", arguments), unschedulable=True)


def parse_uncordon(text: str, arguments: ParsedArguments) -> Command:
    """`kubectl uncordon (NAME... | -l SELECTOR)`."""
    return CordonNodes(text, _parse_node_targets("uncordon", arguments), unschedulable=False)


def parse_drain(text: str, arguments: ParsedArguments) -> Command:
    """`kubectl drain (NAME... | -l SELECTOR)`."""
    nodes = _parse_node_targets("drain", arguments)
    try:
        pods = parse_selector(arguments.last_value("pod-selector"))
    except UsageError:
        raise UsageError("--pod-selector=<pod_selector> must be a valid label selector") from None
    flags = DrainFlags(
        ignore_daemonsets=arguments.is_set("ignore-daemonsets"),
        delete_emptydir_data=arguments.is_set("delete-emptydir-data") or arguments.is_set("delete-local-data"),
        has_old_flag="delete-local-data" in arguments.values,
        force=arguments.is_set("force"),
        disable_eviction=arguments.is_set("disable-eviction"),
        grace_period=parse_integer(arguments.last_value("grace-period", "-1")),
        timeout=parse_seconds(arguments.last_value("timeout", "0")),
        pod_selector=pods if arguments.last_value("pod-selector") else None,
        skip_wait_for_delete_timeout=parse_integer(arguments.last_value("skip-wait-for-delete-timeout", "0")),
    )
    return DrainNodes(text, nodes, flags)


def parse_reboot(text: str, arguments: ParsedArguments) -> Command:
    """`preflight reboot (NAME... | -l SELECTOR | --all) [--graceful]`: preflight's own."""
    return RebootNodes(text, _parse_own_targets("reboot", arguments), arguments.is_set("graceful"))


def parse_replace(text: str, arguments: ParsedArguments) -> Command:
    """`preflight replace (NAME... | -l SELECTOR | --all) [--label KEY=VALUE]... [--taint TAINT]...`: preflight's own.

    `--labels a=b,c=d` is the kubelet's `--node-labels` in one word. Without labels the node keeps those of today, and so with taints;
    `--labels=` and `--taint=` say that it has none.
    """
    nodes = _parse_own_targets("replace", arguments)
    pairs = (*arguments.all_values("label"), *arguments.all_values("labels"))
    labels, removed = parse_labels(pairs)
    taints, untaints = parse_taints(text for text in arguments.all_values("taint") if text)
    if removed or untaints:
        raise UsageError(messages.REPLACE_REMOVES_NOTHING)
    problem = describe_key_problem(labels)
    if problem:
        raise UsageError(f"invalid --label: {problem}")
    return ReplaceNodes(
        text, nodes, labels if pairs or "labels" in arguments.values else None, taints if arguments.all_values("taint") else None
    )


def _require_node_resource(word: str) -> None:
    """Refuse a resource word that is not `node`, `nodes` or `no`, in any case."""
    lower = word.lower()
    resource = resolve_resource(lower.partition(".")[0])
    if "/" in word and resolve_resource(lower.partition("/")[0]) == NODE:
        name = word.partition("/")[2] or "NAME"
        raise UsageError(f'the server doesn\'t have a resource type "{lower}"{messages.explain_joined_names(name)}')
    if "," in word:
        raise UsageError(f"unrecognized character in action: U+002C ','{messages.explain_other_resource(word)}")
    if not resource:
        hint = suggest(word, (NODE,)) or messages.explain_missing_nodes_word(word)
        raise UsageError(f'the server doesn\'t have a resource type "{lower}"{hint}')
    if resource != NODE:
        raise UsageError(f"invalid resource type {lower}, only node types are supported")


def _parse_node_targets(verb: str, arguments: ParsedArguments) -> TargetObjects:
    """The nodes of `parse_cordon`, `parse_uncordon` and `parse_drain`: names or `node/NAME`, or a selector."""
    if not arguments.args and "selector" not in arguments.values:
        raise UsageError(f"USAGE: {verb} NODE [flags]")
    if arguments.args and arguments.last_value("selector"):
        raise UsageError("cannot specify both a node name and a --selector option")
    selector = get_selector(arguments)
    if not arguments.args and selector is None:
        raise UsageError("You must provide one or more resources by argument or filename.")
    for argument in arguments.args:
        if argument in ("node", "nodes", "no"):
            raise UsageError(f'nodes "{argument}" not found{messages.explain_names_alone(verb)}')
    return TargetObjects(tuple(dict.fromkeys(_parse_node_name(argument) for argument in arguments.args)), selector)


def _parse_own_targets(verb: str, arguments: ParsedArguments) -> TargetObjects:
    """The nodes of preflight's own verbs: as `parse_cordon`, or all of them; the word `node` may stand before the names."""
    args = arguments.args[1:] if arguments.args and resolve_resource(arguments.args[0]) == NODE else arguments.args
    if arguments.is_set("all"):
        if args or arguments.last_value("selector"):
            raise UsageError(messages.ALL_OR_NAME)
        return TargetObjects(all=True)
    return _parse_node_targets(verb, ParsedArguments(args, arguments.values))


def _parse_node_name(argument: str) -> str:
    """The name in `n1` or `node/n1`."""
    if "/" not in argument:
        return argument
    word, name = split_name(argument)
    if resolve_resource(word) != NODE:
        raise UsageError(f"expected resource of type node, got {resolve_resource(word) or word}")
    return name


NODE_READERS: Mapping[str, Callable[[str, ParsedArguments], Command]] = {
    "taint": parse_taint_command,
    "label": parse_label_command,
    "cordon": parse_cordon,
    "uncordon": parse_uncordon,
    "drain": parse_drain,
    "reboot": parse_reboot,
    "replace": parse_replace,
}
"""What reads a command line of each verb."""
