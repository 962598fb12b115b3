"""`kubectl_complete-change_preflight`: kubectl runs it to complete `kubectl change-preflight ...`."""

from __future__ import annotations

import sys

from preflight.cli.complete.answer import answer_words, print_answer


def main() -> None:
    """Print what may stand at the cursor; the arguments are the words behind the plugin's name, of which the last is at the cursor."""
    print_answer(answer_words(sys.argv[1:]))
