"""Random changes of DaemonSets, by kind, as command lines that kubectl takes and manifests that it applies."""

from __future__ import annotations

import copy
from collections.abc import Callable
from random import Random

from tests.truth import demands, drawing
from tests.truth.drawing import Object
from tests.truth.state import Key, Move, State
from tests.truth.worlds import IMAGE

Edit = Callable[[Random, Object, list[str]], None]
"""Changes a manifest in place; the list are the names of the nodes."""


def image(random: Random) -> str:
    return f"{IMAGE}:{random.randint(1, 9)}"


def _of_one_namespace(random: Random, keys: list[Key], most: int) -> tuple[str, list[str]]:
    namespace = random.choice(sorted({key[0] for key in keys}))
    names = [name for where, name in keys if where == namespace]
    return namespace, sorted(random.sample(names, min(len(names), random.randint(1, most))))


def set_image(random: Random, state: State) -> Move | None:
    keys = state.calm(random)
    if not keys:
        return None
    namespace, names = _of_one_namespace(random, keys, 3)
    container = random.choice(("c", "c", "*"))
    form = random.choice(("ds/{}", "daemonset/{}", "daemonsets.apps/{}"))
    line = ["set", "image", *(form.format(name) for name in names), f"{container}={image(random)}", "-n", namespace]
    return Move("set image", [line], {})


def restart(random: Random, state: State) -> Move | None:
    keys = state.calm(random)
    if not keys:
        return None
    namespace, names = _of_one_namespace(random, keys, 3)
    if random.random() < 0.3:
        return Move("rollout restart", [["-n", namespace, "rollout", "restart", "daemonset", *names]], {})
    return Move("rollout restart", [["rollout", "restart", *(f"ds/{name}" for name in names), "-n", namespace]], {})


def delete_ds(random: Random, state: State) -> Move | None:
    return _delete(random, state, "delete ds", [])


def delete_ds_orphan(random: Random, state: State) -> Move | None:
    return _delete(random, state, "delete ds --cascade=orphan", ["--cascade=orphan"])


def _delete(random: Random, state: State, kind: str, flags: list[str]) -> Move | None:
    keys = [key for key in state.calm(random) if state.pods[key]]
    if not keys:
        return None
    namespace, name = random.choice(keys)
    state.delete((namespace, name))
    return Move(kind, [["delete", "ds", name, "-n", namespace, *flags]], {})


def _pod(manifest: Object) -> Object:
    found: Object = manifest["spec"]["template"]["spec"]
    return found


def new_image(random: Random, manifest: Object, nodes: list[str]) -> None:
    del nodes
    before = _pod(manifest)["containers"][0]["image"]
    _pod(manifest)["containers"][0]["image"] = random.choice([name for n in range(1, 10) if (name := f"{IMAGE}:{n}") != before])


def new_env(random: Random, manifest: Object, nodes: list[str]) -> None:
    del nodes
    _pod(manifest)["containers"][0]["env"] = [{"name": random.choice(("LEVEL", "MODE")), "value": str(random.randint(2, 999))}]


def more_tolerations(random: Random, manifest: Object, nodes: list[str]) -> None:
    del nodes
    there = _pod(manifest).setdefault("tolerations", [])
    for _ in range(random.choice((1, 1, 2))):
        there.insert(random.randrange(len(there) + 1), drawing.toleration(random))


def fewer_tolerations(random: Random, manifest: Object, nodes: list[str]) -> None:
    """Drop tolerations: one, all, or the field itself; where there is none, add some, for the next time."""
    there = _pod(manifest).get("tolerations")
    if not there:
        return more_tolerations(random, manifest, nodes)
    how = random.random()
    if how < 0.6:
        there.pop(random.randrange(len(there)))
    elif how < 0.8:
        there.clear()
    else:
        del _pod(manifest)["tolerations"]
    return None


def new_selection(random: Random, manifest: Object, nodes: list[str]) -> None:
    """Choose other nodes: a field that is gone is dropped by kubectl where it was applied before, and stays where it was not."""
    for name in ("nodeSelector", "affinity"):
        _pod(manifest).pop(name, None)
    _pod(manifest).update(drawing.selection(random, nodes))


def new_strategy(random: Random, manifest: Object, nodes: list[str]) -> None:
    """Another strategy, and nothing else; mostly with both limits, since one that is not stated may stay as it is in the cluster."""
    del nodes
    strategy = drawing.strategy(random) or {"type": "RollingUpdate"}
    if "rollingUpdate" in strategy and random.random() < 0.9:
        strategy["rollingUpdate"] = {"maxUnavailable": 0, "maxSurge": 0, **strategy["rollingUpdate"]}
    manifest["spec"]["updateStrategy"] = strategy


def new_requests(random: Random, manifest: Object, nodes: list[str]) -> None:
    """Ask for other resources, or for none."""
    del nodes
    container = _pod(manifest)["containers"][0]
    container.pop("resources", None)
    if random.random() < 0.85:
        container["resources"] = demands.requests(random)


def new_port(random: Random, manifest: Object, nodes: list[str]) -> None:
    """Take another port of the node, or none any more."""
    del nodes
    container = _pod(manifest)["containers"][0]
    container.pop("ports", None)
    if random.random() < 0.7:
        container["ports"] = [demands.port(random, _pod(manifest))]


def new_priority(random: Random, manifest: Object, nodes: list[str]) -> None:
    """Another PriorityClass, or none."""
    del nodes
    _pod(manifest).pop("priorityClassName", None)
    if random.random() < 0.8:
        _pod(manifest)["priorityClassName"] = demands.priority(random)


EDITS: dict[str, Edit] = {
    "apply: image": new_image,
    "apply: env": new_env,
    "apply: tolerations gained": more_tolerations,
    "apply: tolerations dropped": fewer_tolerations,
    "apply: selection": new_selection,
    "apply: strategy": new_strategy,
}

DEMANDS: dict[str, Edit] = {
    "apply: requests": new_requests,
    "apply: port": new_port,
    "apply: priority": new_priority,
}
"""What makes sense where nodes have little room."""


def _apply(kind: str, edit: Edit) -> Callable[[Random, State], Move | None]:
    def draw(random: Random, state: State) -> Move | None:
        keys = [key for key in state.calm(random) if key in state.manifests]
        if not keys:
            return None
        chosen = sorted(random.sample(keys, min(len(keys), random.randint(1, 3))))
        applied = [copy.deepcopy(state.manifests[key]) for key in chosen]
        for manifest in applied:
            edit(random, manifest, state.nodes)
        name = f"{kind.partition(': ')[2].replace(' ', '-')}.yaml"
        return Move(kind, [["apply", "-f", name]], {name: applied})

    return draw


def apply_new(random: Random, state: State) -> Move | None:
    """Apply the manifests of DaemonSets that were deleted."""
    keys = sorted(key for key in state.manifests if key not in state.daemonsets)
    if not keys:
        return None
    chosen = sorted(random.sample(keys, min(len(keys), random.randint(1, 3))))
    return Move("apply: new", [["apply", "-f", "new.yaml"]], {"new.yaml": [state.manifests[key] for key in chosen]})


KINDS: dict[str, Callable[[Random, State], Move | None]] = {
    "set image": set_image,
    "rollout restart": restart,
    **{kind: _apply(kind, edit) for kind, edit in EDITS.items()},
    "apply: new": apply_new,
    "delete ds": delete_ds,
    "delete ds --cascade=orphan": delete_ds_orphan,
}

OF_TIGHT: dict[str, Callable[[Random, State], Move | None]] = {kind: _apply(kind, edit) for kind, edit in DEMANDS.items()}
