"""What may stand at the cursor: verbs, options, values, arguments, by the names that were read."""

from __future__ import annotations

import click
import pytest

from preflight.cli.complete.answer import list_options
from preflight.cli.complete.command_line import CommandLine, parse_command_line
from preflight.cli.complete.names import NameKind, Names
from preflight.cli.complete.option_values import ValueKind, find_values, list_valued_flags
from preflight.cli.completion import SHELLS
from preflight.cli.main import COMMANDS, VERBS
from preflight.model.behaviors import GATES
from preflight.policy.packs import PACKS
from preflight.report import FORMATS
from preflight.rules.select_rules import load_all_rules
from tests.cli.complete.asking import ask
from tests.cli.program import program

NO_FILES, FILES, NO_SPACE = 36, 32, 38
NAMES = Names(
    contexts=("prod", "arn:aws:eks:eu:1:cluster/test", "admin@home", "bad\nname"),
    nodes=("gpu-1", "gpu-2", "web-1"),
    daemonsets=("default/agent", "storage/csi", "storage/csi-two"),
    namespaces=("default", "storage"),
)


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(line: CommandLine, kind: NameKind) -> Names:
        del line, kind
        return NAMES

    monkeypatch.setattr("preflight.cli.complete.answer._read_names", read)


@pytest.mark.parametrize(
    ("line", "values", "directive"),
    [
        pytest.param("ta", ["taint"], NO_FILES, id="a verb"),
        pytest.param("c", ["cordon", "capacity", "components", "completion"], NO_FILES, id="several verbs, in the order of the help"),
        pytest.param("zz", [], NO_FILES, id="no verb"),
        pytest.param("-n storage se", ["set"], NO_FILES, id="a verb behind an option and its value"),
        pytest.param("--color al", ["always"], NO_FILES, id="the value of an option before the verb"),
        pytest.param("set ", ["image"], NO_FILES, id="the second word of a verb"),
        pytest.param("set -n storage im", ["image"], NO_FILES, id="the second word behind an option"),
        pytest.param("rollout ", ["restart"], NO_FILES, id="the second word of rollout"),
        pytest.param("policy ", ["schema", "check", "show"], NO_FILES, id="the commands of a group"),
        # Nodes.
        pytest.param("taint ", ["nodes"], NO_FILES, id="what a taint is of"),
        pytest.param("taint nodes ", ["gpu-1", "gpu-2", "web-1"], NO_FILES, id="nodes"),
        pytest.param("taint nodes gpu-1 g", ["gpu-2"], NO_FILES, id="a node that is there is not offered again"),
        pytest.param("taint --from x no g", ["gpu-1", "gpu-2"], NO_FILES, id="nodes by their short name"),
        pytest.param("taint node/g", ["node/gpu-1", "node/gpu-2"], NO_FILES, id="nodes behind a slash"),
        pytest.param("taint nodes gpu-1 a=b:NoSchedule ", [], NO_FILES, id="behind a taint stands no node"),
        pytest.param("label nodes we", ["web-1"], NO_FILES, id="label"),
        pytest.param("drain gpu-1 --force ", ["gpu-2", "web-1"], NO_FILES, id="drain takes several"),
        pytest.param("cordon w", ["web-1"], NO_FILES, id="cordon"),
        pytest.param("reboot w", ["web-1"], NO_FILES, id="reboot"),
        pytest.param("replace w", ["web-1"], NO_FILES, id="replace"),
        pytest.param("delete node w", ["web-1"], NO_FILES, id="delete node"),
        pytest.param("patch no w", ["web-1"], NO_FILES, id="patch node"),
        pytest.param("doctor --node w", ["web-1"], NO_FILES, id="an option that takes a node"),
        # Taints.
        pytest.param(
            "taint nodes n1 dedicated=rdma:",
            ["dedicated=rdma:NoSchedule", "dedicated=rdma:PreferNoSchedule", "dedicated=rdma:NoExecute"],
            NO_FILES,
            id="effects",
        ),
        pytest.param("taint nodes n1 gpu:NoE", ["gpu:NoExecute"], NO_FILES, id="an effect of a key alone"),
        pytest.param("taint node/n1 example.com/a=b:P", ["example.com/a=b:PreferNoSchedule"], NO_FILES, id="a key with a slash"),
        pytest.param("taint nodes n1 :", [], NO_FILES, id="no key"),
        pytest.param("capacity --tolerate a=b:NoS", ["a=b:NoSchedule"], NO_FILES, id="the effect of a toleration"),
        pytest.param("replace n1 --taint=a=b:NoE", ["a=b:NoExecute"], NO_FILES, id="the taint of a new node"),
        # DaemonSets.
        pytest.param("rollout restart ", ["ds/agent", "daemonset"], NO_FILES, id="DaemonSets of the namespace that counts"),
        pytest.param("rollout restart -n storage ds/", ["ds/csi", "ds/csi-two"], NO_FILES, id="those of -n"),
        pytest.param("-n storage rollout restart ds/", ["ds/csi", "ds/csi-two"], NO_FILES, id="those of -n before the verb"),
        pytest.param("set image -n=storage daemonset/csi-", ["daemonset/csi-two"], NO_FILES, id="by the long name"),
        pytest.param("set image ds/agent ", [], NO_FILES, id="behind it stands an image"),
        pytest.param("rollout restart ds a", ["agent"], NO_FILES, id="behind the kind"),
        pytest.param("delete ds --namespace storage ", ["csi", "csi-two"], NO_FILES, id="delete"),
        pytest.param("delete n", ["namespace", "node"], NO_FILES, id="what can be deleted"),
        pytest.param("delete ns s", ["storage"], NO_FILES, id="namespaces that are deleted"),
        pytest.param("lint --why st", ["storage/csi/", "storage/csi-two/"], NO_SPACE, id="a chain begins with the DaemonSet"),
        pytest.param("lint --why storage/csi/w", ["storage/csi/web-1"], NO_FILES, id="and ends with the node"),
        pytest.param("capacity --like ds/", ["ds/agent"], NO_FILES, id="more of a DaemonSet"),
        # Other names.
        pytest.param("drain n1 --context p", ["prod"], NO_FILES, id="contexts"),
        pytest.param(
            "drain n1 --context=", ["prod", "arn:aws:eks:eu:1:cluster/test", "admin@home"], NO_FILES, id="but none that would not print"
        ),
        pytest.param("rollout restart -n ", ["default", "storage"], NO_FILES, id="namespaces"),
        pytest.param("rollout restart -ns", ["-nstorage"], NO_FILES, id="the value in the word of a short option"),
        pytest.param("rollout restart -n=s", ["storage"], NO_FILES, id="the value behind ="),
        # Our own words.
        pytest.param("explain PF10", [f"PF10{number}" for number in range(1, 10)], NO_FILES, id="rules by id"),
        pytest.param("explain lost-", ["lost-now", "lost-on-recreation", "lost-for-good"], NO_FILES, id="rules by name"),
        pytest.param("fix --rule PF201", ["PF201"], NO_FILES, id="a rule to fix"),
        pytest.param("lint -o j", ["json", "junit"], NO_FILES, id="formats"),
        pytest.param("lint -oj", ["-ojson", "-ojunit"], NO_FILES, id="formats in the word"),
        pytest.param("lint --output=ht", ["html"], NO_FILES, id="formats behind ="),
        pytest.param("lint -o json=re", [], FILES, id="the file of a format"),
        pytest.param("components -o ", ["text", "json"], NO_FILES, id="the formats of components"),
        pytest.param("capacity -o ", ["text", "concise", "json", "markdown", "html"], NO_FILES, id="the formats of capacity"),
        pytest.param("snapshot -o ", [], FILES, id="a snapshot goes into a file"),
        pytest.param("lint --policy s", ["strict"], FILES, id="packs, and files"),
        pytest.param("policy show b", ["baseline"], FILES, id="a policy to show"),
        pytest.param("policy schema ", [], NO_FILES, id="a command without arguments"),
        pytest.param("lint --fail-on ", ["error", "warning", "note"], NO_FILES, id="severities"),
        pytest.param("taint nodes n1 a:NoSchedule --dry-run=", ["none", "server", "client"], NO_FILES, id="a value only behind ="),
        pytest.param("taint nodes --dry-run g", ["gpu-1", "gpu-2"], NO_FILES, id="and takes no next word"),
        pytest.param("fix --patch k", ["kubectl", "kustomize"], NO_FILES, id="the patch of fix"),
        pytest.param("patch ds/agent --patch k", [], NO_FILES, id="the patch of kubectl"),
        pytest.param("patch ds/agent --type m", ["merge"], NO_FILES, id="its type"),
        pytest.param("alerts --format ", ["prometheus", "prometheusrule"], NO_FILES, id="the format of alerts"),
        pytest.param(
            "lint --feature-gates ", [f"{gate}={word}" for gate in sorted(GATES) for word in ("true", "false")], NO_FILES, id="gates"
        ),
        pytest.param("completion ", list(SHELLS), NO_FILES, id="shells"),
        pytest.param("completion bash ", [], NO_FILES, id="one shell"),
        pytest.param("diff ", ["live"], FILES, id="files, or the cluster"),
        pytest.param("diff a b ", [], NO_FILES, id="not a third"),
        # Files.
        pytest.param("lint ", [], FILES, id="files to lint"),
        pytest.param("taint --from ", [], FILES, id="files of the world"),
        pytest.param("apply -f ", [], FILES, id="files to apply"),
        pytest.param("plan ", [], FILES, id="a plan"),
        pytest.param("plan a.yaml ", [], NO_FILES, id="one plan"),
        # Options.
        pytest.param("lint --fa", ["--fail-on"], NO_FILES, id="our options"),
        pytest.param("lint --fail-on error --fa", [], NO_FILES, id="an option that counts once is not offered twice"),
        pytest.param("lint --from a --fr", ["--from"], NO_FILES, id="one that is repeatable is"),
        pytest.param("drain n1 --ignore", ["--ignore-daemonsets"], NO_FILES, id="options of kubectl"),
        pytest.param("drain --force n1 --fo", [], NO_FILES, id="which count once"),
        pytest.param("policy show -h", ["-h"], NO_FILES, id="help"),
        pytest.param("lint --ignore", [], NO_FILES, id="other commands have none of them"),
        pytest.param("set image --name", ["--namespace"], NO_FILES, id="the namespace"),
        pytest.param("policy show --col", ["--color"], NO_FILES, id="the options of a group's command"),
        pytest.param("--ver", ["--version"], NO_FILES, id="options of the program"),
        pytest.param("lint -- --fa", [], FILES, id="behind -- stand arguments"),
        pytest.param("bogus ", [], NO_FILES, id="an unknown verb"),
    ],
)
def test_candidates(line: str, values: list[str], directive: int) -> None:
    assert ask(*line.split(" ")) == (values, directive)


