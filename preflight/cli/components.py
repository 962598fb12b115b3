"""`preflight components [PATH...]`: what each DaemonSet was recognised as, and by what evidence.

`-o json` is version 1 of a structure of its own:

    {"version": 1, "preflight": "0.1.0", "daemonsets": [
      {"namespace": "storage", "name": "csi", "location": PLACE, "components": [
        {"kind": "csi-node-driver", "title": "...", "symptom": "...", "rank": 3, "critical": true, "note": "",
         "resources": [], "drivers": ["csi.example.com"], "labels": [], "taints": [], "networks": [],
         "evidence": [{"words": "registers a CSI driver (--kubelet-registration-path)", "location": PLACE}]}]}]}

1. PLACE is {"file", "line", "path"}: `line` is 0 where it is not known, `path` the field's path in its document.
2. `rank` 0 is the worst to lose. A DaemonSet that is not recognised has no components. Components are sorted by rank, DaemonSets by the
   rank of their first component, then by name and place.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from preflight import policy
from preflight.cli.documented_command import DocumentedCommand
from preflight.cli.options import add_connection_options, add_exclusion_options, make_exclusion, make_target
from preflight.cli.output import print_problems, write_output
from preflight.cli.streams import print_rendered
from preflight.errors import UsageError
from preflight.messages import cli as messages

if TYPE_CHECKING:
    from preflight.components import Component
    from preflight.load import LoadResult
    from preflight.model.apps import DaemonSet
    from preflight.model.declared_components import ComponentOverride
    from preflight.model.report import Location

    RecognizedDaemonSet = tuple[DaemonSet, tuple[Component, ...]]
    EvidenceLocations = dict[tuple[int, tuple[str | int, ...]], Location]

VERSION = 1
_COLUMN_HEADINGS = ("DAEMONSET", "IS", "PROVIDES", "BECAUSE")


@click.command("components", cls=DocumentedCommand)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--from", "sources", multiple=True, metavar="PATH", help="More files, folders or - (standard input). Repeatable.")
@click.option("--live", is_flag=True, help="List the DaemonSets of the current context. --context and --kubeconfig imply it.")
@add_connection_options
@click.option("-o", "--output", default="text", metavar="FORMAT[=PATH]", help="text (default) or json.")
@click.option("--allow-empty", is_flag=True, help="Exit 0 when there is no DaemonSet.")
@click.option(
    "--policy",
    "named",
    metavar="FILE|NAME",
    default="",
    help="Policy file or pack. Default: the .preflight.yaml of this folder or one above.",
)
@click.option("--no-policy", is_flag=True, help="Use no policy.")
@add_exclusion_options
def command(
    paths: tuple[str, ...],
    sources: tuple[str, ...],
    output: str,
    named: str,
    *,
    live: bool,
    allow_empty: bool,
    no_policy: bool,
    **given: Any,
) -> int:
    """List what each DaemonSet provides."""
    from preflight.components import recognize_components
    from preflight.engine.unlisted_kinds import list_unlisted_problems
    from preflight.load.inputs import LoadOptions, load_input, select_input
    from preflight.load.live.planner import FOR_DAEMONSETS
    from preflight.model.report import Problem

    form, _, into = output.partition("=")
    if form not in ("text", "json"):
        raise UsageError(messages.describe_unknown_format(form))
    stated = _load_stated_kinds(named, no_policy=no_policy)
    given_paths = (*paths, *sources)
    if live and given_paths:
        raise UsageError(messages.TWO_PLACES)
    target = make_target(given, given_paths, live=live)
    source = select_input(given_paths or (() if target else (".",)), target=target)
    exclusion = make_exclusion({**given, "allow_empty": allow_empty}, None if no_policy else named or policy.find_policy())
    loaded = load_input(source, LoadOptions(one_cluster=False, exclusion=exclusion), stdin=sys.stdin.buffer, query=FOR_DAEMONSETS)
    daemonsets = loaded.world.list_daemonsets()
    found = sorted(
        ((daemonset, recognize_components(daemonset, loaded.world.config_maps, stated)) for daemonset in daemonsets), key=_make_sort_key
    )
    problems = [*loaded.problems, *list_unlisted_problems(loaded.world)]
    if not found and not problems and not allow_empty:
        problems.append(Problem(messages.NOTHING_TO_RECOGNIZE))
    text = _format_json(found, _locate_evidence(loaded, found)) if form == "json" else _format_table(found, _locate_evidence(loaded, found))
    if problems and not found and form == "text":
        text = ""
    if into:
        write_output(into, text)
    else:
        print_rendered(text)
    if problems:
        print_problems(problems)
    return 3 if problems else 0


def _load_stated_kinds(named: str, *, no_policy: bool) -> tuple[ComponentOverride, ...]:
    """What the policy that is named or found states of DaemonSets."""
    name = named or (None if no_policy else policy.find_policy())
    if not name:
        return ()
    from preflight.model.world import ClusterState
    from preflight.policy.apply_to_world import apply_policy

    return apply_policy(policy.load(name), ClusterState()).component_overrides


def _make_sort_key(item: RecognizedDaemonSet) -> tuple[object, ...]:
    daemonset, components = item
    origin = daemonset.origin
    first = components[0].kind.rank if components else sys.maxsize
    return first, daemonset.metadata.namespace, daemonset.metadata.name, origin.file, origin.document, str(origin.path)


def _locate_evidence(loaded: LoadResult, recognized: Sequence[RecognizedDaemonSet]) -> EvidenceLocations:
    """Where each DaemonSet and each piece of evidence is."""
    asked = {
        (index, path): (daemonset.origin, path)
        for index, (daemonset, components) in enumerate(recognized)
        for path in ((), *(evidence.path for component in components for evidence in component.evidence))
    }
    return dict(zip(asked, loaded.locate_all(list(asked.values())), strict=True))


def _format_table(recognized: Sequence[RecognizedDaemonSet], places: EvidenceLocations) -> str:
    from preflight.inert_text import escape_ci_commands, escape_unprintable
    from preflight.report.terminal import pad

    rows = [_COLUMN_HEADINGS]
    for index, (daemonset, components) in enumerate(recognized):
        for component in components:
            first = component.evidence[0]
            place = places[index, first.path]
            more = messages.count_more_evidence(len(component.evidence) - 1) if component.evidence[1:] else ""
            rows.append(
                (
                    str(daemonset.key),
                    component.kind.id,
                    ", ".join(_iter_provided(component)),
                    f"{first.description}: {_format_place(place)}{more}",
                )
            )
        if not components:
            rows.append((str(daemonset.key), "-", "", messages.describe_unrecognized(_format_place(places[index, ()]))))
    widths = [max(len(escape_unprintable(row[column])) for row in rows) for column in range(3)]
    lines = [escape_ci_commands("  ".join([*map(pad, row, widths), escape_unprintable(row[3])]).rstrip()) for row in rows]
    unknown = sum(not components for _, components in recognized)
    summary = messages.summarize_components(len(recognized), unknown)
    return "\n".join([*(lines if recognized else []), *([""] if recognized else []), summary, ""])


def _format_place(place: Location) -> str:
    return f"{place.file}:{place.line}" if place.line else place.file


def _iter_provided(component: Component) -> Iterator[str]:
    yield from component.resources
    yield from component.drivers
    if len(component.labels) > 2:
        yield messages.count_labels(component.labels[0], len(component.labels) - 1)
    else:
        yield from component.labels
    yield from (f"removes {taint}" for taint in component.taints)
    yield from (f"network {network}" for network in component.networks)
    if component.kind.id == "device-plugin" and not component.resources:
        yield messages.UNKNOWN_RESOURCES


def _format_json(recognized: Sequence[RecognizedDaemonSet], places: EvidenceLocations) -> str:
    import json

    from preflight.inert_text import make_json_inert
    from preflight.version import __version__

    def place(index: int, path: tuple[str | int, ...]) -> dict[str, Any]:
        location = places[index, path]
        return {"file": location.file, "line": location.line, "path": location.path}

    document = {
        "version": VERSION,
        "preflight": __version__,
        "daemonsets": [
            {
                "namespace": daemonset.metadata.namespace,
                "name": daemonset.metadata.name,
                "location": place(index, ()),
                "components": [
                    {
                        "kind": component.kind.id,
                        "title": component.kind.title,
                        "symptom": component.symptom,
                        **{field: getattr(component.kind, field) for field in ("rank", "critical")},
                        **{field: getattr(component, field) for field in ("note", "resources", "drivers", "labels", "taints", "networks")},
                        "evidence": [{"words": every.description, "location": place(index, every.path)} for every in component.evidence],
                    }
                    for component in components
                ],
            }
            for index, (daemonset, components) in enumerate(recognized)
        ],
    }
    return make_json_inert(json.dumps(document, indent=2, ensure_ascii=True)) + "\n"
