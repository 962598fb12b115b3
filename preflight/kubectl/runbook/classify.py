"""What one simple command of a script does here: it is judged, only reads, leaves the cluster alone, or is not understood, and why."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from itertools import pairwise

from msgspec import Struct

from preflight.kubectl.flags import flag_takes_value
from preflight.kubectl.runbook.words import ShellWord
from preflight.messages import runbook as messages


class CommandEffect(Enum):
    """What a command does."""

    CHANGE = auto()
    """It is a change that is judged."""
    READS = auto()
    """It asks the cluster, and changes nothing."""
    NOTHING = auto()
    """It has nothing to do with the cluster."""
    EXITS = auto()
    """It ends the script."""
    CHANGES_DIRECTORY = auto()
    SWITCHES_CLUSTER = auto()
    """It makes what follows about another cluster."""
    UNKNOWN = auto()
    """It is not understood."""
    OTHER_PROGRAM = auto()


class CommandAnalysis(Struct, frozen=True):
    """What a command does; `argv` is that of kubectl where it is judged, `reason` the reason where it is not understood."""

    effect: CommandEffect
    argv: tuple[str, ...] = ()
    reason: str = ""


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NOTHING = CommandAnalysis(CommandEffect.NOTHING)
_READS = CommandAnalysis(CommandEffect.READS)
_PROGRAMS = ("kubectl", "oc")
_READING = _split_words(
    """
    get describe logs wait top version explain diff events options completion help api-resources api-versions cluster-info
    port-forward auth kustomize plugin whoami status
    """
)
_READING_PAIRS = frozenset(
    (
        *(("rollout", "status"), ("rollout", "history"), ("config", "view"), ("config", "current-context"), ("config", "get-contexts")),
        *(("config", "get-clusters"), ("config", "get-users"), ("apply", "view-last-applied")),
    )
)
_HARMLESS = _split_words(
    """
    : true false echo printf set unset shift shopt export readonly declare local typeset alias unalias umask ulimit read test [ [[
    sleep wait date pwd hash type which command-v basename dirname realpath readlink hostname uname id whoami tty clear
    cat tac head tail less more grep egrep fgrep sed awk gawk cut tr sort uniq wc tee column paste comm diff cmp jq yq xmllint seq
    ls find mkdir rmdir touch mktemp rm cp mv ln chmod chown stat file du df tar gzip gunzip zip unzip base64 md5sum sha256sum
    getopts let expr bc trap return break continue popd dirs jobs fg bg disown kill ps logger yes envsubst git fold nl rev
    """
)
_SUDO_VALUES = frozenset(("-u", "-g", "-h", "-p", "-C", "-r", "-t", "-T", "-U", "-D", "-R", "--user", "--group", "--host", "--prompt"))
_WRAPPERS = frozenset(
    ("sudo", "env", "time", "nohup", "command", "builtin", "exec", "nice", "ionice", "stdbuf", "timeout", "watch", "doas")
)
_VALUES = {
    "timeout": ("-k", "-s"),
    "nice": ("-n",),
    "watch": ("-n",),
    "ionice": ("-c", "-n"),
    "stdbuf": ("-i", "-o", "-e"),
    "env": ("-u", "-C"),
}


def classify_command(words: Sequence[ShellWord], *, may_change: Callable[[str, int], bool], functions: dict[str, int]) -> CommandAnalysis:
    """What a simple command does; its assignments and redirections are gone.

    1. What only stands before a command (`sudo`, `env`, `timeout 60`) is looked through.
    2. `kubectl` and `oc` are judged where they change something and nothing in them is expanded. `oc adm taint` is `kubectl taint`.
    3. A dry run changes nothing. `-f -` takes what a pipe or a here document gives.
    4. Any other program is one that leaves clusters alone, or not understood. `functions` of the script that do more are not followed.
    5. `may_change` says whether a text, run as a script, would change something: for `trap`.
    """
    words = _strip_wrappers(list(words))
    if not words:
        return _NOTHING
    first = words[0]
    if first.expansion:
        return CommandAnalysis(CommandEffect.UNKNOWN, reason=messages.describe_unknown_program(first.expansion))
    name = first.text.rpartition("/")[2]
    if first.text in functions:
        line = functions[first.text]
        return CommandAnalysis(CommandEffect.UNKNOWN, reason=messages.describe_function(line)) if line else _NOTHING
    if name in _PROGRAMS:
        return _classify_kubectl(name, words[1:])
    if name == "xargs":
        return _classify_xargs(words[1:])
    if name == "exit":
        return CommandAnalysis(CommandEffect.EXITS)
    if name in ("cd", "pushd"):
        to_script = any(text in word.text for word in words[1:] for text in ("dirname", "BASH_SOURCE", "${0"))
        return _NOTHING if to_script else CommandAnalysis(CommandEffect.CHANGES_DIRECTORY)
    if name == "trap" and len(words) > 1 and may_change(words[1].text, words[1].line):
        return CommandAnalysis(CommandEffect.UNKNOWN, reason=messages.TRAP_NOT_FOLLOWED)
    if name in _HARMLESS:
        return _NOTHING
    if name in ("eval", "source", ".", "bash", "sh", "zsh", "ssh"):
        return CommandAnalysis(CommandEffect.UNKNOWN, reason=messages.describe_script_runner(name))
    return CommandAnalysis(CommandEffect.OTHER_PROGRAM, reason=messages.describe_other_program(name))


def _strip_wrappers(words: list[ShellWord]) -> list[ShellWord]:
    while words and words[0].is_unquoted and words[0].text in _WRAPPERS:
        wrapper = words.pop(0).text
        valued = _SUDO_VALUES if wrapper in ("sudo", "doas") else _VALUES.get(wrapper, ())
        if wrapper == "command" and words and words[0].text in ("-v", "-V"):
            return []
        while words and (words[0].text.startswith("-") or (wrapper in ("env", "sudo") and "=" in words[0].text)):
            option = words.pop(0).text
            if option in valued and words:
                words.pop(0)
            if option == "--":
                break
        if wrapper == "timeout" and words:
            words.pop(0)
    return words


def _classify_kubectl(program: str, words: Sequence[ShellWord]) -> CommandAnalysis:
    arguments = [place for place, _ in enumerate(words) if _is_argument(words, place)]
    if arguments and words[arguments[0]].text == "adm" and program == "oc":
        words = [*words[: arguments[0]], *words[arguments[0] + 1 :]]
        arguments = [place - 1 for place in arguments[1:]]
    verbs = [words[place] for place in arguments[:2]]
    if not verbs:
        return _READS  # prints its help
    pair = tuple(verb.text for verb in verbs)
    if verbs[0].expansion:
        return CommandAnalysis(CommandEffect.UNKNOWN, reason=messages.describe_unknown_program(verbs[0].expansion))
    if pair[0] in _READING or pair in _READING_PAIRS or _is_dry_run(words):
        return _READS
    if pair == ("config", "use-context"):
        return CommandAnalysis(CommandEffect.SWITCHES_CLUSTER, reason=messages.ANOTHER_CLUSTER)
    unknown = next((word.expansion for word in words if word.expansion), "")
    if unknown:
        return CommandAnalysis(CommandEffect.UNKNOWN, reason=messages.describe_unknown_argument(unknown))
    texts = tuple(word.text for word in words)
    if _reads_stdin(texts):
        return CommandAnalysis(CommandEffect.UNKNOWN, reason=messages.READS_STDIN)
    return CommandAnalysis(CommandEffect.CHANGE, texts)


def _is_argument(words: Sequence[ShellWord], index: int) -> bool:
    """Whether a word is neither a flag nor the value of the one before it."""
    text = words[index].text
    if text.startswith("-") and text != "-":
        return False
    before = words[index - 1].text if index else ""
    return not (before.startswith("-") and "=" not in before and flag_takes_value(before))


def _is_dry_run(words: Sequence[ShellWord]) -> bool:
    dry = [word.text for word in words if word.text == "--dry-run" or word.text.startswith("--dry-run=")]
    return bool(dry) and dry[-1].partition("=")[2] not in ("none", "false")


def _reads_stdin(texts: Sequence[str]) -> bool:
    pairs = pairwise(texts)
    return any(pair in (("-f", "-"), ("--filename", "-")) for pair in pairs) or any(
        text in ("-f-", "-f=-", "--filename=-") for text in texts
    )


def _classify_xargs(words: Sequence[ShellWord]) -> CommandAnalysis:
    place = next((place for place, word in enumerate(words) if word.text.rpartition("/")[2] in _PROGRAMS), None)
    if place is None:
        known = any(word.text.rpartition("/")[2] in _HARMLESS for word in words)
        return _NOTHING if known else CommandAnalysis(CommandEffect.UNKNOWN, reason=messages.XARGS_NOT_JUDGED)
    found = _classify_kubectl(words[place].text.rpartition("/")[2], words[place + 1 :])
    return found if found.effect is CommandEffect.READS else CommandAnalysis(CommandEffect.UNKNOWN, reason=messages.XARGS_GIVES_NAMES)
