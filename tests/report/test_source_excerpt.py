"""The token that a caret underlines."""

from __future__ import annotations

import pytest

from preflight.report.source_excerpt import measure_token

TOKENS = {
    "a key": ("tolerations:", "tolerations"),
    "a key with a value": ("operator: Exists", "operator"),
    "a key with dots and a slash": ("node-role.kubernetes.io/control-plane: x", "node-role.kubernetes.io/control-plane"),
    "a value with a colon in it": ("registry.example/a:1.5.0", "registry.example/a:1.5.0"),
    "a plain value before a comment": ("Exists # any", "Exists"),
    "a key in a flow map": ("key: dedicated, operator: Exists}", "key"),
    "a value at the end of a flow map": ("/var/lib/kubelet}", "/var/lib/kubelet"),
    "a flow map": ("{key: a, effect: NoSchedule} # no", "{key: a, effect: NoSchedule}"),
    "a flow map in a list": ("[{key: a}, {key: b}], more", "[{key: a}, {key: b}]"),
    "a flow map that ends elsewhere": ("{key: a,", "{"),
    "a quoted string": ('"a b: c": d', '"a b: c"'),
    "a string with an escaped quote": (r'"a\"b", c', r'"a\"b"'),
    "a string in single quotes": ("'it''s': x", "'it''s'"),
    "an item of a list": ("- key: a", "-"),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "token"), TOKENS.values(), ids=TOKENS)
def test_token(text: str, token: str) -> None:
    assert measure_token(text) == max(1, len(token))
