"""Where policies are found, what extends what, and the packs."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import msgspec
import pytest

from preflight.errors import UsageError
from preflight.policy import Policy, find_policy, load
from preflight.policy.packs import PACKS, find_pack_file
from preflight.policy.schema import build_schema
from tests.paths import ROOT
from tests.policy.conftest import Write
from tests.policy.test_reader import plain

# Found upward.


def test_no_policy_is_found_where_there_is_none() -> None:
    assert find_policy() is None


def test_a_policy_is_found_here_and_from_folders_below(write: Write, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(".preflight.yaml", "")
    write("apps/web/deploy.yaml", "")
    assert find_policy() == ".preflight.yaml"
    monkeypatch.chdir(folder / "apps" / "web")
    assert find_policy() == "../../.preflight.yaml"
    write("apps/.preflight.yaml", "")
    assert find_policy() == "../.preflight.yaml"


def test_the_search_ends_at_the_root_of_the_repository(write: Write, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(".preflight.yaml", "")
    write("inner/.git", "gitdir: elsewhere\n")  # a worktree or a submodule has a file
    write("inner/apps/x.yaml", "")
    monkeypatch.chdir(folder / "inner" / "apps")
    assert find_policy() is None
    write("inner/.preflight.yaml", "")
    assert find_policy() == "../.preflight.yaml"


def test_a_symbolic_link_is_not_followed(write: Write, folder: Path) -> None:
    secret = write("secret.yaml", "password: x\n")
    (folder / ".preflight.yaml").symlink_to(secret)
    with pytest.raises(UsageError, match=r"\.preflight\.yaml: a symbolic link is not followed: name the policy by --policy"):
        find_policy()
    (folder / "link.yaml").symlink_to(secret)
    write("policy.yaml", "extends: link.yaml\n")
    with pytest.raises(UsageError, match=r'policy\.yaml:1:1: extends "link\.yaml": a symbolic link is not followed'):
        load("policy.yaml")


# What extends what.


def files(policy: Policy) -> list[str]:
    return [layer.file for layer in policy.layers]


def severity(policy: Policy, rule: str) -> str | None:
    return policy.rule_settings[rule][-1].severity


def test_a_policy_extends_default_where_it_says_nothing(write: Write) -> None:
    write("policy.yaml", "rules: {PF201: note}\n")
    assert files(load("policy.yaml")) == ["<default>", "policy.yaml"]
    write("policy.yaml", "extends: []\n")
    assert files(load("policy.yaml")) == ["policy.yaml"]


def test_files_are_beside_the_one_that_names_them(write: Write, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("team/policy.yaml", "extends: [strict, ../shared/base.yaml]\n")
    write("shared/base.yaml", "extends: more.yaml\nrules: {PF201: note}\n")
    write("shared/more.yaml", "rules: {PF201: warning, PF202: error}\n")
    write("elsewhere/x", "")
    monkeypatch.chdir(folder / "elsewhere")
    policy = load("../team/policy.yaml")
    assert files(policy) == ["<default>", "<strict>", "../shared/more.yaml", "../shared/base.yaml", "../team/policy.yaml"]
    assert (severity(policy, "PF201"), severity(policy, "PF202"), severity(policy, "PF107")) == ("note", "error", "error")


def test_what_stands_there_by_two_ways_counts_once_at_its_first_place(write: Write) -> None:
    write("base.yaml", "rules: {PF201: note}\n")
    write("a.yaml", "extends: base.yaml\nrules: {PF201: error}\n")
    write("b.yaml", "extends: base.yaml\nrules: {PF202: error}\n")
    write("policy.yaml", "extends: [a.yaml, b.yaml]\n")
    policy = load("policy.yaml")
    assert files(policy) == ["<default>", "base.yaml", "a.yaml", "b.yaml", "policy.yaml"]
    assert severity(policy, "PF201") == "error"


REFUSED = {
    "itself": (
        {"policy.yaml": "extends: policy.yaml\n"},
        'policy.yaml:1:1: extends "policy.yaml": a policy cannot extend itself (policy.yaml -> policy.yaml)',
    ),
    "a circle": (
        {"policy.yaml": "extends: [a.yaml]\n", "a.yaml": "extends: b.yaml\n", "b.yaml": "rules: {}\nextends: policy.yaml\n"},
        'b.yaml:2:1: extends "policy.yaml": a policy cannot extend itself (policy.yaml -> a.yaml -> b.yaml -> policy.yaml)',
    ),
    "a circle by another name": (
        {"policy.yaml": "extends: ./a/../policy.yaml\n", "a/x": ""},
        "a policy cannot extend itself",
    ),
    "a pack that is none": (
        {"policy.yaml": "extends:\n- strct\n"},
        'policy.yaml:2:3: extends "strct": no pack "strct": did you mean "strict"?; a file ends in .yaml',
    ),
    "a URL": ({"policy.yaml": "extends: https://example.com/policy.yaml\n"}, "no URL and no absolute path"),
    "an absolute path": ({"policy.yaml": "extends: /etc/policy.yaml\n"}, "no URL and no absolute path"),
    "a file that is not there": ({"policy.yaml": "extends: none.yaml\n"}, "none.yaml: cannot be read: no such file or directory"),
    "a file that is wrong": ({"policy.yaml": "extends: a.yaml\n", "a.yaml": "x: 1\n"}, 'a.yaml:1:1: unknown key "x"'),
    "more files than anybody has": (
        {"policy.yaml": "extends: 0.yaml\n", **{f"{number}.yaml": f"extends: {number + 1}.yaml\n" for number in range(30)}},
        "more than 20 policies extend one another",
    ),
}


@pytest.mark.parametrize(("texts", "said"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_extended(texts: dict[str, str], said: str, write: Write) -> None:
    for name, text in texts.items():
        write(name, text)
    with pytest.raises(UsageError) as error:
        load("policy.yaml")
    assert said in str(error.value)


# The packs.


def test_every_pack_is_a_file_and_every_file_a_pack() -> None:
    assert sorted(path.stem for path in (ROOT / "policies").glob("*.yaml")) == sorted(PACKS)


@pytest.mark.parametrize("name", PACKS)
def test_every_pack_is_good_by_the_schema_too(name: str) -> None:
    policy = load(name)
    assert files(policy)[-1] == f"<{name}>"
    jsonschema.validate(plain(Path(find_pack_file(name)).read_text(encoding="utf-8")), build_schema())


@pytest.mark.parametrize("path", sorted((ROOT / "examples").rglob(".preflight.yaml")), ids=str)
def test_every_example_is_good_by_the_schema_too(path: Path) -> None:
    load(str(path))
    jsonschema.validate(plain(path.read_text(encoding="utf-8")), build_schema())


def test_the_pack_default_is_what_happens_without_a_policy() -> None:
    without = msgspec.structs.replace(load("default"), layers=(), no_execute_source=None, requires_expires_source=None)
    assert without == Policy()


def test_packs_extend_packs_alone() -> None:
    for name in PACKS:
        assert all(layer.file.startswith("<") for layer in load(name).layers), name


def test_all_packs_can_be_laid_one_on_another(write: Write) -> None:
    write("policy.yaml", "extends: [strict, gpu-rdma]\n")
    policy = load("policy.yaml")
    assert files(policy) == ["<default>", "<strict>", "<gpu-rdma>", "policy.yaml"]
    assert policy.requires_expires
    assert [required.name for required, _ in policy.required] == ["gpu-nodes", "rdma-nodes"]
