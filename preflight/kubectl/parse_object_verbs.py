"""The command lines about objects and files, from their arguments to a Command: set image, rollout restart, apply, patch, delete.

Source: kubectl `pkg/cmd/set/set_image.go`, `pkg/cmd/rollout/rollout_restart.go`, `pkg/cmd/{apply/apply,patch/patch,delete/delete}.go`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from preflight.errors import UsageError
from preflight.kubectl.commands import (
    ApplyFiles,
    Command,
    DeleteCustomResources,
    DeleteDaemonSets,
    DeleteFiles,
    DeleteNamespaces,
    DeleteNodes,
    DeletePods,
    FolderDepth,
    PatchObjects,
    PatchType,
    RestartRollout,
    SetImage,
)
from preflight.kubectl.flags import ParsedArguments
from preflight.kubectl.formatting import GO_BOOLEANS, quote_go
from preflight.kubectl.resource_args import CUSTOM, DAEMONSET, NAMESPACE, NODE, POD, get_selector, parse_targets, split_resources_and_pairs
from preflight.messages import kubectl as messages
from preflight.model.cascade import Cascade
from preflight.model.pod_wait import PodWait

_ON = "spec.nodeName="
_PATCHES = tuple(sorted(PatchType))


def parse_set_image(text: str, arguments: ParsedArguments) -> Command:
    """`kubectl set image (ds/NAME | ds NAME... | ds -l SELECTOR | ds --all) (CONTAINER=IMAGE | *=IMAGE)...`."""
    resources, pairs = split_resources_and_pairs(arguments.args, "image")
    wrong = [pair for pair in pairs if pair.find("=") <= 0]
    if wrong:
        raise UsageError(f"invalid image format: {', '.join(wrong)}")
    images = dict(pair.split("=", 1) for pair in pairs)
    _refuse_files(arguments, "images of daemonsets")
    if arguments.is_set("all") and arguments.last_value("selector"):
        raise UsageError("cannot set --all and --selector at the same time")
    _, daemonsets = parse_targets(resources, arguments, (DAEMONSET,), "images")
    if not images:
        raise UsageError("at least one image update is required")
    if len(images) > 1 and "*" in images:
        raise UsageError("all containers are already specified by *, but saw more than one container_name=container_image pairs")
    return SetImage(text, daemonsets, images)


def parse_rollout_restart(text: str, arguments: ParsedArguments) -> Command:
    """`kubectl rollout restart (ds/NAME | ds NAME... | ds -l SELECTOR | ds)`."""
    _refuse_files(arguments, "restarts of daemonsets")
    if not arguments.args:
        raise UsageError("required resource not specified")
    _, daemonsets = parse_targets(arguments.args, arguments, (DAEMONSET,), "restarts", bare_means_all=True)
    return RestartRollout(text, daemonsets)


def parse_apply(text: str, arguments: ParsedArguments) -> Command:
    """`kubectl apply -f FILE...`; FILE may be a folder, or `-` for standard input."""
    if arguments.args:
        raise UsageError(f"Unexpected args: [{' '.join(arguments.args)}]")
    files = _get_files(arguments)
    if not files:
        raise UsageError("must specify one of -f and -k")
    if arguments.is_set("force-conflicts") and not arguments.is_set("server-side"):
        raise UsageError("--force-conflicts only works with --server-side")
    if arguments.last_value("dry-run") in ("client", "unchanged") and arguments.is_set("server-side"):
        raise UsageError("--dry-run=client doesn't work with --server-side (did you mean --dry-run=server instead?)")
    if arguments.is_set("force") and arguments.is_set("server-side"):
        raise UsageError("--force cannot be used with --server-side")
    if arguments.is_set("force") and arguments.last_value("dry-run") == "server":
        raise UsageError("--dry-run=server cannot be used with --force")
    if arguments.is_set("all") and arguments.last_value("selector"):
        raise UsageError("cannot set --all and --selector at the same time")
    if arguments.is_set("prune"):
        raise UsageError(messages.NO_PRUNE)
    if arguments.last_value("subresource"):
        raise UsageError(messages.NO_SUBRESOURCE)
    return ApplyFiles(
        text, files, arguments.last_value("namespace"), arguments.is_set("server-side"), get_selector(arguments), _get_depth(arguments)
    )


def parse_patch(text: str, arguments: ParsedArguments) -> Command:
    """`kubectl patch (ds | node | CUSTOM RESOURCE) NAME... (-p PATCH | --patch-file FILE) [--type strategic|merge|json]`."""
    stated, file, kind = arguments.last_value("patch"), arguments.last_value("patch-file"), arguments.last_value("type")
    if stated and file:
        raise UsageError("cannot specify --patch and --patch-file together")
    if not stated and not file:
        raise UsageError("must specify --patch or --patch-file containing the contents of the patch")
    if arguments.is_set("local") and arguments.args:
        raise UsageError("cannot specify --local and server resources")
    if arguments.is_set("local") and arguments.last_value("dry-run") == "server":
        raise UsageError("cannot specify --local and --dry-run=server - did you mean --dry-run=client?")
    if kind and kind.lower() not in _PATCHES:
        raise UsageError(f"--type must be one of [{' '.join(_PATCHES)}], not {quote_go(kind)}")
    if _get_files(arguments) and arguments.args:
        raise UsageError("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")
    if _get_files(arguments) or arguments.is_set("local"):
        raise UsageError(messages.PATCHES_OF_FILES)
    resource, objects = parse_targets(arguments.args, arguments, (NODE, DAEMONSET, CUSTOM), "patches")
    if arguments.last_value("subresource"):
        raise UsageError(messages.NO_SUBRESOURCE)
    return PatchObjects(text, resource, objects, PatchType(kind.lower()) if kind else PatchType.STRATEGIC, stated, file)


def parse_delete(text: str, arguments: ParsedArguments) -> Command:
    """`kubectl delete (node | daemonset | pod | namespace | CUSTOM) (NAME... | -l SELECTOR | --all)` or `kubectl delete -f FILE...`."""
    cascade = _parse_cascade(arguments.last_value("cascade", "background"))
    if arguments.is_set("now") and int(arguments.last_value("grace-period", "-1"), 0) != -1:
        raise UsageError("--now and --grace-period cannot be specified together")
    if arguments.last_value("raw"):
        raise UsageError(messages.NO_RAW)
    files = _get_files(arguments)
    if arguments.is_set("all") and arguments.last_value("selector"):
        raise UsageError("setting 'all' parameter but found a non empty selector.")
    field = arguments.last_value("field-selector")
    on = field.removeprefix(_ON).removeprefix("=") if field.startswith(_ON) and field.count("=") <= 2 and "," not in field else ""
    if field and not on:
        raise UsageError(messages.describe_field_selector(_ON))
    if arguments.is_set("force") and int(arguments.last_value("grace-period", "-1"), 0) > 0:
        raise UsageError("--force and --grace-period greater than 0 cannot be specified together")
    missing = arguments.is_set("ignore-not-found") or arguments.is_set("all") or bool(arguments.last_value("selector"))
    if files:
        if arguments.args:
            raise UsageError("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")
        return DeleteFiles(text, files, arguments.last_value("namespace"), cascade, missing, _get_depth(arguments))
    supported = (NODE, DAEMONSET, POD, NAMESPACE, CUSTOM)
    resource, objects = parse_targets(arguments.args, arguments, supported, "deletions", bare_means_all=bool(on))
    if on and resource != POD:
        raise UsageError(messages.FIELD_SELECTOR_OF_PODS)
    if on and objects.names:
        raise UsageError("name cannot be provided when a selector is specified")
    if arguments.is_set("all") and objects.names:
        raise UsageError("name cannot be provided when a selector is specified")
    if resource == NAMESPACE and not objects.names:
        raise UsageError(messages.NAMESPACES_BY_NAME)
    if resource == NAMESPACE:
        return DeleteNamespaces(text, objects.names)
    if resource == NODE:
        return DeleteNodes(text, objects)
    if resource == POD:
        return DeletePods(text, objects, missing or bool(on), on, _get_grace_period(arguments), _get_pod_wait(arguments))
    if resource == DAEMONSET:
        return DeleteDaemonSets(text, objects, cascade, missing)
    return DeleteCustomResources(text, resource, objects, missing)


def _get_grace_period(arguments: ParsedArguments) -> int:
    """The seconds that a deleted pod has to end, -1 for its own.

    `--now` is one second, `--force` none, and 0 without `--force` is 1.

    Source: `staging/src/k8s.io/kubectl/pkg/cmd/delete/delete.go`, Complete.
    """
    given = int(arguments.last_value("grace-period") or -1)
    is_forced = arguments.is_set("force")
    if arguments.is_set("now") or (given == 0 and not is_forced):
        return 1
    return 0 if is_forced and given < 0 else given


def _get_pod_wait(arguments: ParsedArguments) -> PodWait:
    """How long kubectl waits: by default until the pods are gone, without an end for `--timeout=0`."""
    if not GO_BOOLEANS.get(arguments.last_value("wait") or "true", True):
        return PodWait.NONE
    timeout = arguments.last_value("timeout")
    return PodWait.UNTIL_GONE if timeout in ("", "0", "0s", None) else PodWait.TIMEOUT


def _parse_cascade(value: str) -> Cascade:
    if value in GO_BOOLEANS:
        return Cascade.BACKGROUND if GO_BOOLEANS[value] else Cascade.ORPHAN
    if value not in tuple(Cascade):
        raise UsageError(f'invalid cascade value ({value}). Must be "background", "foreground", or "orphan"')
    return Cascade(value)


def _get_depth(arguments: ParsedArguments) -> FolderDepth:
    return FolderDepth.ALL if arguments.is_set("recursive") else FolderDepth.TOP


def _get_files(arguments: ParsedArguments) -> tuple[str, ...]:
    """The files of `-f`; `-k` is refused with what to do."""
    files, kustomization = arguments.all_values("filename"), arguments.last_value("kustomize")
    if files and kustomization:
        raise UsageError("only one of -f or -k can be specified")
    if kustomization and arguments.is_set("recursive"):
        raise UsageError("the -k flag can't be used with -f or -R")
    if kustomization:
        raise UsageError(messages.describe_kustomization(kustomization))
    for file in files:
        if file.startswith(("http://", "https://")):
            raise UsageError(messages.describe_download(file))
    return files


def _refuse_files(arguments: ParsedArguments, what: str) -> None:
    if arguments.all_values("filename") or arguments.last_value("kustomize") or arguments.is_set("local"):
        raise UsageError(messages.describe_files(what))


OBJECT_READERS: Mapping[str, Callable[[str, ParsedArguments], Command]] = {
    "set image": parse_set_image,
    "rollout restart": parse_rollout_restart,
    "apply": parse_apply,
    "patch": parse_patch,
    "delete": parse_delete,
}
"""What reads a command line of each verb."""
