"""An empty cluster again, in a second or two: what a world was made of goes, what the cluster began with stays."""

from __future__ import annotations

from tests.cluster.api import METADATA_LIST, Api, ApiError, Object, Resource

CLEARED = (
    *("daemonsets", "cronjobs", "jobs", "deployments", "statefulsets", "replicasets", "replicationcontrollers", "pods"),
    *("nodes", "poddisruptionbudgets", "resourcequotas", "limitranges", "services", "persistentvolumeclaims", "persistentvolumes"),
    *("controllerrevisions", "leases", "namespaces", "runtimeclasses", "priorityclasses", "csinodes", "csidrivers", "storageclasses"),
    *("validatingadmissionpolicybindings", "validatingadmissionpolicies", "validatingwebhookconfigurations"),
    *("mutatingwebhookconfigurations", "customresourcedefinitions"),
)
SYSTEM = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
NOW = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "propagationPolicy": "Background"}


def delete_world(api: Api) -> list[str]:
    """Delete all that a world is made of; the answer is what was still there, empty once the world is gone."""
    return [path for plural in CLEARED for path in delete_all(api, api.resource(plural))]


def delete_all(api: Api, resource: Resource) -> list[str]:
    """Delete all objects of a kind but those that a cluster begins with; the answer is what was still there."""
    items = api.ask("GET", resource.path(), accept=METADATA_LIST)["items"] or []
    found = [each["metadata"] for each in items if not kept(resource, each["metadata"])]
    paths = [resource.path(each.get("namespace"), each["name"]) for each in found]
    together = "deletecollection" in resource.verbs and len(found) == len(items)
    api.all_at_once(lambda path: delete(api, path), {resource.path(each.get("namespace")) for each in found} if together else paths)
    return paths


def delete(api: Api, path: str) -> None:
    """Delete what is there, at once; nothing there is fine, and so is what is on its way already."""
    try:
        api.ask("DELETE", path, NOW)
    except ApiError as error:
        if error.code not in (404, 409):
            raise


def kept(resource: Resource, metadata: Object) -> bool:
    """The object is the cluster's own, not the world's."""
    name = metadata["name"]
    return (
        (resource.plural == "namespaces" and name in SYSTEM)
        or (resource.plural == "priorityclasses" and name.startswith("system-"))
        or (resource.plural == "leases" and metadata["namespace"] == "kube-system")
        or (resource.plural == "services" and (metadata["namespace"], name) == ("default", "kubernetes"))
    )
