"""The resources of the API that are asked for: where they are, and the right that it takes."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import quote


class Resource(NamedTuple):
    """A resource of the API: `group` is "" for the core group."""

    kind: str
    group: str
    version: str
    plural: str
    is_namespaced: bool = True

    @property
    def right(self) -> str:
        """As kubectl and RBAC name it: `daemonsets.apps`, `nodes`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def path(self, namespace: str = "") -> str:
        """The path of its list, in one namespace or in all."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        return f"{root}/namespaces/{quote(namespace, safe='')}/{self.plural}" if namespace else f"{root}/{self.plural}"


NODES = Resource("Node", "", "v1", "nodes", is_namespaced=False)
DAEMONSETS = Resource("DaemonSet", "apps", "v1", "daemonsets")
PODS = Resource("Pod", "", "v1", "pods")
BUDGETS = Resource("PodDisruptionBudget", "policy", "v1", "poddisruptionbudgets")
CONFIGS = Resource("ConfigMap", "", "v1", "configmaps")
AROUND = (
    Resource("Namespace", "", "v1", "namespaces", is_namespaced=False),
    Resource("RuntimeClass", "node.k8s.io", "v1", "runtimeclasses", is_namespaced=False),
    Resource("ResourceQuota", "", "v1", "resourcequotas"),
)
"""What admission makes of new pods."""

OWNERS = (
    Resource("Deployment", "apps", "v1", "deployments"),
    Resource("StatefulSet", "apps", "v1", "statefulsets"),
    Resource("Job", "batch", "v1", "jobs"),
    Resource("JobSet", "jobset.x-k8s.io", "v1alpha2", "jobsets"),
)
"""What controls pods, and says how many there are to be: asked for where pods may have to go."""

REPLICASETS = Resource("ReplicaSet", "apps", "v1", "replicasets")
"""Those of a Deployment are not asked for: its number counts. There are ten times as many of them as of Deployments."""

DEPENDENTS = (
    *OWNERS,
    Resource("CronJob", "batch", "v1", "cronjobs"),
    Resource("PersistentVolumeClaim", "", "v1", "persistentvolumeclaims"),
    Resource("PersistentVolume", "", "v1", "persistentvolumes", is_namespaced=False),
    Resource("StorageClass", "storage.k8s.io", "v1", "storageclasses", is_namespaced=False),
)
"""What may depend on a DaemonSet that is lost: asked for where one is."""

EVENTS = Resource("Event", "", "v1", "events")
"""Asked for where somebody wants to know what is broken today: warnings only."""

STATE = (EVENTS, Resource("CSINode", "storage.k8s.io", "v1", "csinodes", is_namespaced=False))
"""What says how things are, beside the objects themselves."""

EVERY = (NODES, DAEMONSETS, PODS, BUDGETS, *AROUND, *DEPENDENTS, REPLICASETS, CONFIGS, *STATE)
