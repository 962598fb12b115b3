"""What may stand at the cursor: a verb, an option, the value of an option, or an argument."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from click import Option
from click.shell_completion import CompletionItem

from preflight.cli.complete.command_line import CommandLine, list_second_words
from preflight.cli.complete.names import NameKind, Names
from preflight.cli.complete.option_values import ValueKind, find_values
from preflight.cli.complete.own_words import list_formats, list_policies, list_rules
from preflight.cli.completion import SHELLS
from preflight.kubectl.flags import FLAGS_BY_VERB, Flag
from preflight.kubectl.resource_args import resolve_resource
from preflight.model.core import TAINT_EFFECTS

ReadNames = Callable[[CommandLine, NameKind], Names]
"""Reads the names of a kind for a command line."""

ListOptions = Callable[[str], Iterable[Option]]
"""Imports the command of a verb for its options; that of "" is `preflight` itself."""

FILE = CompletionItem("", type="file")
"""Files, which the shell itself completes: click's word for them."""

_NODE_VERBS = ("cordon", "uncordon", "drain", "reboot", "replace")
_FILE_VERBS = ("lint", "fix", "components")
_ONE_FILE_VERBS = ("plan", "verify")
_RESOURCES_OF_VERB = {
    "taint": ("nodes",),
    "label": ("nodes",),
    "patch": ("daemonset", "node"),
    "delete": ("daemonset", "namespace", "node", "pod"),
    "set image": ("daemonset",),
    "rollout restart": ("daemonset",),
}
_KIND_OF_RESOURCE = {"nodes": NameKind.NODES, "daemonsets": NameKind.DAEMONSETS, "namespaces": NameKind.NAMESPACES}


def list_candidates(line: CommandLine, verbs: Mapping[str, str], list_options: ListOptions, read: ReadNames) -> list[CompletionItem]:
    """What may stand at the cursor and begins as the word does, in the order of the program; no word twice.

    1. `verbs` are all commands with their one line.
    2. A flag that was typed is not offered again if it counts once.
    3. FILE stands for files. A word that does not print is never offered: a shell could take it for something else.
    """
    if line.flag:
        offered = _iter_values(line, read)
    elif line.word.startswith("-") and not line.is_after_dashes:
        offered = _iter_options(line, list_options)
    elif not line.verb:
        offered = (CompletionItem(verb, help=text) for verb, text in verbs.items())
    elif list_second_words(line.verb):
        offered = map(CompletionItem, list_second_words(line.verb))
    else:
        offered = _iter_arguments(line, read)
    fitting = (item for item in offered if item.type == "file" or (item.value.startswith(line.word) and item.value.isprintable()))
    return list({item.value: item for item in fitting}.values())


def _iter_options(line: CommandLine, list_options: ListOptions) -> Iterator[CompletionItem]:
    """Our own options and those of kubectl, the long ones before the short ones."""
    names: list[tuple[str, str]] = []
    for option in list_options(line.verb):
        if not option.hidden and (option.multiple or line.flags.isdisjoint(option.opts)):
            names += [(name, option.help or "") for name in option.opts]
    for flag in _list_kubectl_flags(line.verb):
        spelled = [f"--{flag.name}", *([f"-{flag.short}"] if flag.short else [])]
        if line.flags.isdisjoint(spelled):
            names += [(name, "") for name in spelled]
    for name, text in sorted(names, key=lambda option: not option[0].startswith("--")):
        yield CompletionItem(name, help=text.partition(". ")[0].rstrip("."))


def _list_kubectl_flags(verb: str) -> tuple[Flag, ...]:
    own = FLAGS_BY_VERB.get(verb, ())
    return (*own, Flag("namespace", short="n")) if own else ()


def _iter_values(line: CommandLine, read: ReadNames) -> Iterator[CompletionItem]:
    values = find_values(line.verb, line.flag)
    if isinstance(values, tuple):
        yield from map(CompletionItem, values)
        return
    match values:
        case ValueKind.FILE:
            yield FILE
        case ValueKind.CONTEXT:
            yield from map(CompletionItem, read(line, NameKind.CONTEXTS).contexts)
        case ValueKind.NAMESPACE:
            yield from map(CompletionItem, read(line, NameKind.NAMESPACES).namespaces)
        case ValueKind.NODE:
            yield from map(CompletionItem, read(line, NameKind.NODES).nodes)
        case ValueKind.DAEMONSET_ON_NODE:
            yield from _iter_pairs(line, read)
        case ValueKind.DAEMONSET_REFERENCE:
            yield from _iter_references(line, read, ("ds",))
        case ValueKind.TAINT:
            yield from _iter_effects(line.word)
        case ValueKind.RULE:
            yield from _iter_rules(line.word)
        case ValueKind.POLICY:
            yield from map(CompletionItem, list_policies())
            yield FILE
        case ValueKind.FORMAT:
            yield from _iter_formats(line)
        case ValueKind.FEATURE_GATE:
            from preflight.model.behaviors import GATES

            yield from map(CompletionItem, (f"{gate}={word}" for gate in sorted(GATES) for word in ("true", "false")))


