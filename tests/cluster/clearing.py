"""An empty cluster again, in a second or two: what a world was made of goes, what the cluster began with stays."""

from __future__ import annotations

from tests.cluster.api import METADATA_LIST, Api, ApiError, Object, Resource

# Nodes before pods, and pods before DaemonSets: so nobody makes them again, and the garbage collector has nothing to do.
CLEARED = (
    *("nodes", "cronjobs", "jobs", "deployments", "statefulsets", "replicasets", "replicationcontrollers", "pods", "daemonsets"),
    *("poddisruptionbudgets", "resourcequotas", "limitranges", "services", "persistentvolumeclaims", "persistentvolumes"),
    *("controllerrevisions", "leases", "configmaps", "secrets", "serviceaccounts", "roles", "rolebindings"),
    *("runtimeclasses", "priorityclasses", "csinodes", "csidrivers", "storageclasses"),
    *("validatingadmissionpolicybindings", "validatingadmissionpolicies", "validatingwebhookconfigurations"),
    *("mutatingwebhookconfigurations", "customresourcedefinitions", "namespaces"),
)
SYSTEMS = ("configmaps", "secrets", "serviceaccounts", "roles", "rolebindings", "leases")
SYSTEM = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
PUBLISHED = {("configmaps", "kube-root-ca.crt"), ("serviceaccounts", "default")}  # into every namespace, by controllers
NOW = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "propagationPolicy": "Background"}


def delete_world(api: Api) -> list[str]:
    """Delete all that a world is made of; the answer is what was still there, empty once the world is gone."""
    return [path for plural in CLEARED for path in delete_all(api, api.resource(plural))]


def delete_all(api: Api, resource: Resource) -> list[str]:
    """Delete all objects of a kind but those that a cluster begins with; the answer is what was still there."""
    items = api.ask("GET", resource.path(), accept=METADATA_LIST)["items"] or []
    found = [item["metadata"] for item in items if not kept(resource, item["metadata"])]
    paths = [resource.path(each.get("namespace"), each["name"]) for each in found]
    if "deletecollection" in resource.verbs and len(found) == len(items):
        api.all_at_once(lambda path: delete(api, path), {resource.path(each.get("namespace")) for each in found})
    else:
        api.all_at_once(lambda path: delete(api, path), paths)
    return paths


def delete(api: Api, path: str) -> None:
    """Delete what is there, at once; nothing there is fine, and so is what is on its way already."""
    try:
        left = api.ask("DELETE", path, NOW)
        if left["kind"] == "Namespace":  # whose controller would wait for 5 seconds before it looked
            api.ask("PUT", f"{path}/finalize", {**left, "spec": {"finalizers": []}})
    except ApiError as error:
        if error.code not in (404, 409):
            raise


def kept(resource: Resource, metadata: Object) -> bool:
    """The object is the cluster's own, not the world's."""
    name, namespace = metadata["name"], metadata.get("namespace", "")
    return (
        (resource.plural == "namespaces" and name in SYSTEM)
        or (resource.plural == "priorityclasses" and name.startswith("system-"))
        or (resource.plural in SYSTEMS and namespace in SYSTEM - {"kube-node-lease"})
        or (resource.plural, name) in PUBLISHED
        or (resource.plural == "services" and (namespace, name) == ("default", "kubernetes"))
    )
