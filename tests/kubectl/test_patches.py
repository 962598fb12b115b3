"""kubectl patch: what a real API server made of each patch, and what is said of nodes, lists that are replaced and fields that are none.

`recorded-patches.jsonl.gz` was made by running each line with kubectl 1.37.2 against a kube-apiserver 1.37.2 that held the object of
`manifest`, stored as `before`. Lines that it refused for a field that is not read (volumes, env, ports, dnsPolicy, revisionHistoryLimit)
are left out.
"""

from __future__ import annotations

import copy
import gzip
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.change.apply_command import perform_command
from preflight.change.apply_merge import comparable_content
from preflight.change.model import Change
from preflight.change.patch_daemonsets import patch
from preflight.errors import InputError, UsageError
from preflight.kubectl.apiserver.defaults import fill_server_defaults, get_generation
from preflight.kubectl.commands import PatchObjects
from preflight.kubectl.parser import parse_command
from preflight.kubectl.patch import json_patch
from preflight.kubectl.patch.strategic_merge import apply_strategic_patch
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from preflight.model.convert import convert
from preflight.model.core import Node, Taint
from preflight.model.meta import ObjectKey, Origin
from preflight.model.world import ClusterState
from tests.change.changes import daemonset, manifest, node, run, typed, world

RECORDED: list[dict[str, Any]] = [
    json.loads(line) for line in gzip.decompress((Path(__file__).parent / "recorded-patches.jsonl.gz").read_bytes()).splitlines()
]
OF_DAEMONSETS = [row for row in RECORDED if row["argv"][1] != "node"]
OF_NODES = [row for row in RECORDED if row["argv"][1] == "node"]
CORDON = "node.kubernetes.io/unschedulable"


def line_of(row: dict[str, Any]) -> str:
    return shlex.join(row["argv"])


def answer(row: dict[str, Any], on: ClusterState) -> tuple[Change | None, str]:
    """What preflight makes of a recorded line, or why it refuses it."""
    try:
        return perform_command(parse_command(row["argv"]), on, lambda _: []), ""
    except UsageError as error:
        return None, str(error)


def refusal(row: dict[str, Any]) -> str:
    """kubectl's refusal up to where it shows values of its own."""
    said = "\n".join(text for text in row["stderr"].splitlines() if not text.startswith("Warning: "))
    said = said.removeprefix("Error from server (BadRequest): ").removeprefix("Error from server: ")
    return next((said[: said.index(mark) + len(mark)] for mark in ("is invalid: ", "invalid: patch: ") if mark in said), said)


def unknown_fields(row: dict[str, Any]) -> set[str]:
    start = "Warning: unknown field "
    return {text.removeprefix(start).strip('"') for text in row["stderr"].splitlines() if text.startswith(start)}


@pytest.mark.parametrize("start", ["before", "manifest"])
@pytest.mark.parametrize("row", OF_DAEMONSETS, ids=line_of)
def test_a_daemonset_is_patched_as_recorded(row: dict[str, Any], start: str) -> None:
    data = copy.deepcopy(row[start])
    if start == "before":
        data["metadata"]["uid"] = "1-2-3"
    old = typed(data)
    change, says = answer(row, ClusterState(daemonsets={old.key: old}, workloads=(old,), comparison_operators=False))
    if change is None:
        assert row["exit"]
        assert says.startswith(refusal(row))
        return
    assert not row["exit"]
    after, wanted = change.after.daemonsets[old.key].data, row["after"]
    assert comparable_content(after) == comparable_content(wanted)
    assert (old.key in change.updated_daemonsets) is (get_generation(wanted) > get_generation(row["before"]))
    assert get_generation(after) == (get_generation(wanted) if start == "before" else 0)
    assert {note.split('"')[1] for note in change.notes if "unknown field" in note} == unknown_fields(row)
    assert (change.after.daemonsets[old.key] is old) is (comparable_content(wanted) == comparable_content(row["before"]))


