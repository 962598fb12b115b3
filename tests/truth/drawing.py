"""Random pieces of a cluster: labels, taints, tolerations, selections, update strategies. Few words, so that they meet often."""

from __future__ import annotations

from random import Random
from typing import Any

Object = dict[str, Any]

LABELS: dict[str, tuple[str, ...]] = {
    "pool": ("rdma", "gpu", "cpu", ""),
    "zone": ("a", "b", "c"),
    "gen": ("1", "4", "9", "12", "007", "x"),
    "example.com/disk": ("ssd", "hdd"),
    "team": ("red", "blue"),
}
TAINTS: dict[str, tuple[str, ...]] = {
    "dedicated": ("rdma", "gpu", ""),
    "example.com/gpu": ("true", ""),
    "maintenance": ("", "now"),
    "team": ("red", "blue"),
}
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
OWNED = ("node.kubernetes.io/not-ready", "node.kubernetes.io/network-unavailable", "node.kubernetes.io/disk-pressure")
"""Keys that the node lifecycle controller looks after: what stands there by hand stays only where it does not run."""


def labels(random: Random) -> dict[str, str]:
    return {key: random.choice(values) for key, values in LABELS.items() if random.random() < 0.7}


def taint(random: Random, *effects: str, owned: bool = False) -> Object:
    """A taint with one of these effects, any where none is given; some without a value."""
    if owned and random.random() < 0.15:
        return {"key": random.choice(OWNED), "effect": random.choice(effects or EFFECTS)}
    key = random.choice(list(TAINTS))
    value = random.choice(TAINTS[key])
    return {"key": key, **({"value": value} if value else {}), "effect": random.choice(effects or EFFECTS)}


def taints(random: Random, owned: bool) -> list[Object]:
    """None for most nodes, else up to three; never two of one key and effect."""
    found: dict[tuple[str, str], Object] = {}
    for _ in range(random.choices((0, 1, 2, 3), (60, 25, 10, 5))[0]):
        each = taint(random, *random.choices((EFFECTS, EFFECTS[:2]), (1, 2))[0], owned=owned)
        found.setdefault((each["key"], each["effect"]), each)
    return list(found.values())


def toleration(random: Random) -> Object:
    """One toleration that the API server takes: every operator, key, value, effect and time, each of them left out at times."""
    effect = random.choice(("", *EFFECTS, "NoSchedule", "NoExecute", "NoExecute"))
    found: Object = {"effect": effect} if effect else {}
    if random.random() < 0.08:
        found["operator"] = "Exists"
    else:
        key = random.choice((*TAINTS, *TAINTS, *OWNED))
        found["key"] = key
        kind = random.random()
        if kind < 0.4:
            found["operator"] = "Exists"
        else:
            if kind < 0.7:
                found["operator"] = "Equal"
            value = random.choice(TAINTS.get(key, ("",)))
            if value or random.random() < 0.3:
                found["value"] = value
    if effect == "NoExecute" and random.random() < 0.5:
        found["tolerationSeconds"] = random.choices((3600, 5, 0), (45, 49, 6))[0]
    return found


def tolerations(random: Random) -> list[Object]:
    """Up to five, some of them twice; at times all taints, or all of one effect."""
    found = [toleration(random) for _ in range(random.choices((0, 1, 2, 3, 5), (25, 25, 25, 15, 10))[0])]
    if found and random.random() < 0.1:
        found.append(dict(random.choice(found)))
    if random.random() < 0.08:
        found.insert(random.randrange(len(found) + 1), {"operator": "Exists"})
    return found


def requirement(random: Random) -> Object:
    """One expression over the labels of nodes; some over a label that no node has."""
    key = random.choice((*LABELS, *LABELS, "missing"))
    operator = random.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    if operator in ("Gt", "Lt"):
        if random.random() < 0.9:
            key = "gen"
        return {"key": key, "operator": operator, "values": [random.choice(("3", "5", "10"))]}
    if operator in ("Exists", "DoesNotExist"):
        return {"key": key, "operator": operator}
    values = LABELS.get(key, ("x",))
    return {"key": key, "operator": operator, "values": random.sample(values, random.randint(1, min(2, len(values))))}


def term(random: Random, nodes: list[str]) -> Object:
    """A term of node affinity: expressions, a field, or both; at times neither, which matches nothing."""
    found: Object = {}
    if random.random() < 0.9:
        found["matchExpressions"] = [requirement(random) for _ in range(random.choice((1, 1, 2)))]
    if random.random() < 0.15:
        found["matchFields"] = [{"key": "metadata.name", "operator": random.choice(("In", "NotIn")), "values": [random.choice(nodes)]}]
    return found


def selection(random: Random, nodes: list[str]) -> Object:
    """The fields of a pod spec that choose nodes: none, nodeSelector, required affinity, or both."""
    found: Object = {}
    kind = random.random()
    if 0.45 < kind < 0.7 or kind > 0.95:
        keys = random.sample(list(LABELS), random.choice((1, 1, 1, 2)))
        found["nodeSelector"] = {key: random.choice(LABELS[key]) for key in keys}
    if kind > 0.7:
        terms = [term(random, nodes) for _ in range(random.choice((1, 1, 2, 3)))]
        found["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    return found


def strategy(random: Random) -> Object:
    """An update strategy; limits as numbers and as percentages, large enough that an update of all nodes takes seconds."""
    kind = random.choices(STRATEGIES, (26, 22, 18, 16, 18))[0]
    if kind == "on-delete":
        return {"type": "OnDelete"}
    limit: int | str = random.choice((1, 3, 10)) if kind.endswith("number") else random.choice(("5%", "30%", "100%"))
    if kind.startswith("unavailable"):
        if limit == 1 and random.random() < 0.5:
            return {}  # the default
        return {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": limit}}
    return {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": limit}}


STRATEGIES = ("unavailable-number", "unavailable-percent", "surge-number", "surge-percent", "on-delete")


def strategy_name(daemonset: Object) -> str:
    """Which of STRATEGIES a DaemonSet has, as a manifest or as the server stores it."""
    stated = daemonset["spec"].get("updateStrategy") or {}
    if stated.get("type") == "OnDelete":
        return "on-delete"
    rolling = stated.get("rollingUpdate") or {}
    name = "unavailable" if rolling.get("maxSurge", 0) in (0, "0%") else "surge"
    limit = rolling.get("maxUnavailable", 1) if name == "unavailable" else rolling["maxSurge"]
    return f"{name}-percent" if isinstance(limit, str) else f"{name}-number"
