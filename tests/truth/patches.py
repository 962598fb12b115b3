"""Random patches of DaemonSets and nodes, as command lines that kubectl takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

from tests.truth import drawing
from tests.truth.state import Move, State


def patch_ds(random: Random, state: State) -> Move | None:
    """Patch tolerations, selection, strategy or an image: strategic, merge, or JSON."""
    keys = state.calm(random)
    if not keys:
        return None
    namespace, name = random.choice(keys)
    draw = random.choice((_tolerations, _toleration, _selection, _strategy, _image))
    kind, patch = draw(random, state)
    flags = [] if kind == "strategic" and random.random() < 0.5 else [f"--type={kind}"]
    return Move("patch ds", [["patch", "ds", name, "-n", namespace, *flags, "-p", json.dumps(patch)]], {})


def _template(spec: dict[str, Any]) -> dict[str, Any]:
    return {"spec": {"template": {"spec": spec}}}


def _tolerations(random: Random, state: State) -> tuple[str, Any]:
    del state
    return random.choice(("strategic", "merge")), _template({"tolerations": drawing.tolerations(random) or None})


def _toleration(random: Random, state: State) -> tuple[str, Any]:
    del state
    return "json", [{"op": "add", "path": "/spec/template/spec/tolerations/-", "value": drawing.toleration(random)}]


def _selection(random: Random, state: State) -> tuple[str, Any]:
    drawn = drawing.selection(random, state.nodes)
    return random.choice(("strategic", "merge")), _template({"nodeSelector": drawn.get("nodeSelector"), "affinity": drawn.get("affinity")})


def _strategy(random: Random, state: State) -> tuple[str, Any]:
    del state
    drawn = drawing.strategy(random) or {"type": "RollingUpdate"}
    limits = {"maxUnavailable": 1, "maxSurge": 0, **drawn.get("rollingUpdate", {})}
    return "merge", {"spec": {"updateStrategy": {"type": drawn["type"], "rollingUpdate": limits if drawn["type"] != "OnDelete" else None}}}


def _image(random: Random, state: State) -> tuple[str, Any]:
    del state
    return "strategic", _template({"containers": [{"name": "c", "image": f"registry.example/c:{random.randint(1, 9)}"}]})


def patch_node(random: Random, state: State) -> Move:
    """Patch a node's whole list of taints, its labels, or its cordon."""
    name = random.choice(state.nodes)
    how = random.random()
    if how < 0.5:
        taints = drawing.taints(random, owned=False)
        taints += state.owned(name)
        state.taints[name] = {}
        state.taint([name], taints, [])
        body: dict[str, Any] = {"spec": {"taints": taints}}
    elif how < 0.9:
        key = random.choice(list(drawing.LABELS))
        value = random.choice((None, *drawing.LABELS[key]))
        state.label([name], {key: value} if value is not None else {}, [] if value is not None else [key])
        body = {"metadata": {"labels": {key: value}}}
    else:
        body = {"spec": {"unschedulable": True}}
        state.cordoned.add(name)
    return Move("patch node", [["patch", "node", name, f"--type={random.choice(('strategic', 'merge'))}", "-p", json.dumps(body)]], {})


KINDS: dict[str, Callable[[Random, State], Move | None]] = {"patch ds": patch_ds, "patch node": patch_node}
