"""An update of a DaemonSet stands still: nodes keep a pod of an older template, and nothing moves.

Why it matters
    A rolling update waits without a word for as long as maxUnavailable is used up: by a new pod that does not become Ready, by a node that
    does not speak and whose pod hangs in Terminating, by pods that cannot be created. No pod is Pending and no event says so, and the
    nodes that wait run the old version. What ends the standstill ends the old pods too.
How to fix
    Mend the nodes that have no pod that is Ready, or roll back. `kubectl rollout history` shows the templates, and which of them a pod is
    of is in its label controller-revision-hash.
Example
    A node that died in the night, and an update in the morning with maxUnavailable 1: no other node gets the new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import describe, get
from preflight.doctor.stalled_rollouts import Standstill
from preflight.doctor.timestamps import since
from preflight.messages.lists import listed, names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.rules.doctor._gap_hits import facts_of, shows

_ROLLBACK = (
    "it may be a rollback too: that leaves pods which carry an older number and are up to date; ControllerRevisions tell, and are not read"
)


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet; a note where it may be a rollback."""
    facts = facts_of(context)
    for each in facts.standstills:
        namespace, name = each.daemonset.metadata.namespace, each.daemonset.metadata.name
        yield Hit(
            subject=subject_of(each.daemonset),
            nodes=each.nodes,
            place=Place(each.daemonset.origin, ("spec", "updateStrategy")),
            severity=None if each.certain else Severity.NOTE,
            message=_message(each, since(each.since, facts.at)),
            notes=(
                ("note", f"the number of its template is {each.own}, that of the pods {listed(map(str, each.numbers))}"),
                *(("note", text) for text in _why(each)),
                *shows(
                    describe("ds", name, namespace),
                    get("pods", namespace=namespace, output="wide"),
                    get("controllerrevisions", namespace=namespace),
                ),
            ),
        )


def _message(each: Standstill, begun: str) -> str:
    if not each.certain:
        return f"may have an update that could not begin: {each.what}, and no node has one of its own"
    return f"has an update that stands still{f' {begun}' if begun else ''}: {each.what}"


def _why(each: Standstill) -> Iterator[str]:
    has = "has" if len(each.without) == 1 else "have"
    if each.without and not each.budget:
        yield f"{names(each.without)} {has} a pod of it that is not Ready or hangs, and maxSurge lets no more of them come at a time"
    elif each.without:
        what = "no pod of it that is Ready" if each.certain else "no live pod of it"
        uses = "uses" if len(each.without) == 1 else "use"
        whole = f", and {uses} up maxUnavailable, which comes to {each.budget}" if each.budget <= len(each.without) else ""
        yield f"{names(each.without)} {has} {what}{whole}"
    else:
        yield "every node has a pod of it that is Ready, so nothing here says what holds the update: see that its controller runs"
    if not each.certain:
        yield _ROLLBACK


RULE = Rule(id="PF418", name="update-held-up", severity=Severity.WARNING, check=check)
