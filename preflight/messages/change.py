"""What a change is, what is to be said of it, and what nobody knows of it, in words."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence

from preflight.messages.counts import format_count
from preflight.messages.lists import join_names
from preflight.messages.suggestions import find_nearest
from preflight.model.cascade import Cascade
from preflight.model.core import Taint, Toleration

NEW = "new"
UNCHANGED = "unchanged"
UNTOUCHED_TEMPLATE = "changed, but not its template: no pod is replaced"
ASSUMED_UPDATE = "an update is assumed, for a snapshot shows only the part of a template that is read, and that is the same"
TAINTS_UNCHANGED = "nothing changes: the taints are these already"
LABELS_UNCHANGED = "nothing changes: the labels are these already"
IMAGES_UNCHANGED = "the images are these already"
DELETES_NOTHING = "delete nothing"
DELETES_NO_POD = "delete no pod"
NO_SUCH_DAEMONSET = "nothing changes: no such DaemonSet is there"
NO_SUCH_POD = "nothing changes: no such pod is there"
REFUSED_FOR_DAEMONSETS = "without --ignore-daemonsets kubectl refuses a node that has DaemonSet pods, and leaves it cordoned"
SAME_AS_TODAY = (
    "judged with the labels and taints of today, not cordoned; what was set by hand is gone, unless the pool or the kubelet sets it"
)
KUBELET_LABELS_KEPT = "the kubelet's own labels (hostname, os, arch, zone, region, instance type) are taken for the same as today"
ALL_NODES_PARTLY_KNOWN = "no nodes are given: all of them are judged as one partly known node"

_ADOPTED = "an update replaces those of another template, unless their label pod-template-generation is its own number"
_APPEND = '--type=json with "add" to /spec/template/spec/tolerations/- keeps them'


# Headlines.


def format_taint_headline(added: Sequence[Taint], removed: Sequence[Taint], nodes: Sequence[str]) -> str:
    """`taint dedicated=rdma:NoSchedule on n1`."""
    gone = " ".join(str(taint) if taint.effect else taint.key for taint in removed)
    if not added:
        return f"remove taint {gone} from {join_names(nodes)}"
    return f"taint {' '.join(str(taint) for taint in added)}{f', without {gone},' if gone else ''} on {join_names(nodes)}"


def format_label_headline(added: Mapping[str, str], removed: Sequence[str], nodes: Sequence[str]) -> str:
    """`label tier=hot old- on n1`."""
    labels = [*(f"{key}={value}" for key, value in added.items()), *(f"{key}-" for key in removed)]
    return f"label {' '.join(labels)} on {join_names(nodes)}"


def format_verb_headline(verb: str, names: Sequence[str]) -> str:
    """`drain n1, n2`: a verb and what it acts on."""
    return f"{verb} {join_names(names)}"


def format_reboot_headline(nodes: Sequence[str], *, is_graceful: bool) -> str:
    """`graceful reboot of n1`."""
    return f"{'graceful reboot' if is_graceful else 'reboot'} of {join_names(nodes)}"


def format_image_headline(images: Mapping[str, str], daemonsets: Sequence[str]) -> str:
    """`set image agent=agent:2 of kube-system/agent`."""
    return f"set image {' '.join(f'{name}={image}' for name, image in images.items())} of {join_names(daemonsets)}"


def format_deletion_headline(daemonsets: Sequence[str], cascade: Cascade) -> str:
    """`delete kube-system/agent and their pods`."""
    how = {Cascade.ORPHAN: ", and leave their pods", Cascade.FOREGROUND: " after their pods"}.get(cascade, " and their pods")
    return f"delete {join_names(daemonsets)}{how}"


# Nodes.


def format_already_done(nodes: Sequence[str], verb: str) -> str:
    """The nodes that are as `cordon` or `uncordon` makes them."""
    return f"{join_names(nodes)}: already {verb}ed"


def format_missing_label(key: str, nodes: Sequence[str] = ()) -> str:
    """A label to remove that the nodes lack, in kubectl's words; all of them where no node is named."""
    return f'label "{key}" not found on {join_names(nodes)}.' if nodes else f'label "{key}" not found.'


def describe_unknown_evictions(why: str) -> str:
    """What is not known of a drain without pods; `why` they could not be listed, "" where they were not given."""
    cause = why or "no pods in the input: add the output of `kubectl get pods,pdb -A -o yaml`"
    return f"which pods are evicted, and what blocks the drain: {cause}"


