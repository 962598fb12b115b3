"""The identities of all findings of the rule cases and of the examples, as JSON; `--reword` changes the messages before.

Started as a process of its own, for the texts of `preflight.messages` are changed while they are imported:
`python -m tests.rules.identities [--reword]` in the root of the repository.
"""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from types import CodeType, ModuleType
from typing import Any
from unittest import mock

from tests.paths import ROOT

PACKAGE = "preflight.messages"
FILLER = " zz "
"""What every space in a text becomes."""
EXAMPLES = (
    "lint examples/rdma-incident/cluster",
    "lint examples/rdma-incident/cluster --policy examples/policy/.preflight.yaml",
    "taint nodes -l pool=rdma dedicated=rdma:NoSchedule --from examples/rdma-incident/cluster",
    "taint nodes --all maintenance=true:NoExecute --from examples/rdma-incident/cluster",
    "drain rdma-1 --ignore-daemonsets --from examples/rdma-incident/cluster",
    "plan examples/rdma-incident/plan.yaml --from examples/rdma-incident/cluster",
    "verify examples/rdma-incident/monday.json --from examples/rdma-incident/thursday.json",
    "diff examples/rdma-incident/cluster examples/rdma-incident/fixed --from examples/rdma-incident/cluster/nodes.yaml",
    "doctor --from examples/gpu-13-free/cluster.json",
    "doctor --from examples/jobset-leader/cluster.json",
    "doctor --from examples/uneven-zones/cluster.json",
    "lint examples/drain/cluster.yaml",
    "drain --all --ignore-daemonsets --delete-emptydir-data --force --from examples/drain/cluster.yaml",
)


class RewordedLoader(importlib.machinery.SourceFileLoader):
    """Compiles a module with another text in the place of each string that has letters and spaces."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Not from the cache, which holds the usual texts."""
        path = self.get_filename(fullname)
        tree = ast.fix_missing_locations(_Rewording().visit(ast.parse(self.get_data(path))))
        code: CodeType = compile(tree, path, "exec", dont_inherit=True)
        return code


class _Rewording(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str) and " " in node.value and re.search("[A-Za-z]", node.value):
            return ast.Constant(node.value.replace(" ", FILLER))
        return node


class RewordingFinder(importlib.abc.MetaPathFinder):
    """Finds the modules of `preflight.messages` for the loader above."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        if not fullname.startswith(f"{PACKAGE}."):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = RewordedLoader(spec.loader.name, spec.loader.path)
        return spec


def main(arguments: Sequence[str]) -> None:
    """Write the identities of each run to standard output."""
    if "--reword" in arguments:
        sys.meta_path.insert(0, RewordingFinder())
    print(json.dumps(dict(_iter_runs())))  # noqa: T201


def _iter_runs() -> Iterator[tuple[str, dict[str, Any]]]:
    from preflight.policy.baseline import make_baseline
    from preflight.report.fingerprints import make_fingerprints
    from tests.cli.program import program
    from tests.rules import casefile

    findings: list[Any] = []

    def capture(reported: Any) -> list[str]:
        findings.extend(reported)
        return make_fingerprints(reported)

    def observe(words: Sequence[str]) -> dict[str, Any]:
        findings.clear()
        with mock.patch("preflight.report.sarif.make_fingerprints", capture):
            result = program(*words, "-o", "sarif")
        baseline = make_baseline(findings, "b.yaml", "2030-01-01").format_file()
        results = json.loads(result.out)["runs"][0]["results"] if result.out else []
        return {
            "fingerprints": sorted(each["partialFingerprints"]["preflight/v1"] for each in results),
            "baseline": [line for line in baseline.splitlines() if not line.startswith("#")],  # its header is words
            "findings": [
                {
                    "rule": finding.rule,
                    "subject": [finding.subject.kind, finding.subject.namespace, finding.subject.name],
                    "file": finding.location.file if finding.location else "",
                    "step": finding.step,
                    "key": list(finding.key),
                    "message": finding.message,
                }
                for finding in findings
            ],
        }

    for command in EXAMPLES:
        yield command, observe(shlex.split(command))
    for path in casefile.files():
        for case in casefile.read(path):
            folder = tempfile.mkdtemp()
            os.chdir(folder)
            yield f"{path.stem}: {case['name']}", observe(casefile.prepare(case))
            os.chdir(ROOT)
            shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