@pytest.mark.parametrize("row", OF_DAEMONSETS, ids=line_of)
def test_a_manifest_is_stored_as_recorded(row: dict[str, Any]) -> None:
    assert fill_server_defaults(row["manifest"])["spec"] == row["before"]["spec"]


@pytest.mark.parametrize(
    ("stated", "stored"),
    [
        pytest.param({}, {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}}, id="nothing"),
        pytest.param(
            {"rollingUpdate": {"maxSurge": 2}},
            {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 2}},
            id="a surge, and the default beside it",
        ),
        pytest.param({"type": "OnDelete"}, {"type": "OnDelete"}, id="OnDelete has no limits"),
        pytest.param(
            {"type": "OnDelete", "rollingUpdate": {}},
            {"type": "OnDelete", "rollingUpdate": {"maxUnavailable": 0, "maxSurge": 0}},
            id="limits beside OnDelete have no default, and are 0 once converted",
        ),
        pytest.param(
            {"type": "OnDelete", "rollingUpdate": {"maxUnavailable": 3}},
            {"type": "OnDelete", "rollingUpdate": {"maxUnavailable": 3, "maxSurge": 0}},
            id="or what is stated",
        ),
    ],
)
def test_an_update_strategy_is_stored(stated: dict[str, Any], stored: dict[str, Any]) -> None:
    data = {**manifest("d1"), "spec": {**manifest("d1")["spec"], "updateStrategy": stated}}
    assert fill_server_defaults(data)["spec"]["updateStrategy"] == stored


@pytest.mark.parametrize("row", OF_NODES, ids=line_of)
def test_a_node_is_patched_as_recorded(row: dict[str, Any]) -> None:
    found, _ = convert(row["manifest"], Node, Origin("n.yaml"))
    assert found is not None
    change, says = answer(row, ClusterState(nodes={found.name: found}))
    if change is None:
        assert row["exit"]
        assert says.startswith(refusal(row))
        return
    assert not row["exit"]
    after, wanted = change.after.nodes[found.name], row["after"]
    taints = [Taint(**{key: value for key, value in each.items() if key != "timeAdded"}) for each in wanted["spec"].get("taints", [])]
    assert [taint for taint in after.spec.taints if taint.key != CORDON] == taints
    assert after.metadata.labels == wanted["metadata"].get("labels", {})
    assert after.spec.unschedulable is wanted["spec"].get("unschedulable", False)
    assert {note.split('"')[1] for note in change.notes if "unknown field" in note} == unknown_fields(row)


A, B, C = {"key": "a", "operator": "Exists", "effect": "NoSchedule"}, {"key": "b", "value": "x"}, {"key": "c", "operator": "Exists"}
D1 = ObjectKey("default", "d1")
ON = world(daemonset("d1", tolerations=[A, B]), node("n1", "t=v:NoSchedule", pool="a"), node("n2", ready=False))


UNREADABLE = "error decoding patch: json: cannot unmarshal"


def of_spec(**spec: Any) -> str:
    return shlex.quote(json.dumps({"spec": {"template": {"spec": spec}}}))


def test_a_list_that_is_stated_as_it_is_changes_nothing() -> None:
    change = run(f"patch ds d1 -p {of_spec(tolerations=[A, B])}", ON)
    assert change.after is ON
    assert change.updated_daemonsets == frozenset()
    assert change.notes == ("nothing changes: default/d1",)


