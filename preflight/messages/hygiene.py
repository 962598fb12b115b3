"""What is wrong with tolerations, taints, selectors and update strategies, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from preflight.messages.lists import join_and, join_node_names
from preflight.messages.tolerations import format_tolerated, format_toleration, format_toleration_time
from preflight.model.core import Taint, Toleration
from preflight.model.typo import Typo

_TYPO_TEXTS = {
    Typo.CASE: "the case differs",
    Typo.SEPARATOR: "a separator differs",
    Typo.LETTER: "one letter differs",
}

ADOPTING_SELECTOR_LABEL = "the selector"
EFFECT_GAP_LABEL = "only this effect"
SYSTEM_CLASS_HELP = "set `priorityClassName: system-node-critical`"
QUOTA_HELP = "create a ResourceQuota in the namespace with the scope PriorityClass and this class, or use a PriorityClass of your own"


def describe_class_with_quota(namespace: str) -> str:
    """The help of PF214 where the cluster may refuse the class in the namespace."""
    refused = f"GKE may refuse its pods in namespace {namespace} without a ResourceQuota that has the scope PriorityClass and this class"
    return f"{SYSTEM_CLASS_HELP}, and create its quota first ({refused}), or use a PriorityClass of your own"


def describe_refused_class(namespace: str, name: str) -> str:
    """PF124."""
    return f"may get no new pods: GKE requires a ResourceQuota with the scope PriorityClass for {name}, and namespace {namespace} has none"


NO_EFFECT_LABEL = "no effect: matches NoExecute too"
NAME_EFFECT_HELP = "set the intended effect, such as `effect: NoSchedule`"
IGNORED_SECONDS_LABEL = "every DaemonSet tolerates this without a time limit"
NO_SELECTION_LABEL = "no nodeSelector and no node affinity"
LINUX_SELECTOR_HELP = "set `nodeSelector: {kubernetes.io/os: linux}`"
EMPTY_VALUE_LABEL = "matches only an empty value"
UNKNOWN_VALUE_LABEL = "no taint has this value"
UNKNOWN_KEY_LABEL = "no taint has this key"
EXISTS_HELP = "`operator: Exists` tolerates every value"
NO_SECONDS_LABEL = "no tolerationSeconds"
REMOVE_TOLERATION_HELP = "remove the toleration: the policy wants DaemonSets to leave"
REMOVE_SECONDS_HELP = "remove tolerationSeconds: the policy wants DaemonSets to stay"
RECREATED_LABEL = "the DaemonSet controller re-creates the pod at once"
FIRST_MATCH_LABEL = "the first matching toleration applies"
COUNTING_TOLERATION_LABEL = "this toleration applies"
ON_DELETE = "is updated only when its pods are deleted: its update strategy is OnDelete"
SURGE_LABEL = "the new pods stay Pending"
SURGE_HELP = "set maxSurge to 0 and maxUnavailable to 1 for a DaemonSet that uses ports of the node"
SHARED_PORT_HELP = "use another port for one of the two, or separate them with node affinity"
OTHER_PORT_LABEL = "the other DaemonSet"
ANY_VALUE_LABEL = "Exists ignores the value"
RUNTIME_CLASS_LABEL = "the RuntimeClass"


def describe_typo(typo: Typo) -> str:
    """How a word differs from the one that was intended, to end a sentence."""
    return _TYPO_TEXTS[typo]


def format_labels(labels: Mapping[str, str]) -> str:
    """`pool=rdma, zone=a`."""
    return ", ".join(f"{key}={value}" for key, value in labels.items())


def describe_adopted_pod(daemonset: object) -> str:
    """A bare pod that a DaemonSet adopts."""
    return f"is adopted by DaemonSet {daemonset}, whose selector matches its labels"


def describe_adopted_pods(daemonset: object) -> str:
    """A DaemonSet whose pods the selector of another one matches."""
    return f"has pods that the selector of DaemonSet {daemonset} matches"


def describe_effect_gap(toleration: Toleration, missed: Iterable[Taint]) -> str:
    """A toleration of NoSchedule alone."""
    return f"tolerates {format_tolerated(toleration)}, but not {join_and(missed)}: its pods do not stay on a node with that taint"


def describe_evictable_component(kind: str, priority_class: str) -> str:
    """A critical component without a priority class of the system; `priority_class` is its own, "" for none."""
    cause = f"with priority class {priority_class}, which is not a system class" if priority_class else "without a priorityClassName"
    return f"may be evicted under node pressure: {kind} {cause}"


def describe_ignored_seconds(toleration: Toleration) -> str:
    """A toleration that the DaemonSet controller replaces."""
    return f"tolerates {format_tolerated(toleration)} without a time limit: tolerationSeconds {toleration.tolerationSeconds} has no effect"


def describe_refused_field(reason: str) -> str:
    """A field that the API server refuses, with its words."""
    return f"is refused by the API server: {reason}"


def describe_refused_taint(reason: str) -> str:
    """A taint of a node that the API server refuses."""
    return f"has a taint that the API server refuses: {reason}"


def describe_refused_pool_taint(reason: str) -> str:
    """A taint of a node pool that its provider refuses."""
    return f"declares a taint that is refused: {reason}"


def describe_doubtful_pool_taint(reason: str) -> str:
    """A taint of a node pool that is accepted and looks like a mistake."""
    return f"declares a taint that looks like a toleration: {reason}"


def describe_refused_toleration(reasons: Iterable[str]) -> str:
    """A toleration that the API server refuses, with all its reasons."""
    return f"has a toleration that the API server refuses: {'; '.join(reasons)}"


def describe_landing(nodes: Sequence[str]) -> str:
    """A DaemonSet that runs on every node; `nodes` are known Windows and virtual ones."""
    cause = "it has a wildcard toleration and no nodeSelector or node affinity"
    if nodes:
        return f"gets a pod on {join_node_names(nodes)} (Windows or virtual): {cause}"
    return f"gets pods on Windows and virtual nodes too: {cause}"


def describe_legacy_toleration(key: str, *, is_master: bool, missed: Iterable[object]) -> str:
    """A toleration of a taint that Kubernetes no longer sets; `missed` are taints that it does not tolerate, or their key."""
    clusters = "clusters before Kubernetes 1.25" if is_master else "old clusters"
    not_tolerated = join_and(missed)
    return f"tolerates {key}, a taint of {clusters}" + (f", but not {not_tolerated}" if not_tolerated else "")


def describe_legacy_label(key: str, new_key: str, *, is_master: bool, is_excluded: bool) -> str:
    """A selector of a label that nodes no longer have; `is_excluded` where it excludes nodes."""
    verb = "excludes nodes by" if is_excluded else "selects on"
    return f"{verb} {key}, {'a label of clusters before Kubernetes 1.24' if is_master else f'the old name of {new_key}'}"


def label_new_key(new_key: str) -> str:
    """The label under an old key."""
    return f"replaced by {new_key}"


def describe_refused_by_namespace(labels: Mapping[str, str]) -> str:
    """A DaemonSet whose node selector contradicts that of its namespace."""
    return f"has all its pods refused: the default node selector of its namespace ({format_labels(labels)}) conflicts with its own"


def describe_excluded_by_namespace(nodes: Iterable[str], labels: Mapping[str, str], *, is_pending: bool) -> str:
    """Nodes that the node selector of a namespace leaves out; `is_pending` where pods are created for them all the same."""
    effect = "its pods stay Pending there" if is_pending else "it gets no pod there"
    return f"should run on {join_node_names(nodes)}, but {effect}: the default node selector of its namespace is {format_labels(labels)}"


def describe_required_by_namespace(labels: Mapping[str, str]) -> str:
    """The node selector of a namespace, where no node is known."""
    return f"runs only on nodes with {format_labels(labels)}, the default node selector of its namespace"


def label_namespace_annotation(annotation: str) -> str:
    """What the place of an annotation is called."""
    return f"{annotation} of the namespace"


def describe_empty_value(key: str, missed: Iterable[Taint], *, has_operator: bool) -> str:
    """A toleration with an empty value that misses known taints."""
    cause = "" if has_operator else ": the toleration has no operator and no value"
    return f"tolerates {key} only with an empty value, not {join_and(missed)}{cause}"


def describe_empty_twins(key: str, new: str) -> str:
    """The note of PF209 on two tolerations of one taint that have neither operator nor value."""
    return f"the tolerations of {key} and {new} match only an empty value: they have no operator and no value"


def describe_unknown_empty_value(key: str) -> str:
    """A toleration without operator and value, of a key that no known taint has."""
    return f"tolerates {key} only with an empty value: the toleration has no operator and no value"


def describe_mistyped_value(toleration: Toleration, taint: Taint, typo: Typo) -> str:
    """A toleration whose value is nearly that of a taint."""
    return f"tolerates {format_tolerated(toleration)}, but the taint is {taint}: {describe_typo(typo)}"


def describe_mistyped_key(toleration: Toleration, taints: Sequence[Taint], key: str, typo: Typo) -> str:
    """A toleration whose key is nearly that of a taint; `taints` are those of the key that was intended."""
    known = f"the taint is {join_and(taints)}" if taints else f"a taint has the key {key}"
    return f"tolerates {format_tolerated(toleration)}, but {known}: {describe_typo(typo)}"


def describe_endless_toleration(toleration: Toleration, *, is_of_dead_node: bool) -> str:
    """A toleration of NoExecute without seconds; `is_of_dead_node` where the taint says that the node does not respond."""
    effect = "its pods are never evicted from a failed node" if is_of_dead_node else "its pods stay on a node that is being emptied"
    return f"tolerates {format_tolerated(toleration)} without a time limit: {effect}"


def describe_any_effect(toleration: Toleration, emptying: Sequence[Taint]) -> str:
    """PF203: a toleration that names no effect; `emptying` are the known NoExecute taints that it tolerates."""
    which = join_and(emptying) if emptying else "NoExecute"
    return (
        f"tolerates {format_tolerated(toleration)}, including {which}, without a time limit: its pods stay on a node that is being emptied"
    )


def describe_missing_tolerations(missing: Iterable[Toleration], requirement: str) -> str:
    """Tolerations that a policy requires and a workload lacks."""
    return f"does not tolerate {join_and(map(format_toleration, missing))}, which the policy requires ({requirement})"


def describe_wider_toleration(wanted: Toleration, requirement: str) -> str:
    """A toleration that a policy requires exactly, and that is covered by a wider one."""
    return f"tolerates {format_toleration(wanted)} only through a wider toleration, but the policy requires the exact one ({requirement})"


def label_wider_toleration(toleration: Toleration) -> str:
    """The label under the wider one."""
    return f"this tolerates {format_toleration(toleration)}"


def note_requirement(reason: str) -> str:
    """Why a policy requires a toleration."""
    return f"required: {reason}"


def note_declared_taint(taint: Taint, meaning: str) -> str:
    """What a taint of the team's convention is for."""
    return f"{taint}: {meaning}"


