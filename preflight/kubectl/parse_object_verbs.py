"""The command lines about objects and files, from their arguments to a Command: set image, rollout restart, apply, patch, delete.

Source: kubectl `pkg/cmd/set/set_image.go`, `pkg/cmd/rollout/rollout_restart.go`, `pkg/cmd/{apply/apply,patch/patch,delete/delete}.go`.
"""

from __future__ import annotations

from preflight.errors import UsageError
from preflight.kubectl.commands import (
    ApplyFiles,
    Command,
    DeleteDaemonSets,
    DeleteFiles,
    DeleteNamespaces,
    DeleteNodes,
    DeletePods,
    Patch,
    RestartRollout,
    SetImage,
)
from preflight.kubectl.flags import Given
from preflight.kubectl.formatting import BOOLEANS, quoted
from preflight.kubectl.resource_args import DAEMONSET, NAMESPACE, NODE, POD, chosen, resources_and_pairs, selector_of

_CASCADES = ("background", "foreground", "orphan")
_ON = "spec.nodeName="
_PATCHES = ("json", "merge", "strategic")


def set_image(text: str, given: Given) -> Command:
    """`kubectl set image (ds/NAME | ds NAME... | ds -l SELECTOR | ds --all) (CONTAINER=IMAGE | *=IMAGE)...`."""
    resources, pairs = resources_and_pairs(given.args, "image")
    wrong = [pair for pair in pairs if pair.find("=") <= 0]
    if wrong:
        raise UsageError(f"invalid image format: {', '.join(wrong)}")
    images = dict(pair.split("=", 1) for pair in pairs)
    _no_files(given, "images of daemonsets")
    if given.on("all") and given.text("selector"):
        raise UsageError("cannot set --all and --selector at the same time")
    _, daemonsets = chosen(resources, given, (DAEMONSET,), "images")
    if not images:
        raise UsageError("at least one image update is required")
    if len(images) > 1 and "*" in images:
        raise UsageError("all containers are already specified by *, but saw more than one container_name=container_image pairs")
    return SetImage(text, daemonsets, images)


def rollout_restart(text: str, given: Given) -> Command:
    """`kubectl rollout restart (ds/NAME | ds NAME... | ds -l SELECTOR | ds)`."""
    _no_files(given, "restarts of daemonsets")
    if not given.args:
        raise UsageError("required resource not specified")
    _, daemonsets = chosen(given.args, given, (DAEMONSET,), "restarts", bare=True)
    return RestartRollout(text, daemonsets)


