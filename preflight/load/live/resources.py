"""The resources of the API that are asked for, and a list of one of them: where it is, and the right that it takes."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote

from msgspec import Struct


class ApiResource(NamedTuple):
    """A resource of the API: `group` is "" for the core group."""

    kind: str
    group: str
    version: str
    plural: str
    is_namespaced: bool = True

    @property
    def rbac_name(self) -> str:
        """As kubectl and RBAC name it: `daemonsets.apps`, `nodes`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def list_path(self, namespace: str = "") -> str:
        """The path of its list, in one namespace or in all."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/namespaces/{quote(namespace, safe='')}/{self.plural}" if namespace else f"{root}/{self.plural}"


class ListQuery(Struct, frozen=True):
    """One list to ask for: a resource, a namespace ("" for all), and selectors as the API takes them.

    `limit` is how many objects at most, 0 for all.
    """

    resource: ApiResource
    namespace: str = ""
    fields: str = ""
    labels: str = ""
    limit: int = 0


NODES = ApiResource("Node", "", "v1", "nodes", is_namespaced=False)
DAEMONSETS = ApiResource("DaemonSet", "apps", "v1", "daemonsets")
PODS = ApiResource("Pod", "", "v1", "pods")
BUDGETS = ApiResource("PodDisruptionBudget", "policy", "v1", "poddisruptionbudgets")
CONFIGS = ApiResource("ConfigMap", "", "v1", "configmaps")
ADMISSION = (
    ApiResource("Namespace", "", "v1", "namespaces", is_namespaced=False),
    ApiResource("RuntimeClass", "node.k8s.io", "v1", "runtimeclasses", is_namespaced=False),
    ApiResource("ResourceQuota", "", "v1", "resourcequotas"),
)
"""What admission makes of new pods."""

OWNERS = (
    ApiResource("Deployment", "apps", "v1", "deployments"),
    ApiResource("StatefulSet", "apps", "v1", "statefulsets"),
    ApiResource("Job", "batch", "v1", "jobs"),
    ApiResource("JobSet", "jobset.x-k8s.io", "v1alpha2", "jobsets"),
)
"""What controls pods, and says how many there are to be: asked for where pods may have to go."""

REPLICASETS = ApiResource("ReplicaSet", "apps", "v1", "replicasets")
"""Those of a Deployment are not asked for: its number counts. There are ten times as many of them as of Deployments."""

DEPENDENTS = (
    *OWNERS,
    ApiResource("CronJob", "batch", "v1", "cronjobs"),
    ApiResource("PersistentVolumeClaim", "", "v1", "persistentvolumeclaims"),
    ApiResource("PersistentVolume", "", "v1", "persistentvolumes", is_namespaced=False),
    ApiResource("StorageClass", "storage.k8s.io", "v1", "storageclasses", is_namespaced=False),
)
"""What may depend on a DaemonSet that is lost: asked for where one is."""

EVENTS = ApiResource("Event", "", "v1", "events")
"""Asked for where somebody wants to know what is broken today: warnings only."""

STATE_RESOURCES = (EVENTS, ApiResource("CSINode", "storage.k8s.io", "v1", "csinodes", is_namespaced=False))
"""What says how things are, beside the objects themselves."""

ALL_RESOURCES = (NODES, DAEMONSETS, PODS, BUDGETS, *ADMISSION, *DEPENDENTS, REPLICASETS, CONFIGS, *STATE_RESOURCES)
