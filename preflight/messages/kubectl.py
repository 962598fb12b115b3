"""What preflight adds where kubectl takes a command line that preflight does not judge.

kubectl's own refusals stand with its grammar, in `preflight/kubectl`: they are quotations.
"""

from __future__ import annotations

from collections.abc import Sequence

LABELS_OF_FILES = "preflight judges labels of nodes by name, --selector or --all, not of the objects of files"
PATCHES_OF_FILES = "preflight judges patches of nodes and daemonsets by name, not of the objects of files"
LIST_ONLY = "--list only prints labels: there is no change to judge"
NO_FIELD_SELECTOR = "preflight knows no --field-selector: name the nodes, or use --selector"
FIELD_SELECTOR_OF_PODS = "preflight knows --field-selector of pods only: name the objects, or use --selector"
REPLACE_REMOVES_NOTHING = "replace takes the labels and the taints of the new node: a trailing '-' removes nothing there"
NO_PRUNE = "preflight does not judge --prune: judge what it deletes with `delete daemonset NAME`"
NO_SUBRESOURCE = "preflight does not judge --subresource: placement reads no status"
NO_RAW = "preflight does not judge --raw: name the objects"
NAMESPACES_BY_NAME = "preflight judges deletions of namespaces by name"
ALL_OR_NAME = "--all takes neither a name nor a --selector"


def describe_field_selector(known: str) -> str:
    """A field selector of something else than the node of a pod."""
    return f"preflight knows no --field-selector but {known}NODE: name the objects, or use --selector"


def describe_kustomization(folder: str) -> str:
    """`-k`, which builds manifests."""
    return f"preflight builds no kustomization: render it first, with `kubectl kustomize {folder} | ... -f -`"


def describe_download(url: str) -> str:
    """`-f` with a URL."""
    return f"preflight fetches nothing: download {url} and give the file"


def describe_files(what: str) -> str:
    """A verb that is judged by name alone."""
    return f"preflight judges {what} by name, --selector or --all, not of the objects of files"


def describe_missing_verb(verbs: Sequence[str]) -> str:
    """A command line without a verb."""
    return f"a verb is missing: preflight judges {', '.join(verbs)}"


def describe_other_form(shown: str, verb: str) -> str:
    """A verb of two words whose second word is another one."""
    return f"preflight does not judge `kubectl {shown}`: it judges `kubectl {verb}`"


def list_verbs(verbs: Sequence[str]) -> str:
    """What is judged, after a verb that kubectl does not know."""
    return f"; preflight judges {', '.join(verbs)}"


def describe_several_kinds(kinds: Sequence[str]) -> str:
    """A command line about several kinds."""
    return f"preflight judges one kind of object at a time, not {' and '.join(kinds)} in one command line"


def list_supported(what: str, supported: Sequence[str]) -> str:
    """The kinds that a verb is judged of."""
    return f"preflight judges {what} of {' and '.join(supported)}"


def describe_unsupported(what: str, supported: Sequence[str], resource: str) -> str:
    """A kind that a verb is not judged of."""
    return f"{list_supported(what, supported)}, not of {resource}"


def explain_other_resource(resources: str) -> str:
    """Why `kubectl taint` refuses a word with a comma."""
    return f" (kubectl taint takes nodes only, not {resources})"


def explain_missing_nodes_word(word: str) -> str:
    """What `kubectl taint` wants before the names of nodes."""
    return f' (the word "nodes" is missing: taint nodes {word} ...)'


def explain_joined_names(joined: str) -> str:
    """How `kubectl taint` reads `nodes/NAME`."""
    return f" (kubectl taint takes them apart: taint nodes {joined})"


def explain_names_alone(verb: str) -> str:
    """Why `kubectl drain TYPE NAME` finds nothing."""
    return f" (kubectl {verb} takes names alone)"
