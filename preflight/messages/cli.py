"""What the command line says itself: wrong options, what was written, what was saved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from preflight.messages.counts import format_count
from preflight.messages.lists import format_names
from preflight.messages.suggestions import suggest
from preflight.model.report import Severity


def _list_known(known: Iterable[str]) -> str:
    return f": must be one of {', '.join(known)}"


def describe_unknown_alert_format(name: str, known: Collection[str]) -> str:
    """A format of alerts that is unknown."""
    return f'invalid value "{name}" for --format{suggest(name, known) or _list_known(known)}'


PROMETHEUSRULE_OPTIONS = "--label and -n need --format prometheusrule"


def describe_written_rules(path: str, count: int, source: str) -> str:
    """That rules were written, and what they are made of."""
    return f"wrote {path}: {count} rules, from {source}"


def describe_missing_alert(note: str) -> str:
    """What has no alert."""
    return f"not in the rules: {note}"


def describe_invalid_label(text: str) -> str:
    """A value of --label that cannot be read."""
    return f'invalid value "{text}" for --label: must be KEY=VALUE'


WHICH_POD = "no pod is given"


def describe_several_pods(ways: Iterable[str]) -> str:
    """Several options that name a pod each."""
    return f"{' and '.join(ways)} exclude each other"


def explain_pod_options(problem: str) -> str:
    """What is wrong with the options that name a pod, and which there are."""
    return f"{problem}: give one of -f FILE, --like KIND/NAME, and --request RESOURCE=AMOUNT (with -l and --tolerate)"


def describe_idle_pod_options(way: str) -> str:
    """Options that only describe the pod of --request."""
    return f"-l and --tolerate need --request: the pod of {way} has its own selector and tolerations"


STDIN_TWICE = "standard input (-) can be read only once"


def describe_copy(reference: str) -> str:
    """A pod like others."""
    return f"one more like {reference}"


def describe_unknown_format(name: str) -> str:
    """A format of components that is unknown."""
    return f'unknown output format "{name}": must be text or json'


TWO_PLACES = "PATH and --live exclude each other"
NOTHING_TO_RECOGNIZE = "no DaemonSet in the input"


def count_more_evidence(count: int) -> str:
    """How much more evidence there is."""
    return f" (+ {count} more)"


def describe_unrecognized(place: str) -> str:
    """A DaemonSet that was not recognized."""
    return f"not recognized: {place}"


def summarize_components(daemonsets: int, unknown: int) -> str:
    """How many DaemonSets there are, and how many were not recognized."""
    return f"{format_count(daemonsets, 'DaemonSet')}, {unknown} not recognized."


def count_labels(first: str, others: int) -> str:
    """The labels that a component provides."""
    return f"{first} and {others} more labels"


UNKNOWN_RESOURCES = "unknown resources"


def describe_repeated_output(path: str) -> str:
    """Two outputs to one file."""
    return f"-o names {path} twice: the second output would replace the first one"


def describe_os_error(reason: str, path: object) -> str:
    """What the system refused, and of which file where it says so."""
    reason = reason[:1].lower() + reason[1:]
    return f"{path}: {reason}" if path else reason


def describe_unwritable(path: str, reason: object) -> str:
    """A file that cannot be written."""
    return f"cannot write {path}: {reason}"


POD_STANDS_ALONE = "--pod excludes --node, --since and a second cluster"
ONE_CLUSTER = "--node, --since and --write-baseline need exactly one cluster: give one --context, or one snapshot"


def describe_unknown_rule(rule: str, known: Collection[str]) -> str:
    """A rule that does not exist; `known` are ids and names."""
    return f'no rule "{rule}"{suggest(rule, known) or ": `preflight rules` lists them"}'


EXCLUSIVE_FORMS = "--diff, --write and --patch exclude each other"


def describe_unfixable_rule(rule: str, fixable: Iterable[str]) -> str:
    """A rule whose findings cannot be fixed."""
    return f"preflight fix does not fix {rule}: it fixes {', '.join(fixable)}"


EXCLUSIVE_CHANGES = "--for and --plan exclude each other"


def describe_unjudged_flag(flag: str, connection: str) -> str:
    """A flag of kubectl that names another cluster or user."""
    return f"--{flag} is not supported: choose the cluster and the user with {connection}"


FROM_AND_LIVE = "--from and --live exclude each other: cluster state comes from files or from a cluster"
FROM_AND_CONTEXT = "--from and --context exclude each other: cluster state comes from files or from a cluster"


def describe_from_and_cluster(option: str) -> str:
    """Two options that are both about the cluster."""
    return f"--from and {option} exclude each other: cluster state comes from files or from a cluster"


def describe_invalid_timeout(text: str) -> str:
    """A value of --request-timeout that cannot be read."""
    return f'invalid value "{text}" for --request-timeout: must be a time such as 5, 5s or 1m30s, or 0 for no limit'


EXCLUSIVE_POLICIES = "--policy and --no-policy exclude each other"
EXCLUSIVE_BASELINE = "--no-exemptions excludes --baseline and --write-baseline"


def describe_invalid_day(text: str) -> str:
    """A value of --today that cannot be read."""
    return f'invalid value "{text}" for --today: must be a day such as 2027-01-31'


KUBECTL_OUTPUT = " (-o chooses the format of the report; kubectl's formats of objects do not apply)"


def describe_unknown_output(name: str, known: Collection[str], hint: str) -> str:
    """A format of reports that is unknown; `hint` is added as it is."""
    return f'unknown output format "{name}"{suggest(name, known) or _list_known(known)}{hint}'


ONE_STDOUT = "only one -o can go to standard output: give the others a path, as in -o json=report.json"
ONE_FINDING = "1 finding"


def describe_written_baseline(file: str, accepted: str, day: object) -> str:
    """That a baseline was written."""
    return f"wrote {file}: {accepted} accepted until {day}"


def describe_hidden_findings(counts: Mapping[Severity, int], lowest: Severity) -> str:
    """Findings that do not fail the run and that --quiet leaves out."""
    hidden = ", ".join(format_count(count, severity) for severity, count in counts.items())
    return f"not shown: {hidden} (no failure with --fail-on {lowest})"


QUIET_ABOUT_UNKNOWN = "unknown: some answers cannot be determined (run without --quiet to see which, and what is missing)"


def describe_good_policy(name: str) -> str:
    """A policy in which nothing is wrong."""
    return f"{name}: no faults"


def describe_missing_policy(file: str) -> str:
    """That no policy is found."""
    return f"no {file} in this folder or above: name a file or a pack"


NOT_WHOLE = "no snapshot was saved, because it would be incomplete"
NOTHING_TO_SAVE = "no snapshot was saved: no Kubernetes objects that preflight reads in the input (--allow-empty saves it all the same)"


def describe_missing_kind(kind: str, why: str) -> str:
    """A kind that is not in a snapshot."""
    return f"  without {kind}: {why}"


def describe_unsaved_pools(count: int, pools: str) -> str:
    """Node pools that are not in a snapshot."""
    return f"  without {pools}: give {'its manifest' if count == 1 else 'their manifests'} with --from, next to the snapshot"


def describe_unsaved_pods(pods: str) -> str:
    """Pods of manifests that are not in a snapshot."""
    return f"  without {pods} with a nodeName: in a snapshot it would look like a running pod"


def describe_odd_objects(objects: str) -> str:
    """Objects that are saved in part."""
    return f"  {objects} with values that the API server would refuse: saved in part"


def describe_all_pods(pods: str) -> str:
    """Pods of all namespaces."""
    return f"{pods} (all namespaces)"


def describe_pods_of(pods: str, namespaces: Collection[str]) -> str:
    """Pods of some namespaces."""
    return f"{pods} (of {format_names(sorted(namespaces))})"


NO_PODS = "no pods (coverage will be assumed)"
NO_WORKING_FOLDER = "the working folder does not exist any more: change to another one"
OWN_FAULT = "this is a bug in preflight: nothing was checked; please report it with the lines above"
