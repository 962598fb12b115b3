"""Whatever style a manifest is written in, a fix adds one toleration to its data and only adds text."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fix.manifests import RDMA, fixed, read

KEYS = st.sampled_from(["a", "node.kubernetes.io/x", "y", "on", "1", "nvidia.com/gpu", "e1"])
VALUES = st.sampled_from(["", "true", "1", "rdma", "no", "~", "a.b-c"])
TOLERATION = st.fixed_dictionaries(
    {"key": KEYS},
    optional={
        "operator": st.sampled_from(["Exists", "Equal", ""]),
        "value": VALUES,
        "effect": st.sampled_from(["NoSchedule", "NoExecute", ""]),
        "tolerationSeconds": st.integers(-1, 300),
    },
)


def quoted(draw: Any, value: object) -> str:
    """A scalar in some way that YAML allows."""
    if isinstance(value, int):
        return str(value)
    text = str(value)
    ways = [f'"{text}"', f"'{text}'"]
    if text not in ("", "true", "1", "no", "~", "y", "on"):
        ways.append(text)
    return str(draw(st.sampled_from(ways)))


def comment(draw: Any, indent: int) -> str:
    """Comments, blank lines, or nothing, as lines."""
    return str(draw(st.sampled_from(["", "", "\n", f"{' ' * indent}# c: [x\n", "# at the margin\n", f"{' ' * indent}#\t- key: z\n\n"])))


def behind(draw: Any) -> str:
    """What may stand at the end of a line."""
    return str(draw(st.sampled_from(["", "", "  ", " # c", "\t# {c", " #"])))


def flow(draw: Any, item: dict[str, object]) -> str:
    pad = str(draw(st.sampled_from(["", " "])))
    return "{" + pad + ", ".join(f"{quoted(draw, key)}: {quoted(draw, value)}" for key, value in item.items()) + pad + "}"


def block(draw: Any, item: dict[str, object], column: int) -> str:
    gap = draw(st.sampled_from([" ", "   "]))
    indent = " " * (column + 1 + len(gap))
    fields = [f"{quoted(draw, key)}: {quoted(draw, value)}{behind(draw)}\n" for key, value in item.items()]
    start = f"{' ' * column}-{gap}"
    if draw(st.booleans()):
        return start + "".join(field if at == 0 else comment(draw, len(indent)) + indent + field for at, field in enumerate(fields))
    return f"{start}{flow(draw, item)}{behind(draw)}\n"


@st.composite
def manifests(draw: Any) -> str:
    """A DaemonSet whose tolerations are written in any style, in a stream of any documents."""
    items = draw(st.lists(TOLERATION, max_size=4))
    column = draw(st.integers(1, 4)) * 2
    indent = " " * column
    shape = draw(st.sampled_from(["block", "flow", "lines", "empty", "null", "absent"]))
    key = draw(st.sampled_from(["tolerations", '"tolerations"', "'tolerations'"]))
    if shape == "block" and items:
        dash = column + draw(st.integers(0, 3))
        body = "".join(comment(draw, dash) + block(draw, item, dash) for item in items)
        own = f"{indent}{key}:{behind(draw)}\n{body}"
    elif shape == "lines" and items:
        inner = " " * (column + 2)
        comma = draw(st.sampled_from(["", ","]))
        lines = [inner + flow(draw, item) for item in items]
        own = f"{indent}{key}: [\n" + f",{behind(draw)}\n".join(lines) + f"{comma}{behind(draw)}\n{indent}]{behind(draw)}\n"
    elif shape == "flow":
        own = f"{indent}{key}: [{', '.join(flow(draw, item) for item in items)}]{behind(draw)}\n"
    elif shape == "null":
        own = f"{indent}{key}:{draw(st.sampled_from(['', ' null', ' ~', ' Null']))}{behind(draw)}\n"
    elif shape == "absent":
        own = ""
    else:
        own = f"{indent}{key}: []{behind(draw)}\n"
    containers = f"{comment(draw, column)}{indent}containers:\n{indent}- name: c\n{indent}  args: ['tolerations:', '- key: dedicated']\n"
    parts = draw(
        st.permutations([own, containers, f"{indent}hostPID: true\n", f"{indent}note: |\n{indent}  tolerations:\n{indent}  - key: x\n"])
    )
    text = f"{comment(draw, 0)}spec:\n template:\n  spec:\n" if column > 2 else "spec:\n template:\n  spec:\n"
    if column <= 2:
        column_is = [part.replace(f"\n{indent}", "\n   ") for part in parts]
        parts = [f"   {part.removeprefix(indent)}" if part.startswith(indent) else part for part in column_is]
    text += "".join(parts)
    text += draw(st.sampled_from(["", "---\nkind: Other\n", "...\n", "--- # end\n# nothing\n"]))
    if draw(st.booleans()):
        text = text.removesuffix("\n")
    if draw(st.booleans()):
        text = str(text.replace("\n", "\r\n"))
    return str(draw(st.sampled_from(["", "\ufeff", "---\n"]))) + text


@settings(max_examples=400, deadline=None)
@given(manifests())
def test_the_data_gains_one_toleration_and_the_text_only_grows(text: str) -> None:
    before = read(text)
    found = fixed(text)
    assert found.refusals == (None,), text
    after = read(found.text)
    spec = before[0]["spec"]["template"]["spec"]
    spec["tolerations"] = [*(spec.get("tolerations") or []), RDMA]
    assert after == before
    for null in (" null", " Null", " ~"):
        text = text.replace(f":{null}", ":")
    assert is_subsequence(text, found.text)
    if "\r\n" in text:
        assert bare(found.text) == bare(text)


def bare(text: str) -> int:
    """How many line feeds have no carriage return before them."""
    return text.count("\n") - text.count("\r\n")


def is_subsequence(text: str, longer: str) -> bool:
    """Whether nothing of a text is lost or moved in a longer one."""
    characters = iter(longer)
    return all(character in characters for character in text)
