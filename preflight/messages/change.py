"""Changes in words: headlines, notes and what is unknown."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence

from preflight.messages.counts import format_count
from preflight.messages.lists import join_and, join_names
from preflight.messages.suggestions import find_nearest
from preflight.model.cascade import Cascade
from preflight.model.core import Taint, Toleration

NEW = "new"
UNCHANGED = "unchanged"
UNTOUCHED_TEMPLATE = "changed, but not its template: no pod is replaced"
ASSUMED_UPDATE = "assumed to be updated: a snapshot holds only part of a template, and that part is unchanged"
TAINTS_UNCHANGED = "nothing changes: the taints are already set like this"
LABELS_UNCHANGED = "nothing changes: the labels are already set like this"
IMAGES_UNCHANGED = "the images are already set"
DELETES_NOTHING = "delete nothing"
DELETES_NO_POD = "delete no pod"
NO_SUCH_DAEMONSET = "nothing changes: no such DaemonSet exists"
NO_SUCH_POD = "nothing changes: no such pod exists"
REFUSED_FOR_DAEMONSETS = "without --ignore-daemonsets kubectl refuses a node that has DaemonSet pods, and leaves it cordoned"
SAME_AS_TODAY = (
    "the current labels and taints are assumed, without a cordon; those set by hand are lost unless the pool or the kubelet sets them"
)
KUBELET_LABELS_KEPT = "the kubelet's own labels (hostname, os, arch, zone, region, instance type) are assumed to stay the same"
ALL_NODES_PARTLY_KNOWN = "no nodes in the input: all nodes are treated as one partly known node"

_ADOPTED = "an update replaces pods of another template, unless their label pod-template-generation equals its own"
_GIVE_NODES = "add the output of `kubectl get nodes -o json` with --from"
_APPEND = '--type=json with "add" to /spec/template/spec/tolerations/- keeps them'


# Headlines.


def format_taint_headline(added: Sequence[Taint], removed: Sequence[Taint], nodes: Sequence[str]) -> str:
    """`taint dedicated=rdma:NoSchedule on n1`."""
    gone = " ".join(str(taint) if taint.effect else taint.key for taint in removed)
    if not added:
        return f"remove taint {gone} from {join_names(nodes)}"
    return f"taint {' '.join(str(taint) for taint in added)}{f' and remove {gone}' if gone else ''} on {join_names(nodes)}"


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
    """A label to remove that the nodes lack, in kubectl's words; all of them where no node is given."""
    return f'label "{key}" not found on {join_names(nodes)}.' if nodes else f'label "{key}" not found.'


def describe_unknown_evictions(why: str) -> str:
    """What is not known of a drain without pods; `why` they could not be listed, "" where they were not given."""
    cause = why or "no pods in the input: add the output of `kubectl get pods,pdb -A -o yaml`"
    return f"which pods are evicted, and what blocks the drain: {cause}"


def format_unclear_removal(key: str, node: str) -> str:
    """A taint that is removed by its key alone from a partly known node."""
    return f"which taints {key}- removes from {node}: name the effect, as in {key}:NoSchedule-"


def format_unknown_value(taint: Taint, node: str) -> str:
    """A taint that is removed by key and effect from a partly known node."""
    return f"the value of the taint {taint} on {node} (treated as empty)"


def format_unknown_taints(nodes: Sequence[str]) -> str:
    """That the fate of pods that end is unknown on nodes whose taints are not in the input."""
    return f"the taints of {join_names(nodes)}, which decide whether pods come back there: {_GIVE_NODES}"


def format_partly_same(what: str) -> str:
    """A replacement for which only labels or only taints are given; `what` are the others."""
    return f"the current {what} are assumed"


def format_registration(nodes: Sequence[str]) -> str:
    """What a deletion of nodes is treated as."""
    return f"assumed: the {'node registers' if len(nodes) == 1 else 'nodes register'} again; {SAME_AS_TODAY}"


