"""Shell scripts as plans: what is judged, what is left out, and what is named with its line and its reason."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.kubectl.runbook.reader import RunbookScript, read_script
from preflight.kubectl.runbook.statements import SimpleCommand, iter_simple_commands
from preflight.kubectl.runbook.syntax import parse_script


def judged(script: RunbookScript) -> list[str]:
    return [f"{command.line}: {command.command.text}" for command in script.commands]


def unread(script: RunbookScript) -> list[str]:
    return [f"{line.line}: {line.text}: {line.why}" for line in script.unanalyzed]


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("", 0),
        ("#!/bin/sh\n# kubectl cordon n1\n\n", 0),
        ("set -euo pipefail\necho 'kubectl cordon n1' && sleep 5; date", 0),
        ("kubectl get nodes -l pool=x -o wide\nkubectl describe node n1 | less", 2),
        ("kubectl rollout status ds/x --timeout=5m && kubectl wait node/n1 --for=condition=Ready", 2),
        ("kubectl -n storage logs -f ds/x &", 1),
        ('NODES=$(kubectl get nodes -o name | sort)\necho "$NODES"', 1),
        ("kubectl taint nodes n1 a=b:NoSchedule --dry-run=server", 1),
        ("if kubectl get node n1 >/dev/null 2>&1; then echo there; else exit 1; fi", 1),
        ("for n in a b; do echo $n; kubectl get node $n; done", 1),
        ('log() { echo "$@"; kubectl get nodes; }\nlog start', 1),
        ('[[ $x == y && -f z ]] && echo yes\n(( i++ )); [ -n "$x" ] || exit 2', 0),
        ("case $1 in\n  a|b) echo a ;;\n  *) exit 1 ;;\nesac", 0),
        ("cat <<EOF > notes.txt\nkubectl cordon n1\nEOF", 0),
        ("trap 'rm -f $tmp' EXIT", 0),
        ("kubectl config use-context prod", 1),
        ("kubectl", 1),
        ("kubectl get nodes -o name | xargs -n1 kubectl describe", 2),
        ("cat <<-'E'\n\tkubectl drain n1\n\tE\necho", 0),
        ("$(kubectl get nodes)", 1),
    ],
    ids=[
        "nothing",
        "comments",
        "commands that leave the cluster alone",
        "asking for nodes",
        "waiting",
        "in the background",
        "what a variable is given",
        "a dry run",
        "a condition that only looks",
        "a loop that only looks",
        "a function that only looks",
        "tests and arithmetic",
        "a case that only ends",
        "a here document is text",
        "a trap that tidies up",
        "the first cluster is the one that is judged",
        "kubectl alone prints its help",
        "xargs that only looks",
        "a here document with tabs",
        "output as a command is named, its inside only looks",
    ],
)
def test_nothing_to_judge(text: str, reads: int) -> None:
    script = read_script(text)
    assert judged(script) == []
    expected = ["1: $(kubectl get nodes): $(kubectl get nodes) is not expanded, so the program is unknown"] if text.startswith("$(") else []
    assert unread(script) == expected
    assert script.read_count == reads


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("kubectl cordon n1", ["1: cordon n1"]),
        (
            "kubectl taint nodes -l pool=rdma \\\n  dedicated=rdma:NoSchedule \\\n  --overwrite # why",
            ["1: taint nodes -l pool=rdma dedicated=rdma:NoSchedule --overwrite"],
        ),
        ("kubectl --context x -n y set image ds/d c=i:2", ["1: --context x -n y set image ds/d c=i:2"]),
        ("kubectl cordon n1 && kubectl uncordon n2; kubectl cordon n3", ["1: cordon n1", "1: uncordon n2", "1: cordon n3"]),
        ("kubectl cordon n1 &&\n  kubectl uncordon n2", ["1: cordon n1", "2: uncordon n2"]),
        ("kubectl taint nodes -l 'pool in (a, b)' \"k=v:NoSchedule\"", ["1: taint nodes -l 'pool in (a, b)' k=v:NoSchedule"]),
        ("sudo -E -u root kubectl cordon n1\n/usr/local/bin/kubectl cordon n2", ["1: cordon n1", "2: cordon n2"]),
        ("env A=b timeout -k 5 60 kubectl cordon n1", ["1: cordon n1"]),
        ("KUBECONFIG=/tmp/k kubectl cordon n1", ["1: --kubeconfig /tmp/k cordon n1"]),
        (
            "oc adm taint nodes n1 k=v:NoExecute\noc label node n1 a=b\noc -n x adm cordon n1",
            ["1: taint nodes n1 k=v:NoExecute", "2: label node n1 a=b", "3: -n x cordon n1"],
        ),
        ("{ kubectl cordon n1; }\n( kubectl cordon n2 )", ["1: cordon n1", "2: cordon n2"]),
        ("kubectl cordon n1 | tee log\nkubectl cordon n2 > log 2>&1", ["1: cordon n1", "2: cordon n2"]),
        ("kubectl cordon n1 || true\nkubectl cordon n2", ["1: cordon n1", "2: cordon n2"]),
        ("kubectl cordon n1 || { echo failed; exit 1; }\nkubectl cordon n2", ["1: cordon n1", "2: cordon n2"]),
        ("kubectl cordon n1 || exit 1\nkubectl cordon n2", ["1: cordon n1", "2: cordon n2"]),
        ("stop() {\n  exit 1\n}\nkubectl cordon n1", ["4: cordon n1"]),
        ("kubectl cordon n1\r\nkubectl cordon n2\r\n", ["1: cordon n1", "2: cordon n2"]),
        ("if true; then\n  echo x\nfi && kubectl cordon n1", ["3: cordon n1"]),
        ('cd "$(dirname "$0")"\nkubectl apply -f ds.yaml', ["2: apply -f ds.yaml"]),
        ("kubectl taint nodes n1 a=b:NoSchedule --dry-run=none", ["1: taint nodes n1 a=b:NoSchedule --dry-run=none"]),
        ("kubectl cordon n1; exit 0\nkubectl cordon n2", ["1: cordon n1"]),
        ("FLAGS=(--ignore-daemonsets\n  --force) # b\nNODES+=(n1)\nkubectl cordon n1", ["4: cordon n1"]),
        ("A=1 B=2\nC=3 kubectl cordon n1", ["2: cordon n1"]),
        ("time kubectl cordon n1 && ! kubectl cordon n2", ["1: cordon n1", "1: cordon n2"]),
        (
            "kubectl --context a cordon n1\nkubectl cordon n2\nkubectl --context=a cordon n3",
            ["1: --context a cordon n1", "2: cordon n2", "3: --context=a cordon n3"],
        ),
    ],
    ids=[
        "one line",
        "a line that goes on, and a comment",
        "flags before the verb",
        "one after the other",
        "a line that ends after &&",
        "quotes",
        "sudo and a path",
        "what only stands before a command",
        "a cluster by its file",
        "oc",
        "groups",
        "a pipe and files after it",
        "a failure that is swallowed",
        "a failure that ends the script",
        "a failure that exits at once",
        "an exit in a function",
        "lines of Windows",
        "after a condition",
        "a file beside the script",
        "no dry run after all",
        "nothing after an exit",
        "arrays are no commands",
        "assignments on a line of their own",
        "timed and negated",
        "one cluster by its name",
    ],
)
def test_lines_that_are_judged(text: str, lines: list[str]) -> None:
    script = read_script(text)
    assert judged(script) == lines
    assert unread(script) == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('kubectl cordon "$NODE"', ["1: kubectl cordon $NODE: $NODE is not expanded: write its value"]),
        ("kubectl cordon ${NODES[0]}", ["1: kubectl cordon ${NODES[0]}: ${NODES[0]} is not expanded: write its value"]),
        (
            "kubectl cordon $(head -1 nodes)",
            ["1: kubectl cordon $(head -1 nodes): $(head -1 nodes) is not expanded: write its value"],
        ),
        ("kubectl cordon `cat n`", ["1: kubectl cordon `cat n`: `cat n` is not expanded: write its value"]),
        ("kubectl cordon n*", ["1: kubectl cordon n*: n* is not expanded: write its value"]),
        ("kubectl cordon n{1,2}", ["1: kubectl cordon n{1,2}: n{1,2} is not expanded: write its value"]),
        ("$KUBECTL cordon n1", ["1: $KUBECTL cordon n1: $KUBECTL is not expanded, so the program is unknown"]),
        ("for n in a b; do\n  kubectl cordon n1\ndone", ["2: kubectl cordon n1: it runs inside a loop of line 1"]),
        ("while read -r n; do kubectl cordon n1; done < nodes", ["1: kubectl cordon n1: it runs inside a loop of line 1"]),
        ("for ((i=0; i<3; i++)); do kubectl cordon n1; done", ["1: kubectl cordon n1: it runs inside a loop of line 1"]),
        ("if true; then kubectl cordon n1; fi", ["1: kubectl cordon n1: it runs inside a condition of line 1"]),
        ("if kubectl cordon n1; then echo; fi", ["1: kubectl cordon n1: it runs inside a condition of line 1"]),
        ("case $1 in a) kubectl cordon n1;; (b) echo;; esac", ["1: kubectl cordon n1: it runs inside a case of line 1"]),
        (
            "f() {\n  kubectl cordon n1\n}\nf\nf x",
            ["4: f: the function of line 1 is not checked", "5: f x: the function of line 1 is not checked"],
        ),
        ("function g {\n  X=$(kubectl cordon n1)\n}\ng", ["4: g: the function of line 1 is not checked"]),
        ("kubectl cordon n1 || kubectl cordon n2", ["1: kubectl cordon n2: it runs only if the command before || fails"]),
        ("false || { kubectl cordon n1; }", ["1: kubectl cordon n1: it runs inside a group of line 1"]),
        (
            "kubectl get nodes -o name | xargs -I{} kubectl cordon {}",
            ["1: xargs -I{} kubectl cordon {}: xargs passes arguments that cannot be determined"],
        ),
        (
            "cat ds.yaml | kubectl apply -f -",
            ["1: kubectl apply -f -: it reads from a pipe or a here document: write that input to a file"],
        ),
        (
            "kubectl apply -f - <<EOF\nkind: DaemonSet\nEOF\n",
            ["1: kubectl apply -f -: it reads from a pipe or a here document: write that input to a file"],
        ),
        ("X=$(kubectl cordon n1)", ["1: cordon n1: it runs inside $(...)"]),
        ("echo `kubectl cordon n1`", ["1: cordon n1: it runs inside $(...)"]),
        ("helm upgrade x y", ["1: helm ...: it is not kubectl: changes made by helm are not checked"]),
        (
            'bash other.sh\n. lib.sh\neval "$x"',
            [
                "1: bash other.sh: commands run by bash are not checked",
                "2: . lib.sh: commands run by . are not checked",
                "3: eval $x: commands run by eval are not checked",
            ],
        ),
        ("trap 'kubectl uncordon n1' EXIT", ["1: trap kubectl uncordon n1 EXIT: commands run by trap are not checked"]),
        (
            "kubectl taint nodes n1 a=b:noschedule",
            [
                "1: kubectl taint nodes n1 a=b:noschedule: invalid taint effect: noschedule, unsupported taint effect: "
                "did you mean NoSchedule?"
            ],
        ),
        ("kubectl cordon n1 --nope", ["1: kubectl cordon n1 --nope: unknown flag: --nope"]),
        (
            "kubectl --context a cordon n1\nkubectl --context b cordon n1",
            ["2: kubectl --context b cordon n1: it is for context b, but earlier lines are for context a: only one cluster can be checked"],
        ),
        (
            "kubectl cordon n1\nkubectl config use-context b",
            [("2: kubectl config use-context b: the following commands are for another cluster")],
        ),
        ("cd /tmp\nkubectl apply -f ds.yaml", ["2: kubectl apply -f ds.yaml: after the cd of line 1 it is unknown which ds.yaml this is"]),
        ("cat > ds.yaml <<EOF\nEOF\nkubectl apply -f ds.yaml", ["3: kubectl apply -f ds.yaml: the script itself creates ds.yaml"]),
        ("sed s/a/b/ x | tee ds.yaml\nkubectl apply -f ds.yaml", ["2: kubectl apply -f ds.yaml: the script itself creates ds.yaml"]),
        (
            'FLAGS=(--force)\nkubectl drain n1 "${FLAGS[@]}"',
            ["2: kubectl drain n1 ${FLAGS[@]}: ${FLAGS[@]} is not expanded: write its value"],
        ),
        ("cat <<EOF\n$(kubectl cordon n1)\nEOF", ["2: cordon n1: it runs inside $(...)"]),
        ("[[ -n $(kubectl cordon n1) ]]", ["1: cordon n1: it runs inside $(...)"]),
        ("NODES=($(kubectl cordon n1))", ["1: cordon n1: it runs inside $(...)"]),
        ("if true; then\n  kubectl cordon n1\n", ["3: : it cannot be parsed as bash: the rest of the script is not read"]),
        ("echo\nfi\nkubectl cordon n1", ["2: : it cannot be parsed as bash: the rest of the script is not read"]),
        ("echo \0\nkubectl cordon n1", ["1: : a NUL byte: the rest of the script is not read"]),
        ("cat <<'E' | A=b B=c\nkubectl cordon n1\nE", ["1: : it cannot be parsed as bash: the rest of the script is not read"]),
        ("kubectl cordon 'n1", ["1: : a quote is not closed: the rest of the script is not read"]),
        ("echo $(kubectl cordon n1", ["1: : a ( is not closed: the rest of the script is not read"]),
    ],
    ids=[
        "a variable",
        "an element of an array",
        "what a command gives",
        "so with backquotes",
        "a pattern of files",
        "braces",
        "the program is a variable",
        "a loop",
        "a loop over lines",
        "a loop of arithmetic",
        "a condition",
        "the condition itself",
        "a case",
        "a function, at each call",
        "a function with the word before it",
        "after ||",
        "a group after ||",
        "xargs",
        "a pipe into apply",
        "a here document into apply",
        "a change inside an assignment",
        "a change inside backquotes",
        "another program",
        "other scripts",
        "a trap",
        "what kubectl refuses",
        "a flag that is none",
        "two clusters",
        "another cluster from here on",
        "a file after cd",
        "a file that the script writes",
        "so with tee",
        "an array is not expanded",
        "a change inside a here document",
        "a change inside a test",
        "a change inside an array",
        "a condition without an end",
        "an end without a condition",
        "a NUL",
        "a here document that the parser takes for commands",
        "a quote that is never closed",
        "an expansion that is never closed",
    ],
)
def test_lines_that_are_not_understood(text: str, says: list[str]) -> None:
    assert unread(read_script(text)) == says


def test_what_preflight_does_not_judge_is_said_in_its_words() -> None:
    (line,) = unread(read_script("kubectl scale deploy/x --replicas=0"))
    assert line.startswith(
        "1: kubectl scale deploy/x --replicas=0: preflight does not check `kubectl scale`: `preflight capacity --like deploy/NAME` "
    )


@pytest.mark.parametrize(
    "line",
    ["patch node n1 --patch-file p.yaml", "patch ds d --patch-file=./p.yaml", "apply -f a.yaml -f p.yaml", "delete -f p.yaml"],
)
def test_a_file_that_the_script_writes_is_not_known_whoever_reads_it(line: str) -> None:
    script = read_script(f"echo '{{}}' > p.yaml\nkubectl {line}")
    assert script.commands == ()
    assert [(unanalyzed.line, unanalyzed.text) for unanalyzed in script.unanalyzed] == [(2, f"kubectl {line}")]
    assert len(read_script(f"kubectl {line}\necho '{{}}' > p.yaml").commands) == 1


def test_what_comes_after_a_line_that_is_not_understood_knows_it() -> None:
    script = read_script("kubectl cordon n1\nkubectl cordon $X\nhelm install a b\nkubectl cordon n2")
    assert [(command.line, command.follows_unread) for command in script.commands] == [(1, 0), (4, 2)]


def test_what_stands_before_a_fault_is_judged() -> None:
    assert judged(read_script("kubectl cordon n1\nkubectl cordon 'n2")) == ["1: cordon n1"]


def test_a_script_in_a_script_that_never_ends() -> None:
    assert unread(read_script("$(" * 9 + "echo" + ")" * 9))[0].endswith("it is nested too deeply")


SPLIT = [
    "a 'b c' \"d e\" f\\ g",
    "a'b'\"c\"d",
    "'' \"\" x",
    "a\\\nb c\\\n d",
    "a#b #c",
    '"a\\"b" "c\\d" "e\\\\f"',
    "'a\nb' c",
    "--selector='pool in (a, b)' x=y:NoSchedule k-",
    '"a\\\nb"',
    "a=b \\#c \\' \\\"",
]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash to compare with")
@pytest.mark.parametrize("line", SPLIT)
def test_words_are_those_of_bash(line: str) -> None:
    told = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, text=True, check=True).stdout
    (command,) = iter_simple_commands(parse_script(f"printf {line}"), 1)
    assert isinstance(command, SimpleCommand)
    assert [word.text for word in command.words[1:]] == told.split("\0")[:-1]


@given(st.text(alphabet="kubectl cordon n1 '\"\\$`(){}[]<>|&;#\n\t=*-if then fi do done", max_size=60))
def test_no_text_makes_it_crash_and_every_line_is_one_of_the_text(text: str) -> None:
    script = read_script(text)
    last = text.count("\n") + 1
    assert all(1 <= line <= last for line in [*(command.line for command in script.commands), *(each.line for each in script.unanalyzed)])


@given(st.lists(st.sampled_from(["kubectl cordon n1", "echo x", "kubectl get nodes", "kubectl cordon $X", "# c", ""]), max_size=6))
def test_every_line_is_judged_counted_named_or_leaves_the_cluster_alone(lines: list[str]) -> None:
    script = read_script("\n".join(lines))
    assert len(script.commands) == lines.count("kubectl cordon n1")
    assert script.read_count == lines.count("kubectl get nodes")
    assert len(script.unanalyzed) == lines.count("kubectl cordon $X")


@pytest.mark.parametrize(
    "unit",
    [
        "'",
        '"',
        "(",
        "$(",
        "{ ",
        "`",
        "fi\n",
        "case x in ",
        "[[ ",
        "${",
        "a=(",
        "a=(b\n",
        "a | ",
        "a |\n",
        "<<<",
        "\0",
        "(" * 99 + ")" * 99 + "\n",
    ],
)
def test_the_work_for_odd_text_is_bounded(unit: str) -> None:
    script = read_script("kubectl cordon n1\n" + unit * ((1 << 20) // len(unit)))
    assert len(script.commands) <= 1
    assert len(script.unanalyzed) <= 1