def apply(text: str, given: Given) -> Command:
    """`kubectl apply -f FILE...`; FILE may be a folder, or `-` for standard input."""
    if given.args:
        raise UsageError(f"Unexpected args: [{' '.join(given.args)}]")
    files = _files(given)
    if not files:
        raise UsageError("must specify one of -f and -k")
    if given.on("force-conflicts") and not given.on("server-side"):
        raise UsageError("--force-conflicts only works with --server-side")
    if given.text("dry-run") in ("client", "unchanged") and given.on("server-side"):
        raise UsageError("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
    if given.on("force") and given.on("server-side"):
        raise UsageError("--force cannot be used with --server-side")
    if given.on("force") and given.text("dry-run") == "server":
        raise UsageError("--dry-run=server cannot be used with --force")
    if given.on("all") and given.text("selector"):
        raise UsageError("cannot set --all and --selector at the same time")
    if given.on("prune"):
        raise UsageError("preflight does not judge --prune: judge what it deletes with `delete daemonset NAME`")
    if given.text("subresource"):
        raise UsageError("preflight does not judge --subresource: placement reads no status")
    return ApplyFiles(text, files, given.text("namespace"), given.on("server-side"), selector_of(given))


def patch(text: str, given: Given) -> Command:
    """`kubectl patch (ds | node) NAME... (-p PATCH | --patch-file FILE) [--type strategic|merge|json]`."""
    stated, file, kind = given.text("patch"), given.text("patch-file"), given.text("type")
    if stated and file:
        raise UsageError("cannot specify --patch and --patch-file together")
    if not stated and not file:
        raise UsageError("must specify --patch or --patch-file containing the contents of the patch")
    if given.on("local") and given.args:
        raise UsageError("cannot specify --local and server resources")
    if given.on("local") and given.text("dry-run") == "server":
        raise UsageError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    if kind and kind.lower() not in _PATCHES:
        raise UsageError(f"--type must be one of [{' '.join(_PATCHES)}], not {quoted(kind)}")
    if _files(given) and given.args:
        raise UsageError("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")
    if _files(given) or given.on("local"):
        raise UsageError("preflight judges patches of nodes and daemonsets by name, not of the objects of files")
    resource, objects = chosen(given.args, given, (NODE, DAEMONSET), "patches")
    if given.text("subresource"):
        raise UsageError("preflight does not judge --subresource: placement reads no status")
    return Patch(text, resource, objects, kind.lower() or "strategic", stated, file)


def delete(text: str, given: Given) -> Command:
    """`kubectl delete (node | daemonset | pod | namespace) (NAME... | -l SELECTOR | --all)` or `kubectl delete -f FILE...`."""
    cascade = _cascade(given.text("cascade", "background"))
    if given.on("now") and int(given.text("grace-period", "-1"), 0) != -1:
        raise UsageError("--now and --grace-period cannot be specified together")
    if given.text("raw"):
        raise UsageError("preflight does not judge --raw: name the objects")
    files = _files(given)
    if given.on("all") and given.text("selector"):
        raise UsageError("setting 'all' parameter but found a non empty selector.")
    field = given.text("field-selector")
    on = field.removeprefix(_ON).removeprefix("=") if field.startswith(_ON) and field.count("=") <= 2 and "," not in field else ""
    if field and not on:
        raise UsageError(f"preflight knows no --field-selector but {_ON}NODE: name the objects, or use --selector")
    if given.on("force") and int(given.text("grace-period", "-1"), 0) > 0:
        raise UsageError("--force and --grace-period greater than 0 cannot be specified together")
    missing = given.on("ignore-not-found") or given.on("all") or bool(given.text("selector"))
    if files:
        if given.args:
            raise UsageError("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")
        return DeleteFiles(text, files, given.text("namespace"), cascade, missing)
    resource, objects = chosen(given.args, given, (NODE, DAEMONSET, POD, NAMESPACE), "deletions", bare=bool(on))
    if on and resource != POD:
        raise UsageError("preflight knows --field-selector of pods only: name the objects, or use --selector")
    if on and objects.names:
        raise UsageError("name cannot be provided when a selector is specified")
    if given.on("all") and objects.names:
        raise UsageError("name cannot be provided when a selector is specified")
    if resource == NAMESPACE and not objects.names:
        raise UsageError("preflight judges deletions of namespaces by name")
    if resource == NAMESPACE:
        return DeleteNamespaces(text, objects.names)
    if resource == NODE:
        return DeleteNodes(text, objects)
    if resource == POD:
        return DeletePods(text, objects, missing or bool(on), on)
    return DeleteDaemonSets(text, objects, cascade, missing)


def _cascade(value: str) -> str:
    if value in BOOLEANS:
        return "background" if BOOLEANS[value] else "orphan"
    if value not in _CASCADES:
        raise UsageError(f'invalid cascade value ({value}). Must be "background", "foreground", or "orphan"')
    return value


def _files(given: Given) -> tuple[str, ...]:
    """The files of `-f`; `-k` is refused with what to do."""
    files, kustomization = given.texts("filename"), given.text("kustomize")
    if files and kustomization:
        raise UsageError("only one of -f or -k can be specified")
    if kustomization:
        raise UsageError(f"preflight builds no kustomization: render it first, with `kubectl kustomize {kustomization} | ... -f -`")
    for file in files:
        if file.startswith(("http://", "https://")):
            raise UsageError(f"preflight fetches nothing: download {file} and give the file")
    return files


def _no_files(given: Given, what: str) -> None:
    if given.texts("filename") or given.text("kustomize") or given.on("local"):
        raise UsageError(f"preflight judges {what} by name, --selector or --all, not of the objects of files")