def test_a_strategic_patch_replaces_the_tolerations_and_says_what_it_drops() -> None:
    change = run(f"patch ds d1 -p {of_spec(tolerations=[C])}", ON)
    assert [toleration.key for toleration in change.after.daemonsets[D1].spec.template.spec.tolerations] == ["c"]
    assert change.updated_daemonsets == change.daemonsets == {D1}
    assert change.headline == "patch default/d1"
    assert change.notes == (
        "default/d1: the patch replaces the whole list of tolerations and removes a:NoSchedule, b=x: "
        '--type=json with "add" to /spec/template/spec/tolerations/- keeps them',
    )


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        (f"patch ds d1 --type=merge -p {of_spec(tolerations=[A, B, C])}", ["a", "b", "c"]),
        (f"patch ds d1 -p {of_spec(tolerations=None)}", []),
        ('patch ds d1 --type=json -p \'[{"op":"add","path":"/spec/template/spec/tolerations/-","value":{"key":"c"}}]\'', ["a", "b", "c"]),
        ('patch ds d1 --type=json -p \'[{"op":"remove","path":"/spec/template/spec/tolerations/0"}]\'', ["b"]),
        ("patch ds d1 -p 'spec: {template: {spec: {schedulerName: other}}}'", ["a", "b"]),
    ],
    ids=["all kept", "all removed on purpose", "one added", "one removed by its place", "not touched, in YAML"],
)
def test_nothing_is_said_to_be_dropped(line: str, keys: list[str]) -> None:
    change = run(line, ON)
    assert not [note for note in change.notes if "drops" in note]
    assert [toleration.key for toleration in change.after.daemonsets[D1].spec.template.spec.tolerations] == keys


def test_a_strategy_alone_is_no_update() -> None:
    change = run('patch ds/d1 -p \'{"spec":{"updateStrategy":{"type":"OnDelete"}}}\'', ON)
    assert change.after.daemonsets[D1].spec.updateStrategy.type == "OnDelete"
    assert change.updated_daemonsets == frozenset()
    assert change.notes == ("changed, but not its template: no pod is replaced: default/d1",)


def test_tolerations_in_the_wrong_place_are_said_to_be_dropped() -> None:
    change = run('patch ds d1 -p \'{"spec":{"tolerations":[{"key":"c"}]}}\'', ON)
    assert change.after is ON
    assert change.notes == (
        'default/d1: unknown field "spec.tolerations": the API server warns and ignores it',
        "nothing changes: default/d1",
    )


def test_what_was_wrong_before_the_patch_is_not_blamed_on_it() -> None:
    wrong = daemonset("d1", tolerations=[{"key": "", "operator": "Equal"}])
    change = run(f"patch ds d1 -p {of_spec(schedulerName='other')}", world(wrong))
    assert change.updated_daemonsets == {D1}


def test_the_number_of_a_template_is_kept_where_it_is_known_and_grows_with_the_template() -> None:
    data = copy.deepcopy(daemonset("d1").data)
    data["metadata"]["annotations"] = {TEMPLATE_GENERATION: "3"}
    on = world(typed(data))
    assert get_generation(run('patch ds d1 -p \'{"metadata":{"labels":{"x":"y"}}}\'', on).after.daemonsets[D1].data) == 3
    assert get_generation(run(f"patch ds d1 -p {of_spec(schedulerName='other')}", on).after.daemonsets[D1].data) == 4
    assert get_generation(run("set image ds/d1 c=c:2", on).after.daemonsets[D1].data) == 4
    assert get_generation(run("rollout restart ds/d1", on).after.daemonsets[D1].data) == 4


def test_a_node_that_is_patched_to_what_it_is_does_not_change() -> None:
    change = run('patch node n1 -p \'{"metadata":{"labels":{"pool":"a"}}}\'', ON)
    assert change.after is ON
    assert change.nodes == {"n1"}
    assert change.taints == ()
    assert change.notes == ("nothing changes: n1",)


def test_a_patch_replaces_the_taints_of_a_node_and_says_so() -> None:
    change = run('patch node n1 -p \'{"spec":{"taints":[{"key":"z","effect":"NoExecute"}]}}\'', ON)
    assert [str(taint) for taint in change.after.nodes["n1"].spec.taints] == ["z:NoExecute"]
    assert [str(each) for each in change.taints] == ["z:NoExecute", "t=v:NoSchedule"]
    assert change.notes == ("the patch replaces the whole list of taints of n1 and removes t=v:NoSchedule",)


