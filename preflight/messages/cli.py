"""What the command line says itself: wrong options, what was written, what was saved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from preflight.messages.counts import format_count
from preflight.messages.lists import format_names
from preflight.model.report import Severity


def describe_unknown_alert_format(name: str, known: Iterable[str]) -> str:
    """A format of alerts that is unknown."""
    return f"unknown --format {name!r}: {', '.join(known)}"


PROMETHEUSRULE_OPTIONS = "--label and -n are those of a PrometheusRule: add --format prometheusrule"


def describe_written_rules(path: str, count: int, source: str) -> str:
    """That rules were written, and what they are made of."""
    return f"wrote {path}: {count} rules, made of {source}"


def describe_missing_alert(note: str) -> str:
    """What has no alert."""
    return f"not in the rules: {note}"


def describe_invalid_label(text: str) -> str:
    """A value of --label that cannot be read."""
    return f"--label takes KEY=VALUE, not {text!r}"


WHICH_POD = "say which pod"


def describe_several_pods(ways: Iterable[str]) -> str:
    """Several options that name a pod each."""
    return f"{' and '.join(ways)} are two pods: give one of them"


def explain_pod_options(problem: str) -> str:
    """What is wrong with the options that name a pod, and which there are."""
    return f"{problem}: -f FILE, --like KIND/NAME, or --request RESOURCE=AMOUNT with -l and --tolerate"


def describe_idle_pod_options(way: str) -> str:
    """Options that only describe the pod of --request."""
    return f"-l and --tolerate describe the pod of --request; that of {way} says itself where it may go"


STDIN_TWICE = "standard input (-) can be read once only"


def describe_copy(reference: str) -> str:
    """A pod like others."""
    return f"one more like {reference}"


def describe_unknown_format(name: str) -> str:
    """A format of components that is unknown."""
    return f"unknown output format {name!r}: text, json"


TWO_PLACES = "a PATH and --live are two places: give one of them"
NOTHING_TO_RECOGNIZE = "no DaemonSet was given: there is nothing to recognise"


def count_more_evidence(count: int) -> str:
    """How much more evidence there is."""
    return f" (+ {count} more)"


def describe_unrecognized(place: str) -> str:
    """A DaemonSet that was not recognised."""
    return f"nothing was recognised: {place}"


def summarize_components(daemonsets: int, unknown: int) -> str:
    """How many DaemonSets there are, and how many were not recognised."""
    return f"{format_count(daemonsets, 'DaemonSet')}, {unknown} not recognised."


def count_labels(first: str, others: int) -> str:
    """The labels that a component provides."""
    return f"{first} and {others} more labels"


UNKNOWN_RESOURCES = "resources not known"


def describe_unwritable(path: str, reason: object) -> str:
    """A file that cannot be written."""
    return f"cannot write {path}: {reason}"


POD_STANDS_ALONE = "--pod stands alone, without --node, --since and a second cluster"
ONE_CLUSTER = "--node, --since and --write-baseline are about one cluster: give one --context, or one snapshot"


def describe_unknown_rule(rule: str) -> str:
    """A rule that does not exist."""
    return f"no rule {rule!r}: `preflight rules` lists them all"


EXCLUSIVE_FORMS = "--diff, --write and --patch exclude one another"


def describe_unfixable_rule(rule: str, fixable: Iterable[str]) -> str:
    """A rule whose findings cannot be fixed."""
    return f"nothing is known that fixes {rule}: fix knows {', '.join(fixable)}"


EXCLUSIVE_CHANGES = "--for and --plan exclude one another"


def describe_unjudged_flag(flag: str, connection: str) -> str:
    """A flag of kubectl that names another cluster or user."""
    return f"--{flag} is not judged: which cluster is asked, and as whom, is said by {connection}"


FROM_AND_LIVE = "--from is the world, and --live asks a cluster: give one of them"
FROM_AND_CONTEXT = "--from is the world, and --context asks a cluster: give one of them"


def describe_from_and_cluster(option: str) -> str:
    """Two options that are both about the cluster."""
    return f"--from is the world, and {option} asks a cluster: give one of them"


def describe_invalid_timeout(text: str) -> str:
    """A value of --request-timeout that cannot be read."""
    return f"--request-timeout takes a time such as 5, 5s or 1m30s, or 0 for no limit, not {text!r}"


EXCLUSIVE_POLICIES = "--policy and --no-policy exclude one another"
EXCLUSIVE_BASELINE = "--no-exemptions leaves no baseline: leave out --baseline and --write-baseline"


def describe_invalid_day(text: str) -> str:
    """A value of --today that cannot be read."""
    return f"--today takes a day as 2027-01-31, not {text!r}"


def describe_invalid_gate(gate: str, text: str) -> str:
    """A value of --feature-gates that cannot be read."""
    return f"--feature-gates takes {gate}=true or {gate}=false, not {text!r}"


KUBECTL_OUTPUT = "; -o is preflight's own here, kubectl's has no meaning for a prediction"


def describe_unknown_output(name: str, known: str, hint: str) -> str:
    """A format of reports that is unknown; `hint` is added as it is."""
    return f"unknown output format {name!r}: {known}{hint}"


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
    return f"{name}: good"


def describe_missing_policy(file: str) -> str:
    """That no policy is found."""
    return f"no {file} here or above: name a file or a pack"


NOT_WHOLE = "nothing was saved: a snapshot without that would look whole"
NOTHING_TO_SAVE = "nothing was saved: no object of a kind that preflight knows was given (--allow-empty saves that)"


def describe_missing_kind(kind: str, why: str) -> str:
    """A kind that is not in a snapshot."""
    return f"  not in it: {kind}: {why}"


def describe_unsaved_pools(count: int, pools: str) -> str:
    """Node pools that are not in a snapshot."""
    return f"  not in it: {pools}: give {'its manifest' if count == 1 else 'their manifests'} beside it by --from"


def describe_unsaved_pods(pods: str) -> str:
    """Pods of manifests that are not in a snapshot."""
    return f"  not in it: {pods} with a nodeName, which would look like a pod that is there"


def describe_odd_objects(objects: str) -> str:
    """Objects that are saved in part."""
    return f"  {objects} with values that the API server would refuse: saved as far as preflight understands them"


def describe_all_pods(pods: str) -> str:
    """Pods of all namespaces."""
    return f"{pods} (all namespaces)"


def describe_pods_of(pods: str, namespaces: Collection[str]) -> str:
    """Pods of some namespaces."""
    return f"{pods} (of {format_names(sorted(namespaces))})"


NO_PODS = "no pods: coverage will be assumed"
OWN_FAULT = "this is a fault of preflight: nothing was judged"