def _iter_arguments(line: CommandLine, read: ReadNames) -> Iterator[CompletionItem]:
    if line.verb in _NODE_VERBS:
        yield from _iter_names(line, read, NameKind.NODES)
    elif line.verb in _RESOURCES_OF_VERB:
        yield from _iter_objects(line, read)
    elif line.verb in _FILE_VERBS or (line.verb in _ONE_FILE_VERBS and not line.args):
        yield FILE
    elif line.verb == "policy check" or (line.verb == "policy show" and not line.args):
        yield from map(CompletionItem, list_policies())
        yield FILE
    elif line.verb == "diff" and len(line.args) < 2:
        yield CompletionItem("live", help="the cluster of the context")
        yield FILE
    elif line.verb == "explain" and not line.args:
        yield from _iter_rules(line.word)
    elif line.verb == "completion" and not line.args:
        yield from map(CompletionItem, SHELLS)


def _iter_objects(line: CommandLine, read: ReadNames) -> Iterator[CompletionItem]:
    """`nodes gpu-1 gpu-2 key=value:`, `ds/agent`, `ds agent`: the resource, then names, then what is changed."""
    resources = _RESOURCES_OF_VERB[line.verb]
    if line.verb == "taint" and line.args and ":" in line.word:
        yield from _iter_effects(line.word)
        return
    first = line.args[0] if line.args else ""
    if not first or "/" in first:
        if not any("=" in arg for arg in line.args):
            yield from _iter_references(line, read, resources)
        if not first:
            yield from map(CompletionItem, resources)
        return
    kind = _KIND_OF_RESOURCE.get(resolve_resource(first))
    if kind is not None and not any("=" in arg or arg.endswith("-") for arg in line.args):
        yield from _iter_names(line, read, kind)


def _iter_references(line: CommandLine, read: ReadNames, resources: Iterable[str]) -> Iterator[CompletionItem]:
    """`ds/agent` as it was begun; before the slash the short forms of DaemonSets and nodes."""
    typed, slash, _ = line.word.partition("/")
    short = {"daemonset": "ds", "nodes": "node", "namespace": "ns"}
    for word in [typed] if slash else [short.get(resource, resource) for resource in resources]:
        kind = _KIND_OF_RESOURCE.get(resolve_resource(word))
        if kind is not None and (slash or kind is NameKind.DAEMONSETS):
            yield from (CompletionItem(f"{word}/{name}") for name in _list_names(line, read, kind) if f"{word}/{name}" not in line.args)


def _iter_names(line: CommandLine, read: ReadNames, kind: NameKind) -> Iterator[CompletionItem]:
    return (CompletionItem(name) for name in _list_names(line, read, kind) if name not in line.args)


def _list_names(line: CommandLine, read: ReadNames, kind: NameKind) -> tuple[str, ...]:
    """The names of a kind; of DaemonSets those of the namespace that the command takes them from."""
    names = read(line, kind)
    if kind is not NameKind.DAEMONSETS:
        return names.nodes if kind is NameKind.NODES else names.namespaces
    namespace = (line.list_values("-n", "--namespace") or (names.namespace,))[-1]
    return tuple(key.partition("/")[2] for key in names.daemonsets if key.partition("/")[0] == namespace)


def _iter_pairs(line: CommandLine, read: ReadNames) -> Iterator[CompletionItem]:
    """`NAMESPACE/DAEMONSET/NODE`: the DaemonSet first, then the node."""
    if line.word.count("/") < 2:
        yield from (CompletionItem(f"{key}/") for key in read(line, NameKind.DAEMONSETS).daemonsets)
        return
    daemonset = line.word.rpartition("/")[0]
    yield from (CompletionItem(f"{daemonset}/{node}") for node in read(line, NameKind.NODES).nodes)


def _iter_effects(word: str) -> Iterator[CompletionItem]:
    """`key=value:` with each effect; nothing before the colon."""
    key, colon, _ = word.rpartition(":")
    if key and colon:
        yield from (CompletionItem(f"{key}:{effect}") for effect in TAINT_EFFECTS)


def _iter_rules(word: str) -> Iterator[CompletionItem]:
    """Ids, and names where one was begun."""
    is_name = bool(word) and word[0].islower() and not "pf".startswith(word[:2])
    for rule in list_rules():
        yield CompletionItem(rule.name, help=rule.summary) if is_name else CompletionItem(rule.id, help=f"{rule.name}: {rule.summary}")


def _iter_formats(line: CommandLine) -> Iterator[CompletionItem]:
    """The formats of a command; behind `json=` a file."""
    if "=" in line.word:
        yield FILE
    else:
        yield from map(CompletionItem, list_formats(line.verb))
