"""Plans: command lines as texts or lists, and which step is wrong."""

from __future__ import annotations

import pytest

from preflight.errors import InputError, UsageError
from preflight.kubectl.parser import parse_command
from preflight.kubectl.plan_file import parse_plan


@pytest.mark.parametrize(
    ("item", "argv"),
    [
        ("kubectl taint nodes -l pool=rdma dedicated=rdma:NoSchedule", ["taint", "nodes", "-l", "pool=rdma", "dedicated=rdma:NoSchedule"]),
        ("taint nodes n1 k-", ["taint", "nodes", "n1", "k-"]),
        ("preflight reboot n1", ["reboot", "n1"]),
        ("taint nodes -l 'pool in (a, b)' k-  # why", ["taint", "nodes", "-l", "pool in (a, b)", "k-"]),
        ("taint nodes \\\n  n1 k-\n", ["taint", "nodes", "n1", "k-"]),
        (["kubectl", "taint", "nodes", "-l", "a in (b)", "k-"], ["taint", "nodes", "-l", "a in (b)", "k-"]),
        (["set", "image", "ds/d", "c=a b"], ["set", "image", "ds/d", "c=a b"]),
        ('patch ds d -p \'{"spec":{"$patch":"replace"}}\'', ["patch", "ds", "d", "-p", '{"spec":{"$patch":"replace"}}']),
    ],
)
def test_a_step(item: object, argv: list[str]) -> None:
    assert parse_plan([item]) == [parse_command(argv)]


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ("taint nodes n1", "step 2, `taint nodes n1`: at least one taint update is required"),
        ("", f"step 2, ``: {'a verb is missing: preflight checks taint'}"),
        ("# nothing", "step 2, `# nothing`: a verb is missing: preflight checks taint"),
        ("taint nodes 'n1", "step 2, `taint nodes 'n1`: a quote is not closed (No closing quotation)"),
        ("cordon n1 && drain n1", "step 2, `cordon n1 && drain n1`: a step is one command, without &&: make it a separate step"),
        ("cordon n1; drain n1", "step 2, `cordon n1; drain n1`: a step is one command, without ;: make it a separate step"),
        ("cordon $NODE", "step 2, `cordon $NODE`: variables are not expanded in a plan: write the value of $NODE"),
        (
            'patch ds d -p \'{"a":"$X"}\'',
            ('step 2, `patch ds d -p \'{"a":"$X"}\'`: variables are not expanded in a plan: write the value of '),
        ),
        ("cordon `x`", "step 2, `cordon `x``: variables are not expanded in a plan: write the value of `x`"),
        (["cordon"], "step 2, `cordon`: USAGE: cordon NODE [flags]"),
        (["cordon", 5], "step 2, `cordon 5`: every argument must be a string: put it in quotes"),
        ({"run": "cordon"}, "step 2, `{'run': 'cordon'}`: a step must be a command line or a list of its arguments"),
        (None, "step 2, `None`: a step must be a command line or a list of its arguments"),
    ],
)
def test_a_wrong_step_is_named(item: object, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_plan(["cordon n1", item])
    assert str(refused.value).startswith(says)


def test_no_steps() -> None:
    with pytest.raises(InputError, match=r"^nothing to check: the plan has no steps$"):
        parse_plan([])
