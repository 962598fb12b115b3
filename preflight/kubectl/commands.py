"""The command lines that preflight judges, read: one Struct a verb."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, StrEnum

from msgspec import Struct

from preflight.kubectl.label_selector import LabelQuery
from preflight.model.cascade import Cascade
from preflight.model.core import Taint
from preflight.model.drain_flags import DrainFlags
from preflight.model.pod_wait import PodWait
from preflight.scheduling.node_health import OUT_OF_SERVICE


class TargetObjects(Struct, frozen=True):
    """The objects that a command line chooses: by name, by selector, or all of them; exactly one of the three is there.

    `namespace` is what `-n` says, "" where it is absent (nodes have none); `all_namespaces` where `-A` is given.
    """

    names: tuple[str, ...] = ()
    selector: LabelQuery | None = None
    all: bool = False
    namespace: str = ""
    all_namespaces: bool = False


class Command(Struct, frozen=True):
    """A command line that was read; `text` is the line without a program's name."""

    text: str

    @property
    def may_evict(self) -> bool:
        """Whether ordinary pods may have to go: such a command reads pods as a whole."""
        return False

    @property
    def may_create_pods(self) -> bool:
        """Whether a DaemonSet may get a new pod, which has to fit on its node."""
        return False


def may_delete_pods(taints: Iterable[Taint]) -> bool:
    """A NoExecute taint deletes pods, and out-of-service, whatever its effect, those that are being deleted already."""
    return any(taint.effect == "NoExecute" or taint.key == OUT_OF_SERVICE for taint in taints)


class TaintNodes(Command, frozen=True):
    """`kubectl taint nodes`.

    A taint to remove without an effect removes every effect of its key; the value in it is what the user typed: kubectl ignores it.
    """

    nodes: TargetObjects
    add: tuple[Taint, ...] = ()
    remove: tuple[Taint, ...] = ()
    overwrite: bool = False

    @property
    def may_evict(self) -> bool:
        """As far as taints do that are added."""
        return may_delete_pods(self.add)

    @property
    def may_create_pods(self) -> bool:
        """Where a taint goes, or has another value than before."""
        return bool(self.remove) or self.overwrite


class LabelNodes(Command, frozen=True):
    """`kubectl label nodes`."""

    nodes: TargetObjects
    add: Mapping[str, str] = {}
    remove: tuple[str, ...] = ()
    overwrite: bool = False

    @property
    def may_create_pods(self) -> bool:
        """A label may be what a DaemonSet selects on."""
        return True


class CordonNodes(Command, frozen=True):
    """`kubectl cordon`, or `kubectl uncordon` where `unschedulable` is False."""

    nodes: TargetObjects
    unschedulable: bool


class DrainNodes(Command, frozen=True):
    """`kubectl drain`."""

    nodes: TargetObjects
    flags: DrainFlags = DrainFlags()

    @property
    def may_evict(self) -> bool:
        """That is what it is for."""
        return True


class SetImage(Command, frozen=True):
    """`kubectl set image` of DaemonSets: images by container name, or by `*`; or of the objects of files."""

    daemonsets: TargetObjects
    images: Mapping[str, str]

    @property
    def may_create_pods(self) -> bool:
        """Every pod is replaced."""
        return True


class RestartRollout(Command, frozen=True):
    """`kubectl rollout restart` of DaemonSets."""

    daemonsets: TargetObjects

    @property
    def may_create_pods(self) -> bool:
        """Every pod is replaced."""
        return True


class FolderDepth(Enum):
    """How much of a folder `-f` means: what is in it, or what is below it too (`--recursive`)."""

    TOP = "top"
    ALL = "all"


class FileArgument(Struct, frozen=True):
    """A path of `-f`: a file, a folder, a pattern, or `-`."""

    path: str
    depth: FolderDepth = FolderDepth.TOP


class ApplyFiles(Command, frozen=True):
    """`kubectl apply -f`; `namespace` is what `-n` says."""

    files: tuple[str, ...]
    namespace: str = ""
    server_side: bool = False
    selector: LabelQuery | None = None
    depth: FolderDepth = FolderDepth.TOP

    def iter_arguments(self) -> Iterator[FileArgument]:
        """The paths, each with how much of a folder it means."""
        return (FileArgument(file, self.depth) for file in self.files)

    @property
    def may_create_pods(self) -> bool:
        """A DaemonSet may be new or have another template, and a node may be new."""
        return True


