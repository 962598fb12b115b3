"""Files, streams and names that broke the program, each with variations: an error in a line, with its place, and nothing that is obeyed."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import program
from tests.paths import ROOT

NODE = '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}'
READERS = ("lint f", "doctor --from f", "snapshot -o - --from f", "cordon n1 --from f", "components f", "capacity --request cpu=1 --from f")
DAEMONSET = """apiVersion: apps/v1
kind: DaemonSet
metadata: {{name: {name}, namespace: x}}
spec:
  selector: {{matchLabels: {{a: b}}}}
  template: {{metadata: {{labels: {{a: b}}}}, spec: {{containers: [{{name: c, image: x}}], tolerations: [{{operator: Exists}}]}}}}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty working folder."""
    monkeypatch.chdir(tmp_path)


def run(command: str, text: str | bytes, name: str = "f.json") -> tuple[int, str]:
    """The exit code of a command that reads a file `f` of this text, and all that it printed."""
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    result = program(
        *(name if word == "f" else word for word in command.split()), "--allow-empty" if command == "lint f" else "--color=never"
    )
    return result.code, result.out + result.err


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize(
    "item",
    [
        '{"kind":"List","kind":"Node","metadata":{"name":"n1"}}',
        '{"kind":"Node","kind":"Secret","kind":"Node","metadata":{"name":"n1"}}',
        '{"kind":"Unheard","kind":"Of","metadata":{"name":"n1"}}',
        '{"kind":"Unheard","metadata":{}},{"kind":"Of","metadata":{}},{"kind":"Unheard","kind":"Pod"}',
    ],
)
def test_a_kind_that_is_there_twice_is_no_crash(command: str, item: str) -> None:
    assert run(command, f'{{"apiVersion":"v1","kind":"List","items":[{item}]}}')[0] in (0, 1, 3)


def test_the_last_of_two_kinds_counts_as_in_kubernetes() -> None:
    item = '{{"apiVersion":"v1","kind":"{}","kind":"{}","metadata":{{"name":"n1"}}}}'
    for first, last, nodes in (("Secret", "Node", 1), ("Node", "Secret", 0)):
        _, text = run("snapshot --allow-empty -o - --from f", f'{{"apiVersion":"v1","kind":"List","items":[{item.format(first, last)}]}}')
        assert f"{nodes} node" in text


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("nested", ["[" * 300 + "]" * 300, '{"a":' * 300 + "1" + "}" * 300, "[" * 100_000])
def test_what_nests_too_deep_has_its_place(command: str, nested: str) -> None:
    pod = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"x":' + nested + '},"status":{"conditions":[{}]}}'
    code, text = run(command, f"{NODE}\n{pod}\n", "f.jsonl")
    assert code == 3
    assert "f.jsonl:2:" in text


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("items", ["null", "{}", '"x"', "[null]", "[[]]", "[1]", '[{"kind":null}]', '[{"kind":1,"apiVersion":[]}]'])
def test_items_that_are_none_are_no_crash(command: str, items: str) -> None:
    assert run(command, f'{{"kind":"List","apiVersion":"v1","items":{items}}}')[0] in (0, 3)


LOCATION = b"apiVersion: container.cnrm.cloud.google.com/v1beta1\nkind: ContainerNodePool\nmetadata: {name: p}\nspec: {location: "
RENAMES = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rename}\ndata:\n  config.json: |\n    rename:\n"
LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (700 << 20, 700 << 20))
resource.setrlimit(resource.RLIMIT_CPU, (20, 20))
from preflight.cli.main import main
main()
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("newlines.yaml.gz", b"\n" * (50 << 20)),
        ("comments.yaml.gz", b"# a\n" * (4 << 20)),
        ("blanks.yaml", b" " * (8 << 20)),
        ("empty.json", b"{}" * 100_000),
        ("objects.json", b" ".join(json.dumps({"kind": "Pod", "metadata": {"name": f"p{number}"}}).encode() for number in range(10_000))),
        ("deep.json", b'{"a":' * (1 << 20)),
        ("quotes.json", b'{"kind": "Pod", "a": "' + rb"\"" * (1 << 20)),
        (
            "location.yaml",
            b"apiVersion: container.cnrm.cloud.google.com/v1beta1\nkind: ContainerNodePool\nmetadata: {name: p}\nspec: {location: "
            + b"-" * 100_000
            + b"}\n",
        ),
        (
            "rename.yaml",
            b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: rename}\ndata:\n  config.json: |\n    rename:\n" + b"    \n" * 100_000,
        ),
        ("daemonsets.yaml", "---\n".join(DAEMONSET.format(name=f"a{number}") for number in range(400)).encode()),
    ],
)
def test_time_and_memory_are_limited(name: str, text: bytes) -> None:
    """Twenty seconds of processor time and 700 MiB of addresses, for what takes less than a tenth of both."""
    Path(name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    done = subprocess.run([sys.executable, "-c", LIMITED, "lint", "--no-policy", name], capture_output=True, check=False)
    assert done.returncode in (0, 1, 3), done.stderr[-500:]


@pytest.mark.parametrize(
    ("redirection", "code", "message"),
    [
        ("> /dev/full", 3, "error: cannot write standard output: no space left on device\n"),
        (">&-", 3, "error: cannot write standard output: bad file descriptor\n"),
        ("2> /dev/full > /dev/null", 0, ""),
        ("2>&- > /dev/null", 0, ""),
    ],
)
def test_a_stream_that_is_full_or_closed(redirection: str, code: int, message: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f'"$0" -m preflight rules {redirection}', sys.executable], capture_output=True, check=False, text=True
    )
    assert (done.returncode, done.stderr) == (code, message)


@pytest.mark.parametrize(
    ("command", "message"), [("lint - <&-", "error: cannot read "), ("lint nosuch 2> /dev/full", ""), ("lint nosuch 2>&-", "")]
)
def test_an_error_that_cannot_be_said_has_its_exit_code(command: str, message: str) -> None:
    done = subprocess.run(["bash", "-c", f'"$0" -m preflight {command}', sys.executable], capture_output=True, check=False, text=True)
    assert (done.returncode, done.stderr[: len(message)]) == (3, message)


def test_a_working_folder_that_was_deleted() -> None:
    script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" -m preflight lint'
    assert run_in_shell(script) == (3, "error: the working folder does not exist any more: change to another one\n")


def run_in_shell(script: str) -> tuple[int, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(["bash", "-c", script, sys.executable], capture_output=True, check=False, text=True, env=environment)
    return done.returncode, done.stderr


NAMES = (
    *("a\x1b[2J", "\x1b]52;c;ZXZpbA==\x07", "\x9b2J", "a\x7f", "a\rb", "\u202ex", "\u2028x"),
    *("\n::error file=a::x", "##[error]x", "##vso[task.complete]"),
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["text", "concise", "json", "sarif", "junit", "gitlab", "markdown", "html"])
def test_a_name_is_inert_in_every_format(form: str, name: str) -> None:
    Path("f.yaml").write_text(DAEMONSET.format(name=json.dumps(name)), encoding="utf-8")
    for words in (("lint", "f.yaml"), ("drain", "n1", "--from", "f.yaml"), ("lint", "f.yaml", "missing")):
        result = program(*words, "--no-policy", "-o", form)
        assert_inert(result.out + "\n" + result.err)


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_inert_in_every_error(name: str) -> None:
    Path("f.yaml").write_text(DAEMONSET.format(name=json.dumps(name)), encoding="utf-8")
    Path("plan.yaml").write_text(json.dumps([f"taint nodes n1 a=b:NoSchedule --bogus '{name}'"]), encoding="utf-8")
    Path("policy.yaml").write_text(json.dumps({name: 1}), encoding="utf-8")
    Path("show.yaml").write_text(
        json.dumps({"extends": "default", "exemptions": [{"rule": "PF201", "reason": name, "match": {"name": name}}]}), encoding="utf-8"
    )
    for words in (
        ("plan", "plan.yaml", "--from", "f.yaml"),
        ("alerts", "--from", "f.yaml"),
        ("components", "f.yaml"),
        ("fix", "f.yaml"),
        ("fix", "f.yaml", "--patch"),
        ("policy", "check", "policy.yaml"),
        ("policy", "show", "show.yaml"),
        ("policy", "show", f"{name}.yaml"),
        ("lint", name),
        ("cordon", name, "--from", "f.yaml"),
        ("lint", "f.yaml", "-o", name),
        ("lint", "f.yaml", f"--{name}"),
        (name,),
        ("explain", name),
        ("snapshot", "-o", "-", "--from", name),
        ("diff", name, "HEAD"),
        ("get", "nodes", "--kubeconfig", name),
        ("doctor", "--context", name),
    ):
        result = program(*words)
        assert result.code != 4, words
        assert_inert(result.err)
        if words[0] != "fix":
            assert_inert(result.out)


def assert_inert(text: str) -> None:
    for line in text.split("\n"):
        assert line.replace("\t", " ").isprintable(), ascii(line)
        assert not line.lstrip().startswith("::"), line
        assert "##[" not in line, line
        assert "##vso[" not in line, line


KEY = "-----BEGIN PRIVATE KEY-----\nMIIEvgIBADANBgkqhkiG9w0B\nAQEFAASCBKgwggSk==\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize(
    "secret",
    [
        KEY,
        "password: [MIIEvgIBADANBgkqhkiG9w0B\n",
        "MIIEvgIBADANBgkqhkiG9w0B\n",
        '{"MIIEvgIBADANBgkqhkiG9w0B',
        "a: b\n- MIIEvgIBADANBgkqhkiG9w0B: *MIIE",
    ],
)
@pytest.mark.parametrize(
    "line", ["patch node n1 --patch-file ../key.pem", "apply -f ../key.pem", "patch node n1 --type json --patch-file ../key.pem"]
)
def test_a_file_that_is_no_manifest_is_not_quoted(line: str, secret: str) -> None:
    """A plan comes from a stranger, and may name any file."""
    Path("plans").mkdir()
    Path("node.json").write_text(NODE, encoding="utf-8")
    Path("key.pem").write_text(secret, encoding="utf-8")
    Path("plans/plan.yaml").write_text(f"- {line}\n", encoding="utf-8")
    result = program("plan", "plans/plan.yaml", "--from", "node.json")
    assert result.code in (2, 3)
    assert "MIIEvg" not in result.out + result.err
    assert "PRIVATE" not in result.out + result.err


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("# {{ see the chart }}\nmetadata: [\n", 3),
        ("metadata: [  # {{ .Values.x }}\n", 3),
        ("  # {{- if }}\nmetadata: {name: a\n", 3),
        ("metadata: {{ .Values.metadata }}\nx: [\n", 0),
        ("{{- if .Values.x }}\nmetadata: [\n{{- end }}\n", 0),
    ],
)
@pytest.mark.parametrize("path", ["only/f.yaml", "only"])
def test_braces_in_a_comment_make_no_template(path: str, text: str, code: int) -> None:
    Path("only").mkdir()
    Path("only/f.yaml").write_text(f"apiVersion: apps/v1\nkind: DaemonSet\n{text}", encoding="utf-8")
    assert program("lint", path, "--allow-empty", "--no-policy").code == code


@pytest.mark.parametrize(
    "field",
    [
        "server: 'htps://h/x?token=SECRET'",
        "server: 'https://u:SECRET@127.0.0.1:1'",
        "server: 'https://127.0.0.1:1/?token=SECRET'",
        "server: 'https://127.0.0.1:1', proxy-url: 'http://u:SECRET@127.0.0.1:1'",
    ],
)
def test_no_token_of_an_address_is_printed(field: str) -> None:
    Path("config").write_text(
        "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: {cluster: k}}], "
        f"clusters: [{{name: k, cluster: {{{field}}}}}]}}\n",
        encoding="utf-8",
    )
    result = program("doctor", "--kubeconfig", "config", "-v")
    assert result.code == 3
    assert "SECRET" not in result.out + result.err


@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "socket", "."])
def test_a_plan_reads_regular_files_alone(name: str) -> None:
    import socket

    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        Path("node.json").write_text(NODE, encoding="utf-8")
        for line in (f"apply -f {name}", f"patch node n1 --patch-file {name}"):
            Path("plan.txt").write_text(f"- {line}\n", encoding="utf-8")
            assert program("plan", "plan.txt", "--from", "node.json").code in (2, 3)