def test_unschedulable_brings_the_taint_of_a_cordon_and_takes_it_away() -> None:
    change = run("patch node n1 -p 'spec: {unschedulable: true}'", ON)
    assert [str(taint) for taint in change.after.nodes["n1"].spec.taints] == ["t=v:NoSchedule", f"{CORDON}:NoSchedule"]
    assert change.notes == ()
    back = run("patch node n1 -p 'spec: {unschedulable: null}'", change.after)
    assert [str(each) for each in back.after.nodes["n1"].spec.taints] == ["t=v:NoSchedule"]


def test_taints_that_the_controller_puts_back_are_said() -> None:
    cordoned = run("cordon n1", ON).after
    change = run('patch node n1 -p \'{"spec":{"taints":null}}\'', cordoned)
    assert change.after.nodes["n1"].spec.taints == ()
    assert change.notes == (f"the node lifecycle controller adds {CORDON}:NoSchedule again while n1 is cordoned: use uncordon",)


def test_the_kubelet_puts_its_own_labels_back_after_a_patch_too() -> None:
    linux = node("n1", labels={"kubernetes.io/os": "linux"})
    on = world(linux, daemonset("d1", nodeSelector={"kubernetes.io/os": "linux"}))
    change = run('patch node n1 -p \'{"metadata":{"labels":{"kubernetes.io/os":null}}}\'', on)
    assert change.after.nodes["n1"] == linux
    assert change.deleted_pod_nodes == {D1: {"n1"}}


def test_a_node_that_was_not_given_has_what_the_patch_says() -> None:
    change = run(
        'patch node n9 -p \'{"spec":{"taints":[{"key":"z","effect":"NoSchedule"}]},"metadata":{"labels":{"a":"b","c":null}}}\'', ON
    )
    after = change.after.nodes["n9"]
    assert [str(taint) for taint in after.spec.taints] == ["z:NoSchedule"]
    assert (after.metadata.labels, after.absent_labels) == ({"a": "b"}, frozenset({"c"}))
    assert change.unknowns == ()


def test_whether_an_addition_to_the_taints_of_such_a_node_succeeds_is_not_known() -> None:
    change = run('patch node n9 --type=json -p \'[{"op":"add","path":"/spec/taints/-","value":{"key":"z","effect":"NoSchedule"}}]\'', ON)
    assert [str(taint) for taint in change.after.nodes["n9"].spec.taints] == ["z:NoSchedule"]
    assert change.unknowns == ("whether n9 has what /spec/taints/- needs (assumed)",)


@pytest.mark.parametrize(
    ("operations", "labels", "absent", "unknowns"),
    [
        pytest.param([("add", "/metadata/labels/a", "b")], {"a": "b"}, set(), (), id="a label is added"),
        pytest.param([("replace", "/metadata/labels/a", "b")], {"a": "b"}, set(), (), id="a label is replaced"),
        pytest.param([("add", "/metadata/labels", {"a": "b"})], {"a": "b"}, set(), (), id="all labels are replaced"),
        pytest.param(
            [("remove", "/metadata/labels/x.io~1a", None)],
            {},
            {"x.io/a"},
            ("whether n9 has what /metadata/labels/x.io~1a needs (assumed)",),
            id="a label is removed",
        ),
        pytest.param(
            [("remove", "/metadata/labels/a", None), ("add", "/metadata/labels/a", "b")],
            {"a": "b"},
            set(),
            ("whether n9 has what /metadata/labels/a needs (assumed)",),
            id="a label is removed and added again",
        ),
        pytest.param(
            [("remove", "/metadata/labels/a", None), ("remove", "/metadata/labels/b", None), ("add", "/metadata/labels/c", "d")],
            {"c": "d"},
            {"a", "b"},
            tuple(f"whether n9 has what /metadata/labels/{key} needs (assumed)" for key in "ab"),
            id="only what is removed is absent",
        ),
    ],
)
def test_labels_of_a_node_that_was_not_given(
    operations: list[tuple[str, str, object]], labels: dict[str, str], absent: set[str], unknowns: tuple[str, ...]
) -> None:
    data = json.dumps([{"op": kind, "path": path, "value": value} for kind, path, value in operations])
    change = run(f"patch node n9 --type=json -p '{data}'", ON)
    after = change.after.nodes["n9"]
    assert (after.metadata.labels, set(after.absent_labels), change.unknowns) == (labels, absent, unknowns)


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/metadata/labels/a", "value": "b"},
        {"op": "replace", "path": "/spec/taints/0", "value": {"key": "a", "effect": "NoSchedule"}},
        {"op": "copy", "from": "/metadata/labels/a", "path": "/metadata/labels/b"},
        {"op": "add", "path": "/spec/taints/0", "value": {"key": "a", "effect": "NoSchedule"}},
        {"op": "remove", "path": "/metadata/labels"},
        {"op": "remove", "path": "/spec/taints"},
    ],
    ids=lambda operation: f"{operation['op']} {operation['path']}",
)
def test_an_operation_that_needs_what_such_a_node_has_is_refused(operation: dict[str, object]) -> None:
    with pytest.raises(InputError, match=f"^unknown: whether `{operation['op']}` of {operation['path']} succeeds, which depends on n9: "):
        run(f"patch node n9 --type=json -p '{json.dumps([operation])}'", ON)
    run("patch node n9 -p '{}'", ON)


