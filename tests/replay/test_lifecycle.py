"""Every recorded experiment is tested: through the program's own front door, a plan over files, its answer as JSON.

What a pod is after a step, the same one or a new one, is no part of that answer: where an experiment says so, the impact is asked.
"""

from __future__ import annotations

import re
from pathlib import Path

from tests.replay.lifecycle import RECORDED


def test_each_experiment_of_the_recording_has_a_test() -> None:
    texts = [path.read_text() for path in Path(__file__).parent.glob("test_*.py") if path != Path(__file__)]
    tested = {name for text in texts for name in re.findall(r'Story\("([a-z-]+)"\)', text)}
    assert tested == set(RECORDED)
