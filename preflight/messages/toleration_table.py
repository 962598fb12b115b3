"""The columns TOLERATES and NOEXECUTE: how each toleration of a DaemonSet matches, and how long it stays with a NoExecute taint."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.model.toleration_answers import NoExecuteStay, TolerationAnswer, TolerationMatch

HEADINGS = ("DAEMONSET", "TOLERATES", "NOEXECUTE")

NOTHING = "nothing"
_NO = "no"


def format_toleration(answer: TolerationAnswer) -> str:
    """`dedicated=rdma:NoSchedule (exact)`; a key with any value is `dedicated`, a toleration without a key `*`."""
    name = answer.key or "*"
    if answer.match is TolerationMatch.EXACT:
        name = f"{name} {answer.operator} {answer.value}" if answer.operator in ("Lt", "Gt") else f"{name}={answer.value}"
    words = {
        TolerationMatch.EXACT: "exact",
        TolerationMatch.KEY: "any value",
        TolerationMatch.EFFECT: "every key",
        TolerationMatch.EVERYTHING: "everything",
        TolerationMatch.IMPLICIT: "implicit",
    }
    shown = [words[answer.match]]
    if answer.anyEffect and answer.match is not TolerationMatch.EVERYTHING:
        shown.append("any effect")
    return f"{name}{f':{answer.effect}' if answer.effect else ''} ({', '.join(shown)})"


def format_no_execute(answer: TolerationAnswer) -> str:
    """How long a toleration stays with NoExecute: `300 s`, `without a limit`, `no`."""
    if answer.noExecute is NoExecuteStay.FOR_SECONDS:
        return f"{answer.seconds} s"
    return "without a limit" if answer.noExecute is NoExecuteStay.WITHOUT_LIMIT else _NO


def list_toleration_rows(answers: Sequence[TolerationAnswer]) -> list[tuple[str, str]]:
    """The cells of one DaemonSet: its own tolerations in their order, then the implicit ones in one row; `nothing` where it has none."""
    rows = [(format_toleration(answer), format_no_execute(answer)) for answer in answers if answer.match is not TolerationMatch.IMPLICIT]
    implicit = [answer for answer in answers if answer.match is TolerationMatch.IMPLICIT]
    staying = [answer.key.rpartition("/")[2] for answer in implicit if answer.noExecute is NoExecuteStay.WITHOUT_LIMIT]
    if implicit:
        stays = f"without a limit: {', '.join(staying)}" if staying else _NO
        rows.append((f"{len(implicit)} implicit", stays))
    return rows or [(NOTHING, _NO)]