def format_unclear_removal(key: str, node: str) -> str:
    """A taint that is removed by its key alone from a partly known node."""
    return f"nobody knows which taints {key}- removes from {node}: name the effect, as {key}:NoSchedule-"


def format_unknown_value(taint: Taint, node: str) -> str:
    """A taint that is removed by key and effect from a partly known node."""
    return f"nobody knows the value of the taint {taint} on {node}: judged as empty"


def format_unknown_taints(nodes: Sequence[str]) -> str:
    """What nobody knows of pods that end on nodes whose taints were not given."""
    return f"the taints of {join_names(nodes)}, which decide whether pods come back there: give {'it' if len(nodes) == 1 else 'them'}"


def format_partly_same(what: str) -> str:
    """A replacement for which only labels or only taints are given; `what` are the others."""
    return f"judged with the {what} of today"


def format_registration(nodes: Sequence[str]) -> str:
    """What a deletion of nodes is judged as."""
    return f"judged as if the {'node registers' if len(nodes) == 1 else 'nodes register'} again; {SAME_AS_TODAY}"


def format_missing_nodes(missing: Sequence[str], given: int) -> str:
    """Nodes of a command that are not among the `given` ones."""
    one = len(missing) == 1
    if given:
        partly = "a partly known node" if one else "partly known nodes"
        return f"{join_names(missing)} {'is' if one else 'are'} not among the {format_count(given, 'node')} given: judged as {partly}"
    return f"no nodes are given: {join_names(missing)} {'is judged as a partly known node' if one else 'are judged as partly known nodes'}"


NO_NODE_IN_CLUSTER = "the cluster has no nodes"


def describe_no_match(selector: object, labels: Collection[tuple[str, str]]) -> str:
    """A selector that selects no node of a cluster whose nodes are all known; `labels` are the keys and values that they have."""
    text = str(selector)
    key, _, value = text.partition("=")
    if near_value := find_nearest(value, [known_value for known_key, known_value in labels if known_key == key]):
        return f"no node matches -l {shlex.quote(text)}: did you mean {key}={near_value}?"
    if near_key := find_nearest(key, {known_key for known_key, known_value in labels if known_value == value}):
        return f"no node matches -l {shlex.quote(text)}: did you mean {near_key}={value}?"
    return f"no node matches -l {shlex.quote(text)}"


def format_no_match(selector: object, reachable: int, *, has_nodes: bool) -> str:
    """A selector that selects none of the given nodes."""
    note = f"none of the {format_count(reachable, 'node')} given matches {selector}" if has_nodes else "no nodes are given"
    return f"{note}: judged as a partly known node"


def format_uncertain_match(nodes: Sequence[str], selector: object) -> str:
    """Partly known nodes that a selector may select."""
    return f"nobody knows whether {join_names(nodes)} {'matches' if len(nodes) == 1 else 'match'} {selector}: judged as if"


# What controllers undo.


def format_taint_taken_away(taint: Taint) -> str:
    """A taint of the node lifecycle controller that a hand puts on a healthy node."""
    return f"the node lifecycle controller removes a hand-made {taint} from a healthy node within seconds"


def format_cordon_taint_back(taint: Taint, cordoned: Sequence[str]) -> str:
    """The taint of a cordon that a hand removes."""
    return f"the node lifecycle controller puts {taint} back while {join_names(cordoned)} stays cordoned: use uncordon"


def format_readiness_taint_back(key: str, unready: Sequence[str]) -> str:
    """The taint of a node that is not Ready and that a hand removes."""
    return f"the node lifecycle controller puts {key} back while {join_names(unready)} is not Ready"


def format_label_back_at_once(key: str) -> str:
    """A label that the kubelet keeps."""
    return f"the kubelet puts {key} back within minutes: pods deleted for it are then created again"


def format_label_back_at_restart(key: str) -> str:
    """A label that the kubelet sets when it starts."""
    return f"the kubelet puts {key} back when it restarts"


# Node pools.


def format_unchanged_pools(pools: Sequence[str]) -> str:
    """The pools of nodes that are changed by hand."""
    return f"new nodes of {join_names(pools)} come as declared there: kubectl changes no pool"


def format_pool(name: str, node_count: str) -> str:
    """`pool/gpu (3 nodes)`: a pool, with the number of nodes that it declares."""
    return f"{name} ({node_count} {'node' if node_count == '1' else 'nodes'})" if node_count else name


def format_pool_not_given(pool: str, nodes: Sequence[str]) -> str:
    """A pool that is not given, though nodes of it are."""
    return f"{pool} is not among the pools given, but {join_names(nodes)} is of it: judged without what it declared before"


