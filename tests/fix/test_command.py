"""The command line of `preflight fix`, its exit codes, and how it writes."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import program
from tests.fix.example_folder import TAINT, fix, world


@pytest.mark.parametrize(
    ("argv", "code", "said"),
    [
        pytest.param(["--diff", "--write"], 2, "--diff, --write and --patch exclude each other", id="two ways"),
        pytest.param(["--for", "frobnicate"], 2, "step 1, `frobnicate`:", id="no verb"),
        pytest.param(["--for", "cordon n1", "--plan", "p.yaml"], 2, "--for and --plan exclude each other", id="a change and a plan"),
        pytest.param(["--rule", "PF105"], 2, "preflight fix does not fix PF105", id="a rule without a fix"),
        pytest.param(["--plan", "none.yaml"], 3, "none.yaml: cannot be read", id="no such plan"),
        pytest.param(["gone"], 3, "error: cannot read gone: no such file or directory", id="no such file"),
        pytest.param(["--for", "taint nodes n1 x=y:NoSchedule"], 0, "fixes 1 DaemonSet:", id="one to fix"),
        pytest.param([], 0, "nothing to fix", id="nothing to fix"),
        pytest.param(["--patch"], 0, "nothing to fix", id="patch without a value"),
    ],
)
def test_exit_codes(argv: list[str], code: int, said: str) -> None:
    world()
    result = fix(*argv)
    assert result.code == code
    assert said in result.err


def test_nothing_to_judge() -> None:
    Path("m").mkdir()
    Path("nodes.yaml").touch()
    assert fix().code == 3
    assert fix("--allow-empty").code == 0


def test_a_terminal_is_not_commanded() -> None:
    world("      tolerations:\n      - key: a\t# \u202e\n")
    result = fix("--for", TAINT, terminal=True)
    assert "\u202e" not in result.out
    assert "       - key: a\t# \\u202e" in result.out.splitlines()


def test_the_mode_of_a_file_stays_and_no_other_file_is_left() -> None:
    world()
    Path("m/agent.yaml").chmod(0o640)
    assert fix("--for", TAINT, "--write").code == 0
    assert Path("m/agent.yaml").stat().st_mode & 0o777 == 0o640
    assert [path.name for path in Path("m").iterdir()] == ["agent.yaml"]


def test_a_link_that_leads_away_is_not_followed(tmp_path_factory: pytest.TempPathFactory) -> None:
    world()
    outside = tmp_path_factory.mktemp("outside") / "agent.yaml"
    shutil.move("m/agent.yaml", outside)
    before = outside.read_bytes()
    Path("m/agent.yaml").symlink_to(outside)
    result = program("fix", "m/agent.yaml", "--from", "nodes.yaml", "--for", TAINT, "--write")
    assert result.code == 3
    assert "m/agent.yaml: is a symbolic link to a file outside this folder" in result.err
    assert outside.read_bytes() == before


def test_a_link_inside_is_followed_and_stays() -> None:
    world()
    Path("link.yaml").symlink_to("m/agent.yaml")
    result = program("fix", "link.yaml", "--from", "nodes.yaml", "--for", TAINT, "--write")
    assert result.code == 0
    assert Path("link.yaml").is_symlink()
    assert "value: rdma" in Path("m/agent.yaml").read_text(encoding="utf-8")


def test_a_file_that_changed_meanwhile_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    world()
    kept = os.stat

    def change(path: Any, **more: Any) -> os.stat_result:
        Path("m/agent.yaml").write_text("# mine\n", encoding="utf-8")
        return kept(path, **more)

    monkeypatch.setattr("preflight.fix.write.os.stat", change)
    from preflight.errors import InputError
    from preflight.fix.write import write_fixed_file

    with pytest.raises(InputError, match="has changed since it was read"):
        write_fixed_file("m/agent.yaml", b"old", b"new")
    assert Path("m/agent.yaml").read_text(encoding="utf-8") == "# mine\n"
