"""Messages about a run itself: repeated keys, crashes, what was not checked, and what was assumed."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.messages.lists import join_limited


def describe_repeated_key(key: str, first_line: int, last_line: int) -> str:
    """A key that is repeated in one map."""
    lines = f"line {last_line}" if first_line == last_line else f"lines {first_line} and {last_line}"
    return f"has {key!r} twice in one map ({lines}): the last one applies"


def label_repeated_key(first_line: int, last_line: int) -> str:
    """The label under the last of them."""
    return "" if first_line == last_line else f"overrides line {first_line}"


def describe_crash(error: Exception) -> str:
    """A rule that crashed."""
    return f"crashed: {type(error).__name__}: {error}"


def describe_unjudged_line(text: str, reason: str) -> str:
    """A line of a script that is not checked; `text` is "" where it cannot be shown."""
    return f"not checked: `{text}`: {reason}" if text else f"not checked: {reason}"


def advise_context(context: str) -> str:
    """Which context to give."""
    return f"give --context {context}"


def describe_other_context(file: str, chosen: str, context: str, advice: str) -> str:
    """A script that uses another context than preflight."""
    return f"{file} uses context {chosen}, but preflight reads context {context}: {advice}"


NO_CHANGE = "no change"


def describe_unreached_lines(file: str, line: int) -> str:
    """Lines of a script that are never reached."""
    return f"the lines after {file}:{line}"


SCRIPT_ENDS = "the script ends there"


def describe_assumed_line(file: str, line: int) -> str:
    """That a line of a script depends on one that was not analyzed, or was refused."""
    return f"assumes that {file}:{line} (not analyzed or refused) changes nothing here"


def describe_script_without_command(file: str) -> str:
    """A plan or script without a line that preflight checks."""
    return f"{file} has no line that preflight can check"


NOTHING_TO_LOSE = "no DaemonSet in the input: the change cannot cost coverage"
NOT_CONCERNED = "no DaemonSet is affected: the change cannot cost coverage"
NO_PAIR = "no node in the input, so coverage cannot be checked: add the output of `kubectl get nodes -o json`"
NOTHING_TO_JUDGE = "nothing to check: no Kubernetes object that preflight checks"
POD_NEEDS = "the needs of listed pods"
POD_HINT = ", or NAMESPACE/POD of a pod that may have to leave"


def describe_unjudged_pair(pair: str, hint: str) -> str:
    """A pair of --why that was not checked."""
    return f"--why {pair}: no such pair was checked; use DAEMONSET/NODE or NAMESPACE/DAEMONSET/NODE{hint}"


ALL_ASSUMED = "no pods in the input: assumed that each DaemonSet runs where it should"
SOME_ASSUMED = "no pods in the input for some DaemonSets: assumed that these run where they should"
GIVEN_TWICE = "given twice"
NOT_GIVEN = "not in the input"
ONLY_TEMPLATES = "only the templates of workloads are read"


def note_template(template: str) -> str:
    """The template that an object was rendered from."""
    return f"rendered from {template}"


def note_unknown(reason: str) -> str:
    """What is unknown about a step."""
    return f"unknown: {reason}"


def describe_unlisted_kind(plural: str, why: str) -> str:
    """That a cluster did not show all objects of a kind."""
    return f"not all {plural} are checked: {why}"


def describe_unlisted_resources(resources: Mapping[str, str]) -> tuple[str, str]:
    """The custom resources of operators that a cluster did not show, and why: the reason of the first."""
    return f"custom resources of operators such as {join_limited(tuple(resources))}", next(iter(resources.values()))


STDIN_TWICE = "standard input (-) can be read only once"


AFTER_REBOOT = "AFTER REBOOT"
AFTER_REPLACEMENT = "AFTER REPLACEMENT"


def label_step(number: int, command: str) -> str:
    """The prefix of an error of one of several steps."""
    return f"step {number}, `{command}`: "
