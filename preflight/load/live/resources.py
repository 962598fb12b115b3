"""The resources of the API that are asked for, and a list of one of them: where it is, and the right that it takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import quote

from msgspec import Struct

from preflight.operators.resource import CustomKind, is_namespaced, list_custom_kinds


class ApiResource(NamedTuple):
    """A resource of the API.

    1. `group` is "" for the core group. `older` are the versions to ask for, newest first, where the server does not serve `version`.
    2. `is_custom`: a cluster has the resource only where somebody has installed it. A `version` of "" is any that the server serves.
    3. `is_operators`: a known operator reads it. Not to have it makes no answer incomplete: the operator's DaemonSets are listed.
    """

    kind: str
    group: str
    version: str
    plural: str
    is_namespaced: bool = True
    older: tuple[str, ...] = ()
    is_custom: bool = False
    is_operators: bool = False

    @property
    def name(self) -> str:
        """What a survey calls the resource: its kind, or for a kind that several operators may have, as RBAC does."""
        return self.rbac_name if self.is_operators else self.kind

    @property
    def rbac_name(self) -> str:
        """As kubectl and RBAC name it: `daemonsets.apps`, `nodes`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def list_path(self, namespace: str = "", version: str = "") -> str:
        """The path of its list, in one namespace or in all; `version` is the one that the server serves, "" for the usual one."""
        root = f"/apis/{self.group}/{version or self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/namespaces/{quote(namespace, safe='')}/{self.plural}" if namespace else f"{root}/{self.plural}"


class ListQuery(Struct, frozen=True):
    """One list to ask for: a resource, a namespace ("" for all), and selectors as the API takes them.

    `limit` is how many objects at most, 0 for all. With `needs_group`, only a server of that API group is asked: others have no object.
    """

    resource: ApiResource
    namespace: str = ""
    fields: str = ""
    labels: str = ""
    limit: int = 0
    needs_group: str = ""


NODES = ApiResource("Node", "", "v1", "nodes", is_namespaced=False)
DAEMONSETS = ApiResource("DaemonSet", "apps", "v1", "daemonsets")
PODS = ApiResource("Pod", "", "v1", "pods")
BUDGETS = ApiResource("PodDisruptionBudget", "policy", "v1", "poddisruptionbudgets", older=("v1beta1",))
CONFIGS = ApiResource("ConfigMap", "", "v1", "configmaps")
ADMISSION = (
    ApiResource("Namespace", "", "v1", "namespaces", is_namespaced=False),
    ApiResource("RuntimeClass", "node.k8s.io", "v1", "runtimeclasses", is_namespaced=False, older=("v1beta1",)),
    ApiResource("ResourceQuota", "", "v1", "resourcequotas"),
)
"""What admission makes of new pods."""

OWNERS = (
    ApiResource("Deployment", "apps", "v1", "deployments"),
    ApiResource("StatefulSet", "apps", "v1", "statefulsets"),
    ApiResource("Job", "batch", "v1", "jobs"),
    ApiResource("JobSet", "jobset.x-k8s.io", "v1alpha2", "jobsets", is_custom=True),
)
"""What controls pods, and says how many there are to be: asked for where pods may have to go."""

REPLICASETS = ApiResource("ReplicaSet", "apps", "v1", "replicasets")
"""Those of a Deployment are not asked for: its number counts. There are ten times as many of them as of Deployments."""

DEPENDENTS = (
    *OWNERS,
    ApiResource("CronJob", "batch", "v1", "cronjobs", older=("v1beta1",)),
    ApiResource("PersistentVolumeClaim", "", "v1", "persistentvolumeclaims"),
    ApiResource("PersistentVolume", "", "v1", "persistentvolumes", is_namespaced=False),
    ApiResource("StorageClass", "storage.k8s.io", "v1", "storageclasses", is_namespaced=False),
)
"""What may depend on a DaemonSet that is lost: asked for where one is."""

EVENTS = ApiResource("Event", "", "v1", "events")
"""Asked for where somebody wants to know what is broken today: warnings only."""

STATE_RESOURCES = (EVENTS, ApiResource("CSINode", "storage.k8s.io", "v1", "csinodes", is_namespaced=False, older=("v1beta1",)))
"""What says how things are, beside the objects themselves."""


def list_operator_resources(kinds: Iterable[CustomKind] | None = None) -> tuple[ApiResource, ...]:
    """The custom resources of known operators: those of some kinds, None for all."""
    return tuple(
        ApiResource(custom.kind, custom.group, "", custom.plural, is_namespaced(custom), is_custom=True, is_operators=True)
        for custom in (list_custom_kinds() if kinds is None else kinds)
    )


ALL_RESOURCES = (NODES, DAEMONSETS, PODS, BUDGETS, *ADMISSION, *DEPENDENTS, REPLICASETS, CONFIGS, *STATE_RESOURCES)
