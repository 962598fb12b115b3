"""Documents made to slip a kind past the filter: every way to write a key, a value and a mapping, and then damage."""

from __future__ import annotations

from base64 import b64encode
from random import Random

WANTED = ("DaemonSet", "Node", "List", "NodeList")
KINDS = (*WANTED, "ConfigMap", "Daemon", "NodePool", "daemonset", "DaemonSet2")
_BREAKS = ("\n", "\n", "\n", "\n", "\r\n", "\r", "\x85", "\u2028", "\u2029")
_NOISE = (
    "apiVersion: v1",
    "metadata: {name: a, kind: Node}",
    "kinds: DaemonSet",
    "kindly: x",
    "# kind: DaemonSet",
    "data: |\n  kind: DaemonSet",
    "text: 'a\nkind: Node\nb'",
    'text: "a\\\nkind: Node"',
    "spec:\n  kind: Node\n  x: [1, {kind: List}]",
    "list:\n- kind: Node",
    "",
    "  ",
    "a? b: c",
    "# c\t",
)
_ANCHORS = {"*w": "x: &w DaemonSet", "*k": "y: &k kind", "*m": "z: &m {kind: Node}", "*b": "b: &b\n  kind: DaemonSet"}
_MUTATIONS = (
    "\n",
    " ",
    "\t",
    ":",
    "#",
    "'",
    '"',
    "\\",
    "!",
    "&w ",
    "*w",
    "<<: ",
    "? ",
    "- ",
    "{",
    "}",
    "[",
    "]",
    ",",
    "|",
    "\r",
    "\ufeff",
    "\x00",
    "\x85",
)


def document(random: Random) -> str:
    """A document; some hold a wanted kind, some seem to, some cannot be read."""
    if random.random() < 0.15:
        text = _flow(random)
    else:
        lines = [random.choice(_NOISE) for _ in range(random.randint(0, 4))]
        lines.insert(random.randint(0, len(lines)), _entry(random))
        if random.random() < 0.2:
            lines.insert(random.randint(0, len(lines)), _entry(random))
        anchors = [line for alias, line in _ANCHORS.items() if any(alias in other for other in lines) and random.random() < 0.9]
        text = "\n".join([*anchors, *lines])
        if random.random() < 0.15:
            pad = random.choice((" ", "  ", "\t"))
            text = pad + text.replace("\n", "\n" + pad)
    return _damaged(random, _framed(random, text))


def _entry(random: Random) -> str:
    """An entry of a block mapping that may name the kind."""
    if random.random() < 0.15:
        return random.choice(
            ("<<: *m", "<<: [*b, *m]", "<<: {kind: Node}", "!!merge <<: *m", "? <<\n: *m", "*k : *w", "'<<': *m", "<< : *b")
        )
    key, value = _key(random), _value(random)
    style = random.random()
    if style < 0.1:
        return f"? {key}\n: {value}"
    if style < 0.15:
        return f"? {key} # c\n# c\n: {value}"
    colon = random.choice((": ", ": ", ": ", " : ", ":  ", ":\t", ":\n  ", ": # c\n  ", ":\n\n ") * 4 + (":",))
    return f"{key}{colon}{value}"


def _key(random: Random) -> str:
    return _word(random, random.choice(("kind",) * 8 + ("Kind", "kinds", "k")))


def _value(random: Random) -> str:
    value = _word(random, random.choice(KINDS))
    style = random.random()
    if style < 0.08:
        return f"|-\n  {value}"
    if style < 0.12:
        return f">-\n  {value}\n"
    if style < 0.2:
        return value + random.choice((" # c", "#c", " ", "\t", "\n  more", "\n\n", ", x"))
    return value


def _word(random: Random, word: str) -> str:
    """A scalar that stands for the word, in one of many spellings."""
    style = random.random()
    if style < 0.5:
        spelled = word
    elif style < 0.6:
        spelled = f"'{word}'"
    elif style < 0.7:
        spelled = f'"{word}"'
    elif style < 0.73:
        spelled = f"!!binary {b64encode(word.encode()).decode()}"
    else:
        place = random.randrange(len(word))
        code = ord(word[place])
        escape = random.choice(
            (f"\\x{code:02x}", f"\\u{code:04x}", f"\\U{code:08X}", f"\\\n  {word[place]}", f"\\\r\n{word[place]}", word[place])
        )
        spelled = f'"{word[:place]}{escape}{word[place + 1 :]}"'
    return random.choice(("",) * 12 + ("!!str ", "! ", "&n ", "!x ", "!!str &n ", "&n !!str ", "*w #", "*k #")) + spelled


def _flow(random: Random) -> str:
    entries = [f"{_key(random)}: {_value(random)}" for _ in range(random.randint(1, 2))]
    entries.insert(
        random.randint(0, len(entries)), random.choice(("a: 1", "x: &w DaemonSet", "<<: {kind: Node}", "? kind : *w", "{}: 1", "b"))
    )
    return random.choice(("{%s}", "{%s}", "{\n%s\n}", "[{%s}]", "!!map {%s}", "&a {%s}", "  {%s}", "a: {%s}")) % random.choice(
        (", ", ",\n")
    ).join(entries)


def _framed(random: Random, text: str) -> str:
    before = random.choice(
        ("",) * 10
        + (
            "\ufeff",
            "# c\n",
            "\n\n",
            "# c\r\n",
            "# c\rd: 1\n",
            "--- \n",
            "&r\n",
            "!!map\n",
            "...\n",
            "\ufeff\ufeff",
            " # c\n",
        )
    )
    return before + text + random.choice(("", "\n", "\n", "\n...\n", "\n# c"))


def _damaged(random: Random, text: str) -> str:
    if random.random() < 0.15:
        text = text.replace("\n", random.choice(_BREAKS))
    while random.random() < 0.15:
        place = random.randint(0, len(text))
        text = text[:place] + random.choice((random.choice(_MUTATIONS), "")) + text[place + random.choice((0, 0, 1)) :]
    return text
