"""What is to say of a run itself: repeated keys, crashes, what was not judged, and what was assumed."""

from __future__ import annotations


def describe_repeated_key(key: str, first_line: int, last_line: int) -> str:
    """A key that stands more than once in one map."""
    lines = f"line {last_line}" if first_line == last_line else f"lines {first_line} and {last_line}"
    return f"has {key!r} twice in one map, in {lines}: the last one counts"


def label_repeated_key(first_line: int, last_line: int) -> str:
    """What to write under the last of them."""
    return "" if first_line == last_line else f"line {first_line} says something else"


def describe_crash(error: Exception) -> str:
    """A rule that crashed."""
    return f"crashed: {type(error).__name__}: {error}"


def describe_unjudged_line(text: str, reason: str) -> str:
    """A line of a script that is not judged; `text` is "" where it cannot be shown."""
    return f"not judged: `{text}`: {reason}" if text else f"not judged: {reason}"


def advise_context(context: str) -> str:
    """Which context to give."""
    return f"give --context {context}"


def describe_other_context(file: str, chosen: str, context: str, advice: str) -> str:
    """A script that chooses another context than the one that is asked."""
    return f"{file} chooses context {chosen}, and context {context} is asked: {advice}"


NO_CHANGE = "no change"


def describe_unreached_lines(file: str, line: int) -> str:
    """Lines of a script that are never reached."""
    return f"what follows {file}:{line}"


SCRIPT_ENDS = "the script ends there"


def describe_assumed_line(file: str, line: int) -> str:
    """That a line of a script rests on one that was not understood, or refused."""
    return f"rests on {file}:{line} having changed nothing here"


def describe_script_without_command(file: str) -> str:
    """A plan or script in which there is nothing to judge."""
    return f"{file} has no line that preflight can judge"


NOTHING_TO_LOSE = "no DaemonSet was given: there is nothing that a change could cost"
NOT_CONCERNED = "no DaemonSet has anything to do with it: there is nothing that it could cost"
NO_PAIR = "no node was given, so there is no pair of DaemonSet and node to judge: add the output of `kubectl get nodes -o json`"
NOTHING_TO_JUDGE = "nothing was there to judge: no object of a kind that preflight knows"
POD_NEEDS = "what listed pods need"
POD_HINT = ", or NAMESPACE/POD of a pod that may have to go"


def describe_unjudged_pair(pair: str, hint: str) -> str:
    """A pair of --why that was not judged."""
    return f"--why {pair}: no such pair was judged; it is DAEMONSET/NODE or NAMESPACE/DAEMONSET/NODE{hint}"


ALL_ASSUMED = "no pods in the input: assumed that each DaemonSet runs where it should"
SOME_ASSUMED = "no pods in the input for some DaemonSets: assumed that these run where they should"
GIVEN_TWICE = "given twice"
NOT_GIVEN = "not given"
ONLY_TEMPLATES = "only the templates of workloads are read"


def note_template(template: str) -> str:
    """The template that an object was rendered from."""
    return f"rendered from {template}"


def note_unknown(reason: str) -> str:
    """What is not known of a step."""
    return f"not known: {reason}"


def describe_unlisted_kind(plural: str, why: str) -> str:
    """That a cluster did not show all objects of a kind."""
    return f"not all {plural} are judged: {why}"


STDIN_TWICE = "standard input (-) can be read once only"


AFTER_REBOOT = "AFTER REBOOT"
AFTER_REPLACEMENT = "AFTER REPLACEMENT"


def label_step(number: int, command: str) -> str:
    """What stands before the error of one of several steps."""
    return f"step {number}, `{command}`: "