def format_pool_in_place(pool: str, changed: Sequence[str]) -> str:
    """A pool whose change reaches the nodes that are there."""
    return f"{pool}: acts on {join_names(changed) if changed else 'its nodes that are there'}, and on new ones"


def format_pool_delayed(pool: str, nodes: Sequence[str], replacement_trigger: str, *, is_rest: bool) -> str:
    """A pool whose change, or what `is_rest` of it, reaches new nodes only."""
    rest = "the rest acts" if is_rest else "acts"
    known = f"nodes that are there{f' ({join_names(nodes)})' if nodes else ''}"
    return f"{pool}: {rest} on new nodes only; {known} stay as they are until they are replaced{replacement_trigger}"


def format_startup_taints(pool: str, taints: Sequence[Taint]) -> str:
    """Startup taints that come or go."""
    return f"{pool}: {join_names([str(taint) for taint in taints])} is a startup taint, gone once something has removed it: not judged"


# DaemonSets, pods and namespaces.


def describe_unlisted_daemonsets(namespace: str, why: str) -> str:
    """That the DaemonSets of a namespace could not be listed, so that one may exist there or not."""
    return f"the DaemonSets of namespace {namespace} could not be listed: {why}"


def describe_unlisted_pods(namespace: str, why: str) -> str:
    """That the pods of a namespace could not be listed."""
    return f"the pods of namespace {namespace} could not be listed: {why}"


def format_about(subject: object, note: str) -> str:
    """A note about one object."""
    return f"{subject}: {note}"


def format_group(note: str, names: Sequence[str]) -> str:
    """`unchanged: kube-system/agent`: what is said of several objects."""
    return f"{note}: {join_names(names)}"


def format_nothing_changes(names: Sequence[str]) -> str:
    """Objects that a patch leaves as they are."""
    return f"nothing changes: {join_names(names)}"


def format_not_updated(daemonsets: Sequence[str], reason: str) -> str:
    """DaemonSets whose template stays the same."""
    return f"{join_names(daemonsets)}: {reason}, so nothing is updated"


def format_recognized_before(daemonsets: Sequence[str]) -> str:
    """DaemonSets of a snapshot that get another program."""
    return f"{join_names(daemonsets)}: judged as what it was recognised as when the snapshot was made; the new image is another program"


def format_adopter(owner: object, daemonset: object) -> str:
    """Who adopts the pods that a deletion leaves, and what that means where both have one."""
    return f"{owner} adopts the pods of {daemonset}, which its selector matches: where a node has a pod of both, the older one stays"


def format_new_adopter(owner: object, left: object) -> str:
    """A new DaemonSet that adopts the pods that an earlier one has left."""
    return f"{owner} adopts the pods that {left} has left: {_ADOPTED}"


def format_empty_namespaces(namespaces: Sequence[str]) -> str:
    """Deleted namespaces without a DaemonSet."""
    return f"no DaemonSet is given in namespace {join_names(namespaces)}"


def format_owner_not_given(pod: str, daemonset: object) -> str:
    """A pod whose DaemonSet is not given."""
    return f"pod {pod}: its DaemonSet {daemonset} is not given"


def format_unscheduled_pod(pod: str) -> str:
    """A pod without a node."""
    return f"pod {pod} is on no node"


def format_other_pods(pods: Sequence[str]) -> str:
    """Pods that no DaemonSet controls."""
    return f"{format_count(len(pods), 'pod')} of no DaemonSet, not judged: {join_names(pods)}"


# Files.


def format_retained_fields(fields: Sequence[str]) -> str:
    """Fields that a manifest does not state and that stay."""
    return f"not stated by the manifest, so as in the cluster: {', '.join(fields)}"


def format_retained_taints(node: str) -> str:
    """A manifest of a Node without taints."""
    return f"{node}: its manifest states no taints, so they stay"


def format_deleted_pool(pool: str) -> str:
    """A pool that is deleted."""
    return f"{pool}: not judged: its nodes go with it"


def format_other_kinds(counts: Mapping[str, int]) -> str:
    """How many objects there are of each kind that decides no coverage."""
    shown = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f"not judged for coverage: {format_count(sum(counts.values()), 'object')} of other kinds ({shown})"


# Patches.


def format_unknown_field(name: str) -> str:
    """A field of a patch that the API does not have."""
    return f'unknown field "{name}": the API server warns and leaves it out'


