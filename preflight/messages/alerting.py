"""The texts of alerts, and what is not in their rules."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.counts import format_count

NO_METRICS = "kube-state-metrics says nothing of pods, DaemonSets or nodes"
NO_METRICS_EFFECT = "none of the other preflight alerts can fire: see that kube-state-metrics runs and is scraped"
LOST_POD = "{{ $labels.namespace }}/{{ $labels.created_by_name }} had a pod on {{ $labels.node }} and has none"


def describe_lost_pod(lookback: str) -> str:
    """What a pod that is gone from a node comes of."""
    return (
        f"it had one {lookback} ago, the DaemonSet and the node are still there, and no new one was created: "
        "a taint, a label or its template has changed"
    )


MISSCHEDULED = "{{ $labels.namespace }}/{{ $labels.daemonset }} has pods on {{ $value }} nodes where it would get no new one"
MISSCHEDULED_EFFECT = "they run today, and are lost for good at the next update, deletion or replacement"
STALLED_UPDATE = "the update of {{ $labels.namespace }}/{{ $labels.daemonset }} makes no progress"


def describe_stalled_update(delay: str) -> str:
    """What an update without progress comes of."""
    return f"it has updated no further node for {delay}: a new pod does not become available, or cannot be created"


PENDING_POD = "{{ $labels.namespace }}/{{ $labels.pod }} of DaemonSet {{ $labels.created_by_name }} is Pending"
PENDING_POD_ADVICE = "kubectl describe pod says what it waits for: room on its node, an image, a volume"
NO_SYMPTOM = "what it does for the node is not done there"


def summarize_uncovered_node(daemonset: object) -> str:
    """A node without a Ready pod of a DaemonSet."""
    return f"{daemonset} has no Ready pod on {{{{ $labels.node }}}}"


def summarize_untolerated_taint(daemonset: object, taint: str) -> str:
    """A taint that a DaemonSet does not tolerate."""
    return f"{daemonset} does not tolerate {taint} of {{{{ $labels.node }}}}"


def describe_untolerated_taint(then: str) -> str:
    """What such a taint costs."""
    return f"its pod there does not come back once it ends, at the latest with the next update; {then}; {REGENERATE_HINT}"


REGENERATE_HINT = "write the rules anew if that is wanted"


def describe_source(daemonsets: int, nodes: int, resources: int) -> str:
    """What rules are made of."""
    return f"{format_count(daemonsets, 'DaemonSet')} on {format_count(nodes, 'node')}, {format_count(resources, 'extended resource')}"


def describe_unknown_pairs(count: int) -> str:
    """Pairs of which it is not known whether a pod must be there."""
    return f"{format_count(count, 'pair')} of a DaemonSet and a node: whether it must be there is not known"


def describe_no_namespace(daemonset: object) -> str:
    """A DaemonSet without a namespace."""
    return f"DaemonSet {daemonset}: its manifest states no namespace"


def describe_invalid_name(daemonset: object) -> str:
    """A DaemonSet with an invalid name."""
    return f"DaemonSet {daemonset}: the API server takes no such name"


def describe_partial_nodes(count: int) -> str:
    """Nodes that are not wholly known."""
    return f"{format_count(count, 'node')} only partly known, as the next ones of a pool"


def describe_invalid_nodes(count: int) -> str:
    """Nodes with an invalid name."""
    return f"{format_count(count, 'node')} with a name that the API server does not take"


NO_NODE = "no node is known: there are only the rules that need none"


def describe_providers(providers: Sequence[str]) -> str:
    """Who provides a resource."""
    return f"; {' and '.join(providers)} provides it"


def summarize_lost_resource(resource: str) -> str:
    """A resource that a node has lost."""
    return f"{resource} is gone from {{{{ $labels.node }}}}"


def describe_lost_resource(provider: str) -> str:
    """What that means; `provider` is who provides it, behind a semicolon, or ""."""
    return f"the node can allocate none: pods that ask for it stay Pending, running ones keep their devices{provider}"


def describe_nothing_to_watch(why: str) -> str:
    """That there is no DaemonSet; `why` is added as it is."""
    return f"no DaemonSet was given: there is nothing to watch (--allow-empty writes the rules that need none){why}"


def describe_origin(description: str) -> str:
    """What a rule file was made of."""
    return f"Made by `preflight alerts` of {description}. Make it anew when nodes, selectors or tolerations change."


def describe_missing_part(note: str) -> str:
    """What a rule file does not contain."""
    return f"Not in it: {note}."
