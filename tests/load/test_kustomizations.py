"""What kustomizations say of the files beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight.load.files import find_files
from preflight.load.kustomizations import Kustomizations, read_kustomizations

PATCH = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 3}\n"
INLINE = "patches:\n- patch: |\n    kind: StatefulSet\n    metadata: {name: db}\n    spec: {replicas: 2}\n"
TARGET = "patches:\n- path: p.yaml\n  target: {kind: Deployment}\n"
JSON_6902 = "patchesJson6902:\n- path: p.yaml\n  target: {kind: PodDisruptionBudget, name: web}\n"

CASES: list[tuple[str, str, set[str], set[tuple[str, str]]]] = [
    ("nothing is patched", "resources: [web.yaml]\n", set(), set()),
    ("a file", "patches:\n- path: p.yaml\n", {"p.yaml"}, {("Deployment", "web")}),
    ("a file of the older field", "patchesStrategicMerge: [p.yaml]\n", {"p.yaml"}, {("Deployment", "web")}),
    ("a file for what it targets, whatever its name", TARGET, {"p.yaml"}, {("Deployment", "web"), ("Deployment", "")}),
    ("operations on a target", JSON_6902, {"p.yaml"}, {("Deployment", "web"), ("PodDisruptionBudget", "web")}),
    ("a patch in the kustomization itself", INLINE, set(), {("StatefulSet", "db")}),
    ("a file that is not there", "patches:\n- path: gone.yaml\n", set(), set()),
    ("a file that is a resource too", "resources: [p.yaml]\npatches:\n- path: p.yaml\n", set(), {("Deployment", "web")}),
    (
        "numbers of replicas",
        "replicas:\n- {name: web, count: 5}\n",
        set(),
        {(kind, "web") for kind in ("Deployment", "ReplicaSet", "StatefulSet")},
    ),
    ("no map at all", "- a\n", set(), set()),
    ("fields of the wrong type", "patches: 3\nresources: {a: b}\nreplicas: [1]\n", set(), set()),
]


def read(folder: Path) -> Kustomizations:
    return read_kustomizations(find_files([str(folder)]).sources)


@pytest.mark.parametrize(("text", "files", "patched"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_what_is_patched(tmp_path: Path, text: str, files: set[str], patched: set[tuple[str, str]]) -> None:
    (tmp_path / "kustomization.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "p.yaml").write_text(PATCH, encoding="utf-8")
    found = read(tmp_path)
    assert {Path(path).name for path in found.patch_paths} == files
    assert found.patched == patched


def test_resources_of_other_folders_belong_to_it(tmp_path: Path) -> None:
    for name, text in {"overlay/kustomization.yml": "resources: [../base/web.yaml, ../base]\n", "base/web.yaml": PATCH}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    folders = read(tmp_path).folders
    assert {Path(file).name: Path(kustomization).parent.name for file, kustomization in folders.items()} == {"web.yaml": "overlay"}