def describe_unknown_runtime_class(name: str, *, is_refused: bool) -> str:
    """A RuntimeClass that was not given; `is_refused` where others were, so that every pod is refused."""
    cause = f"RuntimeClass {name} is not in the input{': if it does not exist, every pod is refused' if is_refused else ''}"
    return f"is placed without the nodeSelector and tolerations that its RuntimeClass may add to its pods ({cause})"


def describe_refused_by_runtime_class(labels: Mapping[str, str], name: str) -> str:
    """A DaemonSet whose node selector contradicts that of its RuntimeClass."""
    return f"has all its pods refused: nodeSelector {format_labels(labels)} of RuntimeClass {name} conflicts with its own"


def describe_excluded_by_runtime_class(nodes: Iterable[str], labels: Mapping[str, str], name: str) -> str:
    """Nodes that the node selector of a RuntimeClass leaves out."""
    where = f"should run on {join_node_names(nodes)}, but its pods stay Pending there"
    return f"{where}: RuntimeClass {name} adds nodeSelector {format_labels(labels)}"


def describe_required_by_runtime_class(labels: Mapping[str, str], name: str) -> str:
    """The node selector of a RuntimeClass, where no node is known."""
    return f"runs only on nodes with {format_labels(labels)}, which RuntimeClass {name} adds to its pods"