def test_nothing_typed_is_every_verb() -> None:
    assert ask("").values == [*VERBS, *COMMANDS]
    assert ask().values == [*VERBS, *COMMANDS]


def test_every_rule_and_every_pack_is_offered() -> None:
    assert ask("explain", "").values == [rule.id for rule in load_all_rules() if not rule.is_crash]
    assert sorted(ask("policy", "show", "").values) == sorted(PACKS)
    assert ask("lint", "-o", "").values == list(FORMATS)


def test_a_candidate_has_its_description() -> None:
    rule = next(rule for rule in load_all_rules() if rule.id == "PF102")
    assert program("__complete", "explain", "PF102").out == f"PF102\t{rule.name}: {rule.summary}\n:36\n"
    assert program("__complete", "ta").out.startswith(f"taint\t{VERBS['taint']}\n")


@pytest.mark.parametrize("verb", [*VERBS, *COMMANDS])
def test_every_option_that_takes_a_value_is_known(verb: str) -> None:
    """Otherwise its value would be taken for an argument."""
    options = list_options(verb)
    valued = {name for option in options if not option.is_flag for name in option.opts}
    bare = {name for option in options if option.is_flag for name in option.opts}
    assert {"-h", "--help"} <= bare
    assert valued - list_valued_flags(verb) == set()
    assert bare & list_valued_flags(verb) == set()