def test_what_an_operation_asks_of_such_a_node_is_refused() -> None:
    with pytest.raises(InputError) as refused:
        run('patch node n9 --type=json -p \'[{"op":"remove","path":"/spec/taints/0"}]\'', ON)
    assert str(refused.value) == "unknown: whether `remove` of /spec/taints/0 succeeds, which depends on n9: add the node with --from"


def test_a_field_of_a_node_that_is_not_read_is_left_out_and_a_test_of_it_is_not_known() -> None:
    change = run(
        'patch node n1 --type=json -p \'[{"op":"add","path":"/spec/podCIDR","value":"x"},'
        '{"op":"test","path":"/spec/providerID","value":"y"}]\'',
        ON,
    )
    assert change.after is ON
    assert change.notes == ("nothing changes: n1", "not checked: the patch of /spec/podCIDR")
    assert change.unknowns == ("whether `test` of /spec/providerID succeeds: preflight does not read that field",)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("patch ds d9 -p '{}'", 'daemonsets.apps "d9" not found (the input has default/d1)'),
        ("patch ds d1 -p '{\"spec\":'", "invalid JSON patch"),
        ("patch ds d1 -p '[]'", "json: cannot unmarshal array into Go value of type map[string]interface {}"),
        ("patch ds d1 -p 3", "json: cannot unmarshal number into Go value of type map[string]interface {}"),
        (
            "patch ds d1 --type=merge -p '[]'",
            f"{UNREADABLE} array into Go value of type map[string]interface {{}}",
        ),
        ("patch ds d1 --type=merge -p null", "Invalid JSON Patch"),
        (
            "patch ds d1 --type=json -p '{}'",
            f"{UNREADABLE} object into Go value of type []handlers.jsonPatchOp",
        ),
        ('patch ds d1 -p \'{"metadata":{"name":"x"}}\'', "the name of the object (x) does not match the name on the URL (d1)"),
        (
            'patch ds d1 -p \'{"metadata":{"namespace":"x"}}\'',
            "the namespace of the provided object does not match the namespace sent on the request",
        ),
        (
            'patch ds d1 -p \'{"spec":{"template":{"spec":{"containers":[{"name":"x"}]}}}}\'',
            'The DaemonSet "d1" is invalid: spec.template.spec.containers[0].image: Required value',
        ),
        (
            'patch ds d1 -p \'{"spec":{"template":{"spec":{"initContainers":[{"name":"x"}]}}}}\'',
            'The DaemonSet "d1" is invalid: spec.template.spec.initContainers[0].image: Required value',
        ),
        ('patch node n1 -p \'{"metadata":{"name":"x"}}\'', "the name of the object (x) does not match the name on the URL (n1)"),
        (
            'patch node n1 -p \'{"spec":{"taints":[{"key":"a"}]}}\'',
            'The Node "n1" is invalid: metadata.taints[0].effect: Required value',
        ),
        (
            'patch node n1 -p \'{"spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"a","effect":"NoSchedule"}]}}\'',
            'The Node "n1" is invalid: metadata.taints[1]: Duplicate value: a:NoSchedule: taints must be unique by key and effect pair',
        ),
        (
            'patch ds d1 --type=json -p \'[{"op":"add","path":"/spec/selector/matchLabels/more","value":"y"},'
            '{"op":"add","path":"/spec/template/metadata/labels/more","value":"y"}]\'',
            'The DaemonSet "d1" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"d1","more":"y"}}: field is immutable',
        ),
        (
            'patch ds d1 --type=json -p \'[{"op":"replace","path":"/spec/template/metadata/labels","value":{"app":"other"}}]\'',
            'The DaemonSet "d1" is invalid: spec.template.metadata.labels: Invalid value: {"app":"other"}: '
            "`selector` does not match template `labels`",
        ),
        (
            'patch ds d1 --type=json -p \'[{"op":"add","path":"/spec/template/spec/tolerations/9","value":{}}]\'',
            "The request is invalid: the server rejected our request due to an error in our request "
            "(error in add for path: '/spec/template/spec/tolerations/9': Unable to access invalid index: 9)",
        ),
    ],
)
def test_is_refused(line: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        run(line, ON)
    assert str(refused.value) == says


def test_the_first_document_of_yaml_counts() -> None:
    change = run("patch node n1 -p 'spec: {unschedulable: true}\n---\nspec: {unschedulable: false}'", ON)
    assert change.after.nodes["n1"].spec.unschedulable


def test_broken_yaml_is_refused() -> None:
    with pytest.raises(UsageError, match=r'^unable to parse "spec: \[1": '):
        run("patch ds d1 -p 'spec: [1'", ON)


SCALARS = st.booleans() | st.integers(0, 2) | st.sampled_from(["", "x", "y"])
VALUES = st.recursive(
    st.none() | SCALARS | st.lists(SCALARS, max_size=3),
    lambda inner: st.dictionaries(st.sampled_from(["a", "b", "tolerations"]), inner, max_size=3),
    max_leaves=8,
)
MAPS = st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES, max_size=3)