class PatchType(StrEnum):
    """How a patch is read, in the words of `--type`."""

    STRATEGIC = "strategic"
    MERGE = "merge"
    JSON = "json"


class PatchObjects(Command, frozen=True):
    """`kubectl patch` of nodes or DaemonSets, as `resource` says.

    `patch` is the text of the patch, `file` the file that holds it where it is not read yet.
    """

    resource: str
    targets: TargetObjects
    patch_type: PatchType = PatchType.STRATEGIC
    patch: str = ""
    file: str = ""

    @property
    def may_evict(self) -> bool:
        """A patch of nodes may bring taints with NoExecute; one in a file is not read yet."""
        return self.resource == "nodes" and (not self.patch or "taints" in self.patch)

    @property
    def may_create_pods(self) -> bool:
        """As with `apply`."""
        return True


class DeleteFiles(Command, frozen=True):
    """`kubectl delete -f`."""

    files: tuple[str, ...]
    namespace: str = ""
    cascade: Cascade = Cascade.BACKGROUND
    ignore_missing: bool = False
    depth: FolderDepth = FolderDepth.TOP

    def iter_arguments(self) -> Iterator[FileArgument]:
        """The paths, each with how much of a folder it means."""
        return (FileArgument(file, self.depth) for file in self.files)


def may_evict_from(command: ApplyFiles | DeleteFiles, taints: Iterable[Taint]) -> bool:
    """Whether ordinary pods may have to go from a node that stands in the files with these taints."""
    return isinstance(command, DeleteFiles) or may_delete_pods(taints)


class DeleteNodes(Command, frozen=True):
    """`kubectl delete node`."""

    nodes: TargetObjects

    @property
    def may_evict(self) -> bool:
        """The pods of a node that is gone are deleted."""
        return True


class DeleteDaemonSets(Command, frozen=True):
    """`kubectl delete daemonset`."""

    daemonsets: TargetObjects
    cascade: Cascade = Cascade.BACKGROUND
    ignore_missing: bool = False

    @property
    def may_create_pods(self) -> bool:
        """An update of another DaemonSet that is held up goes on where it finds the room of those that go, or does not."""
        return True


class DeleteCustomResources(Command, frozen=True):
    """`kubectl delete` of custom resources of operators; `resource` is as kubectl writes it: `clusterpolicies.nvidia.com`."""

    resource: str
    targets: TargetObjects
    ignore_missing: bool = False


class DeleteNamespaces(Command, frozen=True):
    """`kubectl delete namespace`, with everything in it."""

    names: tuple[str, ...]

    @property
    def may_create_pods(self) -> bool:
        """As with a DaemonSet that is deleted."""
        return True


class DeletePods(Command, frozen=True):
    """`kubectl delete pod`; `node` is the node of `--field-selector spec.nodeName=...`, "" where any will do.

    `grace_period` are the seconds that each pod has to end: -1 for its own, 0 to remove it at once, whether or not a kubelet has ended it.
    `wait` is whether kubectl waits until they are gone.
    """

    pods: TargetObjects
    ignore_missing: bool = False
    node: str = ""
    grace_period: int = -1
    wait: PodWait = PodWait.UNTIL_GONE

    @property
    def may_evict(self) -> bool:
        """Pods that no DaemonSet controls may be among them."""
        return True

    @property
    def may_create_pods(self) -> bool:
        """The pod of a DaemonSet is created again."""
        return True


class RebootNodes(Command, frozen=True):
    """`preflight reboot`: plain, or with graceful node shutdown."""

    nodes: TargetObjects
    graceful: bool = False

    @property
    def may_evict(self) -> bool:
        """With graceful node shutdown pods end; else they restart with the node."""
        return self.graceful

    @property
    def may_create_pods(self) -> bool:
        """A graceful shutdown ends pods; where an update is held up, old ones that restart are replaced."""
        return True


class ReplaceNodes(Command, frozen=True):
    """`preflight replace`: the nodes register anew, with these labels and taints; None means those that they have today."""

    nodes: TargetObjects
    labels: Mapping[str, str] | None = None
    taints: tuple[Taint, ...] | None = None

    @property
    def may_evict(self) -> bool:
        """Nothing outlives the node."""
        return True
