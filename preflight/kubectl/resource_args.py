"""How kubectl names objects on a command line: `nodes n1`, `node/n1`, `ds -l app=x`, `ds --all`.

Source: cli-runtime `pkg/resource/builder.go`, kubectl `pkg/cmd/util/helpers.go`.
"""

from __future__ import annotations

from collections.abc import Sequence

from preflight.errors import UsageError
from preflight.kubectl.commands import TargetObjects
from preflight.kubectl.flags import ParsedArguments
from preflight.kubectl.label_selector import LabelQuery, parse_selector
from preflight.messages import kubectl as messages
from preflight.messages.suggestions import suggest
from preflight.operators.resource import find_custom_kind

NODE, DAEMONSET, POD, NAMESPACE = "nodes", "daemonsets", "pods", "namespaces"
CUSTOM = "custom resources of operators"
"""In the place of a resource: the kinds that known operators read."""

_SHORT = {
    **{"no": NODE, "ds": DAEMONSET, "po": POD, "deploy": "deployments", "sts": "statefulsets", "rs": "replicasets"},
    **{"cj": "cronjobs", "cm": "configmaps", "crd": "customresourcedefinitions", "ep": "endpoints", "ev": "events"},
    **{"hpa": "horizontalpodautoscalers", "ing": "ingresses", "limits": "limitranges", "netpol": "networkpolicies"},
    **{"ns": "namespaces", "pc": "priorityclasses", "pdb": "poddisruptionbudgets", "pv": "persistentvolumes"},
    **{"pvc": "persistentvolumeclaims", "quota": "resourcequotas", "rc": "replicationcontrollers", "sa": "serviceaccounts"},
    **{"sc": "storageclasses", "svc": "services"},
}
_PLURAL = (*_SHORT.values(), "jobs", "secrets", "roles", "rolebindings", "clusterroles", "clusterrolebindings", "csidrivers", "csinodes")
_WORDS = {
    **{plural: plural for plural in _PLURAL},
    **{plural[:-1]: plural for plural in _PLURAL},
    **{"ingress": "ingresses", "networkpolicy": "networkpolicies", "priorityclass": "priorityclasses", "storageclass": "storageclasses"},
}
_GROUPS = {NODE: (), POD: (), NAMESPACE: (), DAEMONSET: ("apps", "v1.apps")}
_MISSING = "You must provide one or more resources by argument or filename."


def resolve_resource(word: str) -> str:
    """The plural of a resource that a word means, as `daemonsets` for `ds`, `DaemonSet` or `daemonsets.apps`; "" where none is known.

    Full words in any case, short ones only in lower case; `.apps` or `.v1.apps` may follow where that is the group.
    """
    name, dot, group = word.partition(".")
    resource = _WORDS.get(name.lower()) or _SHORT.get(name, "")
    return "" if dot and resource in _GROUPS and group not in _GROUPS[resource] else resource


def split_resources_and_pairs(args: Sequence[str], what: str) -> tuple[list[str], list[str]]:
    """Split `nodes n1 a=b c-` into the resources and the pairs, of labels or images.

    A pair holds `=`, not as its first character, or ends with `-`.

    Errors: UsageError for a resource after a pair.
    """
    resources: list[str] = []
    pairs: list[str] = []
    for argument in args:
        if argument.find("=") > 0 or (argument.endswith("-") and argument != "-"):
            pairs.append(argument)
        elif pairs:
            raise UsageError(f"all resources must be specified before {what} changes: {argument}")
        else:
            resources.append(argument)
    return resources, pairs


def get_selector(arguments: ParsedArguments) -> LabelQuery | None:
    """The selector of `-l`; None where it is absent or empty."""
    text = arguments.last_value("selector")
    return parse_selector(text) if text else None


def parse_targets(
    args: Sequence[str], arguments: ParsedArguments, supported: Sequence[str], what: str, *, bare_means_all: bool = False
) -> tuple[str, TargetObjects]:
    """The resource and the objects that the arguments name; `bare_means_all` where the resource alone means all of its objects.

    `supported` are the resources that preflight judges, `what` says of which things of theirs.

    Errors: UsageError in kubectl's words, and for resources that preflight does not judge.
    """
    resource, names, slashes = _parse_names(args, supported, what)
    everywhere = arguments.is_set("all-namespaces")
    if arguments.last_value("selector") and names:
        if slashes:
            raise UsageError("selectors and the all flag cannot be used when passing resource/name arguments")
        raise UsageError("name cannot be provided when a selector is specified")
    selector = get_selector(arguments)
    everything = selector is None and not names and (arguments.is_set("all") or bare_means_all)
    if selector is None and not names and not everything:
        raise UsageError("resource(s) were provided, but no name was specified")
    if names and everywhere and resource != NODE:
        raise UsageError("a resource cannot be retrieved by name across all namespaces")
    return resource, TargetObjects(names, selector, everything, arguments.last_value("namespace"), everywhere)


def split_name(argument: str) -> tuple[str, str]:
    """The resource word and the name of `node/n1`.

    Errors: UsageError in kubectl's words.
    """
    word, _, name = argument.partition("/")
    if "/" in name:
        raise UsageError("arguments in resource/name form may not have more than one slash")
    if not word or not name or "," in word:
        raise UsageError("arguments in resource/name form must have a single resource and name")
    return word, name


def _parse_names(args: Sequence[str], supported: Sequence[str], what: str) -> tuple[str, tuple[str, ...], bool]:
    if not args:
        raise UsageError(_MISSING)
    slashed = [argument for argument in args if "/" in argument]
    if slashed and len(slashed) < len(args):
        raise UsageError(
            "there is no need to specify a resource type as a separate argument when passing arguments in resource/name form "
            "(e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource resource/<resource_name>'"
        )
    if slashed:
        pairs = [split_name(argument) for argument in args]
        words, names = {word for word, _ in pairs}, tuple(dict.fromkeys(name for _, name in pairs))
    else:
        words, names = {word for word in args[0].split(",") if word}, tuple(dict.fromkeys(args[1:]))
    if not words:
        raise UsageError(_MISSING)
    kinds = {_check_supported(word, supported, what) for word in sorted(words)}
    if len(kinds) > 1:
        raise UsageError(messages.describe_several_kinds(sorted(kinds)))
    return kinds.pop(), names, bool(slashed)


def _check_supported(word: str, supported: Sequence[str], what: str) -> str:
    resource = resolve_resource(word)
    if resource in supported:
        return resource
    if CUSTOM in supported and not resource and (custom := find_custom_kind(word)) is not None:
        return custom.resource
    if not resource and word.partition(".")[0] == word:
        hint = suggest(word, supported) or f"; {messages.list_supported(what, supported)}"
        raise UsageError(f'the server doesn\'t have a resource type "{word}"{hint}')
    raise UsageError(messages.describe_unsupported(what, supported, resource or word))