@given(MAPS, MAPS)
def test_a_merge_patch_applied_twice_is_applied_once_and_changes_nothing_in_place(original: dict[str, Any], patch: dict[str, Any]) -> None:
    before = copy.deepcopy((original, patch))
    for merge in (json_patch.apply_merge_patch, apply_strategic_patch):
        once = merge(original, patch)
        assert merge(once, patch) == once
        assert merge(original, {}) == original
    assert (original, patch) == before


@given(MAPS, VALUES)
def test_what_is_added_is_there_and_once_removed_all_is_as_before(original: dict[str, Any], value: object) -> None:
    before = copy.deepcopy(original)
    added = json_patch.apply_json_patch(
        original, [{"op": "add", "path": "/new~1key", "value": value}, {"op": "test", "path": "/new~1key", "value": value}]
    )
    assert added == {**before, "new/key": value}
    assert json_patch.apply_json_patch(added, [{"op": "remove", "path": "/new~1key"}]) == before
    assert original == before


def test_a_file_that_was_not_read_is_no_patch() -> None:
    command = parse_command(["patch", "ds", "d1", "--patch-file", "p.yaml"])
    assert isinstance(command, PatchObjects)
    assert (command.file, command.patch) == ("p.yaml", "")
    assert patch(command, ON).updated_daemonsets == frozenset()
    assert isinstance(ON.daemonsets[D1], DaemonSet)
