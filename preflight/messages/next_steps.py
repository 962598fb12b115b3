"""What to type after a run, in words and as commands that can be pasted."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from preflight.model.report import FixCommand

NEXT = "Next:"
PRINTS_EDITS = "prints the edits and their order"
PRINTS_PATCHES = "prints patches for kubectl"
APPLY_FIXES = "apply the fixed manifests, and wait for each rollout: kubectl rollout status"
RUN_PATCHES = "run these patches, and wait for each rollout: kubectl rollout status"
GIVE_CLUSTER = "kubectl get nodes,ds,pods,pdb -A -o json > cluster.json"
THEN_FROM = "then add --from cluster.json"
CHECK_AGAIN = "check again after that"
LEAVE_IT_OUT = "do not make this change as it is: leave it out, or change the DaemonSets above first, and check again"
ADD_TOLERATIONS = "add the suggested tolerations to the manifests, and check again"
SNAPSHOT = "preflight snapshot -o cluster.json.gz"


def describe_plan(file: str) -> str:
    """The plan itself."""
    return f"run the steps of {file} in this order"


def describe_explanation(rule: str) -> str:
    """The command that explains a rule."""
    return f"preflight explain {rule}"


def describe_repetition(line: str, flags: Sequence[str], sources: Sequence[str]) -> str:
    """The same run again, with the flags that it lacks."""
    return " ".join(["preflight", line, *flags, *describe_sources(sources)])


def describe_sources(sources: Sequence[str]) -> list[str]:
    """The words that name the files of a run."""
    return [word for source in sources for word in ("--from", _quote(source))]


def describe_fix(fix: FixCommand, *, makes_patches: bool) -> str:
    """The command that prints the edits."""
    changes = [part for line in fix.lines for part in ("--for", line)]
    plan = ["--plan", fix.plan] if fix.plan else []
    words = ["preflight", "fix", *(["--patch"] if makes_patches else []), *fix.paths]
    return f"{' '.join(map(_quote, words))}{_join_changes((*changes, *plan))}"


def describe_kubectl(line: str, context: str) -> str:
    """The change itself."""
    return f"kubectl {f'--context {_quote(context)} ' if context else ''}{line}"


def add_comment(command: str, comment: str) -> str:
    """A command, and what it does as a comment of the shell."""
    return "  ".join(part for part in (command, f"# {comment}" if comment else "") if part)


def _join_changes(words: Iterable[str]) -> str:
    return "".join(f" {word}" if word in ("--for", "--plan") else f" {_quote_line(word)}" for word in words)


def _quote_line(line: str) -> str:
    """A line of a command in double quotes if that is safe, as a person writes it."""
    return f'"{line}"' if not set(line) & set('"$`\\!') else shlex.quote(line)


def _quote(word: str) -> str:
    return shlex.quote(word)
