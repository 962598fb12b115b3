"""Messages about command lines that kubectl accepts and preflight does not check.

kubectl's own refusals are quotations and are in `preflight/kubectl`, with its grammar.
"""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.lists import join_and

LABELS_OF_FILES = "preflight checks labels of nodes by name, --selector or --all, not of objects in files"
PATCHES_OF_FILES = "preflight checks patches of nodes and daemonsets by name, not of objects in files"
LIST_ONLY = "--list only prints labels: there is no change to check"
NO_FIELD_SELECTOR = "preflight does not support --field-selector: name the nodes, or use --selector"
FIELD_SELECTOR_OF_PODS = "preflight supports --field-selector for pods only: name the objects, or use --selector"
REPLACE_REMOVES_NOTHING = "replace sets the labels and taints of the new node: a trailing '-' has no meaning here"
NO_PRUNE = "preflight does not check --prune: check what it deletes with `delete daemonset NAME`"
NO_SUBRESOURCE = "preflight does not check --subresource: placement does not depend on the status"
NO_RAW = "preflight does not check --raw: name the objects"
NAMESPACES_BY_NAME = "preflight checks deletions of namespaces by name only"
ALL_OR_NAME = "--all cannot be combined with a name or --selector"


def describe_field_selector(known: str) -> str:
    """A field selector of something else than the node of a pod."""
    return f"preflight supports only --field-selector {known}NODE: name the objects, or use --selector"


def describe_kustomization(folder: str) -> str:
    """`-k`, which builds manifests."""
    return f"preflight does not build kustomizations: render it first, with `kubectl kustomize {folder} | ... -f -`"


def describe_download(url: str) -> str:
    """`-f` with a URL."""
    return f"preflight does not download files: download {url} and give the file"


def describe_files(what: str) -> str:
    """A verb that is checked by name only."""
    return f"preflight checks {what} by name, --selector or --all, not of objects in files"


def describe_missing_verb(verbs: Sequence[str]) -> str:
    """A command line without a verb."""
    return f"a verb is missing: preflight checks {', '.join(verbs)}"


def describe_other_form(shown: str, verb: str) -> str:
    """A verb of two words whose second word is another one."""
    return f"preflight does not check `kubectl {shown}`: it checks `kubectl {verb}`"


def list_verbs(verbs: Sequence[str]) -> str:
    """What is checked, after a verb that kubectl does not know."""
    return f"; preflight checks {', '.join(verbs)}"


def describe_several_kinds(kinds: Sequence[str]) -> str:
    """A command line about several kinds."""
    return f"preflight checks one kind of object at a time, not {' and '.join(kinds)} in one command line"


def list_supported(what: str, supported: Sequence[str]) -> str:
    """The kinds that a verb is checked for."""
    return f"preflight checks {what} of {join_and(supported)}"


def describe_unsupported(what: str, supported: Sequence[str], resource: str) -> str:
    """A kind that a verb is not checked for."""
    return f"{list_supported(what, supported)}, not of {resource}"


def explain_other_resource(resources: str) -> str:
    """Why `kubectl taint` refuses a word with a comma."""
    return f" (kubectl taint accepts nodes only, not {resources})"


def explain_missing_nodes_word(word: str) -> str:
    """What `kubectl taint` wants before the names of nodes."""
    return f' (the word "nodes" is missing: taint nodes {word} ...)'


def explain_joined_names(joined: str) -> str:
    """How `kubectl taint` reads `nodes/NAME`."""
    return f" (kubectl taint expects them separately: taint nodes {joined})"


def explain_names_alone(verb: str) -> str:
    """Why `kubectl drain TYPE NAME` finds nothing."""
    return f" (kubectl {verb} accepts node names only)"