@pytest.mark.parametrize("verb", [*VERBS, *COMMANDS])
def test_every_choice_is_offered(verb: str) -> None:
    options = list_options(verb)
    choices = {name: option.type.choices for option in options if isinstance(option.type, click.Choice) for name in option.opts}
    assert {name: find_values(verb, name) for name in choices} == {name: tuple(values) for name, values in choices.items()}


@pytest.mark.parametrize(
    ("words", "verb", "args", "word", "flag", "prefix"),
    [
        pytest.param(["taint", "nodes", ""], "taint", ("nodes",), "", "", "", id="an argument"),
        pytest.param(["--from", "a b", "taint", "n"], "taint", (), "n", "", "", id="an option before the verb"),
        pytest.param(["taint", "--from"], "taint", (), "--from", "", "", id="an option that is not yet done"),
        pytest.param(["taint", "--from", ""], "taint", (), "", "--from", "", id="its value"),
        pytest.param(["taint", "--from=a=b"], "taint", (), "a=b", "--from", "", id="its value behind ="),
        pytest.param(["taint", "-na"], "taint", (), "a", "-n", "-n", id="a short one"),
        pytest.param(["taint", "-v", ""], "taint", (), "", "", "", id="-v takes none"),
        pytest.param(["taint", "-v=6", ""], "taint", (), "", "", "", id="but for that of kubectl"),
        pytest.param(["lint", "--", "-"], "lint", (), "-", "", "", id="behind --"),
        pytest.param(["set", "image", "ds/a", "c="], "set image", ("ds/a",), "c=", "", "", id="a verb of two words"),
        pytest.param(["set", "env", "x"], "set", ("env",), "x", "", "", id="an unknown second word"),
    ],
)
def test_a_command_line(words: list[str], verb: str, args: tuple[str, ...], word: str, flag: str, prefix: str) -> None:
    line = parse_command_line(words)
    assert (line.verb, line.args, line.word, line.flag, line.prefix) == (verb, args, word, flag, prefix)