def format_missing_nodes(missing: Sequence[str], given: int) -> str:
    """Nodes of a command that are not among the `given` ones."""
    one = len(missing) == 1
    if given:
        partly = "a partly known node" if one else "partly known nodes"
        return (
            f"{join_names(missing)} {'is' if one else 'are'} not among the {format_count(given, 'node')} in the input: treated as {partly}"
        )
    treated = "is treated as a partly known node" if one else "are treated as partly known nodes"
    return f"no nodes in the input: {join_names(missing)} {treated}"


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
    note = f"none of the {format_count(reachable, 'node')} in the input matches {selector}" if has_nodes else "no nodes in the input"
    return f"{note}: treated as a partly known node"


def format_uncertain_match(nodes: Sequence[str], selector: object) -> str:
    """Partly known nodes that a selector may select."""
    return f"unknown: whether {join_names(nodes)} {'matches' if len(nodes) == 1 else 'match'} {selector} (assumed to match)"


# What controllers undo.


def _be(items: Sequence[object]) -> str:
    return "is" if len(items) == 1 else "are"


def format_taint_taken_away(taint: Taint) -> str:
    """A taint of the node lifecycle controller that is set by hand on a healthy node."""
    return f"the node lifecycle controller removes {taint} from a healthy node within seconds if it is set by hand"


def format_cordon_taint_back(taint: Taint, cordoned: Sequence[str]) -> str:
    """The taint of a cordon that is removed by hand."""
    return f"the node lifecycle controller adds {taint} again while {join_names(cordoned)} {_be(cordoned)} cordoned: use uncordon"


def format_readiness_taint_back(key: str, unready: Sequence[str]) -> str:
    """The taint of a node that is not Ready and that is removed by hand."""
    return f"the node lifecycle controller adds {key} again while {join_names(unready)} {_be(unready)} not Ready"


def format_label_back_at_once(key: str) -> str:
    """A label that the kubelet keeps."""
    return f"the kubelet sets {key} again within minutes: pods deleted because of it are then re-created"


def format_label_back_at_restart(key: str) -> str:
    """A label that the kubelet sets when it starts."""
    return f"the kubelet sets {key} again when it restarts"


# Node pools.


def format_unchanged_pools(pools: Sequence[str]) -> str:
    """The pools of nodes that are changed by hand."""
    return f"new nodes of {join_names(pools)} get the labels and taints that the pool declares: kubectl does not change pools"


def format_pool(name: str, node_count: str) -> str:
    """`pool/gpu (3 nodes)`: a pool, with the number of nodes that it declares."""
    return f"{name} ({node_count} {'node' if node_count == '1' else 'nodes'})" if node_count else name


def format_pool_not_given(pool: str, nodes: Sequence[str]) -> str:
    """A pool that is not in the input although its nodes are."""
    belong = "belongs" if len(nodes) == 1 else "belong"
    return f"{pool} is not in the input, but {join_names(nodes)} {belong} to it: checked without its earlier declaration"


def format_pool_in_place(pool: str, changed: Sequence[str]) -> str:
    """A pool whose change reaches existing nodes."""
    return f"{pool}: changes {join_names(changed) if changed else 'its existing nodes'} and new nodes"


def format_pool_delayed(pool: str, nodes: Sequence[str], replacement_trigger: str, *, is_rest: bool) -> str:
    """A pool whose change, or what `is_rest` of it, reaches new nodes only."""
    rest = "the rest changes" if is_rest else "changes"
    known = f"existing nodes{f' ({join_names(nodes)})' if nodes else ''}"
    return f"{pool}: {rest} new nodes only; {known} stay as they are until they are replaced{replacement_trigger}"


def format_startup_taints(pool: str, taints: Sequence[Taint]) -> str:
    """Startup taints that are added or removed."""
    kind = "is a startup taint" if len(taints) == 1 else "are startup taints"
    return f"{pool}: {join_names([str(taint) for taint in taints])} {kind}, removed during node startup: not checked"


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
    """`unchanged: kube-system/agent`: a note about several objects."""
    return f"{note}: {join_names(names)}"


def format_nothing_changes(names: Sequence[str]) -> str:
    """Objects that a patch leaves as they are."""
    return f"nothing changes: {join_names(names)}"


def format_not_updated(daemonsets: Sequence[str], reason: str) -> str:
    """DaemonSets whose template stays the same."""
    return f"{join_names(daemonsets)}: {reason}, so nothing is updated"


