"""`preflight policy`: schema, check, show."""

from __future__ import annotations

import json

from preflight.policy.schema import build_schema
from tests.cli.program import program
from tests.policy.conftest import Write


def test_the_schema_is_printed() -> None:
    result = program("policy", "schema")
    assert (result.code, json.loads(result.out), result.err) == (0, build_schema(), "")


def test_good_policies(write: Write) -> None:
    write("a.yaml", "")
    assert program("policy", "check", "a.yaml", "strict") == (0, "a.yaml: no faults\nstrict: no faults\n", "")


def test_each_wrong_policy_is_said(write: Write) -> None:
    write("a.yaml", "x: 1\ny: 2\n")
    write("b.yaml", "extends: nowhere\n")
    result = program("policy", "check", "a.yaml", "strict", "b.yaml")
    assert (result.code, result.out) == (2, "strict: no faults\n")
    lines = result.err.splitlines()
    assert [line.partition(": ")[0] for line in lines] == ["a.yaml:1:1", "a.yaml:2:1", "b.yaml:1:1"]


def test_without_a_name_the_found_one_is_checked(write: Write) -> None:
    assert program("policy", "check") == (
        2,
        "",
        "error: no .preflight.yaml in this folder or above: name a file or a pack\nSee 'preflight policy check --help'\n",
    )
    write(".preflight.yaml", "")
    assert program("policy", "check") == (0, ".preflight.yaml: no faults\n", "")


def test_a_pack_that_is_none() -> None:
    assert program("policy", "check", "strct").err == 'no pack "strct": did you mean "strict"?; a file ends in .yaml\n'


SHOWN = """\
# <default> < base.yaml < .preflight.yaml
noExecute: stay  # base.yaml:1
requireExpires: true  # .preflight.yaml:2
rules:
"""
RULES = """\
  PF201 tolerates-everything: error  # base.yaml:2
    off where namespace "kube-*" or "x", label "team" "net*"  # .preflight.yaml:5
    kinds: ["cni"]  # base.yaml:2
  PF202 tolerates-any-value: off  # .preflight.yaml:7
"""
LISTS = """\
mandatory:
  - PF205  # .preflight.yaml:8
taints:
  - a:NoSchedule ("none at all")  # .preflight.yaml:9
  - b=x:NoSchedule  # .preflight.yaml:10
  - b=x:NoExecute  # .preflight.yaml:10
nodePools:
  - rdma: 4 nodes  # .preflight.yaml:11
required:
  - r  # .preflight.yaml:12
components:
  - cni, +ingress where image "a/*"  # .preflight.yaml:13
exemptions:
  - PF203 where kind "Job" until 2027-01-31: "because"  # .preflight.yaml:14
"""


def test_the_effective_policy_says_where_each_value_comes_from(write: Write) -> None:
    write("base.yaml", "noExecute: stay\nrules: {PF201: {severity: error, options: {kinds: [cni]}}}\n")
    write(
        ".preflight.yaml",
        """\
extends: base.yaml
requireExpires: true
rules:
  tolerates-everything:
  - {severity: off, match: {namespace: [kube-*, x], labels: {team: net*}}}
  PF203: {match: {kind: Job}}
  PF202: off
mandatory: [PF205]
taints: [{key: a, effects: NoSchedule, meaning: none at all},
  {key: b, values: x, effects: [NoSchedule, NoExecute]}]
nodePools: [{name: rdma, count: 4}]
required: [{name: r, match: {name: "*"}, tolerations: [{operator: Exists}]}]
components: [{image: a/*, kinds: [cni], add: [ingress]}]
exemptions: [{rule: PF203, reason: because, match: {kind: Job}, expires: 2027-01-31}]
""",
    )
    result = program("policy", "show")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(SHOWN)
    assert RULES in result.out
    assert result.out.endswith(LISTS)


def test_without_a_policy_the_default_is_shown() -> None:
    result = program("policy", "show")
    assert result.out.startswith("# <default>\nnoExecute: decide  # <default>:4\n")
    assert "  PF201 tolerates-everything: warning\n" in result.out
    assert program("policy", "show", "default") == result


def test_names_are_shown_harmless(write: Write) -> None:
    write(".preflight.yaml", 'exemptions: [{rule: PF201, reason: "a\\e[31m\\n::error::b", match: {name: "\\u202e"}}]\n')
    result = program("policy", "show")
    assert result.out.isascii()
    assert '"\\u202e": "a\\u001b[31m\\n::error::b"  # .preflight.yaml:1\n' in result.out
