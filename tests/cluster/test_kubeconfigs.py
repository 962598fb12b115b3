"""The recorded answers of kubectl about kubeconfigs are what the real kubectl answers. No control plane is needed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.build import programs
from tests.cluster.kubeconfigs import ask_kubectl
from tests.load.live.kubeconfigs.answers import read_answers
from tests.load.live.kubeconfigs.cases import CASES
from tests.load.live.kubeconfigs.listeners import Listeners, listening

pytestmark = pytest.mark.cluster

ANSWERS = read_answers()


@pytest.fixture(scope="module")
def kubectl() -> Path:
    return programs()["kubectl"]


@pytest.fixture(scope="module")
def listeners() -> Iterator[Listeners]:
    with listening() as started:
        yield started


def test_every_case_has_an_answer() -> None:
    assert list(ANSWERS) == sorted(CASES)


@pytest.mark.parametrize("name", CASES)
def test_kubectl_answers_as_it_was_recorded(name: str, kubectl: Path, listeners: Listeners, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    answer = ask_kubectl(kubectl, CASES[name], tmp_path, listeners)
    assert (answer["works"], answer["asked"]) == (ANSWERS[name]["works"], ANSWERS[name]["asked"]), answer.get("says")