def test_an_unknown_option_may_be_anything() -> None:
    assert find_values("lint", "--bogus") is ValueKind.ANYTHING


def test_a_fault_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> Names:
        raise AssertionError("planted")

    monkeypatch.setattr("preflight.cli.complete.answer._read_names", fail)
    assert ask("drain", "") == ([], 5)


BREAKS = " \t\n\"'@><=;|&(:"


@pytest.mark.parametrize(
    ("text", "breaks", "values"),
    [
        pytest.param("preflight taint nodes n1 a=b:NoE", BREAKS, ["NoExecute"], id="behind the last break"),
        pytest.param("preflight taint nodes n1 a=b:NoE", " @=", ["b:NoExecute"], id="where a colon breaks no word"),
        pytest.param("preflight taint nodes n1 a=b:NoE", "", ["a=b:NoExecute"], id="in a quoted word"),
        pytest.param('preflight taint nodes n1 "a=b:NoE', "", ["a=b:NoExecute"], id="with its quote"),
        pytest.param("preflight lint --fail-on=w", BREAKS, ["warning"], id="the value of an option"),
        pytest.param("preflight lint --fail-on=", BREAKS, ["error", "warning", "note"], id="an empty one"),
        pytest.param("preflight lint --fail-on=w", " ", ["--fail-on=warning"], id="where = breaks no word"),
        pytest.param("preflight drain n1 --context arn:aws:e", BREAKS, ["eks:eu:1:cluster/test"], id="a context with colons"),
        pytest.param("preflight drain n1 --context=arn:aws:e", BREAKS, ["eks:eu:1:cluster/test"], id="the same behind ="),
        pytest.param("preflight drain n1 --context admin@", BREAKS, ["@home"], id="bash replaces an @, too"),
        pytest.param("preflight drain n1 --context admin@h", BREAKS, ["@home"], id="also with more behind it"),
        pytest.param("preflight drain n1 --context admin@h", " =", ["admin@home"], id="where @ breaks no word"),
        pytest.param("preflight lint -oj", BREAKS, ["-ojson", "-ojunit"], id="a short option"),
        pytest.param("preflight drain gpu-1 ", BREAKS, ["gpu-2", "web-1"], id="a blank at the end begins a word"),
        pytest.param("preflight drain 'gpu-1' w", BREAKS, ["web-1"], id="quoted words before"),
        pytest.param("preflight drain gpu\\-1 g", BREAKS, ["gpu-2"], id="escaped words before"),
    ],
)
def test_a_line_of_bash(text: str, breaks: str, values: list[str]) -> None:
    result = program("__complete_line", text, breaks)
    assert result.err == ""
    assert [line.partition("\t")[0] for line in result.out.splitlines()[:-1]] == values