def format_recognized_before(daemonsets: Sequence[str]) -> str:
    """DaemonSets of a snapshot that get another program."""
    component = "the component that was recognized when the snapshot was made"
    return f"{join_names(daemonsets)}: treated as {component}, although the image is now another program"


def format_adopter(owner: object, daemonset: object) -> str:
    """Who adopts the pods that a deletion leaves, and what that means where both have one."""
    return f"{owner} adopts the pods of {daemonset}, which its selector matches: on a node with a pod of both, the older pod stays"


def format_new_adopter(owner: object, left: object) -> str:
    """A new DaemonSet that adopts the pods that an earlier one has left."""
    return f"{owner} adopts the pods left by {left}: {_ADOPTED}"


def format_empty_namespaces(namespaces: Sequence[str]) -> str:
    """Deleted namespaces without a DaemonSet."""
    return f"no DaemonSet of namespace {join_names(namespaces)} in the input"


def format_owner_not_given(pod: str, daemonset: object) -> str:
    """A pod whose DaemonSet is not in the input."""
    return f"pod {pod}: its DaemonSet {daemonset} is not in the input"


def format_unscheduled_pod(pod: str) -> str:
    """A pod without a node."""
    return f"pod {pod} is not bound to a node"


def format_other_pods(pods: Sequence[str]) -> str:
    """Pods that no DaemonSet controls."""
    return f"{format_count(len(pods), 'pod')} not checked (not controlled by a DaemonSet): {join_names(pods)}"


# Files.


def format_retained_fields(fields: Sequence[str]) -> str:
    """Fields that a manifest does not state and that stay."""
    return f"not in the manifest, so unchanged in the cluster: {', '.join(fields)}"


def format_retained_taints(node: str) -> str:
    """A manifest of a Node without taints."""
    return f"{node}: its manifest has no taints, so the current taints stay"


def format_deleted_pool(pool: str) -> str:
    """A pool that is deleted."""
    return f"{pool}: not checked: its nodes are deleted with it"


def format_other_kinds(counts: Mapping[str, int]) -> str:
    """How many objects there are of each kind that decides no coverage."""
    shown = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
    return f"not checked for coverage: {format_count(sum(counts.values()), 'object')} of other kinds ({shown})"


# Patches.


def format_unknown_field(name: str) -> str:
    """A field of a patch that the API does not have."""
    return f'unknown field "{name}": the API server warns and ignores it'


def format_skipped_fields(pointers: Sequence[str]) -> str:
    """What a JSON patch changes and preflight does not read."""
    return f"not checked: the patch of {join_names(pointers)}"


def format_unread_operation(operation: object, pointers: Sequence[str]) -> str:
    """An operation of a JSON patch that asks what a field holds that is not read."""
    fields = "that field" if len(pointers) == 1 else "these fields"
    return f"whether `{operation}` of {' and '.join(pointers)} succeeds: preflight does not read {fields}"


def format_unknown_need(nodes: Sequence[str], pointer: str) -> str:
    """An operation of a JSON patch that needs something of nodes that are not in the input."""
    return f"whether {join_names(nodes)} has what {pointer} needs (assumed)"


def format_dropped_taints(nodes: Sequence[str], taints: Sequence[Taint]) -> str:
    """Taints that a replaced list drops."""
    return f"the patch replaces the whole list of taints of {join_names(nodes)} and removes {join_names(list(map(str, taints)))}"


def format_dropped_tolerations(tolerations: Sequence[Toleration]) -> str:
    """Tolerations that a replaced list drops."""
    removed = join_names(list(map(_format_toleration, tolerations)))
    return f"the patch replaces the whole list of tolerations and removes {removed}: {_APPEND}"


def _format_toleration(toleration: Toleration) -> str:
    """`dedicated=rdma:NoSchedule`, `dedicated` for every value and effect, `everything`."""
    if not toleration.key:
        return f"every key:{toleration.effect}" if toleration.effect else "everything"
    value = f"={toleration.value}" if toleration.operator != "Exists" else ""
    return f"{toleration.key}{value}{f':{toleration.effect}' if toleration.effect else ''}"