def describe_added_tolerations(taints: Sequence[Taint], tolerations: Iterable[Toleration], name: str) -> str:
    """Tolerations that a RuntimeClass adds; `taints` are those that only they tolerate, where some are known."""
    tolerated = join_and(taints) if taints else join_and(map(format_tolerated, tolerations))
    cause = "the DaemonSet controller uses the template only"
    return f"is placed without the toleration of {tolerated} that RuntimeClass {name} adds to its pods: {cause}"


def describe_seconds_loop(toleration: Toleration, *, is_cleared: bool) -> str:
    """A toleration of a DaemonSet with seconds; `is_cleared` where the cluster removes the taint once the node is healthy again."""
    seconds = toleration.tolerationSeconds or 0
    if is_cleared:
        effect = "its pod is deleted after that time and comes back when the node is Ready"
    elif seconds <= 0:
        effect = "its pod is deleted and re-created without a pause on a node with this taint"
    else:
        effect = f"its pod is deleted and re-created every {seconds} s on a node with this taint"
    return f"tolerates {format_tolerated(toleration)} for {seconds} s: {effect}"


def describe_shadowed_toleration(
    toleration: Toleration, seconds: int | None, earlier_toleration: Toleration, earlier_seconds: int | None
) -> str:
    """A toleration whose seconds never apply."""
    return (
        f"has a toleration of {format_tolerated(toleration)} {format_toleration_time(seconds)} that has no effect: "
        f"an earlier toleration of {format_tolerated(earlier_toleration)} {format_toleration_time(earlier_seconds)} applies"
    )


