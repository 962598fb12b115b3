"""`python -m tests.model.versions_page`: the page `docs/kubernetes-versions.md`, made from the table of behaviors."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from preflight.messages.behaviors import BEHAVIOR_TEXTS
from preflight.messages.versions import format_since
from preflight.model.behaviors import BEHAVIORS, COMPARISON_GATE, GATES, NEWEST_COMPARED, OLDEST_COMPARED, GateStage
from preflight.model.version_fields import list_fields_by_gate
from tests.paths import ROOT

PAGE = ROOT / "docs" / "kubernetes-versions.md"

_HEAD = f"""\
# Kubernetes versions

Answers follow the version of Kubernetes. The rows below were read in the sources of the releases from 1.{OLDEST_COMPARED} to \
1.{NEWEST_COMPARED}; a newer
version is treated as 1.{NEWEST_COMPARED}. The version comes from the first of these that states it:

1. `--kubernetes-version 1.30.4`, or `1.30` for all patches of 1.30. It may be the version of an upgrade that you plan.
2. The cluster: `/version` of a live one, or what it was when a snapshot was taken.
3. `kubernetesVersion` in the [policy](policies.md). It holds for many clusters, so a cluster that states its version knows better.
4. The kubelets of the nodes in the input. No kubelet is newer than the API server, and none is more than three minor versions older, so
   kubelets of 1.30 mean a server of 1.30 to 1.33.

The last line of the report says which version counts and who states it. If nothing does, answers are those of 1.{NEWEST_COMPARED}.

An answer that depends on a version that is not known exactly is computed for each possible version. It is unknown (exit code 3)
only if these differ; the reason then lists the releases that changed. `--kubectl-version` states the version of kubectl, by default
the minor version of the server.

## Upgrades

```sh
preflight upgrade --to 1.34 --kubernetes-version 1.30 --from manifests/
```

reports what the newer version changes for the input, or without `--from` for the cluster of the current context: objects that newer
controllers treat differently ([PF242](rules.md#pf242-changed-behavior)), fields that the cluster drops today and keeps then
([PF243](rules.md#pf243-field-takes-effect)), and old names of taints and labels ([PF209](rules.md#pf209-legacy-key)). The notes
give the order: the control plane, one minor version after the other, then each pool, node by node, and which kubelets are too old
for the new control plane. To check one node, use `preflight drain` and `preflight replace`; to check another command as the newer
version would run it, add `--kubernetes-version 1.34` to it. Removed API versions are not reported: between 1.{OLDEST_COMPARED} and
1.{NEWEST_COMPARED} no kind that preflight checks loses one.
"""


def make_page() -> str:
    """The text of the page."""
    return "\n".join([_HEAD, *_iter_behaviors(), "", *_iter_gates()]) + "\n"


def _iter_behaviors() -> Iterator[str]:
    yield "## What differs"
    yield ""
    yield "| component | since | newer versions | older versions | change |"
    yield "|---|---|---|---|---|"
    for behavior, row in BEHAVIORS.items():
        text = BEHAVIOR_TEXTS[behavior]
        links = ", ".join(row.links)
        yield f"| {row.component} | {format_since(row.since)} | {text.newer} | {text.older} | {links or f'`{row.source}`'} |"


def _iter_gates() -> Iterator[str]:
    yield "## Fields and feature gates"
    yield ""
    yield "A server drops a field whose feature gate is off, and does not know one before the gate exists: see"
    yield "[PF240](rules.md#pf240-dropped-field). `--feature-gates GATE=true` states that the cluster sets a gate."
    yield "Only these gates change an answer."
    yield ""
    yield "| gate | fields | exists since | on by default since | always on since |"
    yield "|---|---|---|---|---|"
    fields = list_fields_by_gate()
    for gate, row in sorted(GATES.items()):
        named = "operators Lt and Gt of tolerations" if gate == COMPARISON_GATE else ", ".join(f"`{name}`" for name in fields[gate])
        locked = next((f"1.{minor}" for minor, stage in sorted(row.stages.items()) if stage is GateStage.LOCKED), "-")
        default = "-" if row.default_since is None else f"1.{row.default_since}"
        yield f"| {gate} | {named} | 1.{row.known_since} | {default} | {locked} |"


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")
    sys.exit(0)