NO_PODS = "no pods in the input: add the output of `kubectl get pods -A -o json` with --from"
TIMEOUT_BELOW_ZERO = "--timeout is below 0: kubectl gives up before it asks for one eviction; give one above 0, or 0 for no limit"


def describe_missing_pods(namespace: str, elsewhere: str) -> str:
    """Pods that were not listed; `elsewhere` says where a pod of the name is."""
    return f"the pods of namespace {namespace} are not in the input: add the output of `kubectl get pods -A -o json` with --from{elsewhere}"


def suggest_namespace(namespaces: Sequence[str]) -> str:
    """Where an object of the name is, after the refusal; one namespace or more."""
    if len(namespaces) == 1:
        return f": did you mean -n {namespaces[0]}?"
    return f": it exists in the namespaces {join_names(namespaces)}; choose one with -n"


def suggest_namespace_like(namespace: str, namespaces: Collection[str]) -> str:
    """The namespace that a person most likely intended, after what is wrong with the one that was given; "" where none is near."""
    nearest = "" if namespace in namespaces else find_nearest(namespace, namespaces)
    return f": did you mean -n {nearest}?" if nearest else ""


def describe_no_daemonset(selector: object, namespace: str, given: str, namespaces: Collection[str]) -> str:
    """No DaemonSet that a command could be about; `selector` is None where it names none, `namespaces` are those of DaemonSets."""
    if hint := suggest_namespace_like(namespace, namespaces):
        return f"no DaemonSet in namespace {namespace}{hint}"
    which = f" that matches {selector}" if selector is not None else ""
    return f"nothing to check: no DaemonSet{which} in namespace {namespace} ({given})"


def describe_unstated_namespace(name: str, files: Sequence[str]) -> str:
    """Two DaemonSets of a name that state no namespace."""
    return f"daemonset {name} without a namespace is in {' and '.join(files)}: state its namespace"


def list_given_daemonsets(names: Sequence[str]) -> str:
    """The DaemonSets of the input."""
    return f"the input has {join_names(names, 6)}" if names else "the input has no DaemonSet"


def describe_no_daemonset_left(key: object) -> str:
    """A change after which an object is no DaemonSet."""
    return f"daemonset {key}: after the change it is not a DaemonSet"


def describe_impossible_selector(selector: object) -> str:
    """A selector that contradicts itself."""
    return f"nothing to check: no node can match {selector}"


def describe_no_objects(files: Sequence[str]) -> str:
    """Files without an object."""
    return f"nothing to check: no Kubernetes objects in {join_names(files)}"


def describe_partial_template(error: object) -> str:
    """A patch whose result depends on what a snapshot leaves out."""
    return f"{error}: a snapshot holds only part of the template, so the API server may answer otherwise"


def describe_unknown_node(operation: object, path: str, node: str) -> str:
    """A patch whose result depends on a node that is not in the input."""
    return f"unknown: whether `{operation}` of {path} succeeds, which depends on {node}: add the node with --from"


def describe_unlisted_resources(resource: str, why: str) -> str:
    """That the custom resources of an operator could not be listed."""
    return f"{resource} are not known: {why}; or give the manifest with --from"


TYPE_OF_CUSTOM_PATCH = " (give --type merge or --type json)"


def describe_reverted_patch(owner: str, fields: Sequence[str]) -> str:
    """That an operator reverts a patch of a DaemonSet; `fields` are those of its resource for what is patched, () if they are not known."""
    where = f"set {join_and(fields)} of {owner}" if fields else f"change {owner}"
    return f"the operator of {owner} reverts this patch: {where} instead"


def describe_reverted_image(owner: str) -> str:
    """That an operator reverts another image of a DaemonSet."""
    return f"the operator of {owner} reverts this: change the image in {owner} instead"


def describe_recreated_daemonset(owner: str) -> str:
    """That an operator makes a deleted DaemonSet again."""
    return f"the operator of {owner} creates it again: change {owner} instead"


def describe_unknown_containers(key: object, owner: str) -> str:
    """A DaemonSet whose containers are not known, because only a custom resource declares it."""
    return f"the containers of {key} are not known, and its operator reverts another image: change the image in {owner}"
