"""Command lines to Commands: what is accepted and how it is read, what is refused and in which words."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.errors import PreflightError, UsageError
from preflight.kubectl.commands import (
    ApplyFiles,
    Command,
    CordonNodes,
    DeleteDaemonSets,
    DeleteFiles,
    DeleteNamespaces,
    DeleteNodes,
    DeletePods,
    DrainNodes,
    FolderDepth,
    LabelNodes,
    PatchObjects,
    PatchType,
    RebootNodes,
    ReplaceNodes,
    RestartRollout,
    SetImage,
    TaintNodes,
    TargetObjects,
)
from preflight.kubectl.flags import FLAGS_BY_VERB, GLOBAL_FLAGS, flag_takes_value
from preflight.kubectl.label_selector import parse_selector
from preflight.kubectl.parser import VERBS, parse_command
from preflight.model.cascade import Cascade
from preflight.model.core import Taint
from preflight.model.drain_flags import DrainFlags
from preflight.model.pod_wait import PodWait

N1 = TargetObjects(("n1",))
K = Taint("k", "v", "NoSchedule")
POOL = TargetObjects(selector=parse_selector("pool=a"))
D1 = TargetObjects(("d1",))

READ: list[tuple[str, str, Command]] = [
    ("a taint by name", "taint nodes n1 k=v:NoSchedule", TaintNodes("", N1, (K,))),
    ("an empty value", "taint node n1 k:NoSchedule", TaintNodes("", N1, (Taint("k", "", "NoSchedule"),))),
    ("a removal of every effect", "taint node n1 k-", TaintNodes("", N1, (), (Taint("k"),))),
    ("a removal keeps the value that was typed", "taint node n1 k=v:NoSchedule-", TaintNodes("", N1, (), (K,))),
    ("a selector after a blank", "taint nodes -l pool=a k=v:NoSchedule", TaintNodes("", POOL, (K,))),
    ("a selector in the same word", "taint nodes -lpool=a k=v:NoSchedule", TaintNodes("", POOL, (K,))),
    ("a selector after an equals sign", "taint nodes -l=pool=a k=v:NoSchedule", TaintNodes("", POOL, (K,))),
    ("a long selector", "taint nodes --selector=pool=a k=v:NoSchedule", TaintNodes("", POOL, (K,))),
    ("a long selector after a blank", "taint nodes k=v:NoSchedule --selector pool=a", TaintNodes("", POOL, (K,))),
    ("the last selector counts", "taint nodes -l x -l pool=a k=v:NoSchedule", TaintNodes("", POOL, (K,))),
    ("names are ignored beside a selector", "taint nodes n9 -l pool=a k=v:NoSchedule", TaintNodes("", POOL, (K,))),
    ("all nodes", "taint nodes --all k=v:NoSchedule", TaintNodes("", TargetObjects(all=True), (K,))),
    ("not all nodes", "taint nodes n1 --all=false k=v:NoSchedule", TaintNodes("", N1, (K,))),
    ("overwrite, before the verb's words", "taint --overwrite nodes n1 k=v:NoSchedule", TaintNodes("", N1, (K,), (), True)),
    ("overwrite switched off again", "taint nodes n1 k=v:NoSchedule --overwrite --overwrite=f", TaintNodes("", N1, (K,))),
    ("a program's name", "kubectl taint nodes n1 k=v:NoSchedule", TaintNodes("", N1, (K,))),
    ("our own program's name", "preflight taint nodes n1 k=v:NoSchedule", TaintNodes("", N1, (K,))),
    ("connection flags before the verb", "kubectl --context prod -n x taint nodes n1 k=v:NoSchedule", TaintNodes("", N1, (K,))),
    ("a verbosity", "taint nodes n1 k=v:NoSchedule -v=6 -o yaml", TaintNodes("", N1, (K,))),
    ("a name that is there twice", "taint nodes n1 n1 k=v:NoSchedule", TaintNodes("", N1, (K,))),
    ("everything after two dashes", "taint nodes -- n1 k=v:NoSchedule", TaintNodes("", N1, (K,))),
    ("labels set and removed", "label nodes n1 a=b c= d- --overwrite", LabelNodes("", N1, {"a": "b", "c": ""}, ("d",), True)),
    ("a label by type and name in one word", "label node/n1 a=b", LabelNodes("", N1, {"a": "b"})),
    ("the last value of a label counts", "label nodes n1 a=b a=c", LabelNodes("", N1, {"a": "c"})),
    ("a cordon", "cordon n1 node/n2", CordonNodes("", TargetObjects(("n1", "n2")), True)),
    ("an uncordon", "uncordon -l pool=a", CordonNodes("", POOL, False)),
    (
        "a drain",
        "drain n1 --ignore-daemonsets --timeout 5m --grace-period 30",
        DrainNodes("", N1, DrainFlags(ignore_daemonsets=True, grace_period=30, timeout=300)),
    ),
    (
        "a drain with the other flags",
        "drain n1 --disable-eviction --timeout=1m30.5s --grace-period=-5 --skip-wait-for-delete-timeout 0x10",
        DrainNodes("", N1, DrainFlags(disable_eviction=True, grace_period=-5, timeout=90.5, skip_wait_for_delete_timeout=16)),
    ),
    (
        "a drain without the flag",
        "drain n1 --force --delete-emptydir-data --pod-selector a=b",
        DrainNodes("", N1, DrainFlags(delete_emptydir_data=True, force=True, pod_selector=parse_selector("a=b"))),
    ),
    ("images", "set image ds/d1 c=x:1 i=r:5/y@sha256:0", SetImage("", D1, {"c": "x:1", "i": "r:5/y@sha256:0"})),
    ("flags between the words of a verb", "set -n x image ds d1 *=y", SetImage("", TargetObjects(("d1",), namespace="x"), {"*": "y"})),
    ("an equals sign in an image", "set image ds/d1 c=x:1=2", SetImage("", D1, {"c": "x:1=2"})),
    ("no image for a container", "set image ds/d1 c=", SetImage("", D1, {"c": ""})),
    ("a group after the resource", "set image daemonsets.v1.apps/d1 c=x", SetImage("", D1, {"c": "x"})),
    ("two DaemonSets of two short words", "set image ds/d1 daemonset/d2 c=x", SetImage("", TargetObjects(("d1", "d2")), {"c": "x"})),
    ("a restart", "rollout restart ds/d1 -n x", RestartRollout("", TargetObjects(("d1",), namespace="x"))),
    ("a restart of all", "rollout restart daemonsets", RestartRollout("", TargetObjects(all=True))),
    ("a restart by label", "rollout restart ds -l pool=a", RestartRollout("", POOL)),
    ("an apply of files", "apply -f a.yaml,b.yaml --filename=c --server-side", ApplyFiles("", ("a.yaml", "b.yaml", "c"), "", True)),
    ("short flags in one word", "apply -Rfa.yaml -n x -l pool=a", ApplyFiles("", ("a.yaml",), "x", False, POOL.selector, FolderDepth.ALL)),
    ("an apply of standard input", "apply -f -", ApplyFiles("", ("-",))),
    ("a comma in quotes", "apply -f '\"a,b.yaml\"'", ApplyFiles("", ("a,b.yaml",))),
    ("a patch", "patch ds d1 -p {}", PatchObjects("", "daemonsets", D1, PatchType.STRATEGIC, "{}")),
    ("a patch of a type in any case", "patch ds/d1 --type=Merge -p {}", PatchObjects("", "daemonsets", D1, PatchType.MERGE, "{}")),
    ("a patch of no type", "patch ds d1 --type= -p {}", PatchObjects("", "daemonsets", D1, PatchType.STRATEGIC, "{}")),
    (
        "a patch of nodes",
        "patch no n1 n2 --patch={} --dry-run=server",
        PatchObjects("", "nodes", TargetObjects(("n1", "n2")), PatchType.STRATEGIC, "{}"),
    ),
    (
        "a patch in a file",
        "patch daemonset.apps d1 -n x --type json --patch-file p.yaml --record",
        PatchObjects("", "daemonsets", TargetObjects(("d1",), namespace="x"), PatchType.JSON, "", "p.yaml"),
    ),
    ("a deletion of folders and what is below", "delete -f d --recursive", DeleteFiles("", ("d",), depth=FolderDepth.ALL)),
    ("a recursion that is not meant", "apply -f d --recursive=false", ApplyFiles("", ("d",))),
    ("a deletion of files", "delete -f a.yaml --cascade=orphan", DeleteFiles("", ("a.yaml",), "", Cascade.ORPHAN)),
    ("a deletion of nodes", "delete nodes n1 n2 --wait=false", DeleteNodes("", TargetObjects(("n1", "n2")))),
    ("a deletion of a DaemonSet", "delete ds/d1 --cascade --now", DeleteDaemonSets("", D1)),
    ("a foreground deletion", "delete ds d1 --cascade=foreground", DeleteDaemonSets("", D1, Cascade.FOREGROUND)),
    ("an orphaning deletion, the old way", "delete ds d1 --cascade=false", DeleteDaemonSets("", D1, Cascade.ORPHAN)),
    (
        "a deletion of pods",
        "delete po/p -n x --force --grace-period=0",
        DeletePods("", TargetObjects(("p",), namespace="x"), grace_period=0),
    ),
    ("a forced deletion has no grace period", "delete po p --force", DeletePods("", TargetObjects(("p",)), grace_period=0)),
    ("without --force 0 is 1", "delete po p --grace-period=0", DeletePods("", TargetObjects(("p",)), grace_period=1)),
    ("so is --now", "delete po p --now", DeletePods("", TargetObjects(("p",)), grace_period=1)),
    (
        "a deletion that does not wait",
        "delete po p --wait=false --grace-period=7",
        DeletePods("", TargetObjects(("p",)), grace_period=7, wait=PodWait.NONE),
    ),
    ("a deletion that waits for a while", "delete po p --timeout=9s", DeletePods("", TargetObjects(("p",)), wait=PodWait.TIMEOUT)),
    ("a timeout of 0 is none", "delete po p --timeout=0s", DeletePods("", TargetObjects(("p",)))),
    ("a deletion of all pods", "delete pods --all -A", DeletePods("", TargetObjects(all=True, all_namespaces=True), True)),
    (
        "a deletion of the pods of a node",
        "delete pod --field-selector spec.nodeName=n1 -l pool=a",
        DeletePods("", POOL, True, "n1"),
    ),
    (
        "a deletion of all pods of a node",
        "delete pod --field-selector=spec.nodeName==n1",
        DeletePods("", TargetObjects(all=True), True, "n1"),
    ),
    ("a deletion of namespaces", "delete ns a b --timeout=60s", DeleteNamespaces("", ("a", "b"))),
    ("a reboot", "reboot n1", RebootNodes("", N1)),
    ("a replacement that says that there are none", "replace n1 --labels= --taint=", ReplaceNodes("", N1, {}, ())),
    ("a graceful reboot by type and name", "reboot node n1 --graceful", RebootNodes("", N1, True)),
    ("a replacement", "replace n1", ReplaceNodes("", N1)),
    ("a replacement of all", "replace --all", ReplaceNodes("", TargetObjects(all=True))),
    (
        "a replacement with labels and taints",
        "replace node/n1 --label a=b --labels c=d,e=f --taint k=v:NoSchedule",
        ReplaceNodes("", N1, {"a": "b", "c": "d", "e": "f"}, (K,)),
    ),
]

REFUSED: list[tuple[str, str, str]] = [
    ("no verb", "kubectl", f"a verb is missing: preflight checks {', '.join(VERBS)}"),
    ("only flags", "-n x", f"a verb is missing: preflight checks {', '.join(VERBS)}"),
    ("nothing but two dashes", "-- taint", f"a verb is missing: preflight checks {', '.join(VERBS)}"),
    ("a verb with a slip", "tain nodes n1", 'unknown command "tain" for "kubectl": did you mean taint?'),
    ("no verb at all", "xyzzy", f'unknown command "xyzzy" for "kubectl"; preflight checks {", ".join(VERBS)}'),
    (
        "a verb of kubectl that changes nothing",
        "get nodes",
        "preflight does not check `kubectl get`: it reads the cluster itself: `preflight doctor` ",
    ),
    (
        "a verb of kubectl that changes something",
        "edit ds d1",
        "preflight does not check `kubectl edit`: save the edited manifest, and check it with `preflight apply -f FILE`",
    ),
    ("half a verb", "set", "preflight does not check `kubectl set`: it checks `kubectl set image`"),
    ("another half", "rollout undo ds/d1", "preflight does not check `kubectl rollout undo`: it checks `kubectl rollout restart`"),
    ("a bad flag", "taint nodes n1 --=x", "bad flag syntax: --=x"),
    ("an unknown flag in a group", "apply -Rx", "unknown shorthand flag: 'x' in -x"),
    ("a flag of another verb", "cordon n1 --overwrite", "unknown flag: --overwrite"),
    (
        "a list with a quote inside",
        "apply -f 'x,a\"b'",
        'invalid argument "x,a\\"b" for "-f, --filename" flag: parse error on line 1, column 4: bare " in non-quoted-field',
    ),
    (
        "a list with an open quote",
        "apply -f '\"ab'",
        'invalid argument "\\"ab" for "-f, --filename" flag: parse error on line 1, column 4: extraneous or missing " in quoted-field',
    ),
    ("a duration of nothing", "drain n1 --timeout=", 'invalid argument "" for "--timeout" flag: time: invalid duration ""'),
    ("a duration without a number", "drain n1 --timeout=s", 'invalid argument "s" for "--timeout" flag: time: invalid duration "s"'),
    (
        "a kustomization",
        "apply -k base",
        "preflight does not build kustomizations: render it first, with `kubectl kustomize base | ... -f -`",
    ),
    ("a web address", "apply -f https://x/y", "preflight does not download files: download https://x/y and give the file"),
    ("a prune", "apply -f a --prune", "preflight does not check --prune: check what it deletes with `delete daemonset NAME`"),
    ("a subresource", "apply -f a --subresource=status", "preflight does not check --subresource: placement does not depend on the status"),
    (
        "both kinds of input",
        "delete -f a node n1",
        "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
    ),
    ("raw", "delete --raw /api", "preflight does not check --raw: name the objects"),
    (
        "fields",
        "delete ds --field-selector a=b",
        "preflight supports only --field-selector spec.nodeName=NODE: name the objects, or use --selector",
    ),
    (
        "two fields",
        "delete pod --field-selector spec.nodeName=n1,status.phase=Failed",
        "preflight supports only --field-selector spec.nodeName=NODE: name the objects, or use --selector",
    ),
    (
        "the node of DaemonSets",
        "delete ds --field-selector spec.nodeName=n1",
        "preflight supports --field-selector for pods only: name the objects, or use --selector",
    ),
    ("a pod and a node", "delete pod p --field-selector spec.nodeName=n1", "name cannot be provided when a selector is specified"),
    ("two kinds", "delete node/n1 ds/d1", "preflight checks one kind of object at a time, not daemonsets and nodes in one command line"),
    (
        "two kinds in one word",
        "delete ds,node x",
        "preflight checks one kind of object at a time, not daemonsets and nodes in one command line",
    ),
    ("namespaces by label", "delete ns -l a=b", "preflight checks deletions of namespaces by name only"),
    (
        "a service",
        "delete svc s",
        "preflight checks deletions of nodes, daemonsets, pods, namespaces and custom resources of operators, not of services",
    ),
    (
        "a resource of a group",
        "delete foos.example.com x",
        "preflight checks deletions of nodes, daemonsets, pods, namespaces and custom resources of operators, not of foos.example.com",
    ),
    (
        "nodes in a group",
        "delete nodes.apps x",
        "preflight checks deletions of nodes, daemonsets, pods, namespaces and custom resources of operators, not of nodes.apps",
    ),
    ("labels of pods", "label pods p a=b", "preflight checks labels of nodes, not of pods"),
    ("labels of files", "label -f a x=y", "preflight checks labels of nodes by name, --selector or --all, not of objects in files"),
    ("labels that are only listed", "label nodes n1 --list", "--list only prints labels: there is no change to check"),
    (
        "labels by field",
        "label nodes --field-selector a=b x=y",
        "preflight does not support --field-selector: name the nodes, or use --selector",
    ),
    ("labels of all by field", "label nodes --all --field-selector a=b x=y", "cannot set --all and --field-selector at the same time"),
    ("a wrong label key without a node", "label nodes --all a/b/c=d", "The Node is invalid: metadata.labels: Invalid value"),
    ("an image of a Deployment", "set image deploy/x c=y", "preflight checks images of daemonsets, not of deployments"),
    (
        "images of files",
        "set image -f a c=y",
        "preflight checks images of daemonsets by name, --selector or --all, not of objects in files",
    ),
    (
        "a restart of files",
        "rollout restart -f a",
        "preflight checks restarts of daemonsets by name, --selector or --all, not of objects in files",
    ),
    ("a restart of a Deployment", "rollout restart deploy", "preflight checks restarts of daemonsets, not of deployments"),
    ("a drain of the word node", "drain node n1", 'nodes "node" not found (kubectl drain accepts node names only)'),
    ("a drain of a DaemonSet", "drain ds/d1", "expected resource of type node, got daemonsets"),
    ("all and a name", "reboot n1 --all", "--all cannot be combined with a name or --selector"),
    ("no node to reboot", "reboot", "USAGE: reboot NODE [flags]"),
    (
        "a removal in a replacement",
        "replace n1 --taint k-",
        "replace sets the labels and taints of the new node: a trailing '-' has no meaning",
    ),
    (
        "a wrong key in a replacement",
        "replace n1 --label /a=b",
        'invalid --label: metadata.labels: Invalid value: "/a": prefix part must be non-empty',
    ),
    (
        "a name for a taint in one word",
        "taint node/n1 k-",
        'the server doesn\'t have a resource type "node/n1" (kubectl taint expects them separately: ',
    ),
    ("a taint without an effect", "taint nodes n1 k=v", "invalid taint spec: k=v, name part must consist of"),
    ("a taint that adds nothing but a key", "taint nodes n1 k=v:", "invalid taint effect: , unsupported taint effect"),
    ("a taint of a replacement without an effect", "replace n1 --taint k", "invalid taint spec: k"),
    ("a label of a replacement without a value", "replace n1 --label k", "unknown label spec: k"),
    ("a dry run on the server and force", "apply -f a --dry-run=server --force", "--dry-run=server cannot be used with --force"),
    ("an apply of all by label", "apply -f a --all -l x", "cannot set --all and --selector at the same time"),
    ("a comma alone for a resource", "delete , x", "You must provide one or more resources by argument or filename."),
    ("a patch of nothing", "patch", "must specify --patch or --patch-file containing the contents of the patch"),
    ("a patch without a text", "patch ds d1 -p ''", "must specify --patch or --patch-file containing the contents of the patch"),
    ("a patch said twice", "patch ds d1 -p {} --patch-file x", "cannot specify --patch and --patch-file together"),
    ("a patch of another type", "patch ds d1 --type=foo -p {}", '--type must be one of [json merge strategic], not "foo"'),
    ("a patch without a name", "patch ds -p {}", "resource(s) were provided, but no name was specified"),
    ("a patch by label", "patch ds -l app=d1 -p {}", "unknown shorthand flag: 'l' in -l"),
    ("a patch of all", "patch node --all -p {}", "unknown flag: --all"),
    ("a patch with a validation", "patch ds d1 -p {} --validate=strict", "unknown flag: --validate"),
    ("a patch here of what is there", "patch ds d1 --local -p {}", "cannot specify --local and server resources"),
    (
        "a patch here and there",
        "patch -f a --local --dry-run=server -p {}",
        "cannot specify --local and --dry-run=server - did you mean --dry-run=client?",
    ),
    (
        "a patch of a file and a name",
        "patch ds d1 -f a -p {}",
        "when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well",
    ),
    ("a patch of a file", "patch -f a -p {}", "preflight checks patches of nodes and daemonsets by name, not of objects in files"),
    (
        "a patch of a status",
        "patch node n1 --subresource=status -p {}",
        "preflight does not check --subresource: placement does not depend on the status",
    ),
    (
        "a patch of a Deployment",
        "patch deploy x -p {}",
        "preflight checks patches of nodes, daemonsets and custom resources of operators, not of deployments",
    ),
    ("a patch of nothing there is", "patch foo x -p {}", 'the server doesn\'t have a resource type "foo"'),
    ("a dry run of its own", "label nodes n1 a=b --dry-run=yes", 'Invalid dry-run value (yes). Must be "none", "server", or "client".'),
]


@pytest.mark.parametrize(("line", "wanted"), [pytest.param(line, wanted, id=name) for name, line, wanted in READ])
def test_is_read(line: str, wanted: Command) -> None:
    assert {**fields(parse_command(shlex.split(line))), "text": ""} == fields(wanted)


@pytest.mark.parametrize(("line", "says"), [pytest.param(line, says, id=name) for name, line, says in REFUSED])
def test_is_refused(line: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_command(shlex.split(line))
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize(
    ("flags", "shown"),
    [
        ("--token s3cret", "--token ..."),
        ("--token=s3cret", "--token=..."),
        ("--server https://me:s3cret@h/x?token=s3cret", "--server https://h/x"),
        ("--server=https://me:s3cret@h#s3cret", "--server=https://h"),
        ("-s https://me:s3@cret@h:6443", "-s https://h:6443"),
        ("-shttps://me:s3/cret@h", "-shttps://h"),
        ("-s=me:s3cret@h", "-s=h"),
        ("--proxy-url http://me:s3cret@h", "--proxy-url http://h"),
        ("--server https://h:6443/k8s --token s3cret", "--server https://h:6443/k8s --token ..."),
    ],
)
def test_text_shows_no_credential(flags: str, shown: str) -> None:
    assert parse_command(["cordon", *flags.split(), "n1"]).text == f"cordon {shown} n1"


def test_text_is_the_line_without_the_program() -> None:
    assert parse_command(["kubectl", "taint", "nodes", "-l", "a in (b)", "k-"]).text == "taint nodes -l 'a in (b)' k-"


@pytest.mark.parametrize(
    ("flag", "answer"),
    [
        ("-l", True),
        ("-lx", False),
        ("-l=x", False),
        ("--selector", True),
        ("--selector=x", False),
        ("--overwrite", False),
        ("--overwrite=false", False),
        ("--dry-run", False),
        ("--cascade", False),
        ("--grace-period", True),
        ("--grace_period", True),
        ("-R", False),
        ("-Rf", True),
        ("-Rfx", False),
        ("-A", False),
        ("-n", True),
        ("--label", True),
        ("--graceful", False),
        ("--from", None),
        ("--fail-on=x", None),
        ("-q", None),
        ("-Rq", None),
        ("-", None),
        ("--", None),
        ("n1", None),
        ("", None),
    ],
)
def test_takes_value(flag: str, answer: bool | None) -> None:
    assert flag_takes_value(flag) is answer


def test_a_flag_means_the_same_for_every_verb() -> None:
    kinds: dict[str, set[Any]] = {}
    for flags in (*FLAGS_BY_VERB.values(), GLOBAL_FLAGS):
        for flag in flags:
            kinds.setdefault(flag.name, set()).add(flag)
    assert {name: found for name, found in kinds.items() if len(found) > 1} == {}


SOME = """
    kubectl taint label cordon uncordon drain set image rollout restart apply delete reboot replace nodes node node/n1 n1 ds ds/d1 pods
    k=v:NoSchedule k- k=v a=b :- - -- --all -l pool -lpool -f a.yaml --overwrite --timeout 5 -A -n --label --taint --cascade=x -R -o
"""
WORDS = st.sampled_from(SOME.split())


@given(st.lists(st.one_of(WORDS, st.text(max_size=8)), max_size=9))
def test_any_argv_is_read_or_refused(argv: list[str]) -> None:
    try:
        assert isinstance(parse_command(argv), Command)
    except PreflightError:
        return
    finally:
        for word in argv:
            flag_takes_value(word)


def fields(command: Command) -> dict[str, Any]:
    """A command as its type and fields."""
    return {"type": type(command), **{name: getattr(command, name) for name in command.__struct_fields__}}
