"""Damage: one to four small changes of a case, of the structure of a document, of a text, or of a command line."""

from __future__ import annotations

import copy
import json
import re
from collections import deque
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import yaml

from tests.fuzz.cases import KUBECONFIG, Case, Line
from tests.fuzz.seeds import list_seeds

HOSTILE = (
    "\x1b[31mred",
    "\x1b]52;c;aGk=\x07",
    "::error::x",
    "##[error]x",
    "a\nb",
    "\u202ex",
    "\x00",
    "\x85",
    "<script>",
    "{{ x }}",
    "%0a",
    "é" * 70,
)
ODD: tuple[Any, ...] = (
    *(None, "", 0, -1, 1, True, [], {}, [None], {"": None}, 2**31, 2**63, -(2**63) - 1, 1e308, 0.5, float("nan"), float("inf")),
    *(
        "*",
        "-",
        "0",
        "-1",
        "1e3Ki",
        "100%",
        "-5%",
        "0.1m",
        "9" * 40,
        "9e99999",
        "None",
        "NoSchedule",
        "Exists",
        "Gt",
        "a" * 300,
        "a/b/c",
        ".",
    ),
    *("2026-06-30T06:00:00Z", "2026-13-99T99:99:99Z", "../x", "a,b", "~", *HOSTILE),
)
KINDS = ("List", "Node", "Pod", "DaemonSet", "Deployment", "Job", "PodDisruptionBudget", "NodePool", "CronJob", "v1", "apps/v1")
FRAGMENTS: dict[str, tuple[Any, ...]] = {
    "tolerations": (
        {"operator": "Exists"},
        {"key": "a", "operator": "Gt", "value": "5"},
        {"key": "a", "effect": "NoExecute", "tolerationSeconds": -3},
    ),
    "taints": (
        {"key": "a", "value": "b", "effect": "NoExecute"},
        {"key": "a", "effect": "NoSchedule"},
        {"key": "a", "value": "5", "effect": "Other"},
    ),
    "containers": (
        {"name": "x", "image": "y:1", "resources": {"requests": {"cpu": "1", "nvidia.com/gpu": 1}}, "ports": [{"hostPort": 80}]},
    ),
    "volumes": (
        {"name": "v", "persistentVolumeClaim": {"claimName": "c"}},
        {"name": "v", "emptyDir": {}},
        {"name": "v", "csi": {"driver": "d"}},
    ),
    "ownerReferences": ({"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "x", "uid": "u", "controller": True},),
    "conditions": (
        {"type": "Ready", "status": "Unknown"},
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/1"},
    ),
}
WORDS = (
    "--all",
    "-l",
    "a=b",
    "--overwrite",
    "a=b:NoSchedule",
    "a-",
    "--",
    "-n",
    "x",
    "--force",
    "--grace-period=0",
    "--timeout=0s",
    "-A",
    "--dry-run",
    "'",
)
SHELL = (
    "$(",
    ")",
    "'",
    '"',
    "\\",
    "`",
    "{a,b}",
    "[a-z]",
    "<<E",
    "&&",
    "||",
    ";",
    "\n",
    "#",
    "$X",
    "${X:-",
    "}",
    "if",
    "fi",
    "for",
    "do",
    "done",
    "case",
    "|",
    "\r",
)
AMPLIFIED = 0.03
"""How often a change makes something large."""
FORMATS = ("text", "concise", "json", "sarif", "junit", "github", "gitlab", "markdown", "html")


def damage(case: Case, random: Random) -> Case:
    """The case with a few changes."""
    files, lines = dict(case.files), list(case.lines)
    for _ in range(random.choice((1, 1, 1, 2, 2, 4))):
        if files and (random.random() < 0.85 or lines[0][0] == KUBECONFIG):
            name = random.choice(sorted(files))
            files[name] = damage_file(name, files[name], random)
        else:
            number = random.randrange(len(lines))
            lines[number] = damage_line(lines[number], random)
    return case._replace(files=files, lines=lines)


def damage_line(line: Line, random: Random) -> Line:
    """A command line with a word removed, doubled, moved, changed, or taken from another line."""
    if line[0] == KUBECONFIG:
        return line
    words = list(line)
    place = random.randrange(1, len(words) + 1)
    match random.randrange(6):
        case 0:
            del words[place - 1 : place]
        case 1:
            words.insert(place, random.choice(words))
        case 2:
            words.insert(place, random.choice(WORDS))
        case 3:
            words[place - 1] = damage_text(words[place - 1], random, HOSTILE)
        case 4:
            other = random.choice(list_seeds()).lines[0]
            if other[0] != KUBECONFIG:
                words.insert(place, random.choice(other))
        case _:
            words.insert(place, words.pop(random.randrange(len(words))))
    kept = [word.replace("\x00", "") for word in words if not word.startswith(("/", "..", "--context", "--kubeconfig", "live", "@"))]
    return tuple(kept) or ("lint",)


def damage_file(name: str, data: bytes, random: Random) -> bytes:
    """A file with a change of its structure if it has one, and sometimes of its text."""
    documents = parse(data) if not name.endswith(".sh") and random.random() < 0.85 else None
    if documents:
        (_amplify if random.random() < AMPLIFIED else _damage_structure)(documents, random)
        return dump(documents, is_json=data.lstrip()[:1] in (b"{", b"["))
    if random.random() < 0.1:
        place = random.randrange(len(data) + 1)
        return data[:place] + bytes([random.randrange(256)]) + data[place:]
    if data.lstrip()[:1] == b"{" and random.random() < 0.5:
        return _repeat_key(data.decode("utf-8", "replace"), random).encode("utf-8", "replace")
    pieces: Sequence[str] = SHELL if name.endswith(".sh") else HOSTILE
    if random.random() < AMPLIFIED:
        place = random.randrange(len(data) + 1)
        many = random.choice((*pieces, "-", "[", "{", "? ", "\n", " ")) * 20_000
        return data[:place] + many[:50_000].encode() + data[place:]
    return damage_text(data.decode("utf-8", "replace"), random, pieces).encode("utf-8", "replace")


def _repeat_key(text: str, random: Random) -> str:
    """JSON in which one object has a key twice, or a very deep value under another key."""
    keys = list(re.finditer(r'"\w+": ?', text))
    if not keys:
        return text
    key = random.choice(keys)
    depth = random.choice((150, 250, 2000))
    deep = f'"x": {"[" * depth}{"]" * depth}, '
    more = deep if random.random() < 0.2 else f"{key[0]}{json.dumps(random.choice((*ODD, *KINDS)), default=str)}, "
    return f"{text[: key.start()]}{more}{text[key.start() :]}"


def damage_text(text: str, random: Random, pieces: Sequence[str]) -> str:
    """A text with a piece or a line inserted, removed, doubled, indented or moved."""
    rows = text.splitlines(keepends=True) or [""]
    row, place = random.randrange(len(rows)), random.randrange(len(text) + 1)
    match random.randrange(7):
        case 0:
            del rows[row]
        case 1:
            rows.insert(row, rows[random.randrange(len(rows))])
        case 2:
            rows[row] = random.choice(("  ", " ", "\t", "- ")) + rows[row]
        case 3:
            rows[row] = rows[row].lstrip(" ")
        case 4:
            return text[:place] + text[place + random.choice((1, 1, 5, 50)) :]
        case _:
            return text[:place] + random.choice(pieces) + text[place:]
    return "".join(rows)


@cache
def _parse(data: bytes) -> list[Any] | None:
    """The documents of a file that has a structure; the result is copied before it is changed."""
    try:
        documents = list(yaml.load_all(data, Loader=yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return documents if any(isinstance(document, dict | list) for document in documents) else None


def parse(data: bytes) -> list[Any] | None:
    """The documents of a YAML or JSON file; None if it has no structure."""
    return copy.deepcopy(_parse(data))


def dump(documents: list[Any], *, is_json: bool) -> bytes:
    """The documents as a file."""
    if is_json:
        return "\n".join(json.dumps(document, default=str) for document in documents).encode("utf-8", "surrogatepass")
    return yaml.dump_all(documents, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True).encode("utf-8", "surrogatepass")


def _damage_structure(documents: list[Any], random: Random) -> None:
    """Change one value of one document."""
    places = list(_places(documents))
    holder, key = places[int(len(places) * random.random() ** 2)]  # rather what is near the top
    match random.randrange(9):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(random.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
        case 2:
            other_holder, other_key = random.choice(places)
            holder[key] = copy.deepcopy(other_holder[other_key])
        case 3:
            holder[key] = random.choice(([holder[key]], {"x": holder[key]}, str(holder[key])))
        case 4 if isinstance(holder, dict):
            other = random.choice([name for place, name in places if isinstance(place, dict)])
            holder[other] = holder.pop(key)
        case 5:
            _extend(documents, places, random)
        case 6 if isinstance(holder[key], str):
            holder[key] = damage_text(holder[key], random, HOSTILE)
        case _:
            holder[key] = copy.deepcopy(random.choice(KINDS if key in ("kind", "apiVersion") and random.random() < 0.5 else ODD))


def _amplify(documents: list[Any], random: Random) -> None:
    """Make one value long, deep or many."""
    holder, key = random.choice(list(_places(documents)))
    value, size = holder[key], len(json.dumps(holder[key], default=str)) + 1
    if isinstance(holder, list) and random.random() < 0.7:
        holder.extend(copy.deepcopy(value) for _ in range(min(60_000 // size, 500)))
    elif isinstance(value, str) and random.random() < 0.7:
        holder[key] = (value or "a") * (60_000 // size)
    elif isinstance(value, dict) and value and random.random() < 0.7:
        name = random.choice(list(value))
        value.update({f"{name}{number}": copy.deepcopy(value[name]) for number in range(min(60_000 // size, 500))})
    else:
        for _ in range(random.choice((30, 60))):
            value = [value] if random.random() < 0.5 else {"x": value}
        holder[key] = value


def _extend(documents: list[Any], places: list[tuple[Any, Any]], random: Random) -> None:
    """Add an item to a list that Kubernetes knows; or copy a whole document."""
    known = [(holder, key) for holder, key in places if key in FRAGMENTS and isinstance(holder[key], list)]
    if known and random.random() < 0.8:
        holder, key = random.choice(known)
        holder[key].append(copy.deepcopy(random.choice(FRAGMENTS[key])))
    else:
        documents.append(copy.deepcopy(random.choice(documents)))


def _places(value: Any) -> Any:
    """Every place below a value, level by level: what holds it, and its key or number."""
    waiting = deque([value])
    while waiting:
        holder = waiting.popleft()
        pairs = list(holder.items()) if isinstance(holder, dict) else list(enumerate(holder))
        for key, child in pairs:
            yield holder, key
            if isinstance(child, dict | list):
                waiting.append(child)
