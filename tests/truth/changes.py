"""Random changes of nodes and pods, by kind, as command lines that kubectl takes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from random import Random

from tests.truth import drawing, patches, updates
from tests.truth.drawing import Object
from tests.truth.state import Move, State

Draw = Callable[[Random, State], Move | None]
"""Draws a change for a state; None where the state has no place for one of its kind."""


OUT_OF_SERVICE = ("node.kubernetes.io/out-of-service", "NoExecute")

COLLECTED = 25.0
"""Seconds within which pods are collected: the controller looks every 20."""


def some_nodes(random: Random, state: State, most: int = 4) -> list[str]:
    return sorted(random.sample(state.nodes, random.randint(1, most)))


def where(random: Random, state: State, broad: bool) -> tuple[list[str], list[str]]:
    """Nodes, and the arguments that choose them: names, a selector, or (where `broad`) at times all of them."""
    how = random.random()
    if broad and how < 0.1:
        return state.nodes, ["--all"]
    if how < 0.35:
        key = random.choice(("pool", "zone", "team", "example.com/disk"))
        values = sorted({labels[key] for labels in state.labels.values() if labels.get(key)})
        if values:
            pairs = {key: random.choice(values)}
            if not broad:
                pairs["gen"] = random.choice(drawing.LABELS["gen"])
            names = [name for name in state.nodes if all(state.labels[name].get(key) == value for key, value in pairs.items())]
            if names and (broad or len(names) <= 4):
                return names, ["-l", ",".join(f"{key}={value}" for key, value in pairs.items())]
    names = some_nodes(random, state, 6 if broad else 3)
    return names, names


def _text(taint: Object) -> str:
    value = taint.get("value", "")
    return f"{taint['key']}={value}:{taint['effect']}" if value else f"{taint['key']}:{taint['effect']}"


def _taint(random: Random, state: State, kind: str, effect: str) -> Move:
    names, chosen = where(random, state, broad=effect != "NoExecute")
    taint = drawing.taint(random, effect)
    other = [state.taints[name].get((taint["key"], effect)) for name in names]
    flags = ["--overwrite"] if any(value is not None for value in other) or random.random() < 0.2 else []
    state.taint(names, [taint], [])
    return Move(kind, [["taint", "nodes", *chosen, _text(taint), *flags]], {})


def taint_no_schedule(random: Random, state: State) -> Move:
    return _taint(random, state, "taint NoSchedule", "NoSchedule")


def taint_prefer(random: Random, state: State) -> Move:
    return _taint(random, state, "taint PreferNoSchedule", "PreferNoSchedule")


def taint_no_execute(random: Random, state: State) -> Move:
    return _taint(random, state, "taint NoExecute", "NoExecute")


def _tainted(state: State) -> list[tuple[str, str]]:
    """The taints that can be taken off by hand, as key and effect."""
    owned = ("node.kubernetes.io/unschedulable", *(["node.kubernetes.io/unreachable"] if state.silent else []))
    return sorted({each for there in state.taints.values() for each in there if each[0] not in owned})


def untaint(random: Random, state: State) -> Move | None:
    """Take a taint off nodes that have it: one effect of it, or the key whatever the effect."""
    there = _tainted(state)
    if not there:
        return None
    key, effect = random.choice(there)
    names = [name for name in state.nodes if (key, effect) in state.taints[name]]
    names = names if random.random() < 0.3 else sorted(random.sample(names, min(len(names), random.randint(1, 4))))
    whole = random.random() < 0.4
    state.taint(names, [], [(key, "" if whole else effect)])
    return Move("untaint", [["taint", "nodes", *names, f"{key}-" if whole else f"{key}:{effect}-"]], {})


def calm_down(random: Random, state: State, nodes: list[str]) -> Move | None:
    """Take the NoExecute taints off the first of these nodes that has one, so that pods there come and go no more."""
    for name in nodes:
        found = sorted({key for key, effect in state.taints[name] if effect == "NoExecute" and key in drawing.TAINTS})
        if found:
            key = random.choice(found)
            names = [other for other in state.nodes if (key, "NoExecute") in state.taints[other]]
            state.taint(names, [], [(key, "NoExecute")])
            return Move("untaint", [["taint", "nodes", *names, f"{key}:NoExecute-"]], {})
    return None


def taint_overwrite(random: Random, state: State) -> Move | None:
    """Give a taint another value, or exchange taints in one line."""
    there = [each for each in _tainted(state) if each[0] in drawing.TAINTS]
    if not there:
        return None
    key, effect = random.choice(there)
    names = [name for name in state.nodes if (key, effect) in state.taints[name]]
    names = sorted(random.sample(names, min(len(names), random.randint(1, 4 if effect != "NoExecute" else 2))))
    if random.random() < 0.6:
        taint = {"key": key, "value": random.choice(drawing.TAINTS[key]), "effect": effect}
        state.taint(names, [taint], [])
        return Move("taint --overwrite", [["taint", "node", *names, _text(taint), "--overwrite"]], {})
    taint = drawing.taint(random, "NoSchedule", "PreferNoSchedule")
    if taint["key"] == key:
        return None
    state.taint(names, [taint], [(key, effect)])
    return Move("taint --overwrite", [["taint", "--overwrite", "nodes", *names, f"{key}:{effect}-", _text(taint)]], {})


def label_add(random: Random, state: State) -> Move | None:
    """Set a label on nodes that lack it."""
    key = random.choice(list(drawing.LABELS))
    names = [name for name in state.nodes if key not in state.labels[name]]
    if not names:
        return None
    names = sorted(random.sample(names, min(len(names), random.randint(1, 5))))
    value = random.choice(drawing.LABELS[key])
    state.label(names, {key: value}, [])
    return Move("label add", [["label", "nodes", *names, f"{key}={value}"]], {})


def label_remove(random: Random, state: State) -> Move:
    names, chosen = where(random, state, broad=random.random() < 0.2)
    key = random.choice(list(drawing.LABELS))
    state.label(names, {}, [key])
    return Move("label remove", [["label", "nodes", *chosen, f"{key}-"]], {})


def label_overwrite(random: Random, state: State) -> Move:
    names, chosen = where(random, state, broad=random.random() < 0.2)
    keys = random.sample(list(drawing.LABELS), random.choice((1, 1, 2)))
    add = {key: random.choice(drawing.LABELS[key]) for key in keys}
    state.label(names, add, [])
    return Move("label --overwrite", [["label", "--overwrite", "nodes", *chosen, *(f"{key}={value}" for key, value in add.items())]], {})


def cordon(random: Random, state: State) -> Move:
    names, chosen = where(random, state, broad=False)
    state.cordoned |= set(names)
    return Move("cordon", [["cordon", *chosen]], {})


def uncordon(random: Random, state: State) -> Move | None:
    names = sorted(random.sample(sorted(state.cordoned), min(len(state.cordoned), 4)))
    if not names:
        return None
    state.cordoned -= set(names)
    return Move("uncordon", [["uncordon", *names]], {})


def delete_pod(random: Random, state: State) -> Move | None:
    """Delete pods of DaemonSets: by name, or those of one DaemonSet."""
    keys = [key for key in state.calm(random) if state.pods[key]]
    if not keys:
        return None
    namespace, name = random.choice(keys)
    flags = ["--wait=false"] if state.silent else []  # kubectl would wait for ever for a pod that does not end
    if random.random() < 0.5:
        return Move("delete pod", [["delete", "pods", "-n", namespace, "-l", f"app={name}", *flags]], {})
    mine = [pod for key in keys if key[0] == namespace for pod in state.pods[key]]
    chosen = sorted(random.sample(mine, min(len(mine), random.randint(1, 30))))
    return Move("delete pod", [["delete", "pod", *chosen, "-n", namespace, *flags]], {})


def delete_node(random: Random, state: State) -> Move:
    names = some_nodes(random, state, 3)
    state.cordoned -= set(names)
    return Move("delete node", [["delete", "node", *names]], {}, reborn=tuple(names))


def reboot(random: Random, state: State) -> Move | None:
    """Restart nodes that are heard of: their pods start again, or end first where the shutdown is graceful."""
    names = [name for name in some_nodes(random, state, 3) if name not in state.silent]
    flags = ["--graceful"] if random.random() < 0.5 else []
    return Move("reboot", [["reboot", *names, *flags]], {}, rebooted=tuple(names)) if names else None


def out_of_service(random: Random, state: State) -> Move | None:
    """Say of a silent node that it is out of service: pods that hang there are collected then, which takes a while."""
    names = [name for name in sorted(state.silent) if OUT_OF_SERVICE not in state.taints[name]]
    if not names:
        return None
    name = random.choice(names)
    taint = {"key": OUT_OF_SERVICE[0], "value": "nodeshutdown", "effect": OUT_OF_SERVICE[1]}
    state.taint([name], [taint], [])
    return Move("taint out-of-service", [["taint", "nodes", name, _text(taint)]], {}, takes=COLLECTED)


KINDS: dict[str, Draw] = {
    "taint NoSchedule": taint_no_schedule,
    "taint PreferNoSchedule": taint_prefer,
    "taint NoExecute": taint_no_execute,
    "untaint": untaint,
    "taint --overwrite": taint_overwrite,
    "label add": label_add,
    "label remove": label_remove,
    "label --overwrite": label_overwrite,
    "cordon": cordon,
    "uncordon": uncordon,
    "delete pod": delete_pod,
    **updates.KINDS,
    **patches.KINDS,
}
"""What a plan may consist of."""


def plan(random: Random, state: State) -> Move:
    """Three to six lines of any kind; as a YAML list or as a script."""
    return _plan(random, state, KINDS)


def plan_of_tight(random: Random, state: State) -> Move:
    """The same where nodes have little room."""
    return _plan(random, state, KINDS | updates.OF_TIGHT)


def _plan(random: Random, state: State, kinds: Mapping[str, Draw]) -> Move:
    moves: list[Move] = []
    files: dict[str, object] = {}
    state.pods = {key: [] for key in state.pods}  # the names of pods change from line to line: delete by selector
    while len(moves) < random.randint(3, 6):
        move = kinds[random.choice(list(kinds))](random, state)
        if move is None or not files.keys().isdisjoint(move.files):
            continue
        files |= copy.deepcopy(move.files)
        moves.append(move)
    return Move("plan", [line for move in moves for line in move.lines], files)


EVERY: dict[str, Draw] = {**KINDS, "delete node": delete_node, "plan": plan}

OF_TIGHT: dict[str, Draw] = {
    **KINDS,
    **updates.OF_TIGHT,
    "delete node": delete_node,
    "reboot": reboot,
    "taint out-of-service": out_of_service,
    "plan": plan_of_tight,
}
"""Of clusters in which nodes have little room and kubelets may be silent."""
