"""What is in the cluster, as far as it takes to write a legal command line; a plan's lines move it on without asking the cluster."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from tests.truth.drawing import Object

Key = tuple[str, str]
"""The namespace and the name of a DaemonSet."""


class State:
    """The nodes and DaemonSets of `kubectl get nodes,ds,pods -A -o json`, and the manifests that a person would have of the DaemonSets.

    `labels`, `taints` and `cordoned` are those of the nodes by name; a taint is its value by key and effect. `silent` are the nodes whose
    kubelet is not heard of. `pods` are the names of the pods by DaemonSet. `restless` are the DaemonSets some of whose pods come and go.
    """

    def __init__(
        self,
        items: list[Object],
        manifests: dict[Key, Object],
        restless: frozenset[Key] = frozenset(),
        silent: frozenset[str] = frozenset(),
    ) -> None:
        nodes = {item["metadata"]["name"]: item for item in items if item["kind"] == "Node"}
        self.labels: dict[str, dict[str, str]] = {name: dict(node["metadata"].get("labels", {})) for name, node in nodes.items()}
        self.taints: dict[str, dict[tuple[str, str], str]] = {
            name: {(taint["key"], taint["effect"]): taint.get("value", "") for taint in each["spec"].get("taints", ())}
            for name, each in nodes.items()
        }
        self.cordoned = {name for name, each in nodes.items() if each["spec"].get("unschedulable")}
        self.daemonsets: dict[Key, Object] = {_key(each): each for each in items if each["kind"] == "DaemonSet"}
        self.pods: dict[Key, list[str]] = {key: [] for key in self.daemonsets}
        for each in items:
            if each["kind"] == "Pod" and "deletionTimestamp" not in each["metadata"]:
                for owner in each["metadata"].get("ownerReferences", ()):
                    self.pods.get((each["metadata"]["namespace"], owner["name"]), []).append(each["metadata"]["name"])
        self.manifests = manifests
        self.restless = restless
        self.silent = silent

    @property
    def nodes(self) -> list[str]:
        return sorted(self.labels)

    def calm(self, random: Random) -> list[Key]:
        """The DaemonSets whose pods stay, so that an update comes to its end; mostly a few favourites, which change again and again."""
        found = sorted(key for key in self.daemonsets if key not in self.restless)
        favourites = [key for key in found if key[1].endswith("0")]
        return favourites if favourites and random.random() < 0.6 else found

    def taint(self, nodes: list[str], add: list[Object], remove: list[tuple[str, str]]) -> None:
        """Taint these nodes; an effect of "" removes every effect of the key."""
        for name in nodes:
            there = self.taints[name]
            for key, effect in remove:
                for gone in [each for each in there if each[0] == key and effect in ("", each[1])]:
                    del there[gone]
            there.update({(each["key"], each["effect"]): each.get("value", "") for each in add})

    def owned(self, name: str) -> list[Object]:
        """The taints of a node that say that nothing is heard of its kubelet: who takes them off gets them back."""
        there = sorted(self.taints[name]) if name in self.silent else ()
        return [{"key": key, "effect": effect} for key, effect in there if key == "node.kubernetes.io/unreachable"]

    def label(self, nodes: list[str], add: dict[str, str], remove: list[str]) -> None:
        for name in nodes:
            for key in remove:
                self.labels[name].pop(key, None)
            self.labels[name].update(add)

    def delete(self, key: Key) -> None:
        self.daemonsets.pop(key, None)
        self.pods.pop(key, None)


def is_silent(node: Object) -> bool:
    """Whether nothing is heard of the kubelet of a node."""
    return any(
        condition["type"] == "Ready" and condition["status"] == "Unknown" for condition in node.get("status", {}).get("conditions", ())
    )


def _key(item: Object) -> Key:
    return item["metadata"]["namespace"], item["metadata"]["name"]


class Move(NamedTuple):
    """A change to predict and to do.

    1. `kind` is the change kind that it counts for; `lines` are command lines without the program's name, more than one for a plan.
    2. `files` are to be written before, by name: manifests to apply, as objects; the text of a plan.
    3. `reborn` are nodes that are deleted and then have to register anew; `rebooted` are those that restart, by no line of kubectl.
    4. `takes` are the seconds that may pass before anything happens.
    """

    kind: str
    lines: list[list[str]]
    files: dict[str, Any]
    reborn: tuple[str, ...] = ()
    rebooted: tuple[str, ...] = ()
    takes: float = 0.0