def format_skipped_fields(pointers: Sequence[str]) -> str:
    """What a JSON patch changes and nobody reads."""
    return f"not judged: the patch of {join_names(pointers)}"


def format_unread_operation(operation: object, pointers: Sequence[str]) -> str:
    """An operation of a JSON patch that asks what a field holds that is not read."""
    return f"whether `{operation}` of {' and '.join(pointers)} succeeds: that field is not read"


def format_unknown_need(nodes: Sequence[str], pointer: str) -> str:
    """An operation of a JSON patch that needs something of nodes that were not given."""
    return f"whether {join_names(nodes)} has what {pointer} needs: judged as if"


def format_dropped_taints(nodes: Sequence[str], taints: Sequence[Taint]) -> str:
    """Taints that a replaced list drops."""
    return f"the patch replaces the whole list of taints of {join_names(nodes)}, and drops {join_names(list(map(str, taints)))}"


def format_dropped_tolerations(tolerations: Sequence[Toleration]) -> str:
    """Tolerations that a replaced list drops."""
    gone = join_names(list(map(_format_toleration, tolerations)))
    return f"the patch replaces the whole list of tolerations, and drops {gone}: {_APPEND}"


def _format_toleration(toleration: Toleration) -> str:
    """`dedicated=rdma:NoSchedule`, `dedicated` for every value and effect, `everything`."""
    if not toleration.key:
        return f"every key:{toleration.effect}" if toleration.effect else "everything"
    value = f"={toleration.value}" if toleration.operator != "Exists" else ""
    return f"{toleration.key}{value}{f':{toleration.effect}' if toleration.effect else ''}"


NO_PODS = "no pods are given: give the output of `kubectl get pods -A -o json` with --from"
TIMEOUT_BELOW_ZERO = "--timeout is below 0: kubectl gives up before it asks for one eviction; give one above 0, or 0 for ever"


def describe_missing_pods(namespace: str, elsewhere: str) -> str:
    """Pods that were not listed; `elsewhere` says where a pod of the name is."""
    return f"the pods of namespace {namespace} are not given: give the output of `kubectl get pods -A -o json` with --from{elsewhere}"


def suggest_namespace(namespaces: Sequence[str]) -> str:
    """Where an object of the name is, after the refusal; one namespace or more."""
    if len(namespaces) == 1:
        return f": did you mean -n {namespaces[0]}?"
    return f": it is in the namespaces {join_names(namespaces)}; choose one with -n"


def suggest_namespace_like(namespace: str, namespaces: Collection[str]) -> str:
    """The namespace that a person most likely meant, after what is wrong with the one that was given; "" where none is near."""
    nearest = "" if namespace in namespaces else find_nearest(namespace, namespaces)
    return f": did you mean -n {nearest}?" if nearest else ""


def describe_no_daemonset(selector: object, namespace: str, given: str, namespaces: Collection[str]) -> str:
    """No DaemonSet that a command could be about; `selector` is None where it names none, `namespaces` are those of DaemonSets."""
    if hint := suggest_namespace_like(namespace, namespaces):
        return f"no DaemonSet in namespace {namespace}{hint}"
    which = f" that matches {selector}" if selector is not None else ""
    return f"there is nothing to judge: no DaemonSet{which} in namespace {namespace} ({given})"


def describe_unstated_namespace(name: str, files: Sequence[str]) -> str:
    """Two DaemonSets of a name that state no namespace."""
    return f"daemonset {name} without a namespace is in {' and '.join(files)}: state its namespace"


def list_given_daemonsets(names: Sequence[str]) -> str:
    """The DaemonSets that are there."""
    return f"given are {join_names(names, 6)}" if names else "no DaemonSet is given"


def describe_no_daemonset_left(key: object) -> str:
    """A change after which an object is no DaemonSet."""
    return f"daemonset {key}: the change leaves no DaemonSet"


def describe_impossible_selector(selector: object) -> str:
    """A selector that contradicts itself."""
    return f"there is nothing to judge: no node can match {selector}"


def describe_no_objects(files: Sequence[str]) -> str:
    """Files without an object."""
    return f"there is nothing to judge: no objects in {join_names(files)}"


def describe_partial_template(error: object) -> str:
    """A patch whose answer rests on what a snapshot leaves out."""
    return f"{error}: a snapshot shows only a part of the template, so nobody knows whether the server does"


def describe_unknown_node(operation: object, path: str, node: str) -> str:
    """A patch whose answer rests on a node that is not given."""
    return f"whether `{operation}` of {path} succeeds depends on what {node} has: give the node with --from"