def describe_outlier(missing: Iterable[object], family_size: int, family: str) -> str:
    """The one DaemonSet of a family that lacks a toleration; `missing` are taints, or what the others tolerate."""
    return f"does not tolerate {join_and(missing)}, but the other {family_size - 1} DaemonSets with {family} do"


def list_tolerated(tolerations: Sequence[Toleration]) -> list[str]:
    """What tolerations tolerate: `every NoSchedule taint`, `dedicated:NoExecute`."""
    wild = [toleration.effect for toleration in tolerations if not toleration.key and toleration.operator == "Exists"]
    every = ["every taint"] if len(wild) > 1 else [f"every {effect} taint" for effect in wild]
    return every + [format_tolerated(toleration) for toleration in tolerations if toleration.key or toleration.operator != "Exists"]


def describe_stalling_surge(max_surge: object, ports: Sequence[int]) -> str:
    """A surge update of pods that use the same ports of the node."""
    port = f"port{'s' * (len(ports) > 1)} {join_and(ports)} of the node"
    return f"cannot be updated: maxSurge {max_surge} starts each new pod next to the old one, which holds {port}"


def describe_shared_port(other: str, nodes: Sequence[str], ports: Sequence[tuple[int, str]]) -> str:
    """Two DaemonSets with one port of the node; `nodes` are those where both should run, () where none are known."""
    numbers = join_and(f"{number} ({protocol})" for number, protocol in ports)
    where = join_node_names(nodes) if nodes else "any node"
    return f"cannot run next to {other} on {where}: both use port{'s' * (len(ports) > 1)} {numbers} of the node"


def describe_any_value(key: str, taints: Iterable[Taint]) -> str:
    """A toleration with Exists of taints with a value."""
    return f"tolerates {key} with any value, including {join_and(taints)}"


def describe_wildcard(toleration: Toleration, *, is_unlimited: bool, is_drained_in_vain: bool) -> str:
    """A toleration of every key; `is_drained_in_vain` where new pods pass the taint of a cordon."""
    if not toleration.effect:
        tolerated = "every taint" + (", including NoExecute without a time limit" if is_unlimited else "")
    elif toleration.effect == "NoExecute":
        seconds = toleration.tolerationSeconds
        tolerated = "every NoExecute taint" + (" without a time limit" if is_unlimited else "" if seconds is None else f" for {seconds} s")
    else:
        tolerated = f"every {toleration.effect} taint"
    return f"tolerates {tolerated}" + (": its pods can return to a drained node" if is_drained_in_vain else "")


def label_wildcard(*, is_drained_in_vain: bool) -> str:
    """The label under a toleration of every key."""
    return "no key: matches every taint" + (", including that of a cordon" if is_drained_in_vain else "")


OUT_OF_SERVICE_READY = "is Ready: the taint node.kubernetes.io/out-of-service is only for a node that is shut down"
DETACHED_VOLUMES = (
    "volumes of pods that end there are detached even if they are still mounted: a pod on another node may then write to the same volume"
)


def describe_drain_instead(node: str) -> str:
    """PF220: how to empty a node that runs."""
    return f"drain it: kubectl drain {node} --ignore-daemonsets; or shut it down first"
