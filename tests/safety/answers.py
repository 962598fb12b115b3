"""What a command answers, without its texts: the facts of its exit code, its JSON and its YAML."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import yaml

from tests.cli.program import Result

Answer = dict[str, Any]
Data = Mapping[str, Any]


def reduce_result(line: Sequence[str], result: Result) -> Answer:
    """The facts of one run of the program."""
    return {"exit": result.code, **_reduce_output(line, result.out)}


def _reduce_output(line: Sequence[str], output: str) -> Answer:
    match line:
        case ["rbac", *_]:
            return {"role": yaml.safe_load(output)}
        case ["alerts", *_] if output:
            return {"alerts": [_without_annotations(document) for document in yaml.safe_load_all(output)]}
        case ["fix", *_] if "kustomize" in line:
            return {"patches": yaml.safe_load(output)} if output else {}
        case ["fix", *_] if "--patch" in line:
            return {"patches": [shlex.split(row) for row in output.splitlines() if row.startswith("kubectl ")]}
        case ["fix", *_]:
            return {"patches": [row for row in output.splitlines() if row.startswith(("+", "-", "@@"))]}
        case ["rules", *_]:
            return {"rules": [(row.split()[0], row.split()[2]) for row in output.splitlines()]}
        case ["policy", "show", *_] if output:
            return {"policy": _reduce_policy(yaml.safe_load(output))}
    try:
        document = json.loads(output)
    except ValueError:
        return {}
    if "findings" in document:
        return _reduce_report(document)
    if "clusters" in document:
        return _reduce_capacity(document)
    if "daemonsets" in document:
        return {"daemonsets": [_reduce_recognized(daemonset) for daemonset in document["daemonsets"]]}
    raise ValueError(f"{shlex.join(line)} prints JSON that the safety net does not know: {sorted(document)}")


def pick(data: Data, *fields: str) -> Answer:
    """These fields of a JSON object; one that is left out stays left out."""
    return {field: data[field] for field in fields if field in data}


def sort_facts(items: Iterable[Answer], *fields: str) -> list[Answer]:
    """Facts in an order of their own, by these fields first: the order of a report may follow its texts."""
    return sorted(items, key=lambda item: json.dumps([[item[field] for field in fields], item], sort_keys=True))


# The report of changes, lint, diff, verify and doctor.


def _reduce_report(report: Data) -> Answer:
    steps = report["change"]["steps"] if report["change"] else []
    return {
        "reported exit": report["exit"],
        "cluster": report["cluster"],
        "judged": report["judged"],
        "problems": sort_facts({"place": _reduce_location(problem["location"])} for problem in report["problems"]),
        "steps": [_reduce_step(step) for step in steps],
        "coverage": sort_facts((_reduce_row(row) for row in report["coverage"]), "step", "daemonset", "nodes"),
        "findings": sort_facts((_reduce_finding(finding) for finding in report["findings"]), "step", "rule", "subject", "nodes"),
    }


def _reduce_location(location: Data | None) -> Answer | None:
    if location is None:
        return None
    return {"file": PurePath(location["file"]).name, **pick(location, "line", "column", "path")}


def _reduce_finding(finding: Data) -> Answer:
    return {
        **pick(finding, "rule", "severity", "subject", "nodes", "step"),
        "exempted": finding["exempted"] is not None,
        "place": _reduce_location(finding["location"]),
        "suggestion": _reduce_suggestion(finding["suggestion"]),
    }


def _reduce_suggestion(suggestion: Data | None) -> Any:
    """The tolerations to add; for a Job the fields to set."""
    if suggestion is None:
        return None
    return suggestion["tolerations"] or {"fields": yaml.safe_load("\n".join(suggestion["text"]))}


def _reduce_row(row: Data) -> Answer:
    counts = ("before", "now", "recreated", "replaced", "ready", "periodSeconds")
    reduced = pick(row, "step", "daemonset", "nodes", "outcome", "assumed", *counts, "tolerates")
    return {**reduced, "place": PurePath(row["place"]).name} if "place" in row else reduced


def _reduce_step(step: Data) -> Answer:
    reduced = pick(step, "command", "nodes", "taints")
    return {**reduced, "evictions": _reduce_evictions(step["evictions"])} if "evictions" in step else reduced


def _reduce_evictions(evictions: Data) -> Answer:
    return {
        **pick(evictions, "way", "ends", "least", "withGrace"),
        "nodes": [_reduce_node_evictions(node) for node in evictions["nodes"]],
        "jobs": [
            {
                **pick(job, "job", "pods", "fails", "certain", "limit", "overlap", "indexed", "after"),
                "unknown": bool(job["unknown"]),
            }
            for job in evictions["jobs"]
        ],
        "jobSets": [
            {**pick(jobset, "jobSet", "jobs", "fails", "restarts", "certain", "left", "leader"), "unknown": bool(jobset["unknown"])}
            for jobset in evictions["jobSets"]
        ],
    }


def _reduce_node_evictions(node: Data) -> Answer:
    counts = ("daemonsets", "static", "staying", "missing", "ends", "exitCodes", "least", "withGrace", "reached")
    pod_fields = ("pod", "owner", "verdict", "why", "after", "grace", "budgets", "replacement", "where", "lost", "localData", "last")
    return {
        **pick(node, "node", *counts),
        "refusals": len(node["refusals"]),
        "pods": [pick(pod, *pod_fields) for pod in node["pods"]],
        "returning": [pick(daemonset, "daemonset", "fits") for daemonset in node["returning"]],
    }


# The other formats.


def _reduce_capacity(document: Data) -> Answer:
    return {
        "reported exit": document["exit"],
        "atLeast": document["atLeast"],
        "clusters": [
            {
                "name": PurePath(cluster["name"]).name,
                "cluster": cluster["cluster"],
                "error": bool(cluster["error"]),
                "problems": len(cluster["problems"]),
                "capacity": cluster["room"] and _reduce_room(cluster["room"]),
            }
            for cluster in document["clusters"]
        ],
    }


def _reduce_room(room: Data) -> Answer:
    amounts = ("allocatable", "used", "ghosts", "free", "copies", "atMost")
    return {
        **pick(room, "resource", "wanted", "requests", "allocatable", "free", "copies", "atMost", "largest", "largestOn", "unread"),
        "steps": [pick(step, "cause", "amount", "free", "nodes") for step in room["steps"]],
        "classes": sort_facts((pick(nodes, "kind", "nodes", *amounts) for nodes in room["classes"]), "nodes"),
        "nodes": sort_facts((pick(node, "node", "kind", *amounts, "takes") for node in room["nodes"]), "node"),
        "ghosts": sort_facts(pick(pod, "pod", "node", "amount", "why") for pod in room["ghosts"]),
    }


def _reduce_recognized(daemonset: Data) -> Answer:
    component_fields = ("kind", "rank", "critical", "resources", "drivers", "labels", "taints", "networks")
    return {
        **pick(daemonset, "namespace", "name"),
        "place": _reduce_location(daemonset["location"]),
        "components": [
            {
                **pick(component, *component_fields),
                "evidence": sort_facts({"place": _reduce_location(evidence["location"])} for evidence in component["evidence"]),
            }
            for component in daemonset["components"]
        ],
    }


def _reduce_policy(policy: Data) -> Answer:
    """Severities by the ids of rules; of what else a policy holds only that it does."""
    severities = {rule.split()[0]: severity for rule, severity in policy.get("rules", {}).items()}
    return {"rules": severities, "mandatory": policy.get("mandatory", []), "keys": sorted(policy)}


def _without_annotations(data: Any) -> Any:
    """Rules of Prometheus without the texts for people."""
    if isinstance(data, dict):
        return {key: _without_annotations(value) for key, value in data.items() if key != "annotations"}
    return [_without_annotations(item) for item in data] if isinstance(data, list) else data
